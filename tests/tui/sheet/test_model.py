"""What keys that count do to the open questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.sheet.asked import BUILD, CTX, SMALL, WIDE, bash, edit
from tools.events import PermissionRequest
from tools.permissions.gate import Answer
from tui.sheet.model import Answered, Open, SheetModel
from tui.sheet.view import Field, SheetView

GRAVE = bash("rm -rf ~")
STALE = edit(problem="a.py was changed by somebody else since you read it. Read it again.")


def model_of(*requests: PermissionRequest, revision: int = 1) -> SheetModel:
    model = SheetModel(CTX)
    model.update([Open(replace(request, id=f"ask-{at}"), revision) for at, request in enumerate(requests)])
    return model


def shown(model: SheetModel) -> SheetView:
    view = model.view(WIDE)
    assert view is not None
    return view


def answers(model: SheetModel, *keys: str) -> list[Answer]:
    return [answered.answer for key in keys for answered in model.press(key)]


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("y", Answer("once")),
        ("1", Answer("once")),
        ("t", Answer("turn", ("Bash(npm ci)",))),
        ("a", Answer("always", ("Bash(npm ci)",))),
        ("2", Answer("always", ("Bash(npm ci)",))),
        ("n", Answer("no")),
        ("3", Answer("no")),
        ("escape", Answer("stop")),
    ],
)
def test_each_key_gives_its_answer_to_the_revision_that_was_shown(key: str, answer: Answer) -> None:
    model = model_of(BUILD, revision=7)
    assert model.press(key) == [Answered("ask-0", 7, answer)]


def test_the_slider_chooses_the_rule_that_is_saved() -> None:
    model = model_of(BUILD)
    model.slide(1)
    assert answers(model, "a") == [Answer("always", ("Bash(npm ci *)",))]
    model.slide(9)
    assert answers(model, "a") == [Answer("always", ("Bash(npm *)",))]
    model.slide(-9)
    assert shown(model).stop == 0


def test_where_always_is_off_its_keys_do_nothing() -> None:
    model = model_of(bash("make publish"))
    assert answers(model, "a", "2", "t") == []
    assert "t" not in model.keys


def test_F5_more_than_once_is_for_those_who_have_seen_all_of_it() -> None:
    model = model_of(bash("make\n" * 60))
    assert shown(model).unseen > 0
    assert answers(model, "a", "t") == []
    model.scroll(999, WIDE)
    assert shown(model).unseen == 0
    model.scroll(-999, WIDE)
    assert shown(model).unseen == 0, "it was in sight once"
    assert [answer.kind for answer in answers(model, "a")] == ["always"]


def test_F5_another_revision_is_to_be_looked_at_anew() -> None:
    request = bash("make\n" * 60)
    model = model_of(request)
    model.scroll(999, WIDE)
    model.update([Open(replace(request, id="ask-0"), 2)])
    assert shown(model).unseen > 0
    assert [answer.kind for answer in answers(model, "y")] == ["once"]


def test_what_destroys_wants_yes_twice_in_a_row() -> None:
    model = model_of(GRAVE)
    assert answers(model, "y") == []
    assert shown(model).confirm
    assert answers(model, "w") == []
    assert not shown(model).confirm
    assert answers(model, "y") == []
    assert answers(model, "y") == [Answer("once")]


def test_what_destroys_is_not_allowed_by_a_comment_or_for_a_turn() -> None:
    model = model_of(GRAVE)
    assert answers(model, "a", "t") == []
    model.press("tab")
    model.press("tab")
    assert shown(model).field == Field()


def test_what_cannot_be_applied_can_only_be_told_or_refused() -> None:
    model = model_of(STALE)
    assert answers(model, "y", "1", "a", "t", "A") == []
    assert answers(model, "r") == [Answer("tell_model")]
    assert answers(model, "n") == [Answer("no")]
    assert answers(model_of(BUILD), "r") == []


def test_a_comment_goes_with_the_no_and_after_another_tab_with_the_yes() -> None:
    model = model_of(BUILD)
    model.press("tab")
    model.write("use make")
    model.write(" clean!")
    model.erase()
    assert answers(model, "enter") == [Answer("no", comment="use make clean")]
    model.press("tab")
    assert answers(model, "enter") == [Answer("once", comment="use make clean")]


def test_escape_closes_the_field_and_only_then_stops_the_turn() -> None:
    model = model_of(BUILD)
    model.press("tab")
    assert model.field_open
    assert answers(model, "escape") == []
    assert not model.field_open
    assert answers(model, "escape") == [Answer("stop")]


def test_a_pasted_comment_stays_one_line() -> None:
    model = model_of(BUILD)
    model.press("tab")
    model.write("one\ntwo\r\n")
    assert shown(model).field == Field("one two")


def test_all_waiting_of_a_kind_are_answered_at_once_but_grave_ones_are_not_allowed() -> None:
    model = model_of(BUILD, edit(), bash("make"), GRAVE)
    assert [one.request_id for one in model.press("A")] == ["ask-0", "ask-2"]
    assert [(one.request_id, one.answer.kind) for one in model.press("N")] == [
        ("ask-0", "no"),
        ("ask-2", "no"),
        ("ask-3", "no"),
    ]
    assert answers(model_of(GRAVE, BUILD), "A") == []


def test_keys_that_mean_nothing_just_now_are_typing() -> None:
    assert model_of(BUILD).keys == frozenset("y1a2n3wdtse")
    assert model_of(STALE).keys == frozenset("y1a2n3wdr")
    assert model_of(BUILD, bash("make")).keys == frozenset("y1a2n3wdtseAN")
    assert SheetModel(CTX).keys == frozenset()


def test_w_and_d_change_only_what_is_shown() -> None:
    model = model_of(BUILD)
    assert answers(model, "w", "d") == []
    assert (shown(model).why, shown(model).full) == (True, True)
    assert answers(model, "w", "d") == []
    assert (shown(model).why, shown(model).full) == (False, False)


def test_scrolling_ends_where_the_subject_ends() -> None:
    model = model_of(bash("make\n" * 100))
    model.scroll(5, SMALL)
    assert shown(model).scroll == 5
    model.scroll(1000, SMALL)
    assert 80 < shown(model).scroll < 100
    model.scroll(-1000, SMALL)
    assert shown(model).scroll == 0


def test_an_update_is_shown_and_arms_anew_and_the_comment_stays() -> None:
    model = model_of(edit())
    model.press("tab")
    model.press("tab")
    model.write("fine")
    (question,) = [model.front]
    assert question is not None
    assert not model.update([question])
    stale = Open(replace(question.request, problem="gone"), 2)
    assert model.update([stale])
    assert shown(model).revision == 2
    assert shown(model).field == Field("fine")


def test_a_first_yes_does_not_count_for_a_new_revision() -> None:
    model = model_of(GRAVE)
    model.press("y")
    front = model.front
    assert front is not None
    assert model.update([replace(front, revision=2)])
    assert answers(model, "y") == []


def test_a_widened_rule_does_not_survive_an_update_that_changes_the_rules() -> None:
    model = model_of(BUILD)
    model.slide(2)
    front = model.front
    assert front is not None
    model.update([replace(front, revision=2)])
    assert shown(model).stop == 2
    model.update([Open(replace(front.request, stops=(("Bash(npm ci --x)",),)), 3)])
    assert shown(model).stop == 0


def test_the_next_question_starts_afresh_and_more_behind_it_do_not_arm_anew() -> None:
    model = model_of(BUILD, edit())
    model.press("w")
    model.slide(1)
    first, second = Open(replace(BUILD, id="ask-0"), 1), Open(replace(edit(), id="ask-1"), 1)
    third = Open(replace(bash("make"), id="ask-2"), 1)
    assert not model.update([first, second, third])
    assert (shown(model).total, len(shown(model).then)) == (3, 2)
    assert model.update([second, third])
    assert (shown(model).why, shown(model).stop, shown(model).total) == (False, 0, 2)
    assert model.update([])
    assert model.view(WIDE) is None
    assert model.press("y") == []
    assert not model.update([])


def test_a_call_can_be_written_anew_before_it_runs() -> None:
    model = model_of(BUILD)
    command = model.begin_change()
    assert command == BUILD.input["command"] and model.changing
    (changed,) = model.change(command + " --dry-run")
    assert changed.answer == Answer("once", input={**BUILD.input, "command": command + " --dry-run"})
    assert not model.changing


def test_written_as_it_was_it_is_a_plain_yes_and_left_alone_it_is_no_answer() -> None:
    model = model_of(BUILD)
    (yes,) = model.change(model.begin_change())
    assert yes.answer == Answer("once")
    model.begin_change()
    model.leave_change()
    assert not model.changing


def test_what_cannot_be_applied_any_more_cannot_be_written_anew() -> None:
    model = model_of(STALE)
    assert model.begin_change() == "" and not model.changing
