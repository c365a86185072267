"""Where somebody reads in a row, in terms that hold at every width: which of its letters stand above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui.render.glyphs import RAIL
from tui.render.lines import Drawn


class Held(NamedTuple):
    """At the start of the line, of so many lines; so many letters stand above, of so many."""

    line: int
    lines: int
    above: int
    letters: int


def held(lines: Sequence[Drawn], line: int) -> Held:
    above = sum(map(_letters, lines[:line]))
    return Held(line, len(lines), above, above + sum(map(_letters, lines[line:])))


def line_of(place: Held, lines: Sequence[Drawn]) -> int:
    """The line that holds the place, now that the row is drawn otherwise."""
    if len(lines) == place.lines or place.line <= 0:
        # Lines that are cut where the width ends are as many as before.
        return place.line
    counts = [_letters(line) for line in lines]
    # Of what is cut there are fewer letters, above and below alike.
    left = place.above * sum(counts) // max(place.letters, 1)
    for number, count in enumerate(counts):
        left -= count
        if left < 0:
            return number
    return max(len(lines) - 1, 0)


def _letters(line: Drawn) -> int:
    """Without blanks and rails, of which there are more or fewer with the width."""
    text = line.text
    return len(text) - text.count(" ") - text.count(RAIL)
