"""Reads what ripgrep writes with `--null`, piece by piece, and keeps no more of it than was asked for.

A file name ends with NUL, since it may hold anything else, a line end too. After it comes nothing (files), a number
(count), or `12:text`, `12-text` (content: a match, a line around one). All else ends with a line end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from tools.grep.found import FoundFile, FoundLine, Mode
from tools.search.patterns import PathTest
from tools.search.root import Root

LONGEST_LINE = 500
CUT = "… [the rest of this line is not shown]"

_NUMBERED = re.compile(rb"(\d+)([:-])(.*)", re.DOTALL)
# What it writes between the records, without a NUL, about a file that turned out not to be text.
_BINARY = re.compile(rb"(?:.*?): (?:WARNING: stopped searching|binary file matches)[^\n]*offset \d+\)\n", re.DOTALL)
_UNSHOWN = b": binary file matches (found "


@dataclass(frozen=True, slots=True)
class Entry:
    """What `head_limit` and `offset` count: a file, or a line of one."""

    name: str
    rest: bytes


@dataclass(slots=True)
class Reading:
    """Passes over the first `skipped` entries and takes at most `most`."""

    mode: Mode
    wanted: PathTest | None
    most: int
    skipped: int = 0
    entries: list[Entry] = field(default_factory=list[Entry])
    _passed: int = 0
    _rest: bytes = b""

    def take(self, chunk: bytes) -> bool:
        """False once there is one entry more than was asked for."""
        self._rest += chunk
        for name, rest in self._records():
            if self.wanted is not None and not self.wanted(name):
                continue
            if self._passed < self.skipped:
                self._passed += 1
                continue
            if len(self.entries) == self.most:
                return False
            self.entries.append(Entry(name, rest))
        return True

    @property
    def matches_unshown(self) -> bool:
        """Whether the one file that was searched is binary and matches: that is said in place of its lines."""
        return _UNSHOWN in self._rest

    def sort(self) -> None:
        """Into the order of `--sort=path`: folder by folder, by the bytes of the names."""
        self.entries.sort(key=lambda entry: os.fsencode(entry.name).split(b"/"))

    def _records(self) -> Iterator[tuple[str, bytes]]:
        """Each name with what stands behind it; what is not complete yet stays for the next piece."""
        end = 0
        try:
            while (nul := self._rest.find(b"\0", end)) >= 0:
                after = nul + 1
                if self.mode != "files_with_matches":
                    after = self._rest.find(b"\n", nul) + 1
                    if not after:
                        return
                name, end = self._rest[end:nul], after
                yield _clean(name), self._rest[nul + 1 : end].removesuffix(b"\n")
        finally:
            self._rest = self._rest[end:]


def files_of(entries: Sequence[Entry], mode: Mode, root: Root) -> tuple[FoundFile, ...]:
    """The entries, which stand file by file, as what was found."""
    return tuple(
        _file(root.show(name), [entry.rest for entry in together], mode)
        for name, together in groupby(entries, key=lambda entry: entry.name)
    )


def _file(path: str, rests: list[bytes], mode: Mode) -> FoundFile:
    match mode:
        case "files_with_matches":
            return FoundFile(path=path)
        case "count":
            return FoundFile(path=path, count=int(rests[0]))
        case "content":
            lines = (_line(numbered) for rest in rests if (numbered := _NUMBERED.fullmatch(rest)))
            return FoundFile(path=path, lines=tuple(lines))


def _line(numbered: re.Match[bytes]) -> FoundLine:
    text = numbered[3].removesuffix(b"\r").decode(errors="replace")
    if len(text) > LONGEST_LINE:
        text = text[:LONGEST_LINE] + CUT
    return FoundLine(number=int(numbered[1]), text=text, matches=numbered[2] == b":")


def _clean(name: bytes) -> str:
    if b"\n" in name:
        name = _BINARY.sub(b"", name)
    return os.fsdecode(name.removeprefix(b"./"))
