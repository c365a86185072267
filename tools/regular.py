"""Looking at and opening what a path leads to: regular files only, never a device, a pipe or a process's secrets.

Every reader goes through here, because opening the wrong thing hangs for ever and reading it may leak.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from tools.contract import ToolError

CHUNK = 1 << 16
NAMES_LOOKED_AT = 2_000
# How long a disk, perhaps one behind a network, may take to say what a path leads to.
ANSWER_SECONDS = 10.0

_SECRET = re.compile(
    r"/proc/(?:[0-9]+|self|thread-self)(?:/task/[0-9]+)?/(?:environ|mem|auxv|pagemap|stack|syscall)|/proc/k(?:core|msg|pagecount)"
)


@dataclass(frozen=True, slots=True)
class Opened:
    """An open regular file. Whoever reads it reads this object, whatever the name means by then."""

    fd: int
    stat: os.stat_result

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        while chunk := os.read(self.fd, size):
            yield chunk


def is_secret_pseudo_file(real_path: str) -> bool:
    """Files of the kernel that hold the environment or memory of processes."""
    return bool(_SECRET.fullmatch(real_path))


def look(path: str) -> os.stat_result | None:
    """The state of the regular file the path leads to, None where nothing is; anything else is refused."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        refuse_os_error(path, error)
    if stat.S_ISDIR(found.st_mode):
        raise ToolError(f"{path} is a directory; list it, or give the path of a file in it.", "is_directory")
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{path} is not a regular file but {_kind(found.st_mode)}; give a regular file.", "not_regular")
    if is_secret_pseudo_file(os.path.realpath(path)):
        raise ToolError(f"{path} holds a process's environment or memory, which is never read.", "not_regular")
    return found


@contextmanager
def open_regular(path: str) -> Generator[Opened]:
    """Open what `look` accepts, without ever waiting for it and without following a link put there meanwhile."""
    real = os.path.realpath(path)
    if look(real) is None:
        raise missing(path)
    try:
        fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        refuse_os_error(path, error)
    try:
        state = os.fstat(fd)
        if not stat.S_ISREG(state.st_mode):
            raise ToolError(f"{path} was replaced by something that is no regular file.", "not_regular")
        yield Opened(fd, state)
    finally:
        os.close(fd)


def read_whole(path: str) -> tuple[bytes, os.stat_result]:
    with open_regular(path) as opened:
        try:
            return b"".join(opened.chunks(1 << 20)), opened.stat
        except OSError as error:
            refuse_os_error(path, error)


def missing(path: str) -> ToolError:
    """That there is no such file, with the name that was perhaps meant."""
    meant = _similar(path)
    hint = f" Did you mean {meant}?" if meant else " Look for it with Glob, or list the folder."
    return ToolError(f"{path} does not exist.{hint}", "file_missing")


def does_not_answer(path: str) -> ToolError:
    """The system has not answered; whether it ever will, nobody knows."""
    return ToolError(f"{path} does not answer; its disk hangs. Work without it, or ask the person.", "timed_out")


def refuse_os_error(path: str, error: OSError) -> NoReturn:
    """The system's no, as a sentence."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            message, code = f"Permission denied for {path}; ask the person if it is needed.", "no_permission"
        case errno.ELOOP:
            message, code = f"{path} is a link that leads back to itself; give the file's own path.", "bad_path"
        case errno.ENAMETOOLONG:
            message, code = "The path is longer than the system allows; give a shorter one.", "bad_path"
        case errno.ENOENT | errno.ENOTDIR:
            message, code = f"{path} does not exist.", "file_missing"
        case errno.EAGAIN:
            message, code = f"{path} is being written at this moment; try again.", "in_use"
        case _:
            message, code = f"{path} cannot be used: {error.strerror}.", "failed"
    raise ToolError(message, code) from None


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"))
    return next((name for test, name in kinds if test(mode)), "a device")


def _similar(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder) as entries:
            looked_at = [entry.name for entry, _ in zip(entries, range(NAMES_LOOKED_AT), strict=False)]
    except OSError:
        return ""
    # A name that is no text could be neither sent nor spelled.
    names = [one for one in looked_at if not any("\ud800" <= char <= "\udfff" for char in one)]
    # Names that differ in their case alone are the likeliest of all.
    folded = {one.casefold(): one for one in names}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.75)
    return os.path.join(folder, folded[close[0]]) if close else ""
