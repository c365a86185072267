"""NotebookEdit: what it refuses, each with its code, and the file as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import Desk
from tests.support.documents import code, markdown, notebook
from tools.contract import ToolError

CELLS = (markdown("# Title", id="top"), code("one", id="mid"), markdown("end", id="end"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def path(desk: Desk) -> Path:
    made = desk.put("a.ipynb", notebook(*CELLS))
    desk.read("a.ipynb")
    return made


def refused(desk: Desk, name: str = "a.ipynb", **more: Any) -> ToolError:
    return desk.refused(desk.edit_cell, name, **({"cell_number": 1, "new_source": "x"} | more))


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cell_id": "top", "cell_number": 1, "new_source": "x"}, "not by both"),
        ({"new_source": "x"}, "Say which cell to replace"),
        ({"edit_mode": "delete"}, "Say which cell to delete"),
        ({"cell_number": 1}, "give new_source"),
        ({"edit_mode": "insert"}, "give new_source"),
        ({"cell_number": 0, "new_source": "x"}, "cell_number"),
        ({"cell_id": "", "new_source": "x"}, "cell_id"),
        ({"cell_number": 1, "new_source": "x", "edit_mode": "move"}, "edit_mode"),
    ],
)
def test_fields_that_cannot_mean_anything_together_are_refused(desk: Desk, given: dict[str, Any], said: str) -> None:
    refusal = desk.refused(desk.edit_cell, "a.ipynb", **given)
    assert (refusal.code, said in refusal.message) == ("invalid_input", True)


def test_a_cell_that_is_not_there_is_refused_with_those_that_are(desk: Desk, path: Path) -> None:
    unknown = refused(desk, cell_number=None, cell_id="nope")
    assert (unknown.code, "There are top, mid, end." in unknown.message) == ("cell_missing", True)
    assert "the notebook has 3" in refused(desk, cell_number=4).message
    desk.put("old.ipynb", notebook(markdown("x"), minor=4))
    desk.read("old.ipynb")
    assert "give cell_number" in refused(desk, "old.ipynb", cell_number=None, cell_id="nope").message


def test_a_notebook_that_was_not_read_is_refused(desk: Desk) -> None:
    desk.put("a.ipynb", notebook(*CELLS))
    assert refused(desk).code == "not_read"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("missing.ipynb", "file_missing"),
        ("notes.txt", "not_a_notebook"),
        ("folder.ipynb", "is_directory"),
        ("pipe.ipynb", "not_regular"),
        ("binary.ipynb", "binary"),
        ("latin.ipynb", "undecodable"),
        ("a.ipynb/", "bad_path"),
    ],
)
def test_what_is_no_notebook_is_refused(desk: Desk, name: str, code: str) -> None:
    desk.put("notes.txt", "x")
    desk.put("binary.ipynb", b"\0")
    desk.put("latin.ipynb", b'{"a": "caf\xe9"}')
    (desk.folder / "folder.ipynb").mkdir()
    os.mkfifo(desk.folder / "pipe.ipynb")
    assert refused(desk, name).code == code


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "no json",
        "[]",
        '{"cells": [], "nbformat": 3}',
        '{"nbformat": 4}',
        '{"cells": [1], "nbformat": 4}',
    ],
)
def test_A36_json_that_is_no_notebook_is_refused_and_stays(desk: Desk, content: str) -> None:
    path = desk.put("a.ipynb", content)
    desk.read("a.ipynb")
    assert refused(desk).code == "not_a_notebook"
    assert path.read_text() == content


def test_half_a_surrogate_pair_is_refused(desk: Desk, path: Path) -> None:
    assert refused(desk, new_source="half \ud800").code == "bad_text"


def test_an_enormous_notebook_is_refused_before_it_is_read(
    desk: Desk, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.notebook_edit.plan.NOTEBOOK_BYTES", 100)
    assert refused(desk).code == "too_large"


def changed_outside(path: Path, **sources: str) -> None:
    """Somebody gives the cells of these ids other sources."""
    whole = json.loads(path.read_text())
    for cell in whole["cells"]:
        if cell["id"] in sources:
            cell["source"] = [sources[cell["id"]]]
    path.write_text(json.dumps(whole, indent=1) + "\n")


def test_a_change_of_another_cell_stays_and_is_told(desk: Desk, path: Path) -> None:
    changed_outside(path, mid="theirs")
    said = desk.edit_cell("a.ipynb", cell_id="top", new_source="ours").for_model
    assert (
        f"{path}: Replaced cell 1.\nSomebody else had changed other parts of the notebook; their change stays." in said
    )
    assert [cell["source"] for cell in json.loads(path.read_text())["cells"]] == [["ours"], ["theirs"], ["end"]]


def test_a_change_of_the_same_cell_is_refused_with_what_changed(desk: Desk, path: Path) -> None:
    changed_outside(path, top="theirs")
    refusal = refused(desk, cell_number=None, cell_id="top")
    assert (refusal.code, "theirs" in refusal.message) == ("stale", True)
    assert json.loads(path.read_text())["cells"][0]["source"] == ["theirs"]
    # Shown in the refusal, it may be changed from the next message on.
    desk.edit_cell("a.ipynb", cell_id="top", new_source="ours")


def test_an_id_that_two_cells_have_is_refused_with_their_numbers(desk: Desk) -> None:
    path = desk.put("twice.ipynb", before := notebook(code("one", id="mid"), code("two"), code("three", id="mid")))
    desk.read("twice.ipynb")
    refusal = refused(desk, "twice.ipynb", cell_number=None, cell_id="mid")
    assert (refusal.code, "cells 1 and 3; say which by cell_number" in refusal.message) == ("not_unique", True)
    assert path.read_text() == before
    desk.edit_cell("twice.ipynb", cell_number=3, new_source="x")


def test_a_number_that_means_another_cell_by_now_is_refused(desk: Desk, path: Path) -> None:
    whole = json.loads(path.read_text())
    del whole["cells"][0]
    path.write_text(json.dumps(whole, indent=1) + "\n")
    assert refused(desk, cell_number=1).code == "stale"
    assert refused(desk, cell_number=None, cell_id="top").code == "cell_missing"


def test_a_notebook_that_is_none_any_more_is_refused(desk: Desk, path: Path) -> None:
    path.write_text("{}")
    assert refused(desk).code == "not_a_notebook"


def test_a_touch_is_no_change(desk: Desk, path: Path) -> None:
    os.utime(path, (1, 1))
    assert desk.edit_cell("a.ipynb", cell_id="top", new_source="x").note == ""
