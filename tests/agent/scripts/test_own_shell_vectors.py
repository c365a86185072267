"""Commands as people write them, and beside each family its harmful neighbours, from the policy alone."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from agent.scripts.explain import explain_line

VECTORS = Path(__file__).parents[2] / "vectors" / "own_shell_readonly.jsonl"
ROWS: list[dict[str, Any]] = sorted(
    (json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()), key=lambda row: row["group"]
)
GROUPS = {group: list(rows) for group, rows in groupby(ROWS, key=lambda row: row["group"])}


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_harmful_runs_unasked_and_nothing_harmless_nags(group: str) -> None:
    wrong = [told for row in GROUPS[group] if row["level"] != "may_ask" and (told := _difference(row))]
    assert not wrong, "\n".join(wrong)


def test_no_command_stands_there_twice() -> None:
    assert len({row["command"] for row in ROWS}) == len(ROWS)


def _difference(row: dict[str, Any]) -> str:
    asked = {"id": row["id"], "tool": "Bash", "input": {"command": row["command"]}, "rules": {}}
    answer = explain_line(json.dumps({"cwd": "/home/u/proj", "home": "/home/u", **asked}))
    wanted = ("allow",) if row["level"] == "must_allow" else ("ask", "deny")
    return "" if answer["decision"] in wanted else f"{row['id']}: {answer['decision']}: {row['command']!r}"
