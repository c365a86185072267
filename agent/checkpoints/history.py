"""What happened to files in one session, as it happens: the steps in a log of the session, the contents in the store.

Nothing here ever fails what is being done. What could not be kept is said once, and then has no content.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agent.checkpoints.blobs import Blobs
from agent.checkpoints.steps import By, Gap, Step, Why
from agent.store.lines import LineLog, read_lines
from tools.files import KEPT_BYTES, hash_bytes
from tools.keeping import FileChange, Image

_READER = TypeAdapter(Step)
_GAPS = TypeAdapter(Gap)
STEPS_FILE = "steps.jsonl"
NOT_KEPT = "What files were before cannot be kept ({why}): {folder}. The work goes on, but cannot all be taken back."

# What the person does through us has no call of the model: its id says what it was.
PERSONS_CALLS = ("shell-", "review-", "rewind-")


class SessionHistory:
    """`agent.checkpoints.steps.History`, and `tools.keeping.Keeper` for our own writes. Used from several threads."""

    def __init__(self, blobs: Blobs, session_folder: str, tell: Callable[[str], None]) -> None:
        """`tell` is called in whatever thread finds out."""
        self.blobs = blobs
        # The turn things belong to; the session says which.
        self.turn: Callable[[], int] = lambda: 0
        self._tell = tell
        self._told = False
        self._lock = threading.RLock()
        path = os.path.join(session_folder, STEPS_FILE)
        self._steps = list(steps_in(path))
        # Where the steps of a file stand among all.
        self._of_path: dict[str, list[int]] = {}
        for at, step in enumerate(self._steps):
            self._of_path.setdefault(step.path, []).append(at)
        self._gaps = list(gaps_in(path))
        self._log = self._open_log(path)
        # One after the other, so that what is kept later is never there earlier.
        self._worker = ThreadPoolExecutor(1, "checkpoints")

    # -- what the person's views read

    def steps(self, path: str = "") -> Sequence[Step]:
        with self._lock:
            return tuple(self._steps[at] for at in self._of_path.get(path, ())) if path else tuple(self._steps)

    def gaps(self) -> Sequence[Gap]:
        """What commands changed and cannot be taken back."""
        with self._lock:
            return tuple(self._gaps)

    def content(self, hash: str) -> bytes | None:
        """Blocking."""
        return self.blobs.get(hash)

    # -- what happens

    def keep(self, image: Image) -> None:
        if image.data is not None:
            self._keep_bytes(image.data, image.hash)

    def wrote(self, change: FileChange) -> None:
        """A write through the one writer: a call's, or the person's own through us."""
        if change.after is not None:
            self.keep(change.after)
        by: By = "person" if is_persons(change.call_id) else "call"
        modes = (change.mode, None)
        before, after = hash_of(change.before), hash_of(change.after)
        self.note(change.path, before, after, by, call=change.call_id, modes=modes, folder=change.folder)

    def note(
        self,
        path: str,
        before: str | None,
        after: str | None,
        by: By,
        *,
        call: str = "",
        attribution: str = "",
        modes: tuple[int | None, int | None] = (None, None),
        folder: str = "",
    ) -> Step | None:
        """One more step; None where nothing changed. The contents are kept by whoever has them."""
        if before == after and modes[0] == modes[1]:
            return None
        with self._lock:
            number = self._steps[-1].number + 1 if self._steps else 1
            step = Step(number, path, before, after, by, self.turn(), time.time(), call, attribution, *modes, folder)
            self._of_path.setdefault(path, []).append(len(self._steps))
            self._steps.append(step)
            self._say(asdict(step))
        return step

    def note_gap(self, path: str, count: int, why: Why, call: str) -> None:
        """A command changed something that is not covered."""
        with self._lock:
            gap = Gap(path, count, why, self.turn(), time.time(), call)
            self._gaps.append(gap)
            self._say(asdict(gap))

    def found(
        self, path: str, before: str | None, after: str | None, call: str, attribution: str, text: str | None = None
    ) -> int:
        """A change that was noticed, not made: somebody's, or that of the command whose call is named. `text` is what
        was seen of the file then. The number of its step; 0 where it is none."""
        by = by_command(call) if call else "outside"
        step = self.note(path, before, after, by, call=call, attribution=attribution)
        self.keep_file_soon(path, after, text)
        return step.number if step is not None else 0

    def attribute(self, number: int, words: str) -> None:
        """More has been found out of whose a step was: it is told once more, with that."""
        with self._lock:
            at = next((at for at in reversed(range(len(self._steps))) if self._steps[at].number == number), None)
            if at is None or self._steps[at].attribution == words:
                return
            self._steps[at] = replace(self._steps[at], attribution=words)
            self._say(asdict(self._steps[at]))

    def keep_file_soon(self, path: str, hash: str | None, text: str | None = None) -> None:
        """The file still holds what `hash` names: keep it before it no longer does. Returns at once."""
        if hash is not None:
            with suppress(RuntimeError):  # the session is closed
                self._worker.submit(self.keep_file, path, hash, text)

    def keep_file(self, path: str, hash: str, text: str | None = None) -> bool:
        """Blocking; whether the content is kept. A file that is another by now is left to who notices that; `text`
        stands in for what it was, where that is the same to the byte."""
        if self.blobs.has(hash):
            return True
        for data in (read_small(path, KEPT_BYTES), None if text is None else text.encode(errors="replace")):
            if data is not None and hash_bytes(data) == hash:
                return self._keep_bytes(data, hash)
        return False

    def settled(self) -> None:
        """Blocking: returns when all that was to be kept soon is kept."""
        with suppress(RuntimeError):
            self._worker.submit(lambda: None).result()

    def close(self) -> None:
        self._worker.shutdown()
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None

    # -- inside

    def _keep_bytes(self, data: bytes, hash: str) -> bool:
        try:
            self.blobs.keep(data, hash)
        except OSError as error:
            self._cannot(error.strerror or str(error))
            return False
        return True

    def _say(self, line: Mapping[str, Any]) -> None:
        if self._log is not None:
            self._log.append(line)
            if self._log.problem:
                self._cannot(self._log.problem)

    def _open_log(self, path: str) -> LineLog | None:
        try:
            return LineLog(path)
        except OSError as error:
            self._cannot(error.strerror or str(error))
            return None

    def _cannot(self, why: str) -> None:
        if not self._told:
            self._told = True
            self._tell(NOT_KEPT.format(why=why, folder=self.blobs.folder))


def is_persons(call_id: str) -> bool:
    return call_id.startswith(PERSONS_CALLS)


def by_command(call_id: str) -> By:
    """Whose a change is that was made by a command with this call."""
    return "person" if is_persons(call_id) else "command"


def hash_of(image: Image | None) -> str | None:
    return image.hash if image is not None else None


def steps_in(path: str) -> tuple[Step, ...]:
    """The steps of a session's log; what is told twice counts as told last, and lines that are none are left out."""
    found: dict[int, Step] = {}
    with suppress(OSError):
        for line in read_lines(path).objects:
            with suppress(ValidationError):
                step = _READER.validate_python(line)
                found[step.number] = step
    return tuple(found.values())


def gaps_in(path: str) -> Iterator[Gap]:
    with suppress(OSError):
        for line in read_lines(path).objects:
            with suppress(ValidationError):
                yield _GAPS.validate_python(line)


def named_in(path: str) -> frozenset[str]:
    """The contents that a session's log names."""
    return frozenset(hash for step in steps_in(path) for hash in (step.before, step.after) if hash)


def read_small(path: str, most: int) -> bytes | None:
    """The bytes of a regular file no larger than this; None for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            info = os.fstat(fd)
            return file.read(most + 1) if stat.S_ISREG(info.st_mode) and info.st_size <= most else None
    except OSError:
        return None
