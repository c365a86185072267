"""How a Grep call looks: its pattern, then how much it found and, in verbose style, the lines with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tools.blocks import Block, Blocks, Line, line
from tools.grep.found import FoundFile, GrepOutput
from tools.inputs import ToolOutput
from tools.search.names import asked, found, searched
from tools.search.so_far import so_far
from tools.short import counted
from tools.view import GroupedCall, Style, ToolView, ViewContext


class GrepView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        return asked(partial_input, ctx)

    def progress(self, progress: Sequence[ToolOutput], ctx: ViewContext) -> Blocks | None:
        return so_far(progress, "match")

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, GrepOutput):
            return super().result(data, progress, style, ctx)
        outcome = line((_outcome(data), "quiet"))
        if style == "condensed":
            return (outcome,)
        unreadable = (line(("some files could not be read", "quiet")),) if data.some_unreadable else ()
        return (outcome, *(block for file in data.files for block in _file(file, data)), *unreadable)

    def grouped(self, calls: Sequence[GroupedCall], ctx: ViewContext) -> Blocks | None:
        results = [call.data for call in calls if isinstance(call.data, GrepOutput)]
        return searched("Searched", calls, _how_much(results) if results else "")


def _outcome(data: GrepOutput) -> str:
    if data.matches_unshown:
        return "matches, but is no text"
    more = ", and more" if data.truncated else ""
    return _how_much([data]) + more + (", time was up" if data.timed_out else "")


def _how_much(results: Sequence[GrepOutput]) -> str:
    """`7 lines in 3 files`; where only the files were asked for, `3 files`."""
    files = list(dict.fromkeys(file.path for data in results for file in data.files))
    lines = sum(_lines(file, data) for data in results for file in data.files)
    if not files:
        return "nothing found"
    return f"{counted(lines, 'line')} in {found(files)}" if lines else found(files)


def _lines(file: FoundFile, data: GrepOutput) -> int:
    return file.count if data.mode == "count" else sum(one.matches for one in file.lines)


def _file(file: FoundFile, data: GrepOutput) -> Iterator[Block]:
    if data.mode == "files_with_matches":
        yield line((file.path, "path"))
    if data.mode == "count":
        yield line((file.path, "path"), "  ", (counted(file.count, "line"), "quiet"))
    indent = _common_indent([one.text for one in file.lines])
    for one in file.lines:
        place = f"{file.path}:{one.number}" if data.line_numbers else file.path
        yield line((place, "quiet"), "   ", (one.text[indent:], "plain" if one.matches else "quiet"))


def _common_indent(texts: Sequence[str]) -> int:
    """What all lines begin with is the file's affair, and takes room here."""
    return min((len(text) - len(text.lstrip(" \t")) for text in texts if text.strip()), default=0)
