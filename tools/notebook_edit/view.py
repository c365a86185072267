"""How a NotebookEdit looks: the end of the new source while it streams in, then the diff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.blocks import Blocks, Code, Line, line
from tools.changing.view import WRITTEN_LINE_CHARS, WRITTEN_LINES, ChangeView
from tools.short import counted, last_lines
from tools.view import ViewContext, text_of


class NotebookEditView(ChangeView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        path = (ctx.short(text_of(partial_input, "notebook_path")), "path")
        return line(path, (_which(partial_input), "quiet")) if _which(partial_input) else line(path)

    def writing(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Blocks | None:
        lines, before = last_lines(text_of(partial_input, "new_source"), WRITTEN_LINES, WRITTEN_LINE_CHARS)
        if not lines:
            return None
        words = line((f"{counted(before + len(lines), 'line')} so far", "quiet"))
        return (words, Code("\n".join(lines), text_of(partial_input, "cell_type"), before + 1))


def _which(given: Mapping[str, Any]) -> str:
    """`  cell 3`, `  after cell 3`, `  deletes cell 3`; nothing for a cell at the top, or one not named yet."""
    cell = text_of(given, "cell_id") or given.get("cell_number")
    if not isinstance(cell, str | int) or isinstance(cell, bool):
        return ""
    before = {"insert": "after ", "delete": "deletes "}.get(text_of(given, "edit_mode"), "")
    return f"  {before}cell {cell}"
