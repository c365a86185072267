"""A diff of any size as blocks of lines, none of them larger than can be drawn at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tools.blocks import Diff, Hunk
from tui.render.diff import GAP, diff_lines, is_new_file
from tui.render.lines import BLANK, Drawn, drawn
from tui.render.look import SIDE_BY_SIDE
from tui.review.item_lines import PORTION_LINES

INDENT = 3


class DiffBlocks:
    """`tui.review.window.Blocks`."""

    def __init__(self, diff: Diff, width: int) -> None:
        self._path = diff.path
        self._width = max(width - INDENT, 1)
        self._ground = not is_new_file(diff)
        self._parts = [part for hunk in diff.hunks for part in _portions(hunk)]
        # Where hunks begin.
        self.begins = [number for number, (_, first) in enumerate(self._parts) if first]
        self._drawings: dict[int, Sequence[Drawn]] = {}

    def __len__(self) -> int:
        return len(self._parts)

    def lines(self, number: int) -> Sequence[Drawn]:
        if number not in self._drawings:
            hunk, first = self._parts[number]
            whole = len(hunk.lines) < PORTION_LINES
            side = whole and self._width >= SIDE_BY_SIDE
            lines = diff_lines(Diff(self._path, (hunk,)), self._width, None, side, wrap_long=True, ground=self._ground)
            gap = [GAP] if first and number else []
            self._drawings[number] = [drawn(" " * INDENT, line) for line in (*gap, *lines)] or [BLANK]
        return self._drawings[number]


def _portions(hunk: Hunk) -> Iterator[tuple[Hunk, bool]]:
    """Each with whether the hunk begins with it."""
    old, new = hunk.old_start, hunk.new_start
    for at in range(0, max(len(hunk.lines), 1), PORTION_LINES):
        lines = hunk.lines[at : at + PORTION_LINES]
        yield Hunk(old, new, lines), not at
        old += sum(line.kind != "added" for line in lines)
        new += sum(line.kind != "removed" for line in lines)
