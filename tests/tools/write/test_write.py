"""Write: a whole file, new or in place of one that was read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.desk import Desk
from tools.blocks import Diff, Line
from tools.contract import Ground
from tools.files import hash_bytes


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "work"
    folder.mkdir()
    return Desk(folder)


def test_a_new_file_is_created(desk: Desk) -> None:
    done = desk.write("a.txt", "one\ntwo\n")
    assert done.for_model == f"Created {desk.folder}/a.txt with 2 lines."
    assert (desk.folder / "a.txt").read_text() == "one\ntwo\n"


def test_an_empty_new_file_is_created(desk: Desk) -> None:
    assert desk.write("a.txt", "").kind == "created"
    assert (desk.folder / "a.txt").read_bytes() == b""


def test_a_file_that_was_not_read_is_not_overwritten(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    assert desk.refused(desk.write, "a.txt", "two\n").code == "not_read"
    assert path.read_text() == "one\n"


def test_the_same_content_leaves_the_file_untouched(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    os.utime(path, (1, 1))
    desk.read("a.txt")
    assert desk.write("a.txt", "one\n").for_model == f"{path} already holds exactly this."
    assert path.stat().st_mtime == 1


def test_B17_missing_folders_are_made_inside_the_workspace_and_named_to_the_person(desk: Desk) -> None:
    preview = desk.preview(desk.write_tool, file_path="x/y/a.txt", content="one\n")
    first = preview.blocks[0]
    assert isinstance(first, Line) and first.text == f"creates the folder {desk.folder}/x/y"
    desk.write("x/y/a.txt", "one\n")
    assert (desk.folder / "x/y/a.txt").read_text() == "one\n"


def test_A28_B17_folders_beside_the_workspace_are_not_made(desk: Desk) -> None:
    for path in (f"{desk.folder}-evil/new/a.txt", "../elsewhere/a.txt"):
        assert desk.refused(desk.write, path, "one\n").code == "folder_missing"
    assert os.listdir(desk.folder.parent) == ["work"]


def test_B17_nothing_can_be_below_a_file(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    for path in ("a.txt/b", "a.txt/b/c"):
        assert desk.refused(desk.write, path, "x").code == "bad_path"


@pytest.mark.parametrize("path", ["sub/", ".", "..", "", "~", "~/", "x/.."])
def test_B18_a_path_that_names_a_folder_is_refused(desk: Desk, path: str) -> None:
    assert desk.refused(desk.write, path, "x").code == "bad_path"


def test_B4_a_new_file_below_a_linked_folder_is_planned_where_it_will_be(desk: Desk) -> None:
    outside = desk.folder.parent / "outside"
    outside.mkdir()
    (desk.folder / "link").symlink_to(outside)
    preview = desk.preview(desk.write_tool, file_path="link/a.txt", content="one\n")
    assert preview.ground == (Ground(f"{outside}/a.txt", None),)
    assert desk.refused(desk.write, "link/new/a.txt", "x").code == "folder_missing"


def test_B5_a_dangling_link_is_kept_and_its_target_created(desk: Desk) -> None:
    (desk.folder / "link").symlink_to("target.txt")
    preview = desk.preview(desk.write_tool, file_path="link", content="one\n")
    assert preview.ground[0].path == f"{desk.folder}/target.txt"
    desk.write("link", "one\n")
    assert (desk.folder / "link").is_symlink()
    assert (desk.folder / "target.txt").read_text() == "one\n"


def test_A20_a_link_that_leads_to_itself_is_refused(desk: Desk) -> None:
    (desk.folder / "a").symlink_to("a")
    assert desk.refused(desk.write, "a", "x").code == "bad_path"


def test_A21_a_name_too_long_is_refused(desk: Desk) -> None:
    assert desk.refused(desk.write, "n" * 300, "x").code == "bad_path"


def test_B26_the_line_ends_of_the_file_are_kept_and_that_is_said(desk: Desk) -> None:
    path = desk.put("a.txt", b"one\r\ntwo\r\n")
    desk.read("a.txt")
    assert "line ends (CRLF) were kept" in desk.write("a.txt", "1\n2\n").for_model
    assert path.read_bytes() == b"1\r\n2\r\n"


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_B26_a_return_is_never_doubled_nor_added(desk: Desk, end: bytes) -> None:
    path = desk.put("a.txt", b"one" + end)
    desk.read("a.txt")
    desk.write("a.txt", "1\n2\r\n3\r\n")
    assert path.read_bytes() == b"1" + end + b"2" + end + b"3" + end


def test_the_encoding_and_the_mark_are_kept(desk: Desk) -> None:
    for before, after in (
        (b"\xef\xbb\xbfone\n", b"\xef\xbb\xbftwo\n"),
        ("\ufeffone\n".encode("utf-16-le"), "\ufefftwo\n".encode("utf-16-le")),
    ):
        path = desk.put("a.txt", before)
        desk.read("a.txt")
        desk.write("a.txt", "two\n")
        assert path.read_bytes() == after


def test_a_mark_sent_along_is_not_written_twice(desk: Desk) -> None:
    path = desk.put("a.txt", b"\xef\xbb\xbfone\n")
    desk.read("a.txt")
    desk.write("a.txt", "\ufefftwo\n")
    assert path.read_bytes() == b"\xef\xbb\xbftwo\n"


def test_the_person_is_shown_the_diff_and_it_rests_on_what_is_there(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    desk.read("a.txt")
    preview = desk.preview(desk.write_tool, file_path="a.txt", content="two\n")
    assert preview.ground == (Ground(str(path), hash_bytes(b"one\n")),)
    diff = preview.blocks[0]
    assert isinstance(diff, Diff) and (diff.added, diff.removed) == (1, 1)


def test_B6_the_person_is_told_of_other_names_of_the_file(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    os.link(path, desk.folder / "b.txt")
    desk.read("a.txt")
    preview = desk.preview(desk.write_tool, file_path="a.txt", content="two\n")
    last = preview.blocks[-1]
    assert isinstance(last, Line) and "other names" in last.text


def test_the_rules_are_asked_about_the_path_as_an_edit(desk: Desk) -> None:
    given = desk.write_tool.parse_input({"file_path": "a.txt", "content": ""})
    subjects = desk.write_tool.permission_subjects(given, desk.ctx().place)
    assert [(subject.path, subject.access) for subject in subjects] == [("a.txt", "edit")]
    assert desk.write_tool.observable_input(given, desk.ctx().place)["file_path"] == f"{desk.folder}/a.txt"
