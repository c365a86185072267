"""Contents of files, kept by their hash, outside every repository and for all sessions together.

    <state>/checkpoints/ab/cdef...      as it is
    <state>/checkpoints/ab/cdef....z    compressed, where that saves a tenth or more

What is there is never changed. A content kept again counts as new, so that what is in use outlives the sweep.
"""

from __future__ import annotations

import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from tools.files import hash_bytes

QUOTA_BYTES = 2 * 1024**3
AGE_SECONDS = 30 * 24 * 3600
# Nothing younger goes: its session may be about to name it.
GRACE_SECONDS = 3600
WORTH_COMPRESSING = 256
_PACKED = ".z"


class Blobs:
    """Used from several threads and by several programs at once. Blocking."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def keep(self, data: bytes, hash: str = "") -> str:
        """The hash of the bytes, which are on the disk from now on. Raises OSError where it does not take them."""
        hash = hash or hash_bytes(data)
        plain = self._path(hash)
        for there in (plain, plain + _PACKED):
            with suppress(FileNotFoundError):
                os.utime(there, follow_symlinks=False)
                return hash
        packed = zlib.compress(data, 1) if len(data) >= WORTH_COMPRESSING else data
        pays = len(packed) < len(data) * 0.9
        _write_whole(plain + _PACKED if pays else plain, packed if pays else data)
        return hash

    def get(self, hash: str) -> bytes | None:
        """None: it was never kept, is swept by now, or is not what it was."""
        plain = self._path(hash)
        for path in (plain, plain + _PACKED):
            with suppress(OSError, zlib.error):
                fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                with open(fd, "rb") as file:
                    data = file.read()
                data = zlib.decompress(data) if path.endswith(_PACKED) else data
                if hash_bytes(data) == hash:
                    return data
        return None

    def has(self, hash: str) -> bool:
        plain = self._path(hash)
        return os.path.exists(plain) or os.path.exists(plain + _PACKED)

    def sweep(self, now: float, named: frozenset[str], quota: int = QUOTA_BYTES) -> int:
        """Remove what is over the age or the quota, the oldest first, and nothing that is named. Returns how many."""
        found = sorted(self._all(), key=lambda blob: blob.time)
        total, removed = sum(blob.size for blob in found), 0
        for blob in found:
            age = now - blob.time
            if age <= GRACE_SECONDS:
                break
            if blob.hash in named or (total <= quota and age <= AGE_SECONDS and not blob.stray):
                continue
            with suppress(OSError):
                os.unlink(blob.path)
                total, removed = total - blob.size, removed + 1
        return removed

    def _path(self, hash: str) -> str:
        return os.path.join(self.folder, hash[:2], hash[2:])

    def _all(self) -> Iterator[_Blob]:
        for shard in _names(self.folder):
            for name in _names(os.path.join(self.folder, shard)):
                path = os.path.join(self.folder, shard, name)
                with suppress(OSError):
                    info = os.lstat(path)
                    if stat.S_ISREG(info.st_mode):
                        hash = shard + name.removesuffix(_PACKED)
                        yield _Blob(info.st_mtime, info.st_size, path, hash, stray=name.endswith(".tmp"))


@dataclass(frozen=True, slots=True)
class _Blob:
    time: float
    size: int
    path: str
    hash: str
    # Left by a program that was killed while it wrote.
    stray: bool


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # nothing was kept yet, or another sweep is ahead of us
        return []


def _write_whole(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    for level in (os.path.dirname(folder), folder):
        os.makedirs(level, mode=0o700, exist_ok=True)
    temporary = os.path.join(folder, f"{secrets.token_hex(8)}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        # A full disk may show only when the file is closed.
        with open(fd, "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
        os.rename(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
