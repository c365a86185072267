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
from tools.ledger.writes import Writes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    return path


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
