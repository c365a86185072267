"""Read: what a path may lead to, and what is refused at once instead of hanging, leaking or showing rubbish."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context
from tests.support.desk import Desk
from tools.contract import ToolError
from tools.read import pager
from tools.read.shown import Text
from tools.read.told import told
from tools.regular import open_regular


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_A1_a_pipe_is_refused_without_waiting_for_a_writer(desk: Desk) -> None:
    os.mkfifo(desk.folder / "pipe")
    (desk.folder / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        refusal = desk.refused(desk.read, name)
        assert (refusal.code, "a pipe" in refusal.message) == ("not_regular", True)


def test_A1_a_pipe_put_there_after_the_look_does_not_hang(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.put("a.txt", "one\n")
    real_open = os.open

    def swap_then_open(name: str, flags: int, *more: Any, **named: Any) -> int:
        if name == str(path):
            path.unlink()
            os.mkfifo(path)
        return real_open(name, flags, *more, **named)

    monkeypatch.setattr(os, "open", swap_then_open)
    assert desk.refused(desk.read, "a.txt").code == "not_regular"


def test_A2_a_socket_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk.folder)  # a socket's address is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        assert "a socket" in desk.refused(desk.read, "s").message


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom", "/dev/null", "/dev/tty", "/proc/self/fd/0"])
def test_A3_a_device_is_refused_also_through_a_link(desk: Desk, path: str) -> None:
    (desk.folder / "link").symlink_to(path)
    for name in (path, "link"):
        assert desk.refused(desk.read, name).code in ("not_regular", "file_missing")


def test_A4_a_block_device_is_refused(desk: Desk) -> None:
    device = desk.folder / "disk"
    try:
        os.mknod(device, 0o060600, os.makedev(7, 0))
    except PermissionError:
        pytest.skip("only root makes devices")
    assert desk.refused(desk.read, "disk").code == "not_regular"


def test_A5_a_folder_is_refused_with_what_to_do(desk: Desk) -> None:
    refusal = desk.refused(desk.read, ".")
    assert (refusal.code, "list it" in refusal.message) == ("is_directory", True)


@pytest.mark.skipif(not os.path.exists("/proc/cpuinfo"), reason="no files of a kernel here")
def test_A6_a_file_that_says_it_has_no_size_is_read_all_the_same(desk: Desk) -> None:
    assert os.stat("/proc/cpuinfo").st_size == 0
    shown = desk.read("/proc/cpuinfo")
    assert isinstance(shown.answer, Text) and shown.answer.lines and shown.size > 0


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no files of a kernel here")
@pytest.mark.parametrize(
    "path",
    [
        "/proc/self/environ",
        "/proc/self/../self/environ",
        "/proc/thread-self/environ",
        "/proc/1/environ",
        "/proc/self/mem",
        "/proc/self/root/proc/self/environ",
        "/proc/self/task/../environ",
        "link",
    ],
)
def test_A7_the_environment_and_memory_of_processes_are_never_read(desk: Desk, path: str) -> None:
    (desk.folder / "link").symlink_to("/proc/self/environ")
    assert desk.refused(desk.read, path).code in ("not_regular", "no_permission")


def test_A8_of_a_huge_file_only_the_beginning_is_looked_at(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.put("a.txt", "one\ntwo\n" * 20_000)
    os.truncate(path, 10 << 30)
    read = 0
    real_read = os.read

    def counted(fd: int, size: int) -> bytes:
        nonlocal read
        chunk = real_read(fd, size)
        read += len(chunk)
        return chunk

    monkeypatch.setattr(os, "read", counted)
    monkeypatch.setattr(pager, "HASHED_WHOLE_BYTES", 1 << 20)
    shown = desk.read("a.txt", limit=2)
    assert isinstance(shown.answer, Text) and shown.answer.lines == ("one", "two")
    assert told(shown).endswith("(Lines 1 to 2; the file has 10.0 GiB. Go on with offset=3.)")
    assert read < 2 << 20


def test_A8_a_huge_file_of_nothing_is_binary(desk: Desk) -> None:
    path = desk.put("a.txt", "")
    os.truncate(path, 10 << 30)
    assert desk.refused(desk.read, "a.txt").code == "binary"


def test_A9_a_page_deep_in_a_large_file_is_reached_without_holding_what_is_before(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pager, "HASHED_WHOLE_BYTES", 1 << 20)
    monkeypatch.setattr(pager, "KEPT_BYTES", 1 << 16)
    path = desk.put("a.txt", "".join(f"{n}\n" for n in range(1, 600_000)))
    with open_regular(str(path)) as opened:
        page = pager.read_page(opened, "a.txt", 500_000, 50, lambda: False)
    assert page.lines == tuple(str(n) for n in range(500_000, 500_050))
    assert page.snapshot.text is None and page.snapshot.hash.startswith("shown:")


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x7fELF", "a program"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"text\0", "a binary file"),
    ],
)
def test_A13_binary_files_are_refused_by_their_bytes_and_not_by_their_name(desk: Desk, head: bytes, kind: str) -> None:
    desk.put("notes.txt", head + b"rest")
    refusal = desk.refused(desk.read, "notes.txt")
    assert (refusal.code, kind in refusal.message) == ("binary", True)


def test_A15_bytes_that_are_no_text_are_marked_and_such_a_file_is_not_edited(desk: Desk) -> None:
    path = desk.put("a.txt", b"caf\xe9 one\n")
    shown = desk.text("a.txt")
    assert (shown.lines, shown.decoded) == (("caf\ufffd one",), False)
    desk.seen.forget_context()
    assert "cannot be changed with Edit" in desk.told("a.txt")
    assert desk.refused(desk.edit, "a.txt", "one", "two").code == "undecodable"
    assert path.read_bytes() == b"caf\xe9 one\n"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_A16_utf_16_with_a_mark_is_text(desk: Desk, codec: str) -> None:
    desk.put("a.txt", "\ufeffgrün\r\nzwei\r\n".encode(codec))
    assert desk.text("a.txt").lines == ("grün", "zwei")


def test_A16_utf_16_without_a_mark_is_binary(desk: Desk) -> None:
    desk.put("a.txt", "plain".encode("utf-16-le"))
    assert desk.refused(desk.read, "a.txt").code == "binary"


def test_A16_utf_16_that_ends_in_half_a_character_is_shown_with_a_mark(desk: Desk) -> None:
    desk.put("a.txt", "\ufeffab".encode("utf-16-le") + b"c")
    shown = desk.text("a.txt")
    assert (shown.lines, shown.decoded) == (("ab\ufffd",), False)


def test_A17_the_byte_order_mark_is_not_shown(desk: Desk) -> None:
    desk.put("a.txt", b"\xef\xbb\xbfone\n")
    assert desk.text("a.txt").lines == ("one",)


def test_A19_the_systems_no_is_a_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.put("a.txt", "one\n")
    real_open = os.open

    def denied(name: str, *more: Any, **named: Any) -> int:
        if name == str(path):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real_open(name, *more, **named)

    monkeypatch.setattr(os, "open", denied)
    assert desk.refused(desk.read, "a.txt").code == "no_permission"


def test_A20_a_link_that_leads_to_itself_is_refused(desk: Desk) -> None:
    (desk.folder / "a").symlink_to("b")
    (desk.folder / "b").symlink_to("a")
    assert desk.refused(desk.read, "a").code == "bad_path"


@pytest.mark.parametrize("path", ["n" * 300, "d/" * 2_500 + "f"])
def test_A21_a_name_too_long_is_refused(desk: Desk, path: str) -> None:
    assert desk.refused(desk.read, path).code == "bad_path"


@pytest.mark.parametrize("path", ["a\0b", "", "  ", "half\ud800"])
def test_A22_a_path_that_is_none_is_refused_before_the_system_is_asked(desk: Desk, path: str) -> None:
    assert desk.refused(desk.read, path).code in ("bad_path", "invalid_input")


@pytest.mark.parametrize("name", ["new\nline", "esc\x1b[31m", "bidi\u202e", "-rf", "trailing "])
def test_A23_a_file_with_an_odd_name_can_be_read(desk: Desk, name: str) -> None:
    desk.put(name, "one\n")
    assert desk.text(name).lines == ("one",)


def test_A24_a_hint_never_holds_a_name_that_is_no_text(desk: Desk) -> None:
    (Path(os.fsdecode(os.fsencode(desk.folder) + b"/caf\xe9.txt"))).write_text("one\n")
    desk.refused(desk.read, "cafe.txt").message.encode()


def test_a_missing_file_comes_with_the_name_that_was_perhaps_meant(desk: Desk) -> None:
    meant = desk.put("settings.py", "x\n")
    refusal = desk.refused(desk.read, "setings.py")
    assert (refusal.code, f"Did you mean {meant}?" in refusal.message) == ("file_missing", True)
    assert "Glob" in desk.refused(desk.read, "something_else").message


def test_a_name_in_other_case_was_perhaps_meant(desk: Desk) -> None:
    meant = desk.put("README.md", "x\n")
    assert f"Did you mean {meant}?" in desk.refused(desk.read, "readme.md").message


def test_a_path_below_a_file_is_missing(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    assert desk.refused(desk.read, "a.txt/b").code == "file_missing"


def test_A29_a_working_folder_that_is_gone_is_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    desk = Desk(folder)
    assert desk.refused(desk.read, "a.txt").code == "file_missing"


def test_A30_a_file_deleted_after_the_check_is_missing(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    read, ctx = desk.read_tool, desk.ctx()

    async def validated_then_gone() -> None:
        given = read.parse_input({"file_path": "a.txt"})
        assert (await read.validate_input(given, ctx)).ok
        path.unlink()
        await read.call(given, ctx)

    with pytest.raises(ToolError) as refusal:
        asyncio.run(validated_then_gone())
    assert refusal.value.code == "file_missing"


def test_A31_a_file_that_does_not_answer_leaves_everything_else_alive(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put("a.txt", "one\n")
    asked, answer = threading.Event(), threading.Event()
    real_read = os.read

    def hanging(fd: int, size: int) -> bytes:
        asked.set()
        answer.wait()
        return real_read(fd, size)

    async def cancelled_while_it_hangs() -> None:
        call = asyncio.ensure_future(
            desk.read_tool.call(desk.read_tool.parse_input({"file_path": "a.txt"}), context(desk.folder))
        )
        try:
            while not asked.is_set():
                await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        finally:
            answer.set()

    monkeypatch.setattr("tools.regular.os.read", hanging)
    asyncio.run(cancelled_while_it_hangs())


def test_A32_what_is_remembered_is_what_was_shown(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n" * 40_000)

    def changed_while_read() -> bool:
        path.write_text("two\n" * 40_000)
        return False

    with open_regular(str(path)) as opened:
        page = pager.read_page(opened, "a.txt", 1, 10, changed_while_read)
    assert page.snapshot.text is not None and "two" in page.snapshot.text
    assert page.snapshot.hash == hashlib.sha256(page.snapshot.text.encode()).hexdigest()
    assert page.snapshot.hash != hashlib.sha256(path.read_bytes()).hexdigest()
