"""Where a repository keeps its own files. Read from its files alone: a program named git in the folder must not run."""

from __future__ import annotations

import os
import re
import stat

_LINK = re.compile(rb"gitdir: ([^\0\n]+)")
_BEGINNING = 4_000


def repository_of(folder: str) -> tuple[str, str] | None:
    """The top of the working tree that the folder lies in, and where git keeps the files of that tree."""
    parents = [folder]
    while parents[-1] != os.path.dirname(parents[-1]):
        parents.append(os.path.dirname(parents[-1]))
    top = next((parent for parent in parents if os.path.lexists(os.path.join(parent, ".git"))), None)
    if top is None:
        return None
    git = os.path.join(top, ".git")
    if linked := _LINK.fullmatch(beginning(git).strip()):
        git = os.path.join(top, os.fsdecode(linked[1]))
    return top, git


def beginning(path: str, most: int = _BEGINNING) -> bytes:
    """The first bytes of a regular file; none where it is no such file, or cannot be read."""
    return _part(path, 0, most)


def end(path: str, most: int = _BEGINNING) -> bytes:
    """The last bytes of it."""
    return _part(path, -most, most)


def _part(path: str, start: int, most: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                return b""
            file.seek(start if start >= 0 else max(found.st_size + start, 0))
            return file.read(most)
    except OSError:
        return b""
