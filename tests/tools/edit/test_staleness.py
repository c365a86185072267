"""What a conversation must have seen of a file before it changes it, and what happens when others change it too."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.calls import run
from tests.support.desk import Desk
from tools.contract import ToolError
from tools.ledger import seen as ledger
from tools.ledger.seen import Seen

TEN = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def file(desk: Desk) -> Path:
    path = desk.put("a.txt", TEN)
    desk.read("a.txt")
    return path


def test_G2_a_file_that_was_read_can_be_edited(desk: Desk, file: Path) -> None:
    desk.edit("a.txt", "line 3", "three")
    assert file.read_text() == TEN.replace("line 3", "three")


def test_G3_a_part_that_was_read_can_be_edited(desk: Desk) -> None:
    path = desk.put("a.txt", "".join(f"line {n:03}\n" for n in range(1, 501)))
    desk.read("a.txt", offset=1, limit=10)
    desk.edit("a.txt", "line 005", "five")
    assert "five\nline 006" in path.read_text()


def test_G4_what_was_read_in_part_is_not_written_whole(desk: Desk) -> None:
    path = desk.put("a.txt", TEN)
    desk.read("a.txt", limit=5)
    assert desk.refused(desk.write, "a.txt", "new").code == "not_read"
    assert path.read_text() == TEN
    desk.read("a.txt", offset=6)
    assert desk.write("a.txt", "new").kind == "changed"


def test_G4_a_line_shown_in_part_is_not_known(desk: Desk) -> None:
    desk.put("a.txt", "x" * 3_000)
    desk.read("a.txt")
    assert desk.refused(desk.write, "a.txt", "new").code == "not_read"


def test_G4_an_edit_does_not_make_a_part_the_whole(desk: Desk) -> None:
    desk.put("a.txt", TEN)
    desk.read("a.txt", limit=5)
    desk.edit("a.txt", "line 3", "three")
    assert desk.refused(desk.write, "a.txt", "new").code == "not_read"


def test_G5_an_edit_apart_from_an_outside_change_goes_into_the_current_text(desk: Desk, file: Path) -> None:
    file.write_text(TEN.replace("line 9", "their nine"))
    done = desk.edit("a.txt", "line 3", "three")
    assert file.read_text() == TEN.replace("line 9", "their nine").replace("line 3", "three")
    assert "Somebody else had changed the file (line 9)" in done.for_model
    assert "their nine" not in done.for_model


def test_G5_the_person_is_told_before_an_edit_goes_into_a_changed_file(desk: Desk, file: Path) -> None:
    file.write_text("new first\n" + TEN)
    preview = desk.preview(desk.edit_tool, file_path="a.txt", old_string="line 3", new_string="three")
    assert any("Somebody else" in getattr(block, "text", "") for block in preview.blocks)


def test_after_such_an_edit_the_whole_is_not_known(desk: Desk, file: Path) -> None:
    file.write_text(TEN.replace("line 9", "their nine"))
    desk.edit("a.txt", "line 3", "three")
    assert desk.refused(desk.write, "a.txt", "new").code == "not_read"
    assert desk.edit("a.txt", "line 4", "four").note == ""


@pytest.mark.parametrize(
    ("theirs", "lines"),
    [
        (TEN.replace("line 3\n", "line 3 // theirs\n"), "line 3 // theirs"),
        (TEN.replace("line 2\n", ""), "-line 2"),
        (TEN.replace("line 4\n", ""), "-line 4"),
    ],
    ids=["the same line", "removed just above", "removed just below"],
)
def test_G6_an_edit_that_touches_an_outside_change_is_refused_with_it(
    desk: Desk, file: Path, theirs: str, lines: str
) -> None:
    file.write_text(theirs)
    refusal = desk.refused(desk.edit, "a.txt", "line 3", "three")
    assert (refusal.code, lines in refusal.message) == ("stale", True)
    assert file.read_text() == theirs


def test_G6_an_edit_whose_text_is_gone_is_refused_with_what_took_its_place(desk: Desk, file: Path) -> None:
    file.write_text(TEN.replace("line 3", "something else"))
    refusal = desk.refused(desk.edit, "a.txt", "line 3\n", "three\n")
    assert (refusal.code, "+something else" in refusal.message) == ("stale", True)


def test_an_edit_whose_text_is_no_longer_unique_is_refused(desk: Desk, file: Path) -> None:
    file.write_text(TEN + "line 3 once more\n")
    refusal = desk.refused(desk.edit, "a.txt", "line 3", "three")
    assert (refusal.code, "no longer unique" in refusal.message) == ("stale", True)


def test_replacing_everywhere_does_not_reach_into_what_others_added(desk: Desk, file: Path) -> None:
    file.write_text(TEN + "a line of theirs\n")
    assert desk.refused(desk.edit, "a.txt", "line", "row", replace_all=True).code == "stale"


def test_G6_an_edit_of_several_lines_is_refused_where_any_of_them_touches_the_change(desk: Desk, file: Path) -> None:
    file.write_text(theirs := TEN.replace("line 5\n", ""))
    assert desk.refused(desk.edit, "a.txt", "line 3\nline 4", "three and four").code == "stale"
    assert file.read_text() == theirs


def test_G5_replacing_everywhere_goes_in_where_every_place_is_apart(desk: Desk) -> None:
    path = desk.put("b.txt", "one\nx\nthree\nx\nfive\neight\nseven\n")
    desk.read("b.txt")
    path.write_text("one\nx\nthree\nx\nfive\neight\ntheirs\n")
    assert "theirs stays" in desk.edit("b.txt", "x", "y", replace_all=True).note
    assert path.read_text() == "one\ny\nthree\ny\nfive\neight\ntheirs\n"


def test_neighbouring_lines_are_apart(desk: Desk, file: Path) -> None:
    file.write_text(TEN.replace("line 4", "their four"))
    desk.edit("a.txt", "line 3\n", "three\n")
    assert "three\ntheir four\n" in file.read_text()


def test_a_refusal_counts_for_the_next_message_and_not_for_the_refused_one(desk: Desk, file: Path) -> None:
    file.write_text(TEN.replace("line 3", "line 3 // theirs"))
    desk.same_message = True
    assert desk.refused(desk.edit, "a.txt", "line 3", "three").code == "stale"
    assert desk.refused(desk.edit, "a.txt", "line 3", "three").code == "stale"
    desk.same_message = False
    desk.edit("a.txt", "line 3 // theirs", "three")
    assert "three\nline 4" in file.read_text()


def test_a_refusal_that_could_not_show_the_change_counts_for_nothing(desk: Desk, file: Path) -> None:
    file.write_text("x\n" * 5_000 + "line 3\n")
    for _ in range(2):
        refusal = desk.refused(desk.write, "a.txt", "new")
        assert (refusal.code, "read it again" in refusal.message) == ("stale", True)


def test_a_change_of_line_ends_alone_is_named_as_that(desk: Desk, file: Path) -> None:
    file.write_bytes(TEN.replace("\n", "\r\n").encode())
    assert "only its line ends" in desk.refused(desk.write, "a.txt", "new\n").message
    assert desk.edit("a.txt", "line 3", "three").kind == "changed"
    assert file.read_bytes() == TEN.replace("line 3", "three").replace("\n", "\r\n").encode()


def test_writing_over_an_outside_change_is_refused_with_the_diff(desk: Desk, file: Path) -> None:
    file.write_text(TEN.replace("line 9", "their nine"))
    refusal = desk.refused(desk.write, "a.txt", "new\n")
    assert (refusal.code, "+their nine" in refusal.message) == ("stale", True)
    assert desk.write("a.txt", "new\n").kind == "changed"


def test_G7_a_new_time_alone_is_no_change(desk: Desk, file: Path) -> None:
    os.utime(file, (1, 1))
    assert desk.edit("a.txt", "line 3", "three").note == ""


def test_G8_a_change_that_hides_behind_the_old_size_and_time_is_seen(desk: Desk, file: Path) -> None:
    before = file.stat()
    with file.open("r+") as opened:
        opened.write("LINE")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert desk.refused(desk.edit, "a.txt", "line 1\n", "one\n").code == "stale"


def test_G9_a_file_put_in_its_place_with_the_same_content_is_the_same(desk: Desk, file: Path) -> None:
    other = desk.put("b.txt", TEN)
    other.replace(file)
    assert desk.edit("a.txt", "line 3", "three").note == ""


def test_G10_a_link_and_what_it_leads_to_are_one_file(desk: Desk, file: Path) -> None:
    (desk.folder / "link").symlink_to(file)
    (desk.folder / "way").symlink_to(desk.folder)
    desk.edit("link", "line 3", "three")
    desk.edit("way/a.txt", "line 4", "four")
    desk.edit("a.txt", "line 5", "five")
    assert "three\nfour\nfive\n" in file.read_text()
    assert (desk.folder / "link").is_symlink()


def test_G11_a_deleted_file_is_missing_for_edit_and_new_for_write(desk: Desk, file: Path) -> None:
    file.unlink()
    assert desk.refused(desk.edit, "a.txt", "line 3", "three").code == "file_missing"
    assert desk.write("a.txt", "new").kind == "created"


def test_G12_what_came_back_as_something_else_is_refused(desk: Desk, file: Path, tmp_path: Path) -> None:
    secret = tmp_path / "other.txt"
    secret.write_text(TEN)
    for make, code in (
        (file.mkdir, "is_directory"),
        (lambda: os.mkfifo(file), "not_regular"),
        (lambda: file.symlink_to(secret), "not_read"),
    ):
        file.rmdir() if file.is_dir() else file.unlink()
        make()
        assert desk.refused(desk.edit, "a.txt", "line 3", "three").code == code
        assert desk.refused(desk.write, "a.txt", "new").code == code
    assert secret.read_text() == TEN


def test_G13_ones_own_new_file_can_be_edited_at_once(desk: Desk) -> None:
    desk.write("a.txt", "one\n")
    desk.edit("a.txt", "one", "two")
    desk.write("a.txt", "three\n")
    assert (desk.folder / "a.txt").read_text() == "three\n"


def test_G14_edit_after_edit_needs_no_reading_in_between(desk: Desk, file: Path) -> None:
    for n in range(1, 10):
        assert desk.edit("a.txt", f"line {n}\n", f"{n}\n").note == ""
    assert file.read_text() == "".join(f"{n}\n" for n in range(1, 10)) + "line 10\n"


def test_G16_what_another_conversation_read_does_not_count(desk: Desk, file: Path) -> None:
    other = Desk(desk.folder)
    assert other.refused(other.edit, "a.txt", "line 3", "three").code == "not_read"


def test_G17_after_a_resume_the_hash_decides(desk: Desk, file: Path) -> None:
    def resumed() -> Desk:
        seen = Seen()
        seen.load(desk.seen.dump())
        return Desk(desk.folder, seen=seen)

    same = resumed()
    same.edit("a.txt", "line 3", "three")
    changed = resumed()
    refusal = changed.refused(changed.edit, "a.txt", "line 4", "four")
    assert (refusal.code, "Read it again" in refusal.message) == ("stale", True)


def test_G17_after_compaction_an_edit_is_still_permitted(desk: Desk, file: Path) -> None:
    desk.seen.forget_context()
    assert desk.edit("a.txt", "line 3", "three").kind == "changed"


def test_G18_a_change_within_the_same_tick_of_the_clock_is_seen(desk: Desk, file: Path) -> None:
    os.utime(file, (1_000, 1_000))
    desk.read("a.txt")
    file.write_text(TEN.replace("line 3", "lime 3"))
    os.utime(file, (1_000, 1_000))
    assert desk.refused(desk.edit, "a.txt", "line 3", "three").code == "stale"


@pytest.mark.parametrize("time", [-1_000_000, 2**33])
def test_G19_odd_times_are_no_matter(desk: Desk, file: Path, time: int) -> None:
    os.utime(file, (time, time))
    desk.read("a.txt")
    assert desk.edit("a.txt", "line 3", "three").kind == "changed"


def test_G12_a_file_moved_away_with_a_link_to_it_left_in_its_place_is_refused(desk: Desk, file: Path) -> None:
    moved = file.with_name("moved.txt")
    file.rename(moved)
    file.symlink_to(moved)
    assert desk.refused(desk.edit, "a.txt", "line 3", "three").code == "not_read"
    assert desk.refused(desk.edit, "moved.txt", "line 3", "three").code == "not_read"
    assert moved.read_text() == TEN


def test_G20_A26_A27_another_name_of_the_same_file_is_the_same_file(desk: Desk, file: Path) -> None:
    """A hard link stands in for a file system that takes two spellings for one name."""
    os.link(file, desk.folder / "A.TXT")
    desk.edit("A.TXT", "line 3", "three")
    assert file.read_text() == TEN.replace("line 3", "three")


def test_G20_a_file_moved_over_another_name_is_not_what_the_model_believes_there(desk: Desk, file: Path) -> None:
    other = desk.put("b.txt", "another file\n")
    os.replace(file, other)
    assert desk.refused(desk.edit, "b.txt", "line 3", "three").code == "not_read"
    assert other.read_text() == TEN


def test_G20_another_file_with_the_same_content_is_not_the_same_file(desk: Desk, file: Path) -> None:
    desk.put("copy.txt", TEN)
    assert desk.refused(desk.edit, "copy.txt", "line 3", "three").code == "not_read"


def test_a_text_no_longer_held_is_compared_by_its_hash_alone(
    desk: Desk, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "KEPT_TEXT_BYTES", 0)
    desk.seen.forget_context()
    desk.read("a.txt")
    assert desk.edit("a.txt", "line 3", "three").kind == "changed"
    file.write_text("theirs\n" + file.read_text())
    assert "Read it again" in desk.refused(desk.edit, "a.txt", "line 4", "four").message


def test_B21_two_edits_at_once_both_land(desk: Desk, file: Path) -> None:
    contexts = [desk.ctx() for _ in range(8)]
    given = [{"file_path": "a.txt", "old_string": f"line {n}\n", "new_string": f"edited {n}\n"} for n in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda pair: run(desk.edit_tool, *pair), zip(given, contexts, strict=True)))
    assert file.read_text() == "".join(f"edited {n}\n" for n in range(1, 9)) + "line 9\nline 10\n"


def test_B22_a_formatter_between_the_check_and_the_write_is_not_undone(desk: Desk, file: Path) -> None:
    def edited_after(theirs: str, old: str) -> str:
        async def steps() -> str:
            ctx = desk.ctx()
            given = desk.edit_tool.parse_input({"file_path": "a.txt", "old_string": old, "new_string": "mine"})
            assert (await desk.edit_tool.validate_input(given, ctx)).ok
            file.write_text(theirs)
            return (await desk.edit_tool.call(given, ctx)).data.note

        return asyncio.run(steps())

    assert "Somebody else" in edited_after(TEN.replace("line 9", "formatted 9"), "line 3")
    assert "mine" in file.read_text() and "formatted 9" in file.read_text()
    with pytest.raises(ToolError) as refusal:
        edited_after("all different\n", "line 5")
    assert refusal.value.code == "stale"
    assert file.read_text() == "all different\n"


def test_a_call_cancelled_before_its_turn_writes_nothing(desk: Desk, file: Path) -> None:
    ctx = desk.ctx()
    ctx.cancellation.request("Esc")
    given = {"file_path": "a.txt", "old_string": "line 3", "new_string": "three"}
    with pytest.raises(ToolError) as refusal:
        run(desk.edit_tool, given, ctx)
    assert (refusal.value.code, file.read_text()) == ("cancelled", TEN)
