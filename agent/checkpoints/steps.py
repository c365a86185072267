"""What happened to files in this session, one step at a time: what rewind, review and the file panel read.

Plain data and the way to ask for it. Who keeps it, and where the bytes lie, is not for this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

# A tool of ours wrote it, a command of ours did, somebody else did, or the person did through us (review, rewind).
By = Literal["call", "command", "outside", "person"]


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one file. The hashes name contents (`History.content`); None: there was, or is, no such file."""

    number: int
    # Real, absolute.
    path: str
    before: str | None
    after: str | None
    by: By
    # The person's message it belongs to, counted as turns are; 0: before the first.
    turn: int
    time: float
    # The call that made it; empty where nobody's call did.
    call: str = ""
    # What is known of whoever else it was, in words.
    attribution: str = ""
    # The permission bits before and after, where they are known.
    mode_before: int | None = None
    mode_after: int | None = None
    # The outermost folder that came to be with the file; empty where it came into one that was there.
    folder: str = ""


# Why something that a command changed cannot be taken back: git ignores it, it is too large, it is a link, it was not
# kept in time, or the folder holds too many files to be looked through.
Why = Literal["ignored", "large", "link", "missed", "many"]


@dataclass(frozen=True, slots=True)
class Gap:
    """What a command changed and nothing of ours covers: a file, or `count` files below a folder."""

    path: str
    count: int
    why: Why
    turn: int
    time: float
    call: str = ""


class History(Protocol):
    """The steps of a session, also of the runs of it before this one."""

    def steps(self, path: str = "") -> Sequence[Step]:
        """In the order they happened: of one file, or of all."""
        ...

    def content(self, hash: str) -> bytes | None:
        """None: not kept, because it was too large, or is gone by now."""
        ...
