"""What is found on the disk where a file is to go back to."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable

from agent.checkpoints import folders
from agent.checkpoints.rewind import FilePlan, Held
from tools.files import KEPT_BYTES, read_bytes

Going = Callable[[], frozenset[str]]


def going_in(plans: Iterable[FilePlan]) -> frozenset[str]:
    return frozenset(plan.path for plan in plans if plan.now is not None and plan.theirs is None and not plan.lost)


def held_at(path: str, going: Going) -> Held:
    """A folder in its place counts for nothing if all in it goes. Raises OSError for what cannot be read."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return Held(None)
    if stat.S_ISDIR(found.st_mode):
        if folders.holds_only(path, going()):
            return Held(None)
        raise OSError(0, "a folder is there now")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "it is no file any more")
    if found.st_nlink > 1:
        raise OSError(0, "it has another name, a hard link, that would change with it")
    if found.st_size > KEPT_BYTES:
        raise OSError(0, f"it is larger than {KEPT_BYTES >> 20} MiB")
    return Held(read_bytes(path), stat.S_IMODE(found.st_mode))
