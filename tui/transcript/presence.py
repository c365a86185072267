"""Which files are there already, asked beside the keys and never waited for: a disk may hang."""

from __future__ import annotations

import os
import threading


class Presence:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._found: dict[str, bool | None] = {}

    def __call__(self, path: str) -> bool | None:
        """As it was when it was asked about first; None until that is known."""
        if path not in self._found:
            self._found[path] = None
            threading.Thread(target=self._look, args=(path,), name="presence", daemon=True).start()
        return self._found[path]

    def forget(self) -> None:
        """Whatever was there may be another by now."""
        self._found = {}

    def _look(self, path: str) -> None:
        found = self._found
        try:
            found[path] = os.path.lexists(os.path.join(self._folder, os.path.expanduser(path)))
        except ValueError:  # no name of a file at all
            found[path] = False
