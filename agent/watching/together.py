"""Many files changed at once by one hand are one thing to look at, not many."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from agent.events import Burst
from agent.watching.hands import Hand

# So many known files are told as one; or one file, where so many changed with it.
MANY_KNOWN = 4
MANY_FILES = 100
# What comes by the same hand no later than this goes on with it.
GOES_ON_SECONDS = 2.0
AT_IT_SECONDS = 120.0
MOST_COUNTED = 100_000


@dataclass(slots=True)
class _Going:
    id: int
    hand: Hand
    last: float
    known: set[str] = field(default_factory=set[str])
    files: set[str] = field(default_factory=set[str])


class Together:
    def __init__(self) -> None:
        self._going: _Going | None = None

    def burst_of(self, hand: Hand, known: Collection[str], files: Iterable[str], now: float) -> Burst | None:
        """What changes of these files, which came together, belong to. `files` are all that moved with them."""
        going = self._going
        if going is None or not _goes_on(going, hand, now):
            if len(known) < MANY_KNOWN and hand.files < MANY_FILES and not hand.goes_on:
                return None
            going = self._going = _Going(int(now * 1000), hand, now)
        going.hand, going.last = hand, now
        going.known.update(known)
        if len(going.files) < MOST_COUNTED:
            going.files.update(files)
        return Burst(going.id, max(hand.files, len(going.files | going.known)), len(going.known))


def _goes_on(going: _Going, hand: Hand, now: float) -> bool:
    """Who was still at it has a better name at the end of it."""
    if going.hand.goes_on and going.hand.repository == hand.repository:
        return now - going.last <= AT_IT_SECONDS
    return going.hand.words == hand.words and now - going.last <= GOES_ON_SECONDS


def regular_files(paths: Iterable[str]) -> set[str]:
    """Those of them that are there. Blocking."""
    return {path for path in paths if _is_regular(path)}


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
