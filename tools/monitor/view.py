"""How a Monitor call looks: what is waited for, and the line that came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.blocks import Blocks, Code, Line, line
from tools.inputs import ToolOutput
from tools.tasks.state import TaskAsItIs
from tools.tasks.view import TaskView
from tools.view import Style, ViewContext, text_of


class Monitored(TaskAsItIs):
    # The line that matched; None where none did.
    line: str | None
    # Up to where was looked, in bytes.
    next: int
    # The file with the whole output.
    stored: str


class MonitorView(TaskView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        pattern = text_of(partial_input, "pattern")
        whose = text_of(partial_input, "task_id")
        return line((whose, "code"), (" for ", "quiet"), (pattern, "code")) if pattern else line((whose, "code"))

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, Monitored):
            return super().result(data, progress, style, ctx)
        if data.line is None:
            return (line(("no line matched; ", "quiet"), (data.words, "quiet")),)
        return (line((data.words, "quiet")), Code(data.line))
