"""Ignore files as ripgrep reads them: the last line that matches a name decides, among several files the strongest.

Only the name itself is held against the lines. What lies in an ignored folder is never come to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from tools.contract import ToolError
from tools.search.patterns import PathTest, alternatives, test_of_names

# Strongest first; the last two are git's.
IGNORE_FILES = (".rgignore", ".ignore", ".gitignore", ".git/info/exclude")
LARGEST_IGNORE_FILE = 1_048_576


class Line(NamedTuple):
    """One line of an ignore file. Its paths start at the folder the file lies in."""

    matches: PathTest
    ignores: bool
    folders_only: bool


class Rules(NamedTuple):
    """The ignore files of one folder, in the order of IGNORE_FILES; the last line of a file comes first."""

    folder: str
    files: tuple[tuple[Line, ...], ...]

    def word_on(self, path: str, is_folder: bool, file: int) -> bool | None:
        """Ignored, kept, or nothing said."""
        inner = path[len(self.folder) :].lstrip("/")
        lines = (line for line in self.files[file] if (is_folder or not line.folders_only) and line.matches(inner))
        return next((line.ignores for line in lines), None)


def is_ignored(path: str, is_folder: bool, rules: tuple[Rules, ...]) -> bool:
    """`rules` are those of all folders above, the outermost first."""
    for file in range(len(IGNORE_FILES)):
        for folder in reversed(rules):
            word = folder.word_on(path, is_folder, file)
            if word is not None:
                return word
    return False


def rules_of(folder: str) -> tuple[Rules, ...]:
    files = tuple(_lines_of(os.path.join(folder, name)) for name in IGNORE_FILES)
    return (Rules(folder, files),) if any(files) else ()


def without_gits(rules: tuple[Rules, ...]) -> tuple[Rules, ...]:
    """What of them still counts where another repository begins."""
    return tuple(Rules(one.folder, (*one.files[:2], (), ())) for one in rules)


def rules_above(root: str) -> tuple[Rules, ...]:
    """The ignore files above the root, up to the folder that is the repository; none if they ignore the root itself.

    Who asks for an ignored folder by its name wants to see what is in it.
    """
    above: tuple[Rules, ...] = ()
    folder = root
    while folder != "/" and not os.path.exists(os.path.join(folder, ".git")):
        folder = os.path.dirname(folder)
        above = (*rules_of(folder), *above)
    return () if is_ignored(root, True, above) else above


def read_line(text: str) -> Iterator[Line]:
    """A line, once for each of its alternatives; one that is no pattern is passed over."""
    text = text if text.endswith("\\ ") else text.rstrip()
    if not text or text.startswith("#"):
        return
    ignores = not text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    anchored = "/" in text.removesuffix("/")
    try:
        for pattern in alternatives(text.removesuffix("/")):
            names = [_unescaped(name) for name in pattern.split("/") if name] or ["**"]
            if len(names) > 1 and names[-1] == "**":
                names.append("*")  # what lies in the folder, not the folder
            yield Line(test_of_names(names if anchored else ["**", *names]), ignores, folders_only)
    except ToolError:
        return


def _lines_of(file: str) -> tuple[Line, ...]:
    try:
        with open(file, encoding="utf-8-sig", errors="surrogateescape") as opened:
            texts = opened.read(LARGEST_IGNORE_FILE).split("\n")
    except OSError:  # there is none
        return ()
    return tuple(line for text in reversed(texts) for line in read_line(text))


def _unescaped(name: str) -> str:
    """A character behind a backslash stands for itself, which here is a class of one."""
    made, at = "", 0
    while at < len(name):
        if name[at] == "\\" and at + 1 < len(name):
            at += 1
            made += f"[{name[at]}]" if name[at] in "*?[" else name[at]
        else:
            made += name[at]
        at += 1
    return made
