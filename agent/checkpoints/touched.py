"""Which files are touched while a command runs, as Linux tells it (inotify): so nobody has to look through all again.

It is asked for each folder as that is looked at, and once, afterwards, for all that happened. Where it may have missed
something (too much happened, or it may not watch so many folders) it says so, and everything is looked at again.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, cast

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
OVERFLOW, IGNORED, IS_FOLDER = 0x4000, 0x8000, 0x40000000
_ONLY_FOLDERS, _NO_LINKS = 0x01000000, 0x02000000
_ASKED = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | _ONLY_FOLDERS | _NO_LINKS
_COMES_OR_GOES = MOVED_FROM | MOVED_TO | CREATE | DELETE
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 20
# What the system gives of these, all programs of the person share.
MOST_FOLDERS = 20_000


@dataclass(frozen=True, slots=True)
class Events:
    """Files that were touched, and folders that came, went or were renamed."""

    files: set[str] = field(default_factory=set[str])
    folders: set[str] = field(default_factory=set[str])


class Touched:
    """`entered` and `told` in a thread, `close` in any."""

    def __init__(self, fd: int, add: Callable[[int, bytes, int], int]) -> None:
        self._fd = fd
        self._add = add
        self._folders: dict[int, str] = {}
        self._complete = True
        self._lock = threading.Lock()

    def entered(self, folder: str) -> None:
        """Watch it from now on."""
        with self._lock:
            if not self._complete or self._fd < 0:
                return
            watch = self._add(self._fd, os.fsencode(folder), _ASKED)
            # A second name of a folder takes over the first one's watch.
            known = watch >= 0 and self._folders.setdefault(watch, folder) == folder
            self._complete = known and len(self._folders) <= MOST_FOLDERS
            if not self._complete:
                self._give_back()

    def told(self, roots: Collection[str]) -> Events | None:
        """All that happened so far, once; None where it may be more, also because one of `roots` went."""
        events = Events()
        with self._lock:
            while self._complete and self._fd >= 0:
                try:
                    data = os.read(self._fd, _BUFFER)
                except BlockingIOError:
                    return events
                except OSError:
                    break
                self._complete = all(self._take(events, *event, roots) for event in _parsed(data))
        return None

    def close(self) -> None:
        with self._lock:
            self._give_back()

    def _give_back(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _take(self, events: Events, watch: int, mask: int, name: str, roots: Collection[str]) -> bool:
        folder = self._folders.get(watch, "")
        if mask & OVERFLOW or (mask & IGNORED and folder in roots):
            return False
        if name and name != ".git":
            path = os.path.join(folder, name)
            if not mask & IS_FOLDER:
                events.files.add(path)
            elif mask & _COMES_OR_GOES:
                events.folders.add(path)
        return True


def watch_folders() -> Touched | None:
    """None where the system cannot tell."""
    if sys.platform != "linux":
        return None
    try:
        libc = cast("Any", ctypes.CDLL(None))
        fd: int = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        libc.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
    except (OSError, AttributeError):
        return None
    return Touched(fd, libc.inotify_add_watch) if fd >= 0 else None


def _parsed(data: bytes) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(data):
        watch, mask, _, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        found.append((watch, mask, os.fsdecode(data[at : at + length].rstrip(b"\0"))))
        at += length
    return found
