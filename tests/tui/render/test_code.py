"""Source code in five kinds of colours."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tui.render.code import code_lines, highlight_line, lexer_for
from tui.render.lines import Drawn


def kinds(line: Drawn) -> dict[str, str]:
    return {text.strip(): style for text, style in line.pieces if style}


def test_each_kind_has_its_variable() -> None:
    (line,) = code_lines("def read(self): return 12, 'text'  # note", "python")
    assert kinds(line) == {
        "def": "$syn-key",
        "read": "$syn-def",
        "self": "$syn-num",
        "return": "$syn-key",
        "12": "$syn-num",
        "'text'": "$syn-str",
        "# note": "$syn-note",
    }


def test_numbers_stand_in_four_cells_and_leave_the_place_of_a_sign() -> None:
    lines = code_lines("    reading = 1\nassert x", "python", 12)
    assert [line.text for line in lines] == ["  12       reading = 1", "  13   assert x"]
    assert lines[0].pieces[0] == ("  12 ", "$dim")


@pytest.mark.parametrize("name", ["python", "py", ".py", "a/b/cache.py", "PY", "Python3"])
def test_a_lexer_is_found_by_name_alias_path_and_extension(name: str) -> None:
    lexer = lexer_for(name)
    assert lexer is not None and lexer.name == "Python"


@pytest.mark.parametrize("name", ["", "text", "no such thing", "notes.unknown", "x" * 1000, "[", "*.*"])
def test_what_is_unknown_is_plain(name: str) -> None:
    assert highlight_line("def x(): pass", name) == (("def x(): pass", ""),)


def test_a_string_over_many_lines_is_one_once_the_text_is_complete() -> None:
    lines = code_lines('"""for\nin\n"""\nx = 1', "python")
    assert [line.pieces for line in lines[:3]] == [
        (('"""for', "$syn-str"),),
        (("in", "$syn-str"),),
        (('"""', "$syn-str"),),
    ]


def test_empty_lines_and_the_last_line_end_keep_the_numbers_right() -> None:
    lines = code_lines("\n\na = 1\n\n", "python", 1)
    assert [line.text.rstrip() for line in lines] == ["   1", "   2", "   3   a = 1", "   4"]


def test_of_a_growing_text_only_the_last_lines_are_drawn_with_their_numbers() -> None:
    text = "\n".join(f"value = {number}" for number in range(1, 101))
    lines = code_lines(text, "python", 1, live=True, last=3)
    assert [line.text for line in lines] == ["  98   value = 98", "  99   value = 99", " 100   value = 100"]
    assert lines[0].pieces[-1] == ("98", "$syn-num")


def test_huge_texts_and_lines_are_shown_without_colours() -> None:
    assert code_lines("x = 1\n" * 50_000, "python")[7].pieces == (("x = 1", ""),)
    assert code_lines("x = 1;" * 1000, "python")[0].pieces[0][1] == ""


def test_what_is_in_a_file_cannot_steer_the_terminal() -> None:
    assert code_lines("a\x1b[2J\tb", "python")[0].text == "a\\x1b[2J    b"


def test_the_module_is_cheap_until_something_is_drawn() -> None:
    program = "import sys, tui.render.code, tui.render.diff; sys.exit('pygments' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
