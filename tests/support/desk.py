"""A folder with Read, Write, Edit and NotebookEdit over it, as one conversation uses them: for tests of file work."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.calls import context, run
from tools.changing.change import FileChanged
from tools.context import ToolContext
from tools.contract import AnyTool, Preview, ToolError, build_tool
from tools.edit.tool import Edit
from tools.files import Files, Journal
from tools.ledger.seen import Seen
from tools.ledger.writes import Writes
from tools.notebook_edit.tool import NotebookEdit
from tools.read.shown import ReadOutput, Text
from tools.read.tool import Read
from tools.write.tool import Write


class Desk:
    """Each call is a message of the model of its own, unless `same_message` is set."""

    def __init__(self, folder: Path, journal: Journal | None = None, seen: Seen | None = None) -> None:
        self.folder = folder
        self.seen = seen or Seen()
        self.files = Files(Writes(), journal)
        self.read_tool = build_tool(Read)
        self.write_tool = build_tool(Write, files=self.files)
        self.edit_tool = build_tool(Edit, files=self.files)
        self.notebook_tool = build_tool(NotebookEdit, files=self.files)
        self.same_message = False
        self._ctx = context(folder, self.seen)
        self._messages = 0

    def ctx(self) -> ToolContext:
        self._messages += not self.same_message
        return replace(self._ctx, parent_message=f"message-{self._messages}")

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, path: str | Path, **more: Any) -> ReadOutput:
        return run(self.read_tool, {"file_path": str(path), **more}, self.ctx())

    def text(self, path: str | Path, **more: Any) -> Text:
        """What was read, where that is lines of text; fails for any other answer."""
        answer = self.read(path, **more).answer
        assert isinstance(answer, Text), answer
        return answer

    def told(self, path: str | Path, **more: Any) -> Any:
        """What the model gets of it."""
        return self.read_tool.to_result_block(self.read(path, **more))

    def write(self, path: str | Path, content: str) -> FileChanged:
        return run(self.write_tool, {"file_path": str(path), "content": content}, self.ctx())

    def edit(self, path: str | Path, old: str, new: str, **more: Any) -> FileChanged:
        return run(self.edit_tool, _edit(path, old, new, **more), self.ctx())

    def edit_cell(self, path: str | Path, **more: Any) -> FileChanged:
        return run(self.notebook_tool, {"notebook_path": str(path), **more}, self.ctx())

    def preview(self, tool: AnyTool, **given: Any) -> Preview:
        return asyncio.run(tool.preview(tool.parse_input(given), self.ctx()))

    def refused(self, act: Any, *args: Any, **more: Any) -> ToolError:
        """The refusal of `desk.read`, `desk.write` or `desk.edit` with these arguments; fails if there is none."""
        try:
            done = act(*args, **more)
        except ToolError as error:
            return error
        raise AssertionError(f"was not refused but gave {done!r}")


def _edit(path: str | Path, old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"file_path": str(path), "old_string": old, "new_string": new, **more}
