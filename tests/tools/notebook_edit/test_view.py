"""How a NotebookEdit looks while its input streams in."""

from __future__ import annotations

from typing import Any

import pytest

from tools.blocks import Code, line
from tools.notebook_edit.view import NotebookEditView
from tools.view import ViewContext

VIEW = NotebookEditView()
CTX = ViewContext("/project", "/home/me")


@pytest.mark.parametrize(
    ("partial", "text"),
    [
        ({}, ""),
        ({"notebook_path": None, "cell_number": [1]}, ""),
        ({"notebook_path": "/project/a.ip"}, "a.ip"),
        ({"notebook_path": "/project/a.ipynb", "cell_id": "c1"}, "a.ipynb  cell c1"),
        ({"notebook_path": "/project/a.ipynb", "cell_number": 3, "edit_mode": "insert"}, "a.ipynb  after cell 3"),
        ({"notebook_path": "/project/a.ipynb", "cell_number": 3, "edit_mode": "delete"}, "a.ipynb  deletes cell 3"),
        ({"notebook_path": "/project/a.ipynb", "edit_mode": "insert"}, "a.ipynb"),
    ],
)
def test_the_subject_is_the_notebook_and_its_cell_from_any_part_of_the_input(
    partial: dict[str, Any], text: str
) -> None:
    assert VIEW.use(partial, CTX).text == text


def test_what_streams_in_is_shown_by_its_end() -> None:
    assert VIEW.writing({"notebook_path": "a.ipynb"}, CTX) is None
    written = VIEW.writing({"new_source": "one\ntwo", "cell_type": "markdown"}, CTX)
    assert written == (line(("2 lines so far", "quiet")), Code("one\ntwo", "markdown", 1))
