"""A file as the session knows it, and a look at how it is now. Looking blocks: never in the event loop's thread."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from dataclasses import dataclass

from tools.contract import ToolError
from tools.files import hash_bytes
from tools.ledger.seen import HASHED_WHOLE_BYTES, SHOWN_ONLY, Snapshot
from tools.textfile import decode

LARGEST_TEXT = 1024 * 1024
# A file as young as this when it was looked at may change again without its times showing it.
UNSETTLED_SECONDS = 0.05
# On disks behind a network times are often whole seconds, by another clock.
UNSETTLED_NETWORK_SECONDS = 3.0
# Stands for a file too large to be read at every look: what its stat tells.
_BY_STAT = "stat:"
_CHUNK = 1 << 20
# There is nothing, or nothing that could be a file: as good as deleted. Any other error says nothing of the file.
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.ENAMETOOLONG)


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was when last seen; a hash of None: there was none. `text` is kept of files small enough to be
    compared line by line, decoded and with lines that end in \\n."""

    hash: str | None
    text: str | None = None


# What tells, without reading it, that a file is not what it was; None where there is none.
Sign = tuple[int, int, int, int, int] | None


class Unreadable(Exception):
    """Nobody can tell how the file is now: it may not be read, or its disk fails."""


def sign_of(path: str) -> Sign:
    try:
        found = os.stat(path)
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise Unreadable(error.strerror) from error
    return _sign(found)


def proves(sign: Sign, looked_at: float, network: bool) -> bool:
    """Whether the same sign, found later, means the same content (times tick too slowly to tell young files apart)."""
    age = UNSETTLED_NETWORK_SECONDS if network else UNSETTLED_SECONDS
    return sign is None or max(sign[0], sign[1]) / 1e9 < looked_at - age


def read_known(path: str, before: Known | None = None) -> tuple[Known, Sign]:
    """The file as it is now. A large one is read only where nothing else can be compared with `before`."""
    try:
        # Not blocking: what was a file may have become a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in _GONE:
            return Known(None), None
        raise Unreadable(error.strerror) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return Known(None), None
        if found.st_size <= HASHED_WHOLE_BYTES:
            return known_from(b"".join(iter(lambda: os.read(descriptor, _CHUNK), b""))), _sign(found)
        if before is None or before.hash is None or before.hash.startswith(_BY_STAT):
            return Known(_by_stat(found.st_mtime_ns, found.st_size, found.st_dev, found.st_ino)), _sign(found)
        return Known(_digest(descriptor)), _sign(found)
    except OSError as error:
        raise Unreadable(error.strerror) from error
    finally:
        os.close(descriptor)


def known_from(data: bytes) -> Known:
    text: str | None = None
    if len(data) <= LARGEST_TEXT:
        with contextlib.suppress(ToolError):  # no text: compared by its hash alone
            text = decode(data, "the file").text
    return Known(hash_bytes(data), text)


def known_as_shown(shot: Snapshot) -> Known:
    """What the model was shown; of a large file that is no hash of the whole."""
    if shot.hash.startswith(SHOWN_ONLY):
        return Known(_by_stat(shot.mtime_ns, shot.size, shot.dev, shot.ino))
    return Known(shot.hash, shot.text if shot.text is not None and len(shot.text) <= LARGEST_TEXT else None)


def _sign(found: os.stat_result) -> Sign:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode


def _by_stat(mtime_ns: int, size: int, dev: int, ino: int) -> str:
    return f"{_BY_STAT}{mtime_ns}:{size}:{dev}:{ino}"


def _digest(descriptor: int) -> str:
    digest = hashlib.sha256()
    while chunk := os.read(descriptor, _CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
