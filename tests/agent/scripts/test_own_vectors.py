"""Rules and calls with the answer each must have, thought through from the grammar alone, in groups of one kind."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from agent.scripts.explain import explain_line

VECTORS = Path(__file__).parents[2] / "vectors" / "own_permission_rules.jsonl"
ROWS: list[dict[str, Any]] = sorted(
    (json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()), key=lambda row: row["group"]
)
GROUPS = {group: list(rows) for group, rows in groupby(ROWS, key=lambda row: row["group"])}


@pytest.mark.parametrize("group", GROUPS)
def test_every_row_of_the_group_is_decided_as_it_says(group: str) -> None:
    wrong = [told for row in GROUPS[group] if (told := _difference(row))]
    assert not wrong, "\n".join(wrong)


def test_no_row_stands_there_twice() -> None:
    asked = [json.dumps({key: row[key] for key in sorted(row) if key not in ("id", "why", "group")}) for row in ROWS]
    assert len(set(asked)) == len(asked)


def _difference(row: dict[str, Any]) -> str:
    asked = {key: value for key, value in row.items() if key not in ("expect", "accept", "why", "group")}
    answer = explain_line(json.dumps({"cwd": "/home/u/proj", "home": "/home/u", **asked}))
    if answer["decision"] in (row["expect"], *row.get("accept", ())):
        return ""
    return (
        f"{row['id']}: {answer['decision']} and not {row['expect']}, {row['why']}: {row['input']} ({answer['reason']})"
    )
