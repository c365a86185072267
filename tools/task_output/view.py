"""How a TaskOutput call looks: how the task stands, and the last lines of what it has written."""

from __future__ import annotations

from collections.abc import Sequence

from tools.blocks import Blocks, Tail
from tools.inputs import ToolOutput
from tools.tasks.state import TaskAsItIs
from tools.tasks.view import CONDENSED_LINES, TaskView
from tools.view import Style, ViewContext


class TaskOutputData(TaskAsItIs):
    output: str
    # Where what is not written yet will begin, in bytes.
    next: int
    total_lines: int
    truncated: bool
    # The file with the whole output.
    stored: str
    # What the sandbox seems to have kept it from, as a sentence.
    blocked: str = ""


class TaskOutputView(TaskView):
    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        outcome = super().result(data, progress, style, ctx) or ()
        if not isinstance(data, TaskOutputData) or not data.output.strip():
            return outcome
        lines = data.output.rstrip("\n").split("\n")
        shown = lines if style == "verbose" else lines[-CONDENSED_LINES:]
        return (*outcome, Tail(tuple(shown), data.total_lines))
