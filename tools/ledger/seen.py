"""What one conversation was shown of each file: what permits an edit, and what an outside change is compared with.

Apart from it: what is still in the model's context, which permits the "unchanged" answer and ends with compaction.
The content hash decides; times and inodes only stand in for it where a file is too large to be hashed when shown.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

KEPT_TEXT_BYTES = 32 << 20
# What one request may hold of pictures, with some room for what others put in: their number, and their size as sent.
MOST_PICTURES = 90
PICTURES_BYTES = 20_000_000
HASHED_WHOLE_BYTES = 64 << 20
SHOWN_ONLY = "shown:"

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file at one moment. `hash` is of all its bytes, or marked as that of the shown part alone."""

    hash: str
    mtime_ns: int
    size: int
    dev: int
    ino: int
    text: str | None = None
    lines: int | None = None

    def same_file(self, now: Snapshot) -> bool:
        return (self.dev, self.ino) == (now.dev, now.ino)

    def same_content(self, now: Snapshot) -> bool:
        if self.hash.startswith(SHOWN_ONLY):
            return self.same_file(now) and (self.mtime_ns, self.size) == (now.mtime_ns, now.size)
        return self.hash == now.hash


@dataclass(frozen=True, slots=True)
class SeenFile:
    """`ranges` are the lines shown in full, `in_context` those the model can still look at."""

    snapshot: Snapshot
    ranges: tuple[Range, ...] = ()
    complete: bool = False
    in_context: tuple[Range, ...] = ()
    # How else the model can still look at it: as a picture, as cells, as pages.
    views: frozenset[str] = frozenset()

    def shown_lines_stand_in(self, text: str) -> bool:
        """For a file too large to be hashed when it was shown: whether at least the lines shown are still the same."""
        if not self.snapshot.hash.startswith(SHOWN_ONLY):
            return True
        return all(hash_of_shown(first, _lines(text, first, last)) == self.snapshot.hash for first, last in self.ranges)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What was known before a refusal showed more. It still holds for the message that was refused."""

    message: str
    before: SeenFile


class Seen:
    """Used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        # In the order of use: the texts of those at the front are dropped first.
        self._files: dict[str, SeenFile] = {}
        self._refusals: dict[str, _Refusal] = {}
        self._pictures = 0
        self._picture_bytes = 0
        # What commands of this conversation made of files, and which command it was last.
        self._by_commands: dict[tuple[str, str], str] = {}
        # And what the person did, in a view of ours.
        self._by_person: set[tuple[str, str]] = set()
        # Whether the session wrote this content of a path last; its conversations share that truth.
        self.wrote_last: Callable[[str, str], bool] = lambda path, hash: False

    def remember(
        self,
        real_path: str,
        snapshot: Snapshot,
        first_line: int,
        last_line: int,
        complete: bool,
        *,
        whole_lines: bool = True,
        in_context: bool = True,
    ) -> None:
        """These lines were shown. Pages of the same content add up to a complete view; lines cut short do not.

        `in_context`: the model has them as Read shows them, so that they need not be shown again.
        """
        shown = ((first_line, last_line),)
        with self._lock:
            known = self._files.get(real_path)
            if known is None or known.snapshot.hash != snapshot.hash:
                known = SeenFile(snapshot)
            ranges = _merged(known.ranges + shown) if whole_lines else known.ranges
            complete = complete or known.complete or (snapshot.lines is not None and ranges == ((1, snapshot.lines),))
            still_there = _merged(known.in_context + shown) if in_context else known.in_context
            self._keep(real_path, SeenFile(snapshot, ranges, complete, still_there, known.views))

    def remember_view(self, real_path: str, snapshot: Snapshot, view: str) -> None:
        """It was shown in another way than by its lines. That permits an edit, but never to write the whole."""
        with self._lock:
            known = self._files.get(real_path)
            if known is None or known.snapshot.hash != snapshot.hash:
                known = SeenFile(snapshot)
            self._keep(real_path, replace(known, snapshot=snapshot, views=known.views | {view}))

    def admit_pictures(self, number: int, size: int) -> bool:
        """Whether the context has room for so many more pictures, of so many bytes together; then they are counted."""
        with self._lock:
            if self._pictures + number > MOST_PICTURES or self._picture_bytes + size > PICTURES_BYTES:
                return False
            self.count_pictures(number, size)
            return True

    def count_pictures(self, number: int, size: int) -> None:
        """So many stand in the context."""
        with self._lock:
            self._pictures += number
            self._picture_bytes += size

    def follow(self, real_path: str, snapshot: Snapshot, complete: bool | None = None) -> None:
        """The conversation itself wrote this: it knows the new content as well as it knew the old, or as told."""
        with self._lock:
            known = self._files.get(real_path)
            as_before = known is not None and known.complete
            self._keep(real_path, SeenFile(snapshot, (), as_before if complete is None else complete))

    def refresh(self, real_path: str, snapshot: Snapshot, message: str) -> None:
        """A refusal shows what changed. It counts from the model's next message on: the refused one did not know."""
        with self._lock:
            known = self.get(real_path, message)
            if known is not None:
                self._keep(real_path, SeenFile(snapshot, (), known.complete))
                self._refusals[real_path] = _Refusal(message, known)

    def get(self, real_path: str, message: str = "") -> SeenFile | None:
        """What is known of the file; with a message, what was known when the model wrote that."""
        with self._lock:
            refusal = self._refusals.get(real_path)
            if refusal is not None and message and refusal.message == message:
                return refusal.before
            return self._files.get(real_path)

    def under_another_name(self, now: Snapshot, is_there: Callable[[str], bool]) -> SeenFile | None:
        """The same file, with the same content, shown by another name: a hard link, or a name in other case.

        `is_there` says whether a path leads to that file still. Where it does not, the file was moved, and the model
        believes another one by the new name.
        """
        with self._lock:
            files = tuple(self._files.items())
        same = (
            (path, file) for path, file in files if file.snapshot.same_file(now) and file.snapshot.same_content(now)
        )
        return next((file for path, file in same if is_there(path)), None)

    def credit(self, real_path: str, hash: str, command: str) -> None:
        """A command of this conversation left the file like this. The model knows that, and not what it looks like."""
        with self._lock:
            self._by_commands[(real_path, hash)] = command

    def credited(self, real_path: str, hash: str) -> str:
        """The command that left the file like this; empty where none of this conversation did."""
        with self._lock:
            return self._by_commands.get((real_path, hash), "")

    def credit_person(self, real_path: str, hash: str) -> None:
        """The person left the file like this, in a view of ours. The model is told so, and not what it looks like."""
        with self._lock:
            self._by_person.add((real_path, hash))

    def is_persons(self, real_path: str, hash: str) -> bool:
        with self._lock:
            return (real_path, hash) in self._by_person

    def knows(self, real_path: str) -> bool:
        return self.get(real_path) is not None

    def is_outdated(self, real_path: str, hash: str | None) -> bool:
        """Whether the model knows the file, and not with this content. None: it is gone."""
        known = self.get(real_path)
        return known is not None and known.snapshot.hash != hash

    def paths(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._files)

    def forget(self) -> None:
        """The conversation begins again further up: what is read from there on counts."""
        with self._lock:
            self._files.clear()
            self._refusals.clear()
            self._pictures = self._picture_bytes = 0

    def forget_context(self) -> None:
        """The context was compacted: edits stay permitted, but nothing can be looked up further above."""
        with self._lock:
            self._pictures = self._picture_bytes = 0
            for path, file in self._files.items():
                self._files[path] = replace(file, in_context=(), views=frozenset())

    def unchanged_stub_allowed(self, real_path: str, hash: str, first_line: int, last_line: int) -> bool:
        """Whether exactly these lines, as they still are, stand in the model's context."""
        file = self.get(real_path)
        if file is None or file.snapshot.hash != hash:
            return False
        return any(first <= first_line and last_line <= last for first, last in file.in_context)

    def view_in_context(self, real_path: str, hash: str, view: str) -> bool:
        """Whether the file, as it still is, stands in the model's context in this way."""
        file = self.get(real_path)
        return file is not None and file.snapshot.hash == hash and view in file.views

    def dump(self) -> list[dict[str, Any]]:
        """Plain data for a resume. Texts stay behind: the files are on the disk, and hashes tell whether the same."""
        with self._lock:
            return [_plain(path, file) for path, file in self._files.items()]

    def load(self, data: Sequence[Mapping[str, Any]]) -> None:
        with self._lock:
            self._files = dict(_from_plain(item) for item in data)
            self._refusals = {}

    def _keep(self, real_path: str, file: SeenFile) -> None:
        self._refusals.pop(real_path, None)
        self._files.pop(real_path, None)
        self._files[real_path] = file
        room = KEPT_TEXT_BYTES
        for path, kept in reversed(list(self._files.items())):
            room -= sys.getsizeof(kept.snapshot.text) if kept.snapshot.text is not None else 0
            if room < 0 and kept.snapshot.text is not None:
                self._files[path] = replace(kept, snapshot=replace(kept.snapshot, text=None))


def hash_of_shown(first_line: int, lines: Sequence[str]) -> str:
    """Stands in for a file's hash. The number makes it that of one place, where pages repeat."""
    return SHOWN_ONLY + hashlib.sha256("\n".join([str(first_line), *lines]).encode()).hexdigest()


def _lines(text: str, first: int, last: int) -> list[str]:
    at = 0
    for _ in range(first - 1):
        at = text.find("\n", at) + 1
    lines: list[str] = []
    for _ in range(first, last + 1):
        end = text.find("\n", at)
        lines.append(text[at:] if end < 0 else text[at:end])
        at = end + 1
    return lines


def _merged(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _plain(path: str, file: SeenFile) -> dict[str, Any]:
    shot = file.snapshot
    return {
        "path": path,
        "hash": shot.hash,
        "stat": [shot.mtime_ns, shot.size, shot.dev, shot.ino],
        "lines": shot.lines,
        "ranges": [list(one) for one in file.ranges],
        "complete": file.complete,
        "in_context": [list(one) for one in file.in_context],
        "views": sorted(file.views),
    }


def _from_plain(item: Mapping[str, Any]) -> tuple[str, SeenFile]:
    mtime_ns, size, dev, ino = cast("list[int]", item["stat"])
    snapshot = Snapshot(item["hash"], mtime_ns, size, dev, ino, None, item["lines"])
    ranges, in_context = _ranges(item["ranges"]), _ranges(item["in_context"])
    views = frozenset(map(str, item.get("views", ())))
    return item["path"], SeenFile(snapshot, ranges, bool(item["complete"]), in_context, views)


def _ranges(plain: Sequence[Sequence[int]]) -> tuple[Range, ...]:
    return tuple((first, last) for first, last in plain)
