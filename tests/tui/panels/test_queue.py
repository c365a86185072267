"""Queued messages above the prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panels.drawing import NASTY, assert_fits, style_of
from tui.panels.queue import queue_lines
from tui.render.look import Look


def shown(*messages: str, width: int = 80) -> list[str]:
    return [line.text for line in queue_lines(messages, Look(width, 24))]


def test_a_message_stands_on_one_line_with_the_way_to_take_it_back():
    assert shown("then bump the version in pyproject.toml") == [
        " ◦ queued  then bump the version in pyproject.toml             Up takes it back"
    ]


def test_nothing_queued_takes_no_line():
    assert shown() == []


def test_several_messages_keep_their_order():
    lines = shown("one", "two")
    assert [line.split()[2] for line in lines] == ["one", "two"]
    assert lines[0].endswith("Up takes them back")


def test_of_five_messages_three_are_shown_and_two_counted():
    lines = shown("one", "two", "three", "four", "five")
    assert len(lines) == 3
    assert lines[2].endswith("and 2 more")


def test_a_message_of_many_lines_is_shown_as_one():
    assert shown("first\n\n  second")[0].startswith(" ◦ queued  first second  ")


def test_the_key_is_bold_and_the_words_plain():
    lines = queue_lines(["go"], Look(80))
    assert style_of(lines, "Up") == "bold"
    assert (style_of(lines, "go"), style_of(lines, "queued")) == ("", "$dim")


@given(st.integers(20, 220), st.lists(st.sampled_from(["go", NASTY, "w" * 400]), max_size=6))
def test_it_fits_every_width(width: int, messages: list[str]):
    assert_fits(queue_lines(messages, Look(width)), width - 1)
