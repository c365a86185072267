"""Mends what killed programs left of their writes: stray temporary files, and files half overwritten in place.

A file is half written where every byte of it is either the old one or the new one of that place. Such a file gets its
old content back. One that is whole stays, and so does one that somebody else changed since; then the old content is
kept, and the person is told where.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress
from typing import Any

from agent.store.journal import KEPT, LOG, NEW, OLD, forget_images
from agent.store.lines import read_lines
from tools.files import overwrite, read_bytes

KEPT_SECONDS = 30 * 24 * 3600
COMPARED_BYTES = 4096

PUT_BACK = "{path} was half written when agent-tui was killed; its old content is back."
LEFT = (
    "{path} was being written when agent-tui was killed, and is neither its old nor its new content since; it was left "
    "alone. What it was before is in {kept}."
)


def mend(folder: str) -> list[str]:
    """What a person should know of it. Blocking; costs one look at the folder where nothing was left."""
    told: list[str] = []
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name.endswith(LOG):
            told += _mend_log(folder, path)
        elif name.endswith(KEPT):
            _sweep(path)
    return told


def _mend_log(folder: str, path: str) -> list[str]:
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # another start was faster
        return []
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        told = [said for entry in _entries(path) if (said := _mend_entry(folder, entry))]
        os.unlink(path)
        return told
    except OSError:  # it is alive, or the disk says no: the next start tries again
        return []
    finally:
        os.close(file)


def _entries(path: str) -> list[dict[str, Any]]:
    """What was prepared or begun, and not done."""
    lines = read_lines(path).objects
    over = {str(line["done"]) for line in lines if "done" in line}
    begun = {str(line["entry"]) for line in lines if "entry" in line}
    return [line for line in lines if line.get("entry") not in over and line.get("preparing") not in begun]


def _mend_entry(folder: str, entry: dict[str, Any]) -> str:
    match entry:
        case {"temporary": str(temporary)}:
            _remove_stray(temporary)
        case {"entry": str(name), "path": str(path)}:
            return _mend_file(folder, name, path)
        case {"preparing": str(name)}:
            forget_images(folder, name)
        case _:
            pass
    return ""


def _remove_stray(temporary: str) -> None:
    """Its name was drawn at random and noted before there was such a file, so it can only be ours."""
    with suppress(FileNotFoundError, NotADirectoryError):
        if stat.S_ISREG(os.lstat(temporary).st_mode):
            os.unlink(temporary)


def _mend_file(folder: str, name: str, path: str) -> str:
    try:
        old, new = (read_bytes(os.path.join(folder, name + suffix)) for suffix in (OLD, NEW))
    except FileNotFoundError:  # the write was done, or had not begun
        forget_images(folder, name)
        return ""
    try:
        now = read_bytes(path)
    except OSError:
        now = None
    if now in (old, new):
        said = ""
    elif now is not None and is_between(now, old, new):
        overwrite(path, old)
        said = PUT_BACK.format(path=path)
    else:
        kept = os.path.join(folder, name + KEPT)
        os.rename(os.path.join(folder, name + OLD), kept)
        said = LEFT.format(path=path, kept=kept)
    forget_images(folder, name)
    return said


def is_between(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether every byte is the old or the new one of its place."""
    if not min(len(old), len(new)) <= len(now) <= max(len(old), len(new)):
        return False
    for at in range(0, len(now), COMPARED_BYTES):
        piece, was, will = (data[at : at + COMPARED_BYTES] for data in (now, old, new))
        was, will = was[: len(piece)], will[: len(piece)]
        if piece in (was, will):
            continue
        if any(byte not in (was[i : i + 1], will[i : i + 1]) for i, byte in _each(piece)):
            return False
    return True


def _each(piece: bytes) -> list[tuple[int, bytes]]:
    return [(i, piece[i : i + 1]) for i in range(len(piece))]


def _sweep(path: str) -> None:
    """What was kept for a person long ago."""
    with suppress(OSError):
        if time.time() - os.lstat(path).st_mtime > KEPT_SECONDS:
            os.unlink(path)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:  # nothing was ever written
        return []
