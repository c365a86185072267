"""Every labelled edit, through Read and Edit: the outcome, and the file byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.calls import context, run
from tests.support.edits import Row, edit_of, labelled_edits, put_before, wrong_end
from tools.contract import ToolError, build_tool
from tools.edit.tool import Edit
from tools.files import Files
from tools.ledger.writes import Writes
from tools.read.tool import Read


@pytest.mark.parametrize("row", labelled_edits(), ids=lambda row: row["id"])
def test_a_labelled_edit_ends_as_labelled(row: Row, tmp_path: Path) -> None:
    file, ctx = tmp_path / "file.txt", context(tmp_path)
    if put_before(row, file):
        try:
            run(build_tool(Read), {"file_path": "file.txt"}, ctx)
        except ToolError as error:
            assert error.code in (row["expect"], "binary")
    try:
        run(build_tool(Edit, files=Files(Writes())), edit_of(row, file), ctx)
        outcome = "ok"
    except ToolError as error:
        outcome = error.code
    assert wrong_end(row, file, outcome) == ""
