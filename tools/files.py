"""The one writer of files: for Edit, Write, NotebookEdit, review and rewind. Blocking; call it in a thread.

A write lands whole or not at all, on exactly the bytes it was meant for. The new bytes go into a temporary file
beside the target, which then trades places with it; what comes out is looked at once more, and goes back if somebody
changed it in that very moment. Where that would lose something of the file (other names of it, its
owner, its attributes), or where the folder does not let us, the bytes are written in place instead.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

from tools.contract import ToolError
from tools.holding import held_alone
from tools.job import CHUNK, Job, closing, hash_bytes, hash_fd
from tools.keeping import FileChange, Image, Journal, Keeper
from tools.ledger.writes import Writes
from tools.taking import take_away, take_free_name, take_place

# Larger files are written like any other, but what they were before is not kept.
KEPT_BYTES = 64 << 20
# Folders are opened only to name files in them, which also works where they may not be listed.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER_SAYS_NO = (errno.EACCES, errno.EPERM, errno.EROFS)


class Files:
    def __init__(self, writes: Writes, journal: Journal | None = None, keeper: Keeper | None = None) -> None:
        self.writes = writes
        self._journal = journal
        self._keeper = keeper
        self._turns: dict[str, threading.RLock] = {}
        # The outermost folder made for a file that is about to be written.
        self._made: dict[str, str] = {}

    @contextmanager
    def turn(self, real_path: str) -> Generator[None]:
        """Hold the file against our own other writers, from the look at it to the end of the write."""
        with self._turns.setdefault(real_path, threading.RLock()):
            yield

    def write(self, real_path: str, data: bytes, *, expected: str | None, call_id: str, mode: int | None = None) -> str:
        """Give the file these bytes; the new hash. `expected` is the hash it must still have, None: there is no file.

        `mode` is for a file that is new. Whatever goes wrong, the file is as it was and no temporary file is left.
        """
        job = Job(real_path, data, expected, call_id, hash_bytes(data))
        with self.turn(real_path), _in_words(real_path), _folder_of(real_path) as folder:
            before = job.check(folder)
            if before is not None:
                _refuse_read_only(real_path, before)
            with self._kept(folder, job, Image(job.new_hash, data if len(data) <= KEPT_BYTES else None)):
                if before is None:
                    self._swap(folder, job, None, mode)
                elif before.st_nlink > 1 or not self._swap(folder, job, before):
                    self._overwrite(folder, job, before)
        return job.new_hash

    def remove(self, real_path: str, *, expected: str, call_id: str) -> None:
        """Take the file away, if it still has this hash. Other names of it stay."""
        job = Job(real_path, b"", expected, call_id, "")
        with self.turn(real_path), _in_words(real_path), _folder_of(real_path) as folder:
            before = job.check(folder)
            assert before is not None, "it is expected to be there"
            _refuse_read_only(real_path, before)
            temporary = _temporary()
            noted = self._journalled(job, os.path.join(os.path.dirname(real_path), temporary))
            mode = stat.S_IMODE(before.st_mode)
            with self._kept(folder, job, None, mode), noted, self.writes.pending(real_path, None, call_id):
                take_away(folder, temporary, job)

    def set_mode(self, real_path: str, mode: int, *, expected: str) -> None:
        """Give the file these permission bits, if it still has this hash."""
        job = Job(real_path, b"", expected, "", "")
        with self.turn(real_path), _in_words(real_path), _folder_of(real_path) as folder:
            job.check(folder)
            fd = job.open(folder, os.O_RDONLY | os.O_NONBLOCK)
            with closing(fd):
                os.fchmod(fd, mode)

    def make_parents(self, real_path: str) -> list[str]:
        """Create the folders the file needs; those that were missing, outermost first."""
        made = missing_parents(real_path)
        with _in_words(real_path):
            for folder in made:
                with suppress(FileExistsError):
                    os.mkdir(folder)
        return made

    @contextmanager
    def parents(self, real_path: str) -> Generator[None]:
        """Around a write: the file's folders are there. Those made for it go again where it does not come to be."""
        missing = missing_parents(real_path)
        try:
            self.make_parents(real_path)
            self._made[real_path] = missing[0] if missing else ""
            yield
        except BaseException:
            for folder in reversed(missing):
                with suppress(OSError):  # never made, or somebody has put something there
                    os.rmdir(folder)
            raise
        finally:
            self._made.pop(real_path, None)

    @contextmanager
    def _kept(self, folder: int, job: Job, after: Image | None, mode: int | None = None) -> Generator[None]:
        """Around the change of a file: what it was is kept before, what became of it is told afterwards."""
        if self._keeper is None:
            yield
            return
        before = job.image(folder, KEPT_BYTES)
        if before is not None:
            self._keeper.keep(before)
        yield
        folder_made = self._made.get(job.path, "")
        self._keeper.wrote(FileChange(job.path, before, after, job.call_id, mode, folder_made))

    def _swap(self, folder: int, job: Job, before: os.stat_result | None, mode: int | None = None) -> bool:
        """Write beside the target and take its name. False: the folder forbids it, or the file would lose by it."""
        temporary = _temporary()
        with self._journalled(job, os.path.join(os.path.dirname(job.path), temporary)):
            try:
                fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
            except OSError as error:
                if before is None or error.errno not in _FOLDER_SAYS_NO:
                    raise
                return False
            try:
                with closing(fd):
                    if before is not None and _would_lose(fd, folder, job, before):
                        return False
                    new = 0o666 & ~_umask() if mode is None else mode
                    _write_all(fd, job.data, stat.S_IMODE(before.st_mode) if before else new)
                job.check(folder)
                with self.writes.pending(job.path, job.new_hash, job.call_id):
                    if before is None:
                        take_free_name(folder, temporary, job.name)
                    else:
                        take_place(folder, temporary, job)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
        return True

    def _overwrite(self, folder: int, job: Job, before: os.stat_result) -> None:
        """In place. The old bytes are held until the new ones are safe, and put back if those do not come to be."""
        with self._journalled(job, None):
            job.check(folder)
            fd = job.open(folder, os.O_RDWR)
            with closing(fd), held_alone(fd):
                old = b"".join(iter(lambda: os.read(fd, CHUNK), b""))
                if not os.path.samestat(os.fstat(fd), before) or hash_bytes(old) != job.expected:
                    raise job.stale()
                with self.writes.pending(job.path, job.new_hash, job.call_id):
                    try:
                        _write_all(fd, job.data)
                    except OSError:
                        _put_back(fd, old, job.path)
                        raise

    @contextmanager
    def _journalled(self, job: Job, temporary: str | None) -> Generator[None]:
        if self._journal is None:
            yield
            return
        entry = self._journal.begin(job.path, temporary, job.data)
        try:
            yield
        except HalfWritten:
            raise  # the entry stays: the next start puts the old bytes back
        except BaseException:
            self._journal.end(entry)
            raise
        self._journal.end(entry)


def _temporary() -> str:
    return f".agent-tui-{secrets.token_hex(8)}.tmp"


class HalfWritten(ToolError):
    """The one failure that leaves a file damaged: a write in place failed, and so did putting the old bytes back."""


def hash_file(path: str) -> str | None:
    """The hash of a regular file's bytes, None for anything else and for what is not there."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with closing(fd):
        return hash_fd(fd) if stat.S_ISREG(os.fstat(fd).st_mode) else None


def read_bytes(path: str) -> bytes:
    """All of a regular file that is no link. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with closing(fd):
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        return b"".join(iter(lambda: os.read(fd, CHUNK), b""))


def overwrite(path: str, data: bytes) -> None:
    """In place, under all its names, whatever it holds: only to mend what a write of ours left. Raises OSError."""
    fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with closing(fd):
        _write_all(fd, data)


def missing_parents(real_path: str) -> list[str]:
    """The folders above the file that do not exist yet, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(real_path)
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


@contextmanager
def _folder_of(real_path: str) -> Generator[int]:
    """The file's folder, reached without following any link, so that nobody can put another in its place."""
    fd = os.open("/", _FOLDER)
    try:
        for part in os.path.dirname(real_path).split("/"):
            if part:
                inner = os.open(part, _FOLDER, dir_fd=fd)
                os.close(fd)
                fd = inner
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _in_words(real_path: str) -> Generator[None]:
    """The system's no, as a sentence that says nothing was lost."""
    try:
        yield
    except OSError as error:
        message = f"{real_path} was not written: {error.strerror}. It is as it was. {_what_next(error)}"
        raise ToolError(message, "write_failed") from None


def _what_next(error: OSError) -> str:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return "Make room with a command, or ask the person."
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return "Write it elsewhere, or ask the person."
        case _:
            return "Try once more, and if that fails ask the person."


def _refuse_read_only(real_path: str, before: os.stat_result) -> None:
    """A file without a write bit is meant to stay, also where root could write it or the folder lets us replace it."""
    if os.statvfs(real_path).f_flag & os.ST_RDONLY:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    if not before.st_mode & 0o222:
        raise ToolError(f"{real_path} is read-only; ask the person before changing its mode.", "read_only_file")
    if not os.access(real_path, os.W_OK):
        raise ToolError(f"{real_path} must not be written by this user; ask the person.", "read_only_file")


def _would_lose(fd: int, folder: int, job: Job, before: os.stat_result) -> bool:
    """Whether a new file in the old one's place would have another owner, group, or fewer attributes (ACLs too)."""
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (before.st_uid, before.st_gid):
        return True
    old_fd = job.open(folder, os.O_RDONLY | os.O_NONBLOCK)
    with closing(old_fd):
        return not _attributes(old_fd) <= _attributes(fd)


def _attributes(fd: int) -> set[tuple[str, bytes]]:
    if not hasattr(os, "listxattr"):
        return set()
    try:
        return {(name, os.getxattr(fd, name)) for name in os.listxattr(fd)}
    except OSError:  # the file system has none
        return set()


def _write_all(fd: int, data: bytes, mode: int | None = None) -> None:
    """Exactly these bytes from the start, on the disk, and no others behind them."""
    os.lseek(fd, 0, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
    os.ftruncate(fd, len(data))
    if mode is not None:
        # Only now, because writing takes the set-user and set-group bits away.
        os.fchmod(fd, mode)
    os.fsync(fd)
    if os.fstat(fd).st_size != len(data):
        raise OSError(errno.EIO, "the file has another size than was written")


def _put_back(fd: int, old: bytes, path: str) -> None:
    try:
        _write_all(fd, old)
    except OSError as error:
        message = f"{path} could not be written, nor its old content put back ({error.strerror}); tell the person."
        raise HalfWritten(message, "write_failed") from None


def _umask() -> int:
    """The process's mask for new files. Linux tells it; elsewhere it can only be read by setting it."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            return next(int(line.split()[1], 8) for line in status if line.startswith("Umask:"))
    except (OSError, StopIteration):
        mask = os.umask(0o077)
        os.umask(mask)
        return mask
