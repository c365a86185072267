"""How Grep's calls look, as blocks."""

from __future__ import annotations

from typing import Any

import pytest

from tools.blocks import Line
from tools.grep.found import FoundFile, FoundLine, GrepOutput
from tools.grep.tool import Grep
from tools.view import GroupedCall, Style, ViewContext

PLACE = ViewContext("/w", "/home/u")
LINES = (FoundLine(number=9, text="before", matches=False), FoundLine(number=10, text="a needle"))
CONTENT = GrepOutput(mode="content", files=(FoundFile(path="a.py", lines=LINES),))
COUNTS = GrepOutput(mode="count", files=(FoundFile(path="a.py", count=3), FoundFile(path="b.py", count=1)))
FILES = GrepOutput(mode="files_with_matches", files=COUNTS.files, truncated=True)
NOTHING = GrepOutput(mode="content", files=(), timed_out=True)


def drawn(data: GrepOutput, style: Style) -> list[str]:
    blocks = Grep.view.result(data, (), style, PLACE)
    assert blocks is not None
    return [block.text for block in blocks if isinstance(block, Line)]


def test_condensed_says_how_much_and_names_a_single_file() -> None:
    assert drawn(CONTENT, "condensed") == ["1 line in a.py"]
    assert drawn(COUNTS, "condensed") == ["4 lines in 2 files"]
    assert drawn(FILES, "condensed") == ["2 files, and more"]
    assert drawn(NOTHING, "condensed") == ["nothing found, time was up"]


def test_verbose_shows_every_line_with_its_place() -> None:
    assert drawn(CONTENT, "verbose") == ["1 line in a.py", "a.py:9   before", "a.py:10   a needle"]
    assert drawn(CONTENT.model_copy(update={"line_numbers": False}), "verbose")[1:] == [
        "a.py   before",
        "a.py   a needle",
    ]
    assert drawn(COUNTS, "verbose") == ["4 lines in 2 files", "a.py  3 lines", "b.py  1 line"]
    assert drawn(FILES, "verbose") == ["2 files, and more", "a.py", "b.py"]
    unreadable = NOTHING.model_copy(update={"some_unreadable": True})
    assert drawn(unreadable, "verbose")[-1] == "some files could not be read"


def headline(*calls: GroupedCall) -> str | None:
    blocks = Grep.view.grouped(calls, PLACE)
    if blocks is None:
        return None
    (words,) = blocks
    assert isinstance(words, Line)
    return words.text


def test_a_group_sums_up_what_was_found_and_leaves_out_what_failed() -> None:
    done = GroupedCall("1", {"pattern": "needle"}, "ok", CONTENT)
    counts = GroupedCall("2", {"pattern": "hay"}, "ok", COUNTS)
    waits = GroupedCall("3", {"pattern": "hay", "path": "/w/src"}, "queued")
    broken = GroupedCall("4", {"pattern": "("}, "failed", error="unclosed group")
    assert headline(done, counts, broken) == "Searched 2 patterns   5 lines in 2 files"
    assert headline(done, waits) == "Searched 2 patterns   1 line in a.py"
    assert headline(waits) == "Searched 1 pattern"
    assert headline(broken) is None


@pytest.mark.parametrize(
    ("partial", "text"),
    [
        ({}, ""),
        ({"pattern": ["ne"]}, ""),
        ({"-A": 3}, ""),
        ({"pattern": "ne"}, "ne"),
        ({"pattern": "st_mtime", "path": "/w/tidewatch/"}, "st_mtime in tidewatch/"),
        ({"pattern": "ne", "glob": "*.py", "type": "py"}, "ne in *.py, py"),
        ({"pattern": "ne", "path": "src", "glob": "*.py"}, "ne in src, *.py"),
    ],
)
def test_the_subject_is_the_pattern_and_the_place_from_any_prefix_of_the_input(
    partial: dict[str, Any], text: str
) -> None:
    assert Grep.view.use(partial, PLACE).text == text
