"""Who else has a file open: the system knows, and tells whoever asks it for a lease. Linux only; elsewhere nobody does.

A program that has opened a file goes on writing into it, whatever its name leads to by then.
"""

from __future__ import annotations

import errno
import fcntl
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

LOOK_AGAIN_SECONDS = 0.005


def is_being_written(fd: int, patience: float = 0.0) -> bool:
    """Whether somebody has the file open for writing, and still has after so long. `fd` is open for reading only."""
    ends = time.monotonic() + patience
    while _is_refused(fd, "F_RDLCK"):
        if time.monotonic() >= ends:
            return True
        time.sleep(LOOK_AGAIN_SECONDS)
    _end_lease(fd)
    return False


@contextmanager
def held_alone(fd: int) -> Generator[None]:
    """Whoever opens the file meanwhile has to wait, unless somebody has it open already."""
    refused = _is_refused(fd, "F_WRLCK")
    try:
        yield
    finally:
        if not refused:
            _end_lease(fd)


def _is_refused(fd: int, kind: str) -> bool:
    """False also where there are no leases, or none for us."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # Of somebody who has to wait the system tells with a signal, which must be one that is not heard.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, getattr(fcntl, kind))
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def _end_lease(fd: int) -> None:
    if hasattr(fcntl, "F_SETLEASE"):
        with suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
