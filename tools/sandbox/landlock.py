"""Walls by Landlock, which any process may put around itself and never take down again. Standard library only.

Loaded by `tools/bash/launcher_child.py`, in the process that is about to start a command: what it starts is inside.
Landlock only grants, never takes away: to hide a folder, everything around it is granted and the folder is not.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterator, Mapping
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2

_NAMES = (
    "execute write_file read_file read_dir remove_dir remove_file make_char make_dir make_reg make_sock make_fifo "
    "make_block make_sym refer truncate"
)
_RIGHTS = {name: 1 << bit for bit, name in enumerate(_NAMES.split())}
_READ = _RIGHTS["read_file"] | _RIGHTS["read_dir"]
_WRITE = sum(right for name, right in _RIGHTS.items() if name not in ("execute", "read_file", "read_dir"))
# What can be granted on something that is no folder.
_OF_FILES = _RIGHTS["write_file"] | _RIGHTS["read_file"] | _RIGHTS["truncate"]
# From these versions on the kernel knows of renames across folders, of truncating, of TCP, and of what else a process
# may reach: sockets without a name in the file system, and processes outside.
_REFER_SINCE, _TRUNCATE_SINCE, _TCP_SINCE, _SCOPES_SINCE = 2, 3, 4, 6
_TCP, _SCOPES = 0b11, 0b11

_DEVICES = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/ptmx /dev/pts /dev/shm"

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Of the kernel's Landlock; 0 where there is none."""
    return max(_libc.syscall(_CREATE, None, 0, 1), 0)


def restrict(rules: Mapping[str, Any]) -> None:
    """From now on this process and what it starts stays inside. Raises OSError where that cannot be had.

    `writable`, `hidden`, `shown`: paths, as in `tools/sandbox/walls.py`. `network`: whether TCP is let through.
    `filter`: a program for seccomp, in hexadecimal.
    """
    known = version()
    handled = _READ | _known_writes(known)
    ruleset = _new_ruleset(known, handled, network=bool(rules["network"]))
    try:
        _grant(ruleset, "/", _RIGHTS["read_dir"])
        for path in _around(list(rules["hidden"])):
            _grant(ruleset, path, _READ)
        for path in (*rules["shown"],):
            _grant(ruleset, path, _READ)
        for path in (*rules["writable"], *_DEVICES.split()):
            _grant(ruleset, path, handled)
        _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_libc.syscall(_RESTRICT, ruleset, 0))
    finally:
        os.close(ruleset)
    if rules["filter"]:
        _filter(bytes.fromhex(rules["filter"]))


def _known_writes(known: int) -> int:
    too_new = _RIGHTS["refer"] if known < _REFER_SINCE else 0
    too_new |= _RIGHTS["truncate"] if known < _TRUNCATE_SINCE else 0
    return _WRITE & ~too_new


def _new_ruleset(known: int, handled: int, *, network: bool) -> int:
    tcp = _TCP if known >= _TCP_SINCE and not network else 0
    fields = struct.pack("=QQQ", handled, tcp, _SCOPES if known >= _SCOPES_SINCE else 0)
    size = 8 if known < _TCP_SINCE else 16 if known < _SCOPES_SINCE else 24
    return _checked(_libc.syscall(_CREATE, fields, size, 0))


def _around(hidden: list[str]) -> Iterator[str]:
    """Everything but the hidden: beside each of them, and beside each folder above one."""
    above = {"/"}
    for path in hidden:
        while (path := os.path.dirname(path)) != "/":
            above.add(path)
    for folder in above:
        try:
            entries = os.listdir(folder)
        except OSError:  # what we cannot see, a command cannot either
            continue
        paths = (os.path.join(folder, entry) for entry in entries)
        yield from (path for path in paths if path not in above and path not in hidden)


def _grant(ruleset: int, path: str, rights: int) -> None:
    """Nothing is granted through a link: what it leads to has its own place."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # gone, or not ours to see
        return
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISLNK(mode):
            return
        rights &= -1 if stat.S_ISDIR(mode) else _OF_FILES
        if rights:
            _checked(_libc.syscall(_ADD, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0))
    finally:
        os.close(descriptor)


def _filter(program: bytes) -> None:
    steps = ctypes.create_string_buffer(program, len(program))
    whole = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
    _checked(_libc.prctl(_SET_SECCOMP, _FILTER, whole, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "Landlock")
    return result
