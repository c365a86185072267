"""How a Glob call looks: its pattern, then how many files it found and, in verbose style, their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.blocks import Blocks, Line, line
from tools.glob.found import GlobOutput
from tools.inputs import ToolOutput
from tools.search.names import asked, found, searched
from tools.search.so_far import so_far
from tools.short import counted
from tools.view import GroupedCall, Style, ToolView, ViewContext


class GlobView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        return asked(partial_input, ctx)

    def progress(self, progress: Sequence[ToolOutput], ctx: ViewContext) -> Blocks | None:
        return so_far(progress, "file")

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, GlobOutput):
            return super().result(data, progress, style, ctx)
        outcome = line((_how_many(data), "quiet"))
        return (outcome,) if style == "condensed" else (outcome, *(line((file, "path")) for file in data.files))

    def grouped(self, calls: Sequence[GroupedCall], ctx: ViewContext) -> Blocks | None:
        results = [call.data for call in calls if isinstance(call.data, GlobOutput)]
        return searched("Listed", calls, counted(sum(one.total for one in results), "file") if results else "")


def _how_many(data: GlobOutput) -> str:
    text = found(data.files, data.total)
    if data.truncated:
        text += f", the newest {len(data.files)} listed"
    return text + (", time was up" if data.timed_out else "")
