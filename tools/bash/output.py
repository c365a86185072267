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
    """The output of a running command. Each look reads only what is new.

    A command may also empty it, as by `> /dev/stderr`, which opens the file anew: then all of it is new.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._counted = 0
        self._lines = 0

    def size(self) -> int:
        return os.stat(self.path).st_size

    def look(self) -> Glimpse:
        with open(self.path, "rb") as file:
            self._count(file.fileno())
            start = max(0, self._counted - TAIL_BYTES)
            tail = os.pread(file.fileno(), self._counted - start, start)
        lines = _decoded(tail).splitlines() if tail else []
        return Glimpse(tuple(lines[-TAIL_LINES:]), self._lines, self._counted)

    def _count(self, fd: int) -> None:
        if os.fstat(fd).st_size < self._counted:
            self._counted = self._lines = 0
        for chunk in _chunks(fd, self._counted):
            self._lines += chunk.count(b"\n")
            self._counted += len(chunk)


def read_output(path: str, limit: int = SHOWN_CHARS, after: int = 0) -> Output:
    """All that was written after so many bytes, or its head and tail with what is missing between them."""
    with open(path, "rb") as file:
        fd = file.fileno()
        size, lines = _measure(fd, after)
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
    gap = f"\n\n[... {missing} bytes of {size} left out here; the whole output is in {path} ...]\n\n"
    return Output(head + gap + tail, size, lines, truncated=True)


def _measure(fd: int, after: int) -> tuple[int, int]:
    size = lines = 0
    last = b""
    for chunk in _chunks(fd, after):
        size += len(chunk)
        lines += chunk.count(b"\n")
        last = chunk[-1:]
    # A last line without an end is a line, too.
    return size, lines + (last not in (b"", b"\n"))


def _chunks(fd: int, start: int) -> Iterator[bytes]:
    """What is there now. A command may write as fast as we read: what comes meanwhile is for the next look."""
    end = os.fstat(fd).st_size
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
