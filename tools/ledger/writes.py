"""What this session wrote, per path: what tells our own changes from other people's.

Every hash ever written to a path counts as ours, so that a late look at an earlier write of our own flags nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """One state we gave a file: None is its removal."""

    hash: str | None
    call_id: str


class Writes:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str | None, str]] = {}
        self._last: dict[str, Written] = {}
        self._under_way: dict[str, int] = {}
        self._epochs: dict[str, int] = {}
        # Hears of each content before a file gets it, and of those that commands left. In whatever thread writes.
        self.announce: Callable[[str, str | None], None] = lambda path, hash: None

    def note(self, real_path: str, hash: str | None, call_id: str) -> None:
        """A tool wrote this."""
        with self._lock:
            self._known.setdefault(real_path, {})[hash] = call_id
            self._last[real_path] = Written(hash, call_id)
            self._epochs[real_path] = self._epochs.get(real_path, 0) + 1

    def credit(self, real_path: str, hash: str | None, call_id: str) -> None:
        """A command of ours left the file like this."""
        self.note(real_path, hash, call_id)
        self.announce(real_path, hash)

    @contextmanager
    def pending(self, real_path: str, hash: str | None, call_id: str) -> Generator[None]:
        """Around a write: the hash is ours before the bytes are there, and is taken back if they never came."""
        with self._lock:
            known = self._known.setdefault(real_path, {})
            new = hash not in known
            known.setdefault(hash, call_id)
            self._under_way[real_path] = self._under_way.get(real_path, 0) + 1
            self._epochs[real_path] = self._epochs.get(real_path, 0) + 1
        self.announce(real_path, hash)
        try:
            yield
        except BaseException:
            if new:
                with self._lock:
                    known.pop(hash, None)
            raise
        else:
            self.note(real_path, hash, call_id)
        finally:
            with self._lock:
                self._under_way[real_path] -= 1
                self._epochs[real_path] += 1

    def last(self, real_path: str) -> Written | None:
        with self._lock:
            return self._last.get(real_path)

    def wrote_last(self, real_path: str, hash: str) -> bool:
        last = self.last(real_path)
        return last is not None and last.hash == hash

    def is_ours(self, real_path: str, hash: str | None) -> str | None:
        """The call that gave the file this content, None if nobody here did."""
        with self._lock:
            return self._known.get(real_path, {}).get(hash)

    def being_written(self, real_path: str) -> bool:
        """Whether a write of ours is under way, so that half-written bytes are nobody else's."""
        with self._lock:
            return self._under_way.get(real_path, 0) > 0

    def epoch(self, real_path: str) -> int:
        """Another number after each beginning and end of a write of ours: the same before and after a look at the file
        means that the look met none."""
        with self._lock:
            return self._epochs.get(real_path, 0)
