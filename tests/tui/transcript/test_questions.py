"""Which of several open questions is on the sheet, and in which order the others wait."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.events import MAIN
from tests.tui.sheet.asked import edit
from tests.tui.transcript.told import Told
from tools.events import PermissionRequested


def asks(id: str) -> PermissionRequested:
    return PermissionRequested(replace(edit(call_id=id), id=f"ask-{id}"), 1)


def waiting(story: Told) -> str:
    questions = story.transcript.calls.open_questions(story.now)
    assert [call.phase for call in story.transcript.calls.open.values()].count("ask") == 1
    return "".join(one.request.call_id for one in questions)


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_questions_that_come_together_stand_in_the_order_of_the_model_s_calls(order: str) -> None:
    story = Told().turn()
    for id in "abc":
        story.called(id, "Edit", file_path=id)
    for id in order:
        story.hear(asks(id), after=0.01)
    assert waiting(story) == "abc"


def test_what_somebody_looks_at_stays_and_the_rest_lines_up_behind_it() -> None:
    story = Told().turn()
    for id in "abc":
        story.called(id, "Edit", file_path=id)
    story.hear(asks("b")).hear(asks("c"), asks("a"), after=0.5)
    assert waiting(story) == "bac"


def test_those_of_a_sub_agent_wait_in_the_order_in_which_they_came() -> None:
    story = Told().turn()
    story.called("a", "Edit", file_path="a").called("b", "Edit", file_path="b")
    story.hear(asks("b"), agent="sub-1").hear(asks("a"), agent=MAIN)
    assert waiting(story) == "ba"
