"""How a file that was written beside its target comes to the target's name, losing nothing that nobody looked at.

What stood there stays within reach until it is known that it was what was meant, and that nobody goes on writing it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import sys

from tools.contract import ToolError
from tools.job import Job

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NO_TRADE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)
_TRADE = 2
_IF_FREE = 4 if sys.platform == "darwin" else 1
_libc = ctypes.CDLL(None, use_errno=True)
_rename = getattr(_libc, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)


def take_free_name(folder: int, temporary: str, name: str) -> None:
    """A new file must not replace one that appeared meanwhile: a hard link fails then, a rename would not."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise ToolError(f"{name} exists by now; read it first.", "file_exists") from None
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def take_place(folder: int, temporary: str, job: Job) -> None:
    """Afterwards the temporary name holds what stood there, which the caller removes. It was what was expected."""
    try:
        exchanged = trade_places(folder, temporary, job.name)
    except FileNotFoundError:
        raise job.deleted() from None
    if not exchanged:
        os.replace(temporary, job.name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        job.check(folder, temporary)
    except BaseException:
        _give_back(folder, temporary, job)
        # Who was writing it may be done in a moment; then it is clear what became of the file.
        job.check(folder)
        raise


def take_away(folder: int, temporary: str, job: Job) -> None:
    """The file is gone afterwards, if it was what was expected."""
    try:
        os.rename(job.name, temporary, src_dir_fd=folder, dst_dir_fd=folder)
    except FileNotFoundError:
        raise job.deleted() from None
    try:
        job.check(folder, temporary)
    except BaseException:
        if not _rename_two(folder, temporary, job.name, _IF_FREE):
            raise _set_aside(folder, temporary, job) from None
        raise
    os.unlink(temporary, dir_fd=folder)


def trade_places(folder: int, one: str, other: str) -> bool:
    """Both names of the open folder get the other's file, in one step. False: the system or the disk cannot do that.

    Unlike after a rename, what stood behind the name is still there to be looked at.
    """
    return _rename_two(folder, one, other, _TRADE)


def _give_back(folder: int, temporary: str, job: Job) -> None:
    """The name gets back what stood there. Where somebody changed even what came in between, theirs is the later."""
    try:
        exchanged = trade_places(folder, temporary, job.name)
    except FileNotFoundError:
        raise job.deleted() from None
    if exchanged and not job.holds_new(folder, temporary) and trade_places(folder, temporary, job.name):
        raise _set_aside(folder, temporary, job)


def _set_aside(folder: int, temporary: str, job: Job) -> ToolError:
    """What cannot go back to its name gets one that a person finds."""
    aside = f"{job.name[:200]}.{secrets.token_hex(4)}.aside"
    os.rename(temporary, aside, src_dir_fd=folder, dst_dir_fd=folder)
    where = os.path.join(os.path.dirname(job.path), aside)
    message = f"Others changed {job.path} twice within the same moment. It holds the later change, {where} the earlier."
    return ToolError(f"{message} Tell the person.", "stale")


def _rename_two(folder: int, one: str, other: str, how: int) -> bool:
    if _rename is None:
        return False
    if _rename(folder, os.fsencode(one), folder, os.fsencode(other), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NO_TRADE or (how == _IF_FREE and number == errno.EEXIST):
        return False
    raise OSError(number, os.strerror(number), other)
