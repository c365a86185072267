"""When the screen is drawn: soon after something changed, never oftener than an eye can use, never when nothing moves.

A burst of events is one frame. When text floods in, frames come further apart, so that drawing never takes the time
that reading needs, nor the terminal more bytes than the text has.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

# At most 20 frames a second.
SHORTEST = 0.05
# While more arrives in the time of one than anybody reads: when it is worth a screen, and at least so often.
FLOOD_CHARS = 500
SCREEN_CHARS = 8_000
IN_A_FLOOD = 0.2
LONGEST = 0.4
# A frame may take this part of the time.
SHARE = 0.25


class Frames:
    def __init__(self, draw: Callable[[], None]) -> None:
        self._draw = draw
        self._next: asyncio.TimerHandle | None = None
        self._last = 0.0
        self._cost = 0.0
        self._arrived = 0

    def want(self, chars: int = 0) -> None:
        """Something changed, and this much text came with it."""
        self._arrived += chars
        if self._next is None:
            due = self._last + SHORTEST - time.monotonic()
            self._next = asyncio.get_running_loop().call_later(max(due, 0.0), self._due)

    def now(self) -> None:
        """Draw at once: the person did something and looks for it."""
        self.stop()
        self._frame()

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _due(self) -> None:
        self._next = None
        since_last = time.monotonic() - self._last
        wait = self._interval(since_last) - since_last
        if wait > 0.001:
            # Not longer: more may arrive meanwhile.
            self._next = asyncio.get_running_loop().call_later(min(wait, SHORTEST), self._due)
        else:
            self._frame()

    def _interval(self, since_last: float) -> float:
        if self._arrived > FLOOD_CHARS * max(since_last / SHORTEST, 1):
            return IN_A_FLOOD if self._arrived > SCREEN_CHARS else LONGEST
        return max(SHORTEST, min(self._cost / SHARE, IN_A_FLOOD))

    def _frame(self) -> None:
        self._arrived = 0
        started = time.monotonic()
        self._draw()
        self._last = time.monotonic()
        self._cost = self._last - started
