"""The settings files of a project, followed so that somebody who edits one need not start anew."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence

from tools.files import hash_file

Changed = Callable[[tuple[str, ...]], None]


class SettingsWatch:
    """They are few and small: when anything moves in one of their folders, all are looked at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hashes: dict[str, str | None] = {}
        self._changed: Changed = lambda _: None
        self._folders: frozenset[str] = frozenset()

    def follow(self, paths: Iterable[str], changed: Changed) -> None:
        """From how they are now."""
        self._hashes = {path: hash_file(path) for path in paths}
        self._changed = changed
        self._folders = frozenset(
            os.path.dirname(name) for path in self._hashes for name in (path, os.path.realpath(path))
        )

    def folders(self) -> frozenset[str]:
        """Where they lie, and where those lie that are links."""
        return self._folders

    def concerns(self, paths: Sequence[str]) -> bool:
        """Whether one of these lies in their folders, or is one of those."""
        return any(os.path.dirname(path) in self._folders or path in self._folders for path in paths)

    def look(self) -> tuple[str, ...]:
        """Which have changed since the last look. Blocking."""
        with self._lock:
            hashes = self._hashes
            found = {path: now for path, before in hashes.items() if (now := hash_file(path)) != before}
            hashes.update(found)
            return tuple(found)

    def tell(self, changed: tuple[str, ...]) -> None:
        """In the loop's thread."""
        self._changed(changed)
