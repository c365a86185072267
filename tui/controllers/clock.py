"""The one clock of the screen: a step of the spinner ten times a second, and nothing at all while nothing moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

STEP_SECONDS = 0.1
STEPS_A_SECOND = 10
# With reduced motion only the clocks go on.
CALM_SECONDS = 1.0


class Clock:
    """`step` is called while `moves` says so; `spin` counts the steps."""

    def __init__(self, moves: Callable[[], bool], step: Callable[[], None], still: bool = False) -> None:
        self.spin = 0
        self._moves = moves
        self._step = step
        self._seconds = CALM_SECONDS if still else STEP_SECONDS
        self._next: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """Something may have begun to move."""
        if self._next is None and self._moves():
            self._next = asyncio.get_running_loop().call_later(self._seconds, self._tick)

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _tick(self) -> None:
        self._next = None
        self.spin += 1
        self._step()
        self.wake()
