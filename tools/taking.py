"""How a file that was written beside its target comes to the target's name, losing nothing that nobody looked at."""

from __future__ import annotations

import ctypes
import errno
import os
import sys

from tools.contract import ToolError

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NO_TRADE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)
_TRADE = 2
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


def trade_places(folder: int, one: str, other: str) -> bool:
    """Both names of the open folder get the other's file, in one step. False: the system or the disk cannot do that.

    Unlike after a rename, what stood behind the name is still there to be looked at.
    """
    if _rename is None:
        return False
    if _rename(folder, os.fsencode(one), folder, os.fsencode(other), _TRADE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NO_TRADE:
        return False
    raise OSError(number, os.strerror(number), other)
