"""Append-only files of JSON, one object a line, that survive a kill, a full disk and a careless editor.

A line counts once its line end is written. What could not be written waits in memory and goes out, in order, with
the next line that can.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from tools.threads import in_thread


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The objects of a file in order; `skipped` are the numbers of lines that are no object."""

    objects: tuple[dict[str, Any], ...]
    skipped: tuple[int, ...] = ()
    torn: bool = False


def read_lines(path: str) -> ReadBack:
    """All that can be read. A last line without its end was torn by a kill and is dropped."""
    try:
        with open(path, "rb") as file:
            *whole, rest = file.read().split(b"\n")
    except FileNotFoundError:
        return ReadBack(())
    objects: list[dict[str, Any]] = []
    skipped: list[int] = []
    for number, line in enumerate(whole, 1):
        found = _object(line)
        if found is None:
            skipped.append(number)
        else:
            objects.append(found)
    return ReadBack(tuple(objects), tuple(skipped), bool(rest))


def left_out(count: int, path: str) -> str:
    """The notice about lines that could not be read."""
    return f"{count} line{' was' if count == 1 else 's were'} left out of {path}: not readable."


class LineLog:
    """The writer of one such file. Small writes go to the system at once; `sync` brings them to the disk."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problem = ""
        self._waiting: list[bytes] = []
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._end = _cut_torn_line(self._file)

    @property
    def behind(self) -> int:
        """How many lines are not in the file yet; `problem` says why."""
        return len(self._waiting)

    def append(self, data: Mapping[str, Any]) -> None:
        self._waiting.append(json.dumps(data, separators=(",", ":")).encode() + b"\n")
        self._catch_up()

    async def sync(self) -> None:
        """At the end of a turn: all of it on the disk, or `problem` says why not."""
        self._catch_up()
        try:
            await in_thread(os.fsync, self._file)
        except OSError as error:
            self.problem = error.strerror or str(error)

    def close(self) -> None:
        self._catch_up()
        os.close(self._file)

    def _catch_up(self) -> None:
        try:
            while self._waiting:
                self._write(self._waiting[0])
                del self._waiting[0]
        except OSError as error:
            self.problem = error.strerror or str(error)
        else:
            self.problem = ""

    def _write(self, line: bytes) -> None:
        """The whole line or nothing of it."""
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(line)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _cut_torn_line(file: int) -> int:
    """Where the next line goes: after the last whole one, or it would be glued to a torn one."""
    size = end = os.fstat(file).st_size
    while end > 0:
        begin = max(0, end - 65_536)
        found = os.pread(file, end - begin, begin).rfind(b"\n")
        end = begin + found + 1
        if found >= 0:
            break
    if end != size:
        os.ftruncate(file, end)
    return end
