"""Keys that mean something else when they are pressed twice: Esc, Ctrl+C, Ctrl+D."""

from __future__ import annotations

from collections.abc import Callable


class Twice:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._key = ""
        self._at = 0.0

    def pressed(self, key: str) -> None:
        """Every key, before it does anything: one that came between makes what follows no second press."""
        if key != self._key:
            self.forget()

    def again(self, key: str, seconds: float) -> bool:
        """Whether this is the second press of the key within so many seconds."""
        now = self._now()
        twice = self._key == key and now - self._at <= seconds
        self._key, self._at = ("", 0.0) if twice else (key, now)
        return twice

    def forget(self) -> None:
        self._key = ""
