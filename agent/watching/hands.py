"""Who may have changed a file, and what says so. A name comes with its evidence, or it is not said."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hand:
    """`words` stand on the row: "git checkout main", "probably vim". `evidence` is a clause for who wants to know."""

    words: str
    evidence: str = ""
    # The repository whose git it was; what git does to one file it often does to many.
    repository: str = ""
    # How many files that was altogether, where that can be known.
    files: int = 0
    # It is still at it: more will come, and more will be known.
    goes_on: bool = False

    @property
    def is_sure(self) -> bool:
        return not self.words.startswith(PROBABLY)


PROBABLY = "probably "
EXTERNAL = Hand("external")


@dataclass(frozen=True, slots=True)
class Trace:
    """What is left of one change: where, what the file now is, and what else has moved around it."""

    path: str
    # None: the file is gone.
    hash: str | None
    # In nanoseconds since the epoch, by the clock of the disk.
    changed_at: int
    # All that was seen to move in the watched folders at about that time, also what is gone again.
    touched: frozenset[str] = field(default=frozenset())

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path)

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def moved_beside(self, name: str) -> bool:
        """Whether something of this name came, changed or went in the file's folder."""
        return os.path.join(self.folder, name) in self.touched


def trace_of(path: str, hash: str | None, touched: frozenset[str]) -> Trace:
    """Blocking."""
    return Trace(path, hash, _changed_at(path), touched)


def _changed_at(path: str) -> int:
    """When the file got to be what it is; of one that is gone its folder tells."""
    try:
        found = os.lstat(path)
    except OSError:
        try:
            found = os.stat(os.path.dirname(path))
        except OSError:
            return time.time_ns()
    return found.st_ctime_ns
