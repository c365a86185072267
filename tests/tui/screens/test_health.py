"""The health page: what is broken first, each with what to do."""

from __future__ import annotations

import pytest

from tests.tui.panels.drawing import NASTY, assert_fits
from tui.render.look import Look
from tui.screens.health import Item, as_text, health_lines, most_scroll

ITEMS = [
    Item("well", "model", "answers"),
    Item("look", "settings", "a.json:9  Write(src/**) never matches", "use Edit(src/**)"),
    Item("broken", "postgres", "connection refused on port 5432", "start it, then r"),
]


def shown(width: int = 100, height: int = 20, scroll: int = 0) -> list[str]:
    return [line.text.rstrip() for line in health_lines(ITEMS, Look(width, height), scroll)]


def test_what_is_broken_stands_first_then_what_wants_a_look_then_what_is_well() -> None:
    lines = shown()
    assert lines[1].startswith("   Health   one thing is broken, one wants a look")
    assert lines[3] == " ✗ postgres      connection refused on port 5432   start it, then r"
    assert lines[4] == " ! settings      a.json:9  Write(src/**) never matches   use Edit(src/**)"
    assert lines[5:7] == ["", " ✓ model         answers"]


def test_the_remark_wraps_under_its_line_where_there_is_no_room_beside_it() -> None:
    assert shown(60)[3:5] == [
        " ✗ postgres      connection refused on port 5432",
        "                 start it, then r",
    ]


def test_without_trouble_all_is_well_and_stands_back() -> None:
    lines = health_lines(ITEMS[:1], Look(80, 20))
    assert "all is well" in lines[1].text
    assert ("answers", "$dim") in lines[3].pieces


@pytest.mark.parametrize(
    ("broken", "look", "words"),
    [
        (2, 0, "2 things are broken"),
        (0, 1, "one thing wants a look"),
        (0, 2, "2 things want a look"),
        (2, 3, "2 things are broken, 3 want a look"),
    ],
)
def test_things_are_counted_in_words(broken: int, look: int, words: str) -> None:
    items = [Item("broken", "a", "b")] * broken + [Item("look", "a", "b")] * look
    assert f"   Health   {words}  " in health_lines(items, Look(100, 20))[1].text


def test_a_low_screen_scrolls_and_never_gets_higher_or_wider() -> None:
    many = [Item("look", NASTY, NASTY * 9, NASTY)] * 30
    for width in (30, 80):
        look = Look(width, 10)
        lines = health_lines(many, look, most_scroll(many, look))
        assert len(lines) <= 10
        assert_fits(lines, width)


def test_as_text_it_can_go_into_a_report() -> None:
    assert as_text(ITEMS).split("\n")[0].split() == [
        "broken",
        "postgres",
        *["connection", "refused", "on", "port", "5432"],
        *["start", "it,", "then", "r"],
    ]
