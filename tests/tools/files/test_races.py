"""Somebody else at the same file while it is written: theirs stays, and no link of theirs is followed."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.writing import NEW, OLD, Notes, at_the_swap, failing, names, only_renames, refused, write
from tools.contract import ToolError
from tools.files import Files, hash_bytes
from tools.holding import is_being_written
from tools.ledger.writes import Writes
from tools.taking import trade_places


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    return path


@pytest.fixture
def leases(file: Path) -> None:
    with file.open("ab"), file.open("rb") as reading:
        if not is_being_written(reading.fileno()):
            pytest.skip("this system does not tell who has a file open")


def test_B14_a_link_put_in_the_file_s_place_is_not_followed(file: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(OLD)

    def swap() -> None:
        file.unlink()
        file.symlink_to(outside)

    assert refused(file, files=Files(Writes(), Notes(swap))).code == "stale"
    assert (outside.read_bytes(), file.is_symlink()) == (OLD, True)


def test_B14_a_link_put_in_place_of_a_file_with_other_names_is_not_followed(file: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(OLD)
    os.link(file, tmp_path / "b.txt")

    def swap() -> None:
        file.unlink()
        file.symlink_to(outside)

    refused(file, files=Files(Writes(), Notes(swap)))
    assert outside.read_bytes() == OLD


def test_B14_a_link_put_where_a_new_file_goes_is_not_followed(tmp_path: Path) -> None:
    outside, new = tmp_path / "outside.txt", tmp_path / "new.txt"
    refused(new, new=True, files=Files(Writes(), Notes(lambda: new.symlink_to(outside))))
    assert not outside.exists() and names(tmp_path) == ["new.txt"]


def test_B15_a_link_put_in_the_folder_s_place_is_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.symlink_to(outside)
    assert refused(folder / "a.txt", new=True).code == "write_failed"
    assert names(outside) == []


def test_B15_a_folder_replaced_during_the_write_is_not_written_into(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "a.txt").write_bytes(OLD)
    (outside / "a.txt").write_bytes(OLD)

    def swap() -> None:
        folder.rename(tmp_path / "moved")
        folder.symlink_to(outside)

    write(folder / "a.txt", files=Files(Writes(), Notes(swap)))
    assert (outside / "a.txt").read_bytes() == OLD
    assert (tmp_path / "moved/a.txt").read_bytes() == NEW


def test_a_file_changed_during_the_write_keeps_their_change(file: Path) -> None:
    refusal = refused(file, files=Files(Writes(), Notes(lambda: file.write_bytes(b"theirs"))))
    assert (refusal.code, file.read_bytes(), names(file.parent)) == ("stale", b"theirs", ["a.txt"])


def test_a_file_with_other_names_changed_during_the_write_keeps_their_change(file: Path) -> None:
    os.link(file, file.parent / "b.txt")
    refusal = refused(file, files=Files(Writes(), Notes(lambda: file.write_bytes(b"theirs"))))
    assert (refusal.code, file.read_bytes()) == ("stale", b"theirs")


def written_in_the_last_moment(file: Path) -> None:
    file.write_bytes(b"theirs")


def put_in_its_place_in_the_last_moment(file: Path) -> None:
    other = file.with_name("theirs")
    other.write_bytes(b"theirs")
    other.replace(file)


@pytest.mark.parametrize("act", [written_in_the_last_moment, put_in_its_place_in_the_last_moment])
def test_B22_what_somebody_else_writes_in_the_last_moment_is_not_overwritten(
    file: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], None]
) -> None:
    at_the_swap(monkeypatch, lambda: act(file))
    writes = Writes()
    refusal = refused(file, files=Files(writes))
    assert (refusal.code, file.read_bytes(), names(file.parent)) == ("stale", b"theirs", ["a.txt"])
    assert writes.is_ours(str(file), hash_bytes(NEW)) is None


def test_a_file_deleted_in_the_last_moment_stays_deleted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_swap(monkeypatch, file.unlink)
    assert refused(file).code == "stale"
    assert names(file.parent) == []


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_B14_what_else_is_put_in_the_file_s_place_in_the_last_moment_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    outside = file.parent / "outside.txt"
    outside.write_bytes(OLD)

    def swap() -> None:
        file.unlink()
        {"link": lambda: file.symlink_to(outside), "folder": file.mkdir, "pipe": lambda: os.mkfifo(file)}[kind]()

    at_the_swap(monkeypatch, swap)
    assert refused(file).code == "stale"
    assert (file.is_symlink(), file.is_dir(), file.is_fifo()) == (kind == "link", kind == "folder", kind == "pipe")
    assert (outside.read_bytes(), names(file.parent)) == (OLD, ["a.txt", "outside.txt"])


def test_where_files_cannot_trade_places_a_write_takes_the_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_renames(monkeypatch)
    write(file)
    assert (file.read_bytes(), names(file.parent)) == (NEW, ["a.txt"])


def test_a_file_deleted_during_the_write_stays_deleted(file: Path) -> None:
    assert refused(file, files=Files(Writes(), Notes(file.unlink))).code == "stale"
    assert names(file.parent) == []


def test_a_file_that_appears_where_a_new_one_goes_is_not_replaced(tmp_path: Path) -> None:
    new = tmp_path / "new.txt"
    refusal = refused(new, new=True, files=Files(Writes(), Notes(lambda: new.write_bytes(b"theirs"))))
    assert (refusal.code, new.read_bytes(), names(tmp_path)) == ("file_exists", b"theirs", ["new.txt"])


def test_a_file_that_appears_in_the_last_moment_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "new.txt"
    real_link = os.link

    def call(*args: Any, **named: Any) -> None:
        new.write_bytes(b"theirs")
        real_link(*args, **named)

    monkeypatch.setattr(os, "link", call)
    refusal = refused(new, new=True)
    assert (refusal.code, new.read_bytes(), names(tmp_path)) == ("file_exists", b"theirs", ["new.txt"])


def test_a_file_system_without_hard_links_gets_new_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, "link", errno.EPERM)
    write(tmp_path / "new.txt", new=True)
    assert (names(tmp_path), (tmp_path / "new.txt").read_bytes()) == (["new.txt"], NEW)


def test_a_pipe_in_the_file_s_place_is_refused_without_waiting(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)
    assert refused(file).code == "stale"


def test_of_two_writes_meant_for_the_same_bytes_one_lands(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both would stand between the last look and the rename at once, if they did not wait for each other."""
    both = threading.Barrier(2)
    real_replace = os.replace

    def call(*args: Any, **named: Any) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(timeout=0.1)
        real_replace(*args, **named)

    def outcome(data: bytes) -> str:
        try:
            write(file, data, files=files)
        except ToolError as error:
            return error.code
        return "ok"

    only_renames(monkeypatch)
    monkeypatch.setattr(os, "replace", call)
    files = Files(Writes())
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(outcome, (b"one", b"two")))
    assert sorted(outcomes) == ["ok", "stale"]
    assert file.read_bytes() == (b"one", b"two")[outcomes.index("ok")]


def test_what_a_program_is_just_writing_is_waited_for_and_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, leases: None
) -> None:
    """It has the file open, and would go on writing into it without a name."""
    monkeypatch.setattr("tools.job.PATIENCE_SECONDS", 30.0)
    with file.open("ab", buffering=0) as theirs:
        threading.Timer(0.05, lambda: (theirs.write(b"theirs\n"), theirs.close())).start()
        assert refused(file).code == "stale"
    assert (file.read_bytes(), names(file.parent)) == (OLD + b"theirs\n", ["a.txt"])


def test_a_file_that_another_program_keeps_open_for_writing_is_left_to_it(
    file: Path, monkeypatch: pytest.MonkeyPatch, leases: None
) -> None:
    monkeypatch.setattr("tools.job.PATIENCE_SECONDS", 0.05)
    for link in (None, file.with_name("b.txt")):
        if link:
            os.link(file, link)
        with file.open("ab", buffering=0) as log:
            refusal = refused(file)
            log.write(b"one more\n")
        assert (refusal.code, file.read_bytes()) == ("in_use", OLD + b"one more\n")
        file.write_bytes(OLD)


def test_whoever_only_reads_the_file_is_in_nobody_s_way(file: Path) -> None:
    os.link(file, file.with_name("b.txt"))
    with file.open("rb"):
        write(file)
    assert file.read_bytes() == NEW


def test_a_file_opened_for_writing_in_the_last_moment_goes_back_to_who_opened_it(
    file: Path, monkeypatch: pytest.MonkeyPatch, leases: None
) -> None:
    monkeypatch.setattr("tools.job.PATIENCE_SECONDS", 0.05)
    opened: list[Any] = []
    at_the_swap(monkeypatch, lambda: opened.append(file.open("ab", buffering=0)))
    assert refused(file).code == "in_use"
    opened[0].write(b"theirs\n")
    opened[0].close()
    assert (file.read_bytes(), names(file.parent)) == (OLD + b"theirs\n", ["a.txt"])


def test_of_two_changes_in_the_moment_of_a_write_neither_is_lost(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []

    def call(*args: Any) -> bool:
        times.append(1)
        if len(times) < 3:
            put_in_its_place_in_the_last_moment(file)
            file.write_bytes(b"theirs %d" % len(times))
        return trade_places(*args)

    monkeypatch.setattr("tools.taking.trade_places", call)
    refusal = refused(file)
    (aside,) = [name for name in names(file.parent) if name != "a.txt"]
    assert (file.read_bytes(), file.with_name(aside).read_bytes()) == (b"theirs 2", b"theirs 1")
    assert refusal.code == "stale" and aside in refusal.message


def test_while_a_file_is_written_in_place_whoever_opens_it_waits(
    file: Path, monkeypatch: pytest.MonkeyPatch, leases: None
) -> None:
    os.link(file, file.with_name("b.txt"))
    real_fsync = os.fsync
    theirs: list[threading.Thread] = []

    def call(fd: int) -> None:
        if not theirs:
            theirs.append(threading.Thread(target=append_to, args=(file,)))
            theirs[0].start()
            theirs[0].join(timeout=0.2)
            assert theirs[0].is_alive()
        real_fsync(fd)

    monkeypatch.setattr(os, "fsync", call)
    write(file)
    theirs[0].join(timeout=30)
    assert file.read_bytes() == NEW + b"theirs\n"


def append_to(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"theirs\n")


@pytest.mark.parametrize("act", [written_in_the_last_moment, put_in_its_place_in_the_last_moment, Path.unlink])
def test_a_file_changed_in_the_moment_of_its_removal_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], None]
) -> None:
    before_the_rename(monkeypatch, lambda: act(file))
    with pytest.raises(ToolError) as refusal:
        Files(Writes()).remove(str(file), expected=hash_bytes(OLD), call_id="call-1")
    assert refusal.value.code == "stale"
    assert [path.read_bytes() for path in file.parent.iterdir()] == ([] if act is Path.unlink else [b"theirs"])


def test_a_file_that_takes_the_place_of_one_just_removed_stays_and_the_other_too(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swap() -> None:
        file.write_bytes(b"theirs 1")

    def after() -> None:
        file.write_bytes(b"theirs 2")

    before_the_rename(monkeypatch, swap, after)
    with pytest.raises(ToolError) as refusal:
        Files(Writes()).remove(str(file), expected=hash_bytes(OLD), call_id="call-1")
    (aside,) = [name for name in names(file.parent) if name != "a.txt"]
    assert aside in refusal.value.message
    assert (file.read_bytes(), file.with_name(aside).read_bytes()) == (b"theirs 2", b"theirs 1")


def before_the_rename(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any], after: Callable[[], Any] = lambda: None
) -> None:
    real_rename = os.rename

    def call(*args: Any, **named: Any) -> None:
        monkeypatch.setattr(os, "rename", real_rename)
        act()
        real_rename(*args, **named)
        after()

    monkeypatch.setattr(os, "rename", call)
