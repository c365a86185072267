"""What writes are under way, on the disk, so that the next start can mend what a kill left of them (`mend.py`).

    <state>/journal/<random>.log           of one program: a line when a write begins, another when it is done
    <state>/journal/<random>.old, .new     of a write in place: what the file was, and what it is to be
    <state>/journal/<random>.kept          what a file was that nobody could mend, for the person

A program holds its log by a lock for as long as it lives; a log that nobody holds is that of one that was killed.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tools.files import read_bytes

LOG, OLD, NEW, KEPT = ".log", ".old", ".new", ".kept"
NO_JOURNAL = "Writes cannot be noted in {folder} ({why}); a kill in the middle may leave half a file."


class DiskJournal:
    """`tools.keeping.Journal`. Used from several threads; nothing is made before the first write."""

    def __init__(self, folder: str, tell: Callable[[str], None]) -> None:
        """`tell` is called, once, where the folder takes no notes; the writes go on."""
        self._folder = folder
        self._tell: Callable[[str], None] | None = tell
        self._lock = threading.Lock()
        self._log: _Log | None = None
        self._open: set[str] = set()

    def begin(self, real_path: str, temporary: str | None, data: bytes) -> str:
        entry = secrets.token_hex(8)
        with self._lock:
            try:
                self._log = log = self._log or _Log(self._folder)
                if temporary is None:
                    log.say({"preparing": entry})
                    write_synced(os.path.join(self._folder, entry + OLD), read_bytes(real_path))
                    write_synced(os.path.join(self._folder, entry + NEW), data)
                log.append({"entry": entry, "path": real_path, "temporary": temporary})
                self._open.add(entry)
            except OSError as error:
                forget_images(self._folder, entry)
                self._cannot(error.strerror or str(error))
        return entry

    def end(self, entry: str) -> None:
        with self._lock:
            if entry not in self._open or self._log is None:
                return
            self._open.remove(entry)
            # Before the note goes: a kill in between must not leave them where nothing speaks of them.
            forget_images(self._folder, entry)
            if self._open:
                self._log.say({"done": entry})
            else:
                self._log.clear()

    def close(self) -> None:
        with self._lock:
            if self._log is not None:
                # What is open now was left half written: the next start must find it.
                self._log.close(remove=not self._open)
                self._log = None

    def _cannot(self, why: str) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell(NO_JOURNAL.format(folder=self._folder, why=why))


class _Log:
    def __init__(self, folder: str) -> None:
        for level in (os.path.dirname(folder), folder):
            os.makedirs(level, mode=0o700, exist_ok=True)
        self._path = os.path.join(folder, secrets.token_hex(8) + LOG)
        self._file = self._held()
        sync_folder(folder)

    def append(self, line: Mapping[str, Any]) -> None:
        """On the disk when it returns."""
        self.say(line)
        os.fdatasync(self._file)

    def say(self, line: Mapping[str, Any]) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")

    def clear(self) -> None:
        os.ftruncate(self._file, 0)

    def close(self, *, remove: bool) -> None:
        if remove:
            with suppress(OSError):
                os.unlink(self._path)
        os.close(self._file)

    def _held(self) -> int:
        """A start that mends may hold the new log for a moment, find it empty, and remove it: then there is another."""
        while True:
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            file = os.open(self._path, flags, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file).st_nlink:
                return file
            os.close(file)


def forget_images(folder: str, entry: str) -> None:
    for suffix in (OLD, NEW):
        with suppress(OSError):
            os.unlink(os.path.join(folder, entry + suffix))


def write_synced(path: str, data: bytes) -> None:
    """A new private file with these bytes, on the disk when it returns."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
