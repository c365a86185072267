"""The activity line: what goes on, in words, where a person looks for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panels.drawing import NASTY, assert_fits, style_of
from tui.panels.activity import Doing, Retry, Work, activity_line, cramped, in_short
from tui.render.look import Look

WORKING = Doing(running=(Work("Bash", "pytest -q"),), writing=(Work("Write", "tests/test_cache_touch.py"),))
NOW = 64.0
IDLE = Doing()


def at(doing: Doing, width: int = 120, spin: int = 2, **more: object) -> str:
    return activity_line(doing, Look(width, now=NOW), spin, **more).text  # type: ignore[arg-type]


def test_running_and_written_calls_are_named_with_the_time_of_the_turn():
    assert at(WORKING) == (" ⠹ pytest runs, test_cache_touch.py is being written  1m 04s" + " " * 51 + "Esc stop")


def test_at_80_columns_it_says_the_same():
    assert at(WORKING, 80) == " ⠹ pytest runs, test_cache_touch.py is being written  1m 04s           Esc stop"


def test_two_things_are_named_and_the_rest_counted():
    five = Doing(running=tuple(Work("Read", f"src/{name}.py") for name in "abcde"))
    assert at(five).startswith(" ⠹ a.py is being read, b.py is being read and 3 more  1m 04s")


def test_thinking_shows_its_own_time():
    assert at(Doing(thinking=True, since=60.0)).startswith(" ⠹ Thinking  4s")


def test_waiting_for_the_model_shows_its_own_time():
    assert at(Doing(waiting=True, since=60.0)).startswith(" ⠹ Waiting for the model  4s")


def test_a_retry_says_which_one_when_and_why():
    doing = Doing(waiting=True, retry=Retry(2, 5, at=NOW + 7.2, reason="overloaded"))
    assert at(doing).startswith(" ⠹ Retry 2 of 5 in 8s: overloaded  ")


def test_a_question_alone_is_left_to_the_sheet():
    doing = Doing(asking=True)
    assert at(doing) == ""
    assert not doing.moves


def test_a_question_beside_running_calls_is_said_behind_them():
    assert at(Doing(running=(Work("Bash", "make"),), asking=True)).startswith(" ⠹ make runs, waiting for you  1m 04s")


def test_idle_it_is_empty():
    assert at(IDLE) == ""


def test_a_terminal_that_is_too_small_is_asked_for_more_room_while_nothing_goes_on():
    assert cramped(IDLE, Look(60, 15)) == ""
    assert cramped(WORKING, Look(40, 10)) == ""
    assert cramped(IDLE, Look(80, 14)) == "There is more to see in 60x15: make the terminal larger."
    smallest = cramped(IDLE, Look(20, 5))
    assert at(IDLE, 20, feedback=smallest).strip() == smallest == "Enlarge to 60x15"


def test_feedback_takes_the_line_when_idle():
    assert at(IDLE, feedback="copied by OSC 52") == "   copied by OSC 52"


def test_feedback_takes_the_right_half_while_something_goes_on():
    line = at(WORKING, feedback="copied by OSC 52")
    assert line.endswith("copied by OSC 52") and "pytest runs" in line and "Esc" not in line


def test_scrolled_up_the_new_lines_below_are_counted_at_the_right():
    assert at(IDLE, below=40, new=12).endswith(" " * 20 + "12 new lines   End")
    assert at(WORKING, below=1, new=1).endswith("1 new line   End   Esc stop")


def test_what_was_in_sight_before_is_not_called_new():
    assert at(IDLE, below=12).endswith(" " * 20 + "12 lines below   End")
    assert at(WORKING, below=1).endswith("1 line below   End   Esc stop")


def test_reduced_motion_shows_a_mark_that_stands_still():
    assert at(WORKING, still=True).startswith(" ▸ pytest")


def test_in_ascii_the_spinner_is_ascii():
    line = activity_line(WORKING, Look(120, ascii=True, now=NOW), 3)
    assert line.text.startswith(" \\ pytest")


def test_the_spinner_is_lit_the_words_are_plain_the_time_and_hints_dim():
    line = activity_line(WORKING, Look(120, now=NOW), 2)
    assert style_of(line, "⠹") == "$run"
    assert style_of(line, "pytest runs, test_cache_touch.py is being written") == ""
    assert style_of(line, "1m 04s") == style_of(line, "stop") == "$dim"
    assert style_of(line, "Esc") == "bold"


@pytest.mark.parametrize(
    ("command", "called"),
    [
        ("cd web && CI=1 npm ci", "npm"),
        ("timeout -k 5 30s /usr/bin/make -j4 test", "make"),
        ("sudo -E apt update", "apt"),
        ("(sleep 5; ls)", "sleep"),
        ("cd web", "cd"),
        ("for i in 1 2 3; do npm test $i; done", "npm"),
        ("while ! curl -s localhost; do sleep 1; done", "curl"),
        ("if true; then make; fi", "make"),
        ("python3 - <<EOF\nprint(1)\nEOF", "python3"),
    ],
)
def test_a_command_is_called_by_its_program(command: str, called: str):
    assert at(Doing(running=(Work("Bash", command),))).startswith(f" ⠹ {called} runs  ")


def test_times_are_short():
    assert [in_short(seconds) for seconds in (0, 59.9, 64, 3600, 7500)] == ["0s", "59s", "1m 04s", "1h 00m", "2h 05m"]


WORK = st.builds(
    Work, tool=st.sampled_from(["Bash", "Read", "Edit", "mcp__x__y", NASTY]), subject=st.sampled_from(["", "a", NASTY])
)


@given(
    st.integers(20, 220),
    st.builds(
        Doing,
        running=st.lists(WORK, max_size=4).map(tuple),
        writing=st.lists(WORK, max_size=3).map(tuple),
        thinking=st.booleans(),
        asking=st.booleans(),
        waiting=st.booleans(),
        retry=st.none() | st.just(Retry(1, 5, 70.0, NASTY)),
    ),
    st.sampled_from(["", "done", NASTY * 20]),
    st.integers(0, 20_000),
)
def test_it_fits_every_width(width: int, doing: Doing, feedback: str, below: int):
    assert_fits(activity_line(doing, Look(width, now=NOW), 7, feedback, below), width - 1)
