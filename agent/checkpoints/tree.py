"""The files below some folders, each with what its stat data tells of it. Links are not followed, .git is not seen."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence

# When it was changed (the one time nobody can set back), its inode, size and mode. A plain tuple: there are many.
Sign = tuple[int, int, int, int]
# By folder, and in it by name.
Tree = dict[str, dict[str, Sign]]

MOST_FILES = 1_000_000
LOOK_SECONDS = 5.0
# Times tick in steps: what changes twice within one may look the same.
TICK_SECONDS = 0.05


class TooMuch(Exception):
    """The folders hold more than can be looked through around each command."""


def look(
    roots: Sequence[str],
    skipped: frozenset[str] = frozenset(),
    entered: Callable[[str], None] | None = None,
    seconds: float = LOOK_SECONDS,
) -> Tree:
    """`entered` is told of each folder before it is read. Raises TooMuch. What cannot be read is left out."""
    tree: Tree = {}
    waiting, count, deadline = list(roots), 0, time.monotonic() + seconds
    while waiting:
        folder = waiting.pop()
        if folder in skipped or folder in tree:
            continue
        if entered is not None:
            entered(folder)
        tree[folder] = files = _read(folder, waiting)
        count += len(files)
        if count > MOST_FILES or time.monotonic() > deadline:
            raise TooMuch
    return tree


def _read(folder: str, inner: list[str]) -> dict[str, Sign]:
    """The files of one folder; the folders in it join the others."""
    files: dict[str, Sign] = {}
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return files
    try:
        # By descriptor: the whole path is not looked up for each file.
        with os.scandir(fd) as entries:
            for entry in entries:
                name = entry.name
                if name == ".git":
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(f"{folder}/{name}" if folder != "/" else f"/{name}")
                    else:
                        found = entry.stat(follow_symlinks=False)
                        files[name] = (found.st_ctime_ns, found.st_ino, found.st_size, found.st_mode)
                except OSError:
                    continue
    except OSError:
        pass
    finally:
        os.close(fd)
    return files


def sign_of(path: str) -> Sign | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISDIR(found.st_mode):
        return None
    return found.st_ctime_ns, found.st_ino, found.st_size, found.st_mode


def sign_in(tree: Tree, path: str) -> Sign | None:
    folder, name = os.path.split(path)
    return tree.get(folder, {}).get(name)


def put_in(tree: Tree, path: str, sign: Sign | None) -> None:
    folder, name = os.path.split(path)
    if sign is not None:
        tree.setdefault(folder, {})[name] = sign
    else:
        tree.get(folder, {}).pop(name, None)


def differing(before: Tree, after: Tree) -> Iterator[str]:
    """The paths of all files that came, went or became another."""
    for folder in before.keys() | after.keys():
        old, new = before.get(folder, {}), after.get(folder, {})
        if old != new:
            for name in old.keys() | new.keys():
                if old.get(name) != new.get(name):
                    yield os.path.join(folder, name)


def below(tree: Tree, folder: str) -> Iterator[str]:
    """The paths of all files of a folder and the folders in it."""
    inside = folder.rstrip("/") + "/"
    for each, files in tree.items():
        if each == folder or each.startswith(inside):
            yield from (os.path.join(each, name) for name in files)


def is_regular(sign: Sign | None) -> bool:
    return sign is not None and stat.S_ISREG(sign[3])


def size_of(sign: Sign) -> int:
    return sign[2]


def mode_of(sign: Sign | None) -> int | None:
    """The permission bits."""
    return stat.S_IMODE(sign[3]) if sign is not None else None


def settled(sign: Sign, looked_at: float) -> bool:
    """Whether the same sign, found later, means that nothing changed."""
    return sign[0] / 1e9 < looked_at - TICK_SECONDS
