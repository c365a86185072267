"""What going back would do to a file, in words."""

from __future__ import annotations

from typing import Any

import pytest

from agent.checkpoints.rewind import FilePlan, Plan
from agent.checkpoints.rewinds import Choice
from agent.checkpoints.steps import Gap
from tui.rewind.words import beyond, file_facts, made_in_words, taken_back


def said(choice: Choice = "theirs", undoes: bool = False, **more: Any) -> list[str]:
    file = FilePlan(**{"path": "/p/a", "now": "now", "theirs": "then", "mine": "then", **more})
    return [f"{fact.mark} {fact.words}" for fact in file_facts(file, choice, undoes)]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"removed": 2}, "M my two lines go"),
        ({"added": 1}, "M one line comes back"),
        ({"added": 14, "removed": 1}, "M my one line goes, 14 come back"),
        ({}, "M as it was before"),
        ({"theirs": None, "mine": None}, "- removed"),
        ({"now": None}, "A comes back"),
        ({"theirs": "now", "mine": "now", "mode": 0o755}, "M permissions as before"),
        ({"lost": "what it was is not kept"}, "! stays as it is: what it was is not kept"),
    ],
)
def test_what_becomes_of_a_file_is_one_clause(plan: dict[str, Any], words: str) -> None:
    assert said(**plan) == [words]


def test_where_a_command_ran_nobody_says_that_the_lines_are_ours() -> None:
    assert said(removed=2, during="while `make` ran") == ["M two lines go   changed while `make` ran"]


def test_what_others_did_has_a_line_of_its_own() -> None:
    assert said(removed=1, others=(2, 1)) == ["M my one line goes", "M someone else's +2 -1 stays; they do not overlap"]
    assert said(removed=1, others=(0, 0))[1] == "M someone else's change stays; they do not overlap"
    assert said(removed=1, others=(2, 0), undoes=True) == [
        "M one line goes",
        "M what changed since, +2, stays; they do not overlap",
    ]


def test_where_the_two_meet_the_choice_is_in_the_words() -> None:
    met = {"theirs": "now", "met": 1, "others": (1, 1)}
    assert said(**met) == ["M stays as it is", "M theirs overlap: kept as theirs"]
    assert said("mine", **met) == [
        "M as it was before, where the two meet too",
        "M theirs overlap: mine goes back, theirs is lost there",
    ]


def test_what_nothing_can_take_back_is_named_with_its_reason() -> None:
    gaps = (Gap("/p/build", 3, "ignored", 1, 0.0), Gap("/p/big", 1, "large", 1, 0.0))
    plan = Plan(1, 2, 9, (), gaps=gaps, commands=1, tasks=("npm run dev",))
    assert list(beyond(plan)) == [
        ("/p/build", "3 files stay as they are, ignored by git"),
        ("/p/big", "stays as it is, too large to be kept"),
        ("npm run dev", "ran in the background: what it changed counts as someone else's"),
        ("1 command", "what it did outside the workspace stays"),
    ]
    assert taken_back(plan) == "2 messages, 9 calls"


def test_what_a_turn_made_is_counted_or_left_out() -> None:
    assert made_in_words((1, 3, 3)) == "1 file +3 -3" and made_in_words((0, 0, 0)) == ""
