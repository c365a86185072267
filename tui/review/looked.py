"""The changes of a session as they were when somebody looked: file by file, ours in their order, others' apart."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from agent.checkpoints.steps import History, Step
from agent.review.hunks import FileChanges
from agent.review.lines import Lines, lines_of
from agent.review.review import FileItems, Item, Review
from tui.panels.files import Measured
from tui.review.makers import Makers

# What tells that a file has to be looked at again.
Stamp = tuple[object, ...]


@dataclass(frozen=True)
class LookedFile:
    found: FileItems
    stamp: Stamp = ()

    @property
    def path(self) -> str:
        return self.found.changes.path

    @property
    def changes(self) -> FileChanges:
        return self.found.changes

    @property
    def own(self) -> Literal["A", "D", "M"]:
        """`A` new, `D` gone, `M` changed."""
        changes = self.changes
        if changes.lost:
            return "M"
        return "A" if changes.start is None else "D" if changes.now is None else "M"

    def number(self, item: Item) -> int:
        """How the hunk is counted in its file."""
        return self._numbers[item.key]

    def around(self, item: Item, most: int) -> tuple[Lines, Lines]:
        """The unchanged lines before and after a hunk, no further than to the next one."""
        at = self._places.get(id(item.hunk))
        if at is None or item.undone or item.hunk.whole:
            return (), ()
        hunks, first, last = self.changes.hunks, item.hunk.at, _end(item)
        begin = hunks[at - 1].at + len(hunks[at - 1].added) if at else 0
        end = hunks[at + 1].at if at + 1 < len(hunks) else len(self._lines)
        return self._lines[max(begin, first - most) : first], self._lines[last : min(end, last + most)]

    @cached_property
    def _numbers(self) -> dict[object, int]:
        return {item.key: number for number, item in enumerate(self.found.items, 1)}

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(hunk): at for at, hunk in enumerate(self.changes.hunks)}

    @cached_property
    def _lines(self) -> Lines:
        return lines_of(self.changes.now)


@dataclass(frozen=True)
class Looked:
    """`read`: all files anything happened to. The order of `items` is the one they are gone through in."""

    read: tuple[LookedFile, ...] = ()

    @cached_property
    def files(self) -> tuple[LookedFile, ...]:
        """Those with hunks to see."""
        return tuple(file for file in self.read if file.found.items)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        return (*(item for file in self.files for item in ours(file)), *self.apart)

    @cached_property
    def apart(self) -> tuple[Item, ...]:
        """What others made, or had a hand in."""
        return tuple(item for file in self.files for item in file.found.items if item.hunk.whose != "ours")

    @cached_property
    def _by_path(self) -> dict[str, int]:
        return {file.path: number for number, file in enumerate(self.files)}

    def file_of(self, item: Item) -> LookedFile:
        return self.files[self.place_of(item)]

    def place_of(self, item: Item) -> int:
        return self._by_path[item.path]

    def marked(self, review: Review) -> Looked:
        """With what the person has decided since."""
        return Looked(tuple(replace(file, found=review.again(file.found)) for file in self.read))


def ours(file: LookedFile) -> tuple[Item, ...]:
    return tuple(item for item in file.found.items if item.hunk.whose == "ours")


def measured(file: LookedFile, makers: Makers) -> Measured:
    """For the list of files."""
    changes = file.changes
    mine = [hunk for hunk in changes.hunks if hunk.whose == "ours"]
    theirs = [hunk for hunk in changes.hunks if hunk.whose != "ours"]
    shared = any(hunk.whose == "mixed" for hunk in theirs)
    there = changes.lost or changes.now is not None
    last = next((step for step in reversed(changes.steps) if step.by != "outside"), None)
    outside = [step.time for hunk in theirs for step in hunk.steps if step.by == "outside"]
    return Measured(
        own=file.own if mine or shared else "r",
        added=sum(len(hunk.added) for hunk in mine),
        removed=sum(len(hunk.removed) for hunk in mine),
        theirs=bool(theirs),
        their_added=sum(len(hunk.added) for hunk in theirs),
        their_removed=sum(len(hunk.removed) for hunk in theirs),
        gone=not there and bool(theirs) and not mine,
        by=makers.name(last) if last is not None else "",
        by_at=last.time if last is not None else 0.0,
        their_at=max(outside, default=0.0),
    )


def look(review: Review, history: History, before: Looked) -> Looked:
    """What has become of all files; only those that are others by now are read. Blocking."""
    known = {file.path: file for file in before.read}
    files: list[LookedFile] = []
    for path, steps in _by_path(history.steps()).items():
        stamp = _stamp(path, steps)
        file = known.get(path)
        if file is None or file.stamp != stamp:
            file = LookedFile(review.look(path), stamp)
        files.append(file)
    return Looked(tuple(files)).marked(review)


def _by_path(steps: Sequence[Step]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in steps:
        found.setdefault(step.path, []).append(step)
    return found


def _stamp(path: str, steps: Sequence[Step]) -> Stamp:
    # Whose a change was may be known better later.
    known = tuple(step.attribution for step in steps)
    with suppress(OSError):
        info = os.stat(path)
        return known, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns
    return (known,)


def _end(item: Item) -> int:
    return item.hunk.at + len(item.hunk.added)
