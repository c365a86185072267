"""The instruction files of a project: AGENTS.md from the repository's root down to the working folder.

Where no AGENTS.md stands, CLAUDE.md and CLAUDE.local.md are read instead. `@path` on a line of its own brings in
another file, four deep. Each real file is read once. A folder that is not trusted says nothing to the model.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

IMPORT_DEPTH = 4
FILE_CHARS = 40_000
ALL_CHARS = 120_000
OURS = "AGENTS.md"
OTHERS = ("CLAUDE.md", "CLAUDE.local.md")

_IMPORT = re.compile(r"^@(\S+)\s*$")


@dataclass(frozen=True, slots=True)
class InstructionFile:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Instructions:
    """`notices` name the files that could not be used, and why."""

    files: tuple[InstructionFile, ...] = ()
    notices: tuple[str, ...] = ()


def read_instructions(folder: str, home: str, trusted: bool) -> Instructions:
    if not trusted:
        return Instructions()
    reading = _Reading(_root_of(folder), home)
    for place in _from_root_to(folder, reading.root):
        names = (OURS,) if os.path.lexists(os.path.join(place, OURS)) else OTHERS
        for name in names:
            reading.add(os.path.join(place, name))
    return Instructions(tuple(reading.files), tuple(reading.notices))


@dataclass(slots=True)
class _Reading:
    root: str
    home: str
    files: list[InstructionFile] = field(default_factory=list[InstructionFile])
    notices: list[str] = field(default_factory=list[str])
    _met: set[str] = field(default_factory=set[str])
    _chars: int = 0

    def add(self, path: str) -> None:
        text = self._text(path, missing_is_fine=True)
        if text is not None:
            self.files.append(InstructionFile(path, self._with_imports(path, text, 1)))

    def _with_imports(self, path: str, text: str, depth: int) -> str:
        lines: list[str] = []
        for line in text.split("\n"):
            found = _IMPORT.match(line)
            lines.append(self._imported(path, found[1], depth) if found else line)
        return "\n".join(lines)

    def _imported(self, importer: str, name: str, depth: int) -> str:
        if depth > IMPORT_DEPTH:
            self.notices.append(f"{importer}: @{name} was left out, imports go {IMPORT_DEPTH} deep at most.")
            return ""
        name_there = self.home + name[1:] if name.startswith("~/") else name
        path = os.path.normpath(os.path.join(os.path.dirname(importer), name_there))
        if not self._may_import(path):
            self.notices.append(f"{importer}: @{name} was left out, it lies outside the repository.")
            return ""
        text = self._text(path, missing_is_fine=False)
        return "" if text is None else self._with_imports(path, text, depth + 1)

    def _may_import(self, path: str) -> bool:
        """From the repository, or the person's own agent folders: a project must not send other files to the model."""
        real = os.path.realpath(path)
        allowed = (self.root, os.path.join(self.home, ".config", "agent-tui"), os.path.join(self.home, ".claude"))
        return any(Path(real).is_relative_to(os.path.realpath(folder)) for folder in allowed)

    def _text(self, path: str, missing_is_fine: bool) -> str | None:
        real = os.path.realpath(path)
        if real in self._met:
            return None
        self._met.add(real)
        if missing_is_fine and not os.path.lexists(path):
            return None
        if not self._may_import(path) or not os.path.isfile(real):
            self.notices.append(f"{path} is not read: it is missing, no regular file, or leads out of the repository.")
            return None
        try:
            with open(real, encoding="utf-8-sig") as file:
                text = file.read(FILE_CHARS + 1)
        except (OSError, UnicodeDecodeError) as error:
            self.notices.append(f"{path} is not read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.")
            return None
        return self._within_limits(path, text)

    def _within_limits(self, path: str, text: str) -> str:
        room = max(0, min(FILE_CHARS, ALL_CHARS - self._chars))
        if len(text) > room:
            self.notices.append(f"{path} is read only in part: instructions are cut at {room} characters.")
        self._chars += min(len(text), room)
        return text[:room].strip()


def _root_of(folder: str) -> str:
    """The nearest folder above that holds a repository; the folder itself where there is none."""
    for place in (Path(folder), *Path(folder).parents):
        if (place / ".git").exists():
            return str(place)
    return folder


def _from_root_to(folder: str, root: str) -> Iterator[str]:
    places = [folder, *map(str, Path(folder).parents)]
    yield from reversed(places[: places.index(root) + 1])
