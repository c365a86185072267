"""The status line: what it says, what it gives up when there is little room, and that it begins as the first frame."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.emulator import Emulator
from tests.tui.panels.drawing import NASTY, assert_fits, style_of
from tui.first_paint import MODE_WORDS, FirstPaint
from tui.glance import MODES, Glance
from tui.panels.status import StatusFacts, status_line
from tui.render.look import Look

FACTS = StatusFacts("default", "sonnet", "/code/tidewatch", "main", 3, watching=6, context_percent=38, cost=0.42)


def at(width: int, facts: StatusFacts = FACTS) -> str:
    return status_line(facts, Look(width)).text


def test_at_120_columns_it_says_everything():
    assert at(120) == (
        " default  sonnet  tidewatch  main +3                                  "
        "watching 6  context ╍╍╍╍╍╍╍╍╍╍ 38%  $0.42  ? keys"
    )


def test_at_80_columns_it_says_mode_model_context_and_cost():
    assert at(80) == " default  sonnet                                           ctx ╍╍╍╍╍ 38%  $0.42"


def test_at_100_columns_nothing_is_missing():
    assert at(100, replace(FACTS, mode="plan")) == (
        " plan  sonnet  tidewatch  main +3                 watching 6  context ╍╍╍╍╍╍╍╍╍╍ 38%  $0.42  ? keys"
    )


def test_verbose_stands_behind_the_branch():
    assert " main +3  verbose Ctrl+O  " in at(120, replace(FACTS, verbose=True))


@pytest.mark.parametrize("mode", sorted(MODES))
def test_the_mode_is_bold_in_its_own_colour_and_all_else_dim(mode: str):
    line = status_line(replace(FACTS, mode=mode), Look(140))
    assert style_of(line, MODE_WORDS[mode]) == f"bold $mode-{MODES[mode]}"
    assert style_of(line, "sonnet") == style_of(line, "watching 6") == style_of(line, "? keys") == "$dim"


def test_the_meter_wants_the_person_from_80_percent_on():
    calm = status_line(replace(FACTS, context_percent=79), Look(120))
    full = status_line(replace(FACTS, context_percent=80), Look(120))
    assert style_of(calm, "79%") == "$dim"
    assert style_of(full, "80%") == style_of(full, "╍" * 8) == "$ask"


def test_the_number_keeps_its_width_from_9_to_10_percent():
    nine, ten = (at(120, replace(FACTS, context_percent=percent)) for percent in (9, 10))
    assert nine.index("context") == ten.index("context")


def test_files_changed_by_others_are_counted():
    assert "watching 6, 2 changed  " in at(120, replace(FACTS, outside=2))


def test_before_the_first_file_the_watcher_is_ready():
    assert "watcher ready  " in at(120, replace(FACTS, watching=0))


def test_trouble_with_watching_replaces_the_calm_word_and_stays_when_it_is_narrow():
    facts = replace(FACTS, watch_trouble="not watching")
    assert "watching 6" not in at(120, facts)
    assert style_of(status_line(facts, Look(80)), "not watching") == "$ask"


def test_other_trouble_replaces_the_calm_word_in_red():
    line = status_line(replace(FACTS, trouble="offline, retry in 8s"), Look(120))
    assert style_of(line, "offline, retry in 8s") == "$bad"
    assert "watching" not in line.text


def test_without_a_known_cost_none_is_shown():
    assert "$" not in at(120, replace(FACTS, cost=None))


def test_what_is_dropped_goes_in_order():
    facts = replace(FACTS, model="claude-opus-5-5-of-another-house", branch="feature/hash")
    seen = [
        [word for word in ("? keys", "tidewatch", "feature", "watching", "context", "╍", "$0.42") if word in line]
        for line in (at(width, facts) for width in range(140, 99, -1))
    ]
    gone = [word for earlier, later in pairwise(seen) for word in earlier if word not in later]
    assert gone == ["? keys", "tidewatch"]


def test_mode_and_percent_stay_in_the_narrowest_line():
    assert at(24) == " default  sonnet    38%"


@pytest.mark.parametrize(
    ("columns", "mode"), [(120, "plan"), (100, "bypassPermissions"), (99, "default"), (80, "auto")]
)
def test_it_begins_as_the_first_frame_has_painted_it(columns: int, mode: str):
    seen = Glance("/home/x/tidewatch")
    seen.mode = mode
    screen = Emulator(columns, 24)
    screen.feed(FirstPaint(seen, columns, 24).frame().encode())
    first = screen.lines()[23]
    line = status_line(StatusFacts(mode, seen.model, seen.folder), Look(columns, 24))
    assert line.text.startswith(first)
    assert line.text[len(first) :].removesuffix("watcher ready  ? keys").strip() == ""


@given(
    st.integers(20, 220),
    st.builds(
        StatusFacts,
        mode=st.sampled_from([*MODES, "strange\n"]),
        model=st.sampled_from(["sonnet", NASTY, "x" * 300]),
        folder=st.sampled_from(["", "/", "/a/tidewatch", NASTY]),
        branch=st.sampled_from(["", "main", NASTY, "b" * 100]),
        changed_files=st.integers(0, 5000),
        verbose=st.booleans(),
        watching=st.integers(0, 900),
        outside=st.integers(0, 90),
        watch_trouble=st.sampled_from(["", "not watching", NASTY]),
        context_percent=st.none() | st.integers(0, 130),
        cost=st.none() | st.floats(0, 900),
        trouble=st.sampled_from(["", "1 problem", NASTY * 9]),
    ),
)
def test_it_fits_every_width(width: int, facts: StatusFacts):
    assert_fits(status_line(facts, Look(width)), width - 1)
