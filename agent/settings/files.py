"""Small files of settings and state: read whatever a stranger put in their place, written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

LARGEST_BYTES = 1024 * 1024


def read_text(path: str) -> str:
    """A regular file of a sane size. Raises OSError, its `strerror` fit for a sentence, and UnicodeDecodeError."""
    # Not blocking: it may be a pipe, and opening that waits for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "It is no regular file", path)
        data = file.read(LARGEST_BYTES + 1)
    if len(data) > LARGEST_BYTES:
        raise OSError(errno.EFBIG, f"It is larger than {LARGEST_BYTES} bytes", path)
    return data.decode("utf-8-sig")


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]


def replace_json(file: Path, data: Any) -> None:
    """A new file in the old one's place, so that a reader never sees half of it."""
    import json
    import tempfile

    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.stem}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(data, out, indent=2)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
