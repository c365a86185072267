"""One write and the file it is meant for, which is looked at by its name in an open folder, never through a link."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from tools.contract import ToolError
from tools.holding import is_being_written
from tools.keeping import Image

CHUNK = 1 << 20
# So long a program that is just writing the file may take to be done with it.
PATIENCE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """`expected` is the hash the file must have; None: there must be no file."""

    path: str
    data: bytes
    expected: str | None
    call_id: str
    new_hash: str

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def check(self, folder: int, name: str | None = None) -> os.stat_result | None:
        """The file as it is now, if it is what the write was meant for; None where there rightly is none.

        `name` is where it is looked for, if not behind its own; then nobody is waited for.
        """
        if self.expected is None:
            with suppress(FileNotFoundError):
                os.stat(self.name, dir_fd=folder, follow_symlinks=False)
                raise ToolError(f"{self.path} exists by now; read it first.", "file_exists")
            return None
        fd = self.open(folder, os.O_RDONLY | os.O_NONBLOCK, name)
        with closing(fd):
            now = os.fstat(fd)
            if not stat.S_ISREG(now.st_mode):
                raise self.stale()
            # First, because afterwards it would be too late for what they write.
            if is_being_written(fd, 0.0 if name else PATIENCE_SECONDS):
                raise self.in_use()
            if hash_fd(fd) != self.expected:
                raise self.stale()
            return now

    def holds_new(self, folder: int, name: str) -> bool:
        """Whether what stands behind the name is what we wrote, and nobody is about to change it."""
        try:
            fd = self.open(folder, os.O_RDONLY | os.O_NONBLOCK, name)
        except (ToolError, OSError):
            return False
        with closing(fd):
            return not is_being_written(fd) and stat.S_ISREG(os.fstat(fd).st_mode) and hash_fd(fd) == self.new_hash

    def image(self, folder: int, kept_bytes: int) -> Image | None:
        """What is about to be replaced, with its bytes where they are no more than so many."""
        if self.expected is None:
            return None
        fd = self.open(folder, os.O_RDONLY | os.O_NONBLOCK)
        with closing(fd):
            if os.fstat(fd).st_size > kept_bytes:
                return Image(self.expected, None)
            data = b"".join(iter(lambda: os.read(fd, CHUNK), b""))
        if hash_bytes(data) != self.expected:
            raise self.stale()
        return Image(self.expected, data)

    def open(self, folder: int, flags: int, name: str | None = None) -> int:
        """The file itself. Whoever took it away, or put a link in its place, has changed it."""
        try:
            return os.open(name or self.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            raise self.deleted() from None
        except BlockingIOError:  # another program of ours writes it in place
            raise self.in_use() from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise self.stale() from None
            raise

    def deleted(self) -> ToolError:
        return ToolError(f"{self.path} was deleted meanwhile; nothing was written.", "stale")

    def stale(self) -> ToolError:
        return ToolError(f"{self.path} changed meanwhile; nothing was written. Read it again.", "stale")

    def in_use(self) -> ToolError:
        message = f"{self.path} is open for writing in another program; nothing was written."
        return ToolError(f"{message} Try again when that is done, or ask the person.", "in_use")


def hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hash_fd(fd: int) -> str:
    digest = hashlib.sha256()
    while chunk := os.read(fd, CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def closing(fd: int) -> Generator[None]:
    """A full disk may speak up only when the file is closed: after success that error counts, after another not."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            os.close(fd)
        raise
    os.close(fd)
