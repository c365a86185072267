"""The prompt's left edge: the bar in the mode's colour, the chevron, and marks where lines are out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from tui.render.glyphs import ASCII, CHEVRON
from tui.render.lines import CUT

# Bar, mark and a blank: text begins after them.
WIDTH = 3


class EdgeStyles(NamedTuple):
    bar: Style
    chevron: Style
    ground: Style


class EdgeMarks(NamedTuple):
    """The mark of each of the box's text lines, from the first in sight, and how many blank lines stand above them."""

    marks: Sequence[str]
    above: int

    def at(self, y: int) -> str:
        y -= self.above
        return self.marks[y] if 0 <= y < len(self.marks) else " "


def marks(height: int, top: int, total: int, is_shell: bool, ascii: bool) -> list[str]:
    """For `height` lines in sight of `total`, the first of them being number `top`."""
    found = [" "] * height
    if not found:
        return found
    if top + height < total:
        found[-1] = CUT
    found[0] = ("!" if is_shell else CHEVRON) if top == 0 else CUT
    return [ASCII.get(mark, mark) for mark in found] if ascii else found


def with_edge(strips: list[Strip], crop: Region, edge: EdgeMarks, styles: EdgeStyles, ascii: bool) -> list[Strip]:
    """The widget's lines within `crop`, the edge drawn over their first cells."""
    if crop.x >= WIDTH:
        return strips
    bar = Segment("|" if ascii else " ", styles.chevron if ascii else styles.bar)
    right = min(crop.right, WIDTH)
    painted: list[Strip] = []
    for y, strip in zip(crop.line_range, strips, strict=True):
        cells = Strip([bar, Segment(edge.at(y), styles.chevron), Segment(" ", styles.ground)], WIDTH)
        painted.append(Strip.join([cells.crop(crop.x, right), strip.crop(right - crop.x)]))
    return painted
