"""Read: what the model gets to see of a text, page by page."""

from __future__ import annotations

import asyncio
import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.calls import context
from tests.support.desk import Desk
from tools.contract import ToolError
from tools.permissions.subjects import PathSubject
from tools.read import pager
from tools.read.shown import Text
from tools.read.told import told


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_lines_come_with_their_numbers(desk: Desk) -> None:
    desk.put("a.txt", "one\n\ttwo\n")
    assert desk.told("a.txt") == "     1\tone\n     2\t\ttwo"


def test_a_last_line_without_an_end_counts(desk: Desk) -> None:
    desk.put("a.txt", "one\ntwo")
    shown = desk.text("a.txt")
    assert (shown.lines, shown.total_lines) == (("one", "two"), 2)


def test_a_page_says_how_to_go_on(desk: Desk) -> None:
    desk.put("a.txt", "".join(f"line {n}\n" for n in range(1, 11)))
    shown = desk.read("a.txt", offset=3, limit=4)
    assert isinstance(shown.answer, Text) and shown.answer.lines == ("line 3", "line 4", "line 5", "line 6")
    assert told(shown).endswith("(Lines 3 to 6 of 10; the file has 71 bytes. Go on with offset=7.)")
    assert desk.read_tool.is_result_truncated(shown)


def test_the_last_page_says_nothing_of_going_on(desk: Desk) -> None:
    desk.put("a.txt", "one\ntwo\nthree\n")
    shown = desk.read("a.txt", offset=2)
    assert told(shown) == "     2\ttwo\n     3\tthree"
    assert not desk.read_tool.is_result_truncated(shown)


def test_pages_put_together_are_the_file(desk: Desk) -> None:
    content = "".join(f"{n} {'x' * (n % 90)}\n" for n in range(7_000))
    desk.put("a.txt", content)
    lines: list[str] = []
    while len(lines) < 7_000:
        shown = desk.text("a.txt", offset=len(lines) + 1)
        assert shown.lines and len(shown.lines) <= pager.PAGE_LINES
        lines += shown.lines
    assert "\n".join(lines) + "\n" == content


def test_T18_a_limit_beyond_all_measure_does_not_lift_the_limit(desk: Desk) -> None:
    desk.put("a.txt", "x\n" * 5_000)
    assert len(desk.text("a.txt", limit=10**12).lines) == pager.PAGE_LINES


@pytest.mark.parametrize("given", [{"offset": -1}, {"limit": 0}, {"limit": -5}, {"offset": "first"}])
def test_T18_negative_numbers_are_refused(desk: Desk, given: dict[str, object]) -> None:
    desk.put("a.txt", "x\n")
    assert desk.refused(desk.read, "a.txt", **given).code == "invalid_input"


def test_a_page_ends_before_its_bytes_or_tokens_do(desk: Desk) -> None:
    desk.put("tokens.txt", ("x" * 999 + "\n") * 1_000)
    desk.put("bytes.txt", ("€" * 199 + "\n") * 1_000)
    for name in ("tokens.txt", "bytes.txt"):
        shown = desk.told(name)
        assert len(shown) < pager.PAGE_TOKENS * pager.CHARS_PER_TOKEN + 300
        assert len(shown.encode()) < pager.PAGE_BYTES + 300
        assert "Go on with offset=" in shown


def test_A10_a_line_of_megabytes_is_cut_by_characters_and_says_so(desk: Desk) -> None:
    desk.put("a.txt", "short\n" + "y" * 5_000_000 + "\nend\n")
    shown = desk.text("a.txt")
    assert shown.lines[1] == "y" * 2_000 + "… [4998000 more characters in this line]"
    assert (shown.lines[0], shown.lines[2], shown.cut) == ("short", "end", 1)
    desk.seen.forget_context()
    assert "1 of these lines are too long" in desk.told("a.txt")


def test_A11_an_empty_file_is_no_error(desk: Desk) -> None:
    path = desk.put("a.txt", "")
    assert desk.told("a.txt") == f"{path} exists but is empty."
    assert desk.told("a.txt", offset=5) == f"{path} exists but is empty."


def test_A12_past_the_end_tells_the_real_number_of_lines(desk: Desk) -> None:
    path = desk.put("a.txt", "one\ntwo\n")
    assert desk.told("a.txt", offset=3) == f"{path} has 2 lines; line 3 is past its end."
    assert not desk.seen.knows(str(path))


def test_A18_lines_end_at_a_newline_only(desk: Desk) -> None:
    odd = "vt\vff\fnel\x85ls\u2028cr\rend"
    desk.put("a.txt", f"{odd}\r\nnext\r\n")
    assert desk.text("a.txt").lines == (odd, "next")


def test_a_line_end_on_the_border_of_two_chunks_is_one_line_end(desk: Desk) -> None:
    """The file is read in chunks of 64 KiB; here the first ends between \\r and \\n."""
    desk.put("a.txt", "a\n" * 32_767 + "b\r\nlast")
    assert desk.text("a.txt", offset=32_768).lines == ("b", "last")


def test_a_character_on_the_border_of_two_chunks_stays_one_character(desk: Desk) -> None:
    desk.put("a.txt", "a\n" * 32_767 + "a€z\n")
    shown = desk.text("a.txt", offset=32_768)
    assert (shown.lines, shown.decoded) == (("a€z",), True)


def test_the_same_lines_are_not_sent_twice(desk: Desk) -> None:
    path = desk.put("a.txt", "one\ntwo\nthree\n")
    desk.read("a.txt")
    again = desk.told("a.txt", offset=2, limit=1)
    assert again == f"{path} is unchanged. What you read of it further above still holds: lines 2 to 2."


def test_lines_not_shown_before_are_sent(desk: Desk) -> None:
    desk.put("a.txt", "one\ntwo\nthree\n")
    desk.read("a.txt", limit=1)
    assert desk.text("a.txt").lines == ("one", "two", "three")


def test_a_changed_file_is_sent_again(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    desk.read("a.txt")
    desk.put("a.txt", "two\n")
    assert desk.text("a.txt").lines == ("two",)


def test_after_compaction_nothing_is_further_above(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    desk.read("a.txt")
    desk.seen.forget_context()
    assert desk.text("a.txt").lines == ("one",)


def test_the_rules_are_asked_about_the_path_as_read(desk: Desk) -> None:
    tool, place = desk.read_tool, desk.ctx().place
    given = tool.parse_input({"file_path": "sub/a.txt", "limit": "5"})
    assert tool.permission_subjects(given, place) == (PathSubject("sub/a.txt", "read"),)
    assert tool.observable_input(given, place)["file_path"] == f"{desk.folder}/sub/a.txt"
    assert (tool.is_read_only(given), tool.is_concurrency_safe(given), tool.summary(given)) == (True, True, "a.txt")


def test_a_disk_that_fails_while_reading_is_a_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("a.txt", "one\n")
    desk.read("a.txt")

    def broken(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("tools.regular.os.read", broken)
    for failed in (desk.refused(desk.read, "a.txt"), desk.refused(desk.edit, "a.txt", "one", "two")):
        assert "Input/output error" in failed.message


def test_reading_stops_when_the_call_is_cancelled(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    ctx = context(desk.folder)
    ctx.cancellation.request("Esc")
    call = desk.read_tool.call(desk.read_tool.parse_input({"file_path": "a.txt"}), ctx)
    with pytest.raises(ToolError, match="cancelled") as refusal:
        asyncio.run(call)
    assert refusal.value.code == "cancelled"


def test_A25_only_the_tilde_is_expanded(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "x").write_text("mine\n")
    monkeypatch.setenv("HOME", str(home))
    read = desk.read_tool

    def shown(path: str) -> tuple[str, ...]:
        ctx = context(desk.folder)
        ctx = replace(ctx, place=replace(ctx.place, home=str(home)))
        return asyncio.run(read.call(read.parse_input({"file_path": path}), ctx)).data.answer.lines

    assert shown("~/x") == shown(f"/{home}/x") == ("mine",)
    for path, code in (("$HOME/x", "file_missing"), (f"file://{home}/x", "bad_path"), ("C:\\x", "bad_path")):
        with pytest.raises(ToolError) as refusal:
            shown(path)
        assert refusal.value.code == code


def test_a_large_file_that_was_only_touched_can_be_edited_after_reading_it_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too large to be hashed when shown, its times stand in for the hash: reading again must renew them."""
    monkeypatch.setattr("tools.read.pager.HASHED_WHOLE_BYTES", 1 << 16)
    path = desk.put("a.txt", "one\n" + "filler\n" * 20_000)
    desk.read("a.txt", limit=1)
    os.utime(path, (1, 1))
    assert desk.refused(desk.edit, "a.txt", "one", "two").code == "stale"
    assert desk.read("a.txt", limit=1).answer.kind == "unchanged"
    desk.edit("a.txt", "one", "two")
    assert path.read_text().startswith("two\nfiller")
