"""One page of a file's lines, read as a stream: memory stays flat whatever the size, the length of a line, or the wait.

Lines end at \\n only. A page ends with the first limit reached; the rest of the file is still counted and hashed up
to a wall, so that the page can say how much there is and the ledger knows exactly what was shown.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.contract import ToolError
from tools.ledger.seen import HASHED_WHOLE_BYTES, Snapshot, hash_of_shown
from tools.regular import Opened
from tools.textfile import SNIFFED_BYTES, Encoding, sniff, with_lf

PAGE_LINES = 2_000
LINE_CHARS = 2_000
PAGE_BYTES = 256 << 10
PAGE_TOKENS = 25_000
CHARS_PER_TOKEN = 4
PAGE_CHARS = PAGE_TOKENS * CHARS_PER_TOKEN
# Whole texts up to this size are kept for comparing with what others change later.
KEPT_BYTES = 8 << 20
# As much as stays in a processor's cache while it is counted.
SKIPPED_AT_ONCE = 128 << 10
# What the number and the tab before each line take, and its end.
NUMBER_CHARS = 8


@dataclass(frozen=True, slots=True)
class Page:
    """`total` is None where the file was not read to its end; `cut` counts lines shown only in part."""

    lines: tuple[str, ...]
    first: int
    total: int | None
    cut: int
    decoded: bool
    snapshot: Snapshot

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def complete(self) -> bool:
        return self.first == 1 and self.last == self.total and not self.cut


def read_page(opened: Opened, name: str, first: int, limit: int, cancelled: Callable[[], bool]) -> Page:
    taker = _Taker(first, min(limit, PAGE_LINES))
    stream = _Stream(opened, name)
    if stream.is_large:
        stream.size, taker.number = _far_inside(opened, stream.encoding, first, cancelled)
    page_began = stream.size
    for text in stream:
        refuse_cancelled(cancelled)
        if not taker.started:
            page_began = stream.size
        taker.feed(text)
        if stream.is_large and (taker.full or stream.size - page_began > HASHED_WHOLE_BYTES):
            break
    else:
        stream.finished = True
    taker.end()
    total = taker.lines_so_far if stream.finished else None
    return Page(tuple(taker.taken), first, total, taker.cut, stream.clean, stream.snapshot(first, taker.taken, total))


def room_for(text: str) -> int:
    """How much of the budget of a page a text takes that is no line of it: characters, more where they are wide."""
    return max(len(text), len(text.encode(errors="replace")) * PAGE_CHARS // PAGE_BYTES)


def refuse_cancelled(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise ToolError("Reading was cancelled.", "cancelled")


def _far_inside(opened: Opened, encoding: Encoding, first: int, cancelled: Callable[[], bool]) -> tuple[int, int]:
    """Go to where line `first` begins, only counting the lines before it; how far that is, and the line there.

    Where the file ends before, to the beginning of its last line.
    """
    begin, number, at = 0, 1, 0
    while encoding.codec == "utf-8" and number < first and (chunk := os.pread(opened.fd, SKIPPED_AT_ONCE, at)):
        refuse_cancelled(cancelled)
        wanted = min(first - number, _count_line_ends(chunk))
        if wanted:
            begin = at + _after_line_ends(chunk, wanted, all_of_them=number + wanted < first)
        number += wanted
        at += len(chunk)
    os.lseek(opened.fd, begin, os.SEEK_SET)
    return begin, number


def _count_line_ends(chunk: bytes) -> int:
    """`bytes.count` looks at each byte; taking the line ends out jumps from one to the next and is done in half."""
    return len(chunk) - len(chunk.replace(b"\n", b""))


def _after_line_ends(chunk: bytes, count: int, all_of_them: bool) -> int:
    if all_of_them:
        return chunk.rindex(b"\n") + 1
    after = 0
    for _ in range(count):
        after = chunk.index(b"\n", after) + 1
    return after


class _Stream:
    """The file's text, piece by piece, hashed on the way and kept where it is small."""

    def __init__(self, opened: Opened, name: str) -> None:
        self._opened = opened
        self.encoding = sniff(os.pread(opened.fd, SNIFFED_BYTES, 0), name)
        self._digest = hashlib.sha256()
        self._kept: list[str] = []
        self.size = 0
        self.clean = True
        self.finished = False

    @property
    def is_large(self) -> bool:
        """What is read counts, too: files of the kernel say that they have no size, and any file may grow."""
        return max(self.size, self._opened.stat.st_size) > HASHED_WHOLE_BYTES

    def __iter__(self) -> Iterator[str]:
        decoder = _Decoder(self.encoding, skip=len(self.encoding.mark) if self.size == 0 else 0)
        for chunk in self._opened.chunks():
            self.size += len(chunk)
            if not self.is_large:
                self._digest.update(chunk)
            yield self._keep(decoder, chunk)
        yield self._keep(decoder, b"", final=True)

    def snapshot(self, first: int, shown: list[str], lines: int | None) -> Snapshot:
        """What the ledger keeps: the whole hash, or for what is too large that of the lines shown."""
        whole = self.finished and not self.is_large
        hash = self._digest.hexdigest() if whole else hash_of_shown(first, shown)
        keep = whole and self.clean and self.size <= KEPT_BYTES
        text = with_lf("".join(self._kept)) if keep else None
        state = self._opened.stat
        size = self.size if self.finished else state.st_size
        return Snapshot(hash, state.st_mtime_ns, size, state.st_dev, state.st_ino, text, lines)

    def _keep(self, decoder: _Decoder, chunk: bytes, final: bool = False) -> str:
        text = decoder.decode(chunk, final)
        self.clean = decoder.clean
        if self.size <= KEPT_BYTES:
            self._kept.append(text)
        else:
            self._kept.clear()
        return text


class _Decoder:
    """Strict as long as it goes, then with replacement marks; `clean` says which it was."""

    def __init__(self, encoding: Encoding, skip: int) -> None:
        self._encoding = encoding
        self._skip = skip
        self._decoder = codecs.getincrementaldecoder(encoding.codec)("strict")
        self.clean = True

    def decode(self, chunk: bytes, final: bool = False) -> str:
        chunk, self._skip = chunk[self._skip :], 0
        state = self._decoder.getstate()
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            self.clean = False
            self._decoder = codecs.getincrementaldecoder(self._encoding.codec)("replace")
            self._decoder.setstate(state)
            return self._decoder.decode(chunk, final)


class _Taker:
    """Takes the lines of a page out of a stream of text and only counts the others."""

    def __init__(self, first: int, limit: int) -> None:
        self.taken: list[str] = []
        self.cut = 0
        self.full = False
        self._first = first
        self._limit = limit
        # Of the line that comes next.
        self.number = 1
        self._begun = ""
        self._length = 0
        self._ends_in_cr = False
        self._chars = 0
        self._bytes = 0
        self._open = False

    @property
    def started(self) -> bool:
        return self.number >= self._first

    @property
    def lines_so_far(self) -> int:
        return self.number - (not self._open)

    def feed(self, text: str) -> None:
        if not text:
            return
        self._open = not text.endswith("\n")
        at = self._skip(text)
        while at < len(text) and not self.full:
            end = text.find("\n", at)
            piece = text[at:] if end < 0 else text[at:end]
            self._begin(piece)
            if end < 0:
                return
            self._take(ended=True)
            self.number += 1
            at = end + 1
        self.number += text.count("\n", at)

    def end(self) -> None:
        """The last line may have no \\n."""
        if self._open and self.started and not self.full:
            self._take(ended=False)

    def _skip(self, text: str) -> int:
        """Where the page begins in this text, having counted the lines before it."""
        at = 0
        if self.number + text.count("\n") < self._first:
            self.number += text.count("\n")
            return len(text)
        while self.number < self._first:
            at = text.index("\n", at) + 1
            self.number += 1
        return at

    def _begin(self, piece: str) -> None:
        """Of a line however long, only what can be shown is held."""
        self._begun += piece[: LINE_CHARS - len(self._begun)]
        self._length += len(piece)
        self._ends_in_cr = piece.endswith("\r") if piece else self._ends_in_cr

    def _take(self, ended: bool) -> None:
        length = self._length - (ended and self._ends_in_cr)
        line = self._begun[:length]
        self._begun, self._length, self._ends_in_cr = "", 0, False
        if length > LINE_CHARS:
            line += f"… [{length - LINE_CHARS} more characters in this line]"
        self._chars += len(line) + NUMBER_CHARS
        self._bytes += len(line.encode()) + NUMBER_CHARS
        if self._chars > PAGE_CHARS or self._bytes > PAGE_BYTES:
            self.full = True
            return
        self.taken.append(line)
        self.cut += length > LINE_CHARS
        self.full = len(self.taken) == self._limit
