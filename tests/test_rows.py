"""What must survive is counted in rows with ids (T5: a call whose input was cut), and each row has a test of its name.

A test says which rows it holds up at the beginning of its name: `test_T19_T20_...`. A row that loses its last test is
missed here. Who covers a further row adds it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROWS = {
    # Files, guards, child processes, trust.
    "A": range(1, 37),
    "B": range(1, 27),
    "D": range(1, 9),
    "E": range(1, 15),
    # Words from outside, and what a yes may be given to.
    "F": {*range(1, 11)} - {8},
    "G": range(1, 21),
    # Results on disk.
    "K": range(1, 7),
    # The model: its calls, streams, answers of the server, kinds of reply, history.
    "T": {*range(1, 31), 34, 38, 39, 40},
    "S": range(1, 18),
    "H": range(1, 14),
    "Z": {*range(1, 20)} - {8, 16},
    "L": range(1, 9),
}


def test_every_row_has_a_test_of_its_name() -> None:
    counted = Counter(row for name in _names_of_tests() for row in _rows_of(name))
    wanted = {f"{letter}{number}" for letter, numbers in ROWS.items() for number in numbers}
    assert sorted(row for row in wanted if not counted[row]) == []


def test_a_name_may_carry_several_rows_and_its_words_are_none() -> None:
    assert _rows_of("test_T19_T20_a_call_whose_id_was_used") == ["T19", "T20"]
    assert _rows_of("test_step_06_T34_an_input_is_parsed_again") == ["T34"]
    assert _rows_of("test_utf16_is_read") == _rows_of("test_nothing") == []


def _rows_of(name: str) -> list[str]:
    carried = re.match(r"test_(?:step_\d\d_)?((?:[A-Z]\d{1,2}_)*)", name)
    return carried[1].split("_")[:-1] if carried else []


def _names_of_tests() -> list[str]:
    files = Path(__file__).parent.rglob("test_*.py")
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node.name for tree in trees for node in ast.walk(tree) if isinstance(node, kinds)]
