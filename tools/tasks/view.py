"""How a look at a background task is shown: which it is, and what it has written last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.blocks import Blocks, Line, Tail, line
from tools.inputs import ToolOutput
from tools.tasks.state import TaskAsItIs
from tools.view import Style, ToolView, ViewContext, text_of

CONDENSED_LINES = 5


class TaskProgress(ToolOutput):
    """The end of a task's output while somebody waits for it."""

    lines: tuple[str, ...]
    total_lines: int
    seconds: float


class TaskView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        return line((text_of(partial_input, "task_id"), "code"))

    def progress(self, progress: Sequence[ToolOutput], ctx: ViewContext) -> Blocks | None:
        last = progress[-1] if progress else None
        if not isinstance(last, TaskProgress) or not last.lines:
            return None
        return (Tail(last.lines[-CONDENSED_LINES:], max(last.total_lines, len(last.lines))),)

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, TaskAsItIs):
            return super().result(data, progress, style, ctx)
        return (line((f"{data.title}  ", "code"), (data.words, "quiet")),)
