"""Foreign text cannot steer the terminal, hide itself or break a measured line."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.render.safe import exact, one_line, safe, safe_output

VECTORS = Path(__file__).parents[2] / "vectors"
ROWS: list[dict[str, Any]] = [
    json.loads(row)
    for file in ("terminal_escapes.jsonl", "own_terminal_escapes.jsonl")
    for row in (VECTORS / file).read_text(encoding="utf-8").splitlines()
]
WAYS = {"tool_output": safe_output, "file_name": one_line, "approval_dialog": safe}
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Their category says letter or symbol, and there is nothing to see.
BLANKS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_F4_nothing_that_steers_or_hides_is_left(row: dict[str, Any]) -> None:
    shown = WAYS[row["where"]](row["payload"])
    assert not [char for char in shown if unicodedata.category(char) in UNSEEN or char in BLANKS]
    assert shown.strip()
    marks = max((len(run) for run in _runs_of_marks(shown)), default=0)
    assert marks <= 4


def test_colours_of_a_command_are_dropped_and_its_words_stay() -> None:
    assert safe_output("\x1b[31mred\x1b[0m and \x1b[30;40mblack\x1b[m") == "red and black"


def test_in_a_question_even_a_colour_is_shown() -> None:
    assert safe("ls \x1b[8m; rm x") == "ls \\x1b[8m; rm x"


def test_text_that_was_turned_around_shows_by_what() -> None:
    assert safe("ls \u202e; fr- mr") == "ls \\u202e; fr- mr"


def test_in_a_question_a_blank_that_is_none_to_a_shell_is_shown() -> None:
    assert exact("rm\u00a0a b\u3000c\u2003\u202e") == "rm\\xa0a b\\u3000c\\u2003\\u202e"
    assert safe("\u00ab\u00a0oui\u00a0\u00bb") == "\u00ab\u00a0oui\u00a0\u00bb"


def test_no_letter_keeps_a_flood_of_marks_of_any_kind() -> None:
    for mark in "\u0301\u20dd\u0903\u0b3e":
        assert safe("a" + mark * 20) == "a" + mark * 4 + "⋯"


def test_what_is_no_character_in_any_plane_is_shown() -> None:
    assert safe("\ufffe\U0001ffff\U0010fffe") == "\\ufffe\\U0001ffff\\U0010fffe"


def test_padding_is_kept_because_the_reader_measures_it() -> None:
    assert len(safe("git status" + " " * 400 + "; curl x")) == 418


def test_a_file_name_stays_on_one_line() -> None:
    assert one_line("a\nb\r") == "a\\nb\\r"


def test_lines_stay_lines_whatever_their_ends() -> None:
    assert safe("a\r\nb\nc") == "a\nb\nc"


def test_a_drawing_of_dots_keeps_its_width_without_the_blank_that_is_no_blank() -> None:
    assert safe_output("\u28ff\u2800\u28ff") == "\u28ff \u28ff"
    assert safe("ls\u2800; rm x") == "ls\\u2800; rm x"


def test_tabs_go_to_the_next_stop_and_those_of_commands_to_every_eighth() -> None:
    assert safe("a\tb\n\tc") == "a   b\n    c"
    assert safe_output("a\tb") == "a       b"


def test_of_a_line_written_over_the_last_state_is_left_with_a_mark() -> None:
    assert safe_output("start\n10%\r20%\r30%\r\nend") == "start\n⋯30%\nend"


def test_half_a_character_and_bytes_that_are_no_text_are_shown() -> None:
    assert safe("a\ud83db\udce9") == "a\\ud83db\\udce9"


def test_a_joined_symbol_is_shown_as_its_parts_which_every_terminal_measures_alike() -> None:
    shown = safe("\u26a0\ufe0f \U0001f468\u200d\U0001f469 1\ufe0f\u20e3")
    assert shown == "\u26a0 \U0001f468\U0001f469 1\u20e3"
    assert cell_len(shown) == 1 + 1 + 4 + 1 + 1


def test_a_joiner_elsewhere_is_shown() -> None:
    assert safe("pay\u200dpal a\ufe0f") == "pay\\u200dpal a\\ufe0f"


def test_scripts_and_long_lines_of_symbols_stay_as_they_are() -> None:
    for text in ("e\u0301 Việt ภาษาไทย 日本語 עברית", "─" * 80, "✓✗⊖∎≢!", "naïve café"):
        assert safe(text) == text


@given(st.text())
def test_any_text_becomes_one_that_can_be_encoded_and_holds_nothing_unseen(text: str) -> None:
    shown = safe(text)
    shown.encode()
    assert not [char for char in shown if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert safe(shown) == shown


def test_a_megabyte_takes_no_noticeable_time() -> None:
    text = "def value(self) -> int:  # ordinary text\n" * 25_000
    started = time.process_time()
    assert safe(text) is text
    safe_output("\r" + "x" * 1_000_000 + "\r")
    assert time.process_time() - started < 1


def _runs_of_marks(text: str) -> list[str]:
    return "".join(char if unicodedata.category(char) == "Mn" else " " for char in text).split()
