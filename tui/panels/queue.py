"""Messages that wait for the current calls to end: between the activity line and the prompt. Pure drawing."""

from __future__ import annotations

from collections.abc import Sequence

from tui.render.glyphs import mark
from tui.render.lines import Drawn, drawn, fit
from tui.render.look import Look
from tui.render.safe import one_line

_MOST_LINES = 3
# Longer than any line; the rest of a long message is not even looked at.
_MOST_CHARS = 1_000
# A narrower line has no room for the hint.
_ROOM_FOR_HINT = 50


def queue_lines(messages: Sequence[str], look: Look) -> list[Drawn]:
    """One line a message, in the order in which they will be said, three at most; the last one counts the others."""
    room = max(look.width - 1, 1)
    shown = messages[:_MOST_LINES]
    lines: list[Drawn] = []
    for number, message in enumerate(shown):
        words = one_line(" ".join(message[:_MOST_CHARS].split()))
        left = drawn(" ", mark("queued", look.ascii), " ", ("queued  ", "$dim"), words)
        lines.append(fit(room, left, _right(number, len(messages), look)))
    return lines


def _right(number: int, count: int, look: Look) -> Drawn:
    if number == 0 and look.width >= _ROOM_FOR_HINT:
        return drawn(("Up", "bold"), (f" takes {'it' if count == 1 else 'them'} back", "$dim"))
    more = count - _MOST_LINES if number == _MOST_LINES - 1 else 0
    return drawn((f"and {more} more", "$dim")) if more > 0 else drawn()
