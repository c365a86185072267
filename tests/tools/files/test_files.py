"""The one writer of files: a write lands whole or not at all, and takes nothing from the file but its old content."""

from __future__ import annotations

import errno
import os
import resource
import stat
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.support.writing import NEW, OLD, Notes, failing, names, refused, write
from tools.files import Files, HalfWritten, hash_bytes, hash_file
from tools.ledger.writes import Writes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    return path


def no_new_names(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A folder that lets nobody make a file in it."""
    real_open = os.open

    def call(path: Any, flags: int, *args: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number))
        return real_open(path, flags, *args, **named)

    monkeypatch.setattr(os, "open", call)


def test_a_write_gives_the_file_the_bytes_and_tells_their_hash(file: Path) -> None:
    assert write(file) == hash_bytes(NEW) == hash_file(str(file))
    assert file.read_bytes() == NEW


def test_a_write_is_ours_from_then_on(file: Path) -> None:
    writes = Writes()
    write(file, files=Files(writes))
    assert writes.is_ours(str(file), hash_bytes(NEW)) == "call-1"
    assert not writes.being_written(str(file))


def test_a_write_that_failed_is_nobody_s(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = Writes()
    failing(monkeypatch, "replace", errno.EIO)
    refused(file, files=Files(writes))
    assert writes.is_ours(str(file), hash_bytes(NEW)) is None
    assert not writes.being_written(str(file))


@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600, 0o2775, 0o4755])
def test_B1_the_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    write(file)
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_B1_a_new_file_gets_the_mode_new_files_get(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write(tmp_path / "new.txt", new=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o666 & ~mask


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_B1_a_new_file_in_a_folder_of_a_group_belongs_to_the_group(tmp_path: Path) -> None:
    os.chown(tmp_path, 0, 1234)
    tmp_path.chmod(0o2775)
    write(tmp_path / "new.txt", new=True)
    assert (tmp_path / "new.txt").stat().st_gid == 1234


def test_a_file_takes_the_old_one_s_place_in_one_step(file: Path) -> None:
    with file.open("rb") as opened:
        write(file)
        assert opened.read() == OLD


def test_B6_other_names_of_the_file_stay_names_of_it(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.txt"
    os.link(file, other)
    write(file)
    assert other.read_bytes() == NEW and other.samefile(file)
    assert names(tmp_path) == ["a.txt", "b.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_B7_the_owner_is_kept(file: Path) -> None:
    os.chown(file, 1234, 1235)
    write(file)
    assert (file.stat().st_uid, file.stat().st_gid, file.read_bytes()) == (1234, 1235, NEW)


def test_B7_attributes_are_kept(file: Path, tmp_path: Path) -> None:
    try:
        os.setxattr(file, "user.label", b"mine")
    except (OSError, AttributeError):
        pytest.skip("this file system has no attributes")
    write(file)
    assert (os.getxattr(file, "user.label"), file.read_bytes()) == (b"mine", NEW)
    assert names(tmp_path) == ["a.txt"]


def test_B7_an_acl_is_kept_by_writing_in_place(file: Path) -> None:
    # The owner, somebody else by name, the group, the mask, all others: tag, rights, id.
    entries = [(1, 6, -1), (2, 4, 1234), (4, 4, -1), (16, 4, -1), (32, 0, -1)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(file, "system.posix_acl_access", acl)
    except (OSError, AttributeError):
        pytest.skip("this file system has no ACLs")
    inode = file.stat().st_ino
    write(file)
    assert os.getxattr(file, "system.posix_acl_access") == acl
    assert (file.stat().st_ino, file.read_bytes()) == (inode, NEW)


def test_B8_a_read_only_file_stays_as_it_is(file: Path) -> None:
    file.chmod(0o444)
    refusal = refused(file)
    assert (refusal.code, file.read_bytes()) == ("read_only_file", OLD)
    assert stat.S_IMODE(file.stat().st_mode) == 0o444


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_folder_that_takes_no_new_names_still_lets_a_file_be_changed(
    file: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    inode = file.stat().st_ino
    no_new_names(monkeypatch, number)
    write(file)
    assert (file.read_bytes(), file.stat().st_ino) == (NEW, inode)


def test_a_folder_that_takes_no_new_names_takes_no_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_new_names(monkeypatch, errno.EACCES)
    assert refused(tmp_path / "new.txt", new=True).code == "write_failed"


def test_B9_a_read_only_file_system_is_a_sentence(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open

    def call(path: Any, flags: int, *args: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real_open(path, flags, *args, **named)

    monkeypatch.setattr(os, "open", call)
    refusal = refused(file)
    assert (refusal.code, "Read-only file system" in refusal.message) == ("write_failed", True)
    assert file.read_bytes() == OLD


@pytest.mark.parametrize("call", ["write", "ftruncate", "fchmod", "fsync", "replace"])
def test_B10_a_full_disk_leaves_the_old_content_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    failing(monkeypatch, call, errno.ENOSPC)
    refusal = refused(file)
    monkeypatch.undo()
    assert (refusal.code, "It is as it was. Make room" in refusal.message) == ("write_failed", True)
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.txt"])


def test_B10_a_full_disk_that_speaks_up_only_at_the_close_is_heard(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_close = os.close

    def call(fd: int) -> None:
        written = os.fstat(fd).st_size == len(NEW)
        real_close(fd)
        if written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "close", call)
    refusal = refused(file)
    monkeypatch.undo()
    assert (refusal.code, file.read_bytes(), names(file.parent)) == ("write_failed", OLD, ["a.txt"])


def test_B10_a_file_written_in_place_gets_its_old_content_back(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.link(file, file.parent / "b.txt")
    notes = Notes()
    failing(monkeypatch, "fsync", errno.ENOSPC, times=1)
    assert refused(file, files=Files(Writes(), notes)).code == "write_failed"
    assert file.read_bytes() == OLD
    assert notes.ended == ["entry-1"]


def test_B10_where_even_that_fails_it_is_said_and_the_journal_keeps_its_entry(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(file, file.parent / "b.txt")
    notes = Notes()
    failing(monkeypatch, "fsync", errno.EIO)
    refusal = refused(file, files=Files(Writes(), notes))
    assert isinstance(refusal, HalfWritten) and "nor its old content put back" in refusal.message
    assert notes.begun == [(str(file), None)] and notes.ended == []


def test_B11_a_limit_on_the_size_of_files_leaves_the_old_content(file: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, limits[1]))
    try:
        refusal = refused(file, data=b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (refusal.code, file.read_bytes(), names(file.parent)) == ("write_failed", OLD, ["a.txt"])


@pytest.mark.parametrize("new", [False, True])
def test_B12_an_interrupt_before_the_swap_leaves_no_trace(
    file: Path, monkeypatch: pytest.MonkeyPatch, new: bool
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(*((os, "link") if new else ("tools.taking.trade_places",)), interrupt)
    notes = Notes()
    with pytest.raises(KeyboardInterrupt):
        write(file.parent / "new.txt" if new else file, files=Files(Writes(), notes), new=new)
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.txt"])
    assert notes.ended == ["entry-1"]


def test_B12_the_journal_knows_the_temporary_file_before_it_is_there(file: Path) -> None:
    there: list[str] = []
    notes = Notes(lambda: there.extend(names(file.parent)))
    write(file, files=Files(Writes(), notes))
    ((path, temporary),) = notes.begun
    assert path == str(file) and temporary is not None and Path(temporary).parent == file.parent
    assert there == ["a.txt"] and notes.ended == ["entry-1"]


def test_B12_B13_the_temporary_file_is_private_and_its_name_cannot_be_guessed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: set[int] = set()
    real_write = os.write

    def call(fd: int, data: Any) -> int:
        modes.add(stat.S_IMODE(os.fstat(fd).st_mode))
        return real_write(fd, data)

    monkeypatch.setattr(os, "write", call)
    notes = Notes()
    files = Files(Writes(), notes)
    file.chmod(0o666)
    write(file, files=files)
    files.write(str(file), OLD, expected=hash_bytes(NEW), call_id="call-2")
    assert modes == {0o600}
    assert len({temporary for _, temporary in notes.begun}) == 2


def test_a_write_on_other_bytes_than_expected_is_refused(file: Path) -> None:
    file.write_bytes(b"theirs")
    assert (refused(file).code, file.read_bytes()) == ("stale", b"theirs")
    assert refused(file, new=True).code == "file_exists"


def test_B24_a_file_that_has_another_size_after_the_write_was_not_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_truncate = os.ftruncate
    monkeypatch.setattr(os, "ftruncate", lambda fd, _size: real_truncate(fd, 0))
    refusal = refused(file)
    assert (refusal.code, "another size" in refusal.message, file.read_bytes()) == ("write_failed", True, OLD)


def test_short_writes_are_gone_on_with(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real_write(fd, data[:3]))
    write(file)
    assert file.read_bytes() == NEW


def test_only_regular_files_have_a_hash(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert [hash_file(str(tmp_path / name)) for name in ("pipe", "missing", "")] == [None, None, None]
