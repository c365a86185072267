"""Reading a command's output from the file it goes to: a bounded text for the model, a live tail for the screen.

The file may be gigabytes: what is held in memory never grows with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

# Leaves room for the notes around it within the tool's 30 000 characters.
SHOWN_CHARS = 28_000
TAIL_LINES = 20
TAIL_BYTES = 16 * 1024
# What is counted at a time while the command runs.
SLICE_BYTES = 16 * 1024 * 1024
_CHUNK = 1024 * 1024
# No character takes more bytes in UTF-8.
_BYTES_PER_CHAR = 4


@dataclass(frozen=True, slots=True)
class Output:
    text: str
    total_bytes: int
    total_lines: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The end of the output so far."""

    lines: tuple[str, ...]
    total_lines: int
    total_bytes: int


class GrowingFile:
    """The output of a command, from so many bytes on. Its lines are counted as it grows, each byte once.

    A command may also empty it, as by `> /dev/stderr`, which opens the file anew: then all of it is new.
    """

    def __init__(self, path: str, after: int = 0) -> None:
        self.path = path
        self._after = self._counted = after
        self._lines = 0
        self._last = b""

    def size(self) -> int:
        return os.stat(self.path).st_size

    def is_behind(self, size: int) -> bool:
        return self._counted < size

    def count_on(self, most: int = SLICE_BYTES) -> None:
        """A part of what is new, so that whoever waits for the end is not held up at the end."""
        with open(self.path, "rb") as file:
            self._count(file.fileno(), most)

    def look(self) -> Glimpse:
        with open(self.path, "rb") as file:
            self._count(file.fileno())
            start = max(self._after, self._counted - TAIL_BYTES)
            tail = os.pread(file.fileno(), self._counted - start, start)
        lines = _decoded(tail).splitlines() if tail else []
        return Glimpse(tuple(lines[-TAIL_LINES:]), self._lines, self._counted)

    def read(self, limit: int = SHOWN_CHARS) -> Output:
        """All of it, or its head and tail with what is missing between them."""
        with open(self.path, "rb") as file:
            fd = file.fileno()
            self._count(fd)
            size, after = self._counted - self._after, self._after
            # A last line without an end is a line, too.
            lines = self._lines + (self._last not in (b"", b"\n"))
            if size <= limit * _BYTES_PER_CHAR:
                text = _decoded(os.pread(fd, size, after))
                if len(text) <= limit:
                    return Output(text, size, lines, truncated=False)
            half = limit // 2
            head = _decoded(os.pread(fd, half * _BYTES_PER_CHAR, after))[:half]
            start = max(0, size - half * _BYTES_PER_CHAR)
            tail = _decoded(os.pread(fd, size - start, after + start))[-half:]
        head, tail = _to_line_end(head), _from_line_start(tail)
        missing = size - len(head.encode(errors="replace")) - len(tail.encode(errors="replace"))
        gap = f"\n\n[... {missing} bytes of {size} left out here; the whole output is in {self.path} ...]\n\n"
        return Output(head + gap + tail, size, lines, truncated=True)

    def _count(self, fd: int, most: int | None = None) -> None:
        size = os.fstat(fd).st_size
        if size < self._counted:
            self._counted, self._lines, self._last = self._after, 0, b""
        end = size if most is None else min(size, self._counted + most)
        for chunk in _chunks(fd, self._counted, end):
            self._lines += chunk.count(b"\n")
            self._counted += len(chunk)
            self._last = chunk[-1:]


def read_output(path: str, limit: int = SHOWN_CHARS, after: int = 0) -> Output:
    """What was written after so many bytes, for who did not follow it as it grew."""
    return GrowingFile(path, after).read(limit)


def _chunks(fd: int, start: int, end: int) -> Iterator[bytes]:
    """Up to an end that was there. A command may write as fast as we read: what comes later is for the next look."""
    while start < end and (chunk := os.pread(fd, min(_CHUNK, end - start), start)):
        yield chunk
        start += len(chunk)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n")


def _to_line_end(head: str) -> str:
    """Cut at the last line end, unless that would lose most of it."""
    end = head.rfind("\n")
    return head[:end] if end > len(head) // 2 else head


def _from_line_start(tail: str) -> str:
    start = tail.find("\n")
    return tail[start + 1 :] if 0 <= start < len(tail) // 2 else tail
