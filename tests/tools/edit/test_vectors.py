"""Every labelled edit, through Read and Edit: the outcome, and the file byte for byte."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context, run
from tools.contract import ToolError, build_tool
from tools.edit.tool import Edit
from tools.files import Files
from tools.ledger.writes import Writes
from tools.read.tool import Read

VECTORS = Path(__file__).parents[2] / "vectors" / "edit_cases.jsonl"
CASES = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


def before_of(case: dict[str, Any]) -> bytes | None:
    return _bytes(case, "before") if case.get("file_exists", True) else None


def _bytes(case: dict[str, Any], key: str) -> bytes:
    if f"{key}_b64" in case:
        return base64.b64decode(case[f"{key}_b64"])
    return case[key].encode("utf-16" if "utf-16" in case.get("encoding", "") else "utf-8")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_labelled_edit_ends_as_labelled(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    before = before_of(case)
    ctx = context(tmp_path)
    if before is not None:
        file.write_bytes(before)
        try:
            run(build_tool(Read), {"file_path": "file.txt"}, ctx)
        except ToolError as error:
            assert error.code in (case["expect"], *case.get("accept", []))
    edit = build_tool(Edit, files=Files(Writes()))
    given = {"file_path": "file.txt", "old_string": case["old"], "new_string": case["new"]}
    try:
        run(edit, {**given, "replace_all": case["replace_all"]}, ctx)
        outcome = "ok"
    except ToolError as error:
        outcome = error.code
    assert outcome in (case["expect"], *case.get("accept", [])), case["why"]
    expected = _bytes(case, "after") if outcome == case["expect"] else before
    assert (file.read_bytes() if file.exists() else None) == (expected if outcome == "ok" else before)
