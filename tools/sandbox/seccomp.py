"""The filter that keeps a command from opening sockets, as the program the kernel runs for each of its system calls.

Landlock and namespaces leave holes here: a socket of another program of the person's (a container engine's, a terminal
multiplexer's) is a way out of any sandbox, and datagrams are not seen by Landlock at all.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import NamedTuple

AF_UNIX, AF_VSOCK = 1, 40

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
# Where in the kernel's data the number, the architecture and the first argument stand.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
# Another way of calling the same kernel, with numbers of its own.
_X32 = 0x40000000
# Opens sockets, too, without the system call.
_IO_URING_SETUP = 425


class _Machine(NamedTuple):
    architecture: int
    socket: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 41), "aarch64": _Machine(0xC00000B7, 198)}


def can_filter() -> bool:
    return platform.machine() in _MACHINES


def socket_filter(*, families: tuple[int, ...] | None, machine: str | None = None) -> bytes:
    """Refuses sockets of these families, of all where there are none named; empty for a machine that is not known."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return b""
    sockets = [_deny(errno.EACCES)]
    if families is not None:
        # After the questions comes the answer for the other families, then that for these.
        asked = [_jump(family, len(families) - place) for place, family in enumerate(families)]
        sockets = [_step(_LOAD, _FIRST_ARGUMENT), *asked, _allow(), *sockets]
    return b"".join(
        [
            _step(_LOAD, _ARCHITECTURE),
            _jump(known.architecture, 1),
            _deny(errno.EPERM),
            _step(_LOAD, _NUMBER),
            _step(_JUMP_AT_LEAST, _X32, 0, 1),
            _deny(errno.EPERM),
            _jump(_IO_URING_SETUP, 0, 1),
            _deny(errno.ENOSYS),
            _jump(known.socket, 1),
            _allow(),
            *sockets,
        ]
    )


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)


def _jump(value: int, if_so: int, if_not: int = 0) -> bytes:
    return _step(_JUMP_EQUAL, value, if_so, if_not)


def _deny(number: int) -> bytes:
    return _step(_RETURN, _ERRNO | number)


def _allow() -> bytes:
    return _step(_RETURN, _ALLOW)
