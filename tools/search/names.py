"""What the views of the searching tools share: what is looked for and where, and how much was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.blocks import Blocks, Line, Span, line
from tools.short import counted
from tools.view import GroupedCall, ViewContext, text_of


def asked(partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
    """`st_mtime in tidewatch/`, from any prefix of the input."""
    spans = [Span(text_of(partial_input, "pattern"))]
    if where := text_of(partial_input, "path"):
        spans += [Span(" in ", "quiet"), Span(ctx.short(where), "path")]
    kinds = [text for key in ("glob", "type") if (text := text_of(partial_input, key))]
    if kinds:
        spans.append(Span(f" in {', '.join(kinds)}" if not where else f", {', '.join(kinds)}", "quiet"))
    return Line(tuple(spans))


def found(files: Sequence[str], total: int | None = None) -> str:
    """How many, or the name where there is one only: a count of one says less and takes as much room."""
    total = len(files) if total is None else total
    return files[0] if total == len(files) == 1 else counted(total, "file")


def searched(verb: str, calls: Sequence[GroupedCall], what: str) -> Blocks | None:
    """The words above parallel searches: `Searched 5 patterns   127 lines in 34 files`."""
    number = sum(call.counts for call in calls)
    if not number:
        return None
    return (line(f"{verb} {counted(number, 'pattern')}", (f"   {what}" if what else "", "quiet")),)
