"""NotebookEdit: one cell changes, and every other byte of the file stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import Desk
from tests.support.documents import code, markdown, notebook
from tools.permissions.subjects import PathSubject

OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["1\n"]}
CELLS = (markdown("# Title", id="top"), code("one\ntwo", OUTPUT, id="mid"), markdown("end", id="end"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def put(desk: Desk, text: str | bytes) -> Path:
    path = desk.put("a.ipynb", text)
    desk.read("a.ipynb")
    return path


def edited(desk: Desk, text: str, **more: Any) -> str:
    """The file after an edit of it."""
    path = put(desk, text)
    desk.edit_cell("a.ipynb", **more)
    return path.read_bytes().decode()


def lines_that_differ(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = before.split("\n"), after.split("\n")
    return [line.strip() for line in old if line not in new], [line.strip() for line in new if line not in old]


def cells(text: str) -> list[dict[str, Any]]:
    return json.loads(text)["cells"]


@pytest.mark.parametrize("which", [{"cell_id": "mid"}, {"cell_number": 2}])
def test_a_cell_is_replaced_by_id_or_number_and_what_it_had_put_out_is_cleared(
    desk: Desk, which: dict[str, Any]
) -> None:
    before = notebook(*CELLS)
    after = edited(desk, before, new_source="three\nfour\n", **which)
    assert cells(after)[1] == {**code("three\nfour\n", id="mid"), "execution_count": None}
    assert [cells(after)[0], cells(after)[2]] == [CELLS[0], CELLS[2]]
    gone, come = lines_that_differ(before, after)
    assert come == ['"execution_count": null,', '"outputs": [],', '"three\\n",', '"four\\n"']
    assert '"one\\n",' in gone and '"# Title"' not in gone


def test_the_result_is_what_writing_the_whole_anew_would_give(desk: Desk) -> None:
    """For a file in Jupyter's own form; the next tests are about others."""
    kept, new = CELLS[0], {**code("x"), "execution_count": None, "id": "mid"}
    new = dict(sorted(new.items()))
    after = edited(desk, notebook(kept, dict(sorted(CELLS[1].items()))), cell_id="mid", new_source="x")
    assert after == notebook(kept, new)


@pytest.mark.parametrize(
    ("where", "order"),
    [
        ({}, ["new", "top", "mid", "end"]),
        ({"cell_id": "top"}, ["top", "new", "mid", "end"]),
        ({"cell_number": 3}, ["top", "mid", "end", "new"]),
    ],
)
def test_a_cell_is_inserted_behind_another_or_at_the_top(desk: Desk, where: dict[str, Any], order: list[str]) -> None:
    before = notebook(*CELLS)
    after = edited(desk, before, edit_mode="insert", new_source="x = 1", **where)
    made = cells(after)[order.index("new")]
    assert [cell["id"] if cell != made else "new" for cell in cells(after)] == order
    assert made == {**code("x = 1", id=made["id"]), "execution_count": None}
    assert list(made) == sorted(made) and len(made["id"]) == 8
    assert after == notebook(*cells(after))
    assert lines_that_differ(before, after)[0] == []


@pytest.mark.parametrize(("number", "left"), [(1, ["mid", "end"]), (2, ["top", "end"]), (3, ["top", "mid"])])
def test_a_cell_is_deleted_and_nothing_is_left_of_it(desk: Desk, number: int, left: list[str]) -> None:
    after = edited(desk, notebook(*CELLS), edit_mode="delete", cell_number=number)
    assert [cell["id"] for cell in cells(after)] == left
    assert after == notebook(*cells(after))


def test_the_only_cell_is_deleted_and_one_is_put_into_none(desk: Desk) -> None:
    empty = edited(desk, notebook(CELLS[0]), edit_mode="delete", cell_number=1)
    assert empty == notebook()
    after = edited(desk, empty, edit_mode="insert", new_source="x", cell_type="markdown")
    assert after == notebook(*cells(after)) and cells(after)[0]["source"] == ["x"]


@pytest.mark.parametrize("mode", ["replace", "insert", "delete"])
@pytest.mark.parametrize(
    "how",
    [
        {"indent": 1},
        {"indent": 2},
        {"indent": "\t"},
        {"indent": None},
        {"indent": None, "separators": (",", ":")},
        {"indent": 4, "sort_keys": True},
    ],
)
@pytest.mark.parametrize("end", ["\n", "", "\n\n"])
def test_the_files_own_form_is_kept(desk: Desk, mode: str, how: dict[str, Any], end: str) -> None:
    whole = {"nbformat_minor": 5, "nbformat": 4, "metadata": {"b": 1, "a": [1.50, 1e5]}, "cells": [*CELLS]}
    before = json.dumps(whole, ensure_ascii=False, **how) + end
    more = {} if mode == "delete" else {"new_source": "new"}
    after = edited(desk, before, cell_number=2, edit_mode=mode, **more)
    ours = json.dumps(json.loads(after), ensure_ascii=False, **how) + end
    assert after == ours
    assert list(json.loads(after)) == list(json.loads(before))


def test_odd_spellings_elsewhere_stay_as_they_are(desk: Desk) -> None:
    before = (
        '{ "cells":[ {"cell_type" : "markdown","id":"a", "metadata":{"x": 1.50, "y": "\\u00e9\\/"},\r\n "source": "one"},\r\n'
        '{"cell_type": "markdown", "id": "b", "metadata": {}, "source": []}],"metadata":{},  "nbformat":4,"nbformat_minor":5}'
    )
    after = edited(desk, before, cell_id="a", new_source="two")
    assert after == before.replace('"one"', '"two"')


def test_crlf_a_byte_order_mark_and_a_missing_last_line_end_are_kept(desk: Desk) -> None:
    before = b"\xef\xbb\xbf" + notebook(*CELLS).rstrip("\n").replace("\n", "\r\n").encode()
    path = put(desk, before)
    desk.edit_cell("a.ipynb", cell_id="top", new_source="# New\nand more")
    assert path.read_bytes() == before.replace(b'"# Title"', b'"# New\\n",\r\n    "and more"')


def test_what_is_not_ascii_is_written_as_the_file_writes_it(desk: Desk) -> None:
    plain, escaped = notebook(markdown("ä", id="a")), json.dumps(json.loads(notebook(markdown("ä", id="a"))), indent=1)
    assert '"grün"' in edited(desk, plain, cell_id="a", new_source="grün")
    assert '"gr\\u00fcn"' in edited(desk, escaped, cell_id="a", new_source="grün")


def test_a_source_that_is_one_string_stays_one(desk: Desk) -> None:
    before = notebook({**markdown("x", id="a"), "source": "one\ntwo"})
    assert cells(edited(desk, before, cell_id="a", new_source="three\nfour"))[0]["source"] == "three\nfour"


@pytest.mark.parametrize(
    ("source", "lines"), [("", []), ("a", ["a"]), ("a\n", ["a\n"]), ("a\r\nb\n\n", ["a\n", "b\n", "\n"])]
)
def test_a_source_is_written_as_its_lines(desk: Desk, source: str, lines: list[str]) -> None:
    assert cells(edited(desk, notebook(markdown("x", id="a")), cell_id="a", new_source=source))[0]["source"] == lines


@pytest.mark.parametrize(("minor", "has_id"), [(4, False), (5, True), (6, True)])
def test_only_a_format_that_knows_ids_gets_one(desk: Desk, minor: int, has_id: bool) -> None:
    after = edited(desk, notebook(code("x"), minor=minor), edit_mode="insert", cell_number=1, new_source="y")
    assert ("id" in cells(after)[1]) == has_id


def test_code_becomes_words_and_words_become_code(desk: Desk) -> None:
    words = edited(desk, notebook(*CELLS), cell_id="mid", new_source="# Now words", cell_type="markdown")
    assert cells(words)[1] == markdown("# Now words", id="mid")
    again = edited(desk, words, cell_id="mid", new_source="x", cell_type="code")
    assert cells(again)[1] == {**code("x", id="mid"), "execution_count": None}
    assert again == notebook(*cells(again))


def test_the_same_source_is_no_change(desk: Desk) -> None:
    path = put(desk, notebook(*CELLS))
    before = path.read_bytes()
    assert desk.refused(desk.edit_cell, "a.ipynb", cell_id="mid", new_source="one\ntwo").code == "no_change"
    assert path.read_bytes() == before


def test_what_is_said_of_it_names_the_cell(desk: Desk) -> None:
    put(desk, notebook(*CELLS))
    said = desk.edit_cell("a.ipynb", edit_mode="insert", cell_number=1, new_source="x").for_model
    new = cells((desk.folder / "a.ipynb").read_text())[1]["id"]
    assert f"Inserted cell 2, id {new}; the ones after it moved down by one." in said
    assert "Deleted cell 1" in desk.edit_cell("a.ipynb", edit_mode="delete", cell_id="top").for_model


def test_edits_one_after_the_other_need_no_new_read(desk: Desk) -> None:
    path = put(desk, notebook(*CELLS))
    for number in range(3):
        desk.edit_cell("a.ipynb", cell_id="top", new_source=f"title {number}")
    assert cells(path.read_text())[0]["source"] == ["title 2"]


@pytest.mark.parametrize("mode", ["replace", "insert"])
def test_the_person_is_asked_about_exactly_what_is_written(desk: Desk, mode: str) -> None:
    path = put(desk, notebook(*CELLS))
    given = {"cell_id": "top", "new_source": "# New", "edit_mode": mode}
    shown = desk.preview(desk.notebook_tool, notebook_path="a.ipynb", **given)
    [ground] = shown.ground
    done = desk.edit_cell("a.ipynb", **given)
    assert (shown.blocks, ground.path) == ((done.diff,), str(path))


def test_it_is_judged_as_an_edit_of_the_file_and_never_read_only(desk: Desk) -> None:
    tool, place = desk.notebook_tool, desk.ctx().place
    given = tool.parse_input({"notebook_path": "sub/a.ipynb", "cell_number": "1", "new_source": "x"})
    assert tool.permission_subjects(given, place) == (PathSubject("sub/a.ipynb", "edit"),)
    assert tool.observable_input(given, place)["notebook_path"] == f"{desk.folder}/sub/a.ipynb"
    assert (tool.is_read_only(given), tool.is_concurrency_safe(given), tool.should_defer) == (False, False, True)
    assert tool.summary(given) == "a.ipynb"
