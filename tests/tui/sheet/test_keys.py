"""Who gets a key while a sheet is shown."""

from __future__ import annotations

from tui.sheet.keys import GiveFocus, Press, Send, SheetKeys, ShowState, TakeFocus, ToField, ToPrompt

ANSWERS = "yan"


def armed(at: float = 0.0) -> SheetKeys:
    keys = SheetKeys()
    keys.shown(at, draft=False, answers=ANSWERS)
    keys.tick(at + 0.4)
    assert keys.state == "armed"
    return keys


def after_tab() -> SheetKeys:
    keys = SheetKeys()
    keys.shown(0.0, draft=True, last_typed=0.0, answers=ANSWERS)
    assert keys.tab(0.1) == [TakeFocus()]
    return keys


def test_an_empty_quiet_prompt_gives_the_sheet_the_keys_at_once_but_they_count_only_400_ms_later() -> None:
    keys = SheetKeys()
    assert keys.shown(10.0, draft=False, last_typed=9.0, answers=ANSWERS) == [TakeFocus()]
    assert (keys.state, keys.lit, keys.deadline(10.0)) == ("arming", False, 10.4)
    assert keys.tick(10.399) == []
    assert keys.tick(10.4) == [ShowState()]
    assert (keys.state, keys.lit, keys.deadline(10.4)) == ("armed", True, None)


def test_a_draft_keeps_the_keys() -> None:
    keys = SheetKeys()
    assert keys.shown(10.0, draft=True, last_typed=2.0, answers=ANSWERS) == []
    assert (keys.state, keys.deadline(10.0)) == ("prompt", None)
    assert keys.key("y", 12.0) == [ToPrompt("y")]


def test_a_prompt_typed_into_within_the_last_second_keeps_the_keys_until_a_second_is_quiet() -> None:
    keys = SheetKeys()
    assert keys.shown(10.0, draft=False, last_typed=9.5, answers=ANSWERS) == []
    assert keys.deadline(10.0) == 10.5
    assert keys.tick(10.4) == []
    assert keys.tick(10.5) == [TakeFocus()]
    assert keys.state == "arming"
    assert keys.tick(10.9) == [ShowState()]


def test_the_sheet_takes_the_keys_once_the_box_is_empty_and_a_second_quiet() -> None:
    keys = SheetKeys()
    keys.shown(10.0, draft=True, last_typed=9.9, answers=ANSWERS)
    keys.typed(10.2)
    assert keys.draft_changed(10.2, draft=False) == []
    assert keys.deadline(10.2) == 11.2
    keys.typed(11.0)
    assert keys.tick(11.2) == []
    assert keys.tick(12.0) == [TakeFocus()]


def test_a_key_alone_counts_after_150_ms() -> None:
    keys = armed()
    assert keys.key("y", 5.0) == []
    assert (keys.state, keys.lit, keys.deadline(5.0)) == ("held", True, 5.15)
    assert keys.tick(5.14) == []
    assert keys.tick(5.15) == [Press("y")]
    assert keys.state == "armed"


def test_a_key_before_the_keys_count_is_typing() -> None:
    keys = SheetKeys()
    keys.shown(0.0, draft=False, answers=ANSWERS)
    assert keys.key("y", 0.39) == [GiveFocus(), ToPrompt("y")]
    assert keys.state == "prompt"


def test_a_burst_goes_into_the_prompt_whole_and_in_order() -> None:
    keys = armed()
    assert keys.key("y", 5.0) == []
    assert keys.key("e", 5.1) == [GiveFocus(), ToPrompt("ye")]
    assert keys.key("s", 5.2) == [ToPrompt("s")]


def test_a_key_with_another_in_the_half_second_before_is_typing() -> None:
    keys = armed()
    keys.key("n", 5.0)
    assert keys.tick(5.15) == [Press("n")]
    assert keys.key("y", 5.49) == [GiveFocus(), ToPrompt("y")]


def test_a_key_half_a_second_after_another_counts() -> None:
    keys = armed()
    keys.key("n", 5.0)
    keys.tick(5.15)
    assert keys.key("y", 5.5) == []
    assert keys.tick(5.65) == [Press("y")]


def test_a_key_that_is_no_answer_goes_into_the_prompt() -> None:
    keys = armed()
    assert keys.key("h", 5.0) == [GiveFocus(), ToPrompt("h")]
    assert keys.key("y", 9.0) == [ToPrompt("y")]


def test_a_paste_never_answers() -> None:
    assert armed().paste("y", 5.0) == [GiveFocus(), ToPrompt("y")]
    held = armed()
    held.key("y", 5.0)
    assert held.paste("es\nplease\n", 5.1) == [GiveFocus(), ToPrompt("yes\nplease\n")]


def test_enter_in_a_burst_is_a_line_break_and_sends_nothing() -> None:
    keys = armed()
    keys.key("y", 5.0)
    assert keys.enter(5.05) == [GiveFocus(), ToPrompt("y\n")]
    assert keys.enter(5.1) == [ToPrompt("\n")]
    keys.key("o", 5.2)
    assert keys.enter(5.3) == [ToPrompt("\n")]


def test_enter_after_the_burst_sends_again() -> None:
    keys = armed()
    keys.key("y", 5.0)
    keys.key("o", 5.1)
    assert keys.enter(5.6) == [Send()]


def test_enter_in_a_draft_that_was_there_before_is_the_prompts_own() -> None:
    keys = SheetKeys()
    keys.shown(0.0, draft=True, last_typed=0.0, answers=ANSWERS)
    keys.key("x", 0.1)
    assert keys.enter(0.2) == [Send()]


def test_enter_alone_means_nothing_to_the_sheet() -> None:
    keys = armed()
    assert keys.enter(5.0) == []
    assert keys.state == "armed"
    assert keys.key("y", 5.2) == [GiveFocus(), ToPrompt("y")]


def test_escape_counts_at_once() -> None:
    arming = SheetKeys()
    arming.shown(0.0, draft=False, answers=ANSWERS)
    assert arming.escape(0.01) == [Press("escape")]
    assert armed().escape(5.0) == [Press("escape")]


def test_escape_in_the_prompt_is_not_the_sheets() -> None:
    keys = SheetKeys()
    keys.shown(0.0, draft=True, answers=ANSWERS)
    assert keys.escape(5.0) == []


def test_escape_after_a_held_key_loses_nothing_and_the_key_does_not_count() -> None:
    keys = armed()
    keys.key("y", 5.0)
    assert keys.escape(5.1) == [GiveFocus(), ToPrompt("y"), Press("escape")]


def test_after_a_deliberate_tab_the_keys_count_at_once_but_still_alone() -> None:
    keys = after_tab()
    assert keys.state == "armed"
    assert keys.key("y", 0.2) == []
    assert keys.tick(0.35) == [Press("y")]
    keys = after_tab()
    keys.key("y", 0.2)
    assert keys.key("e", 0.3) == [GiveFocus(), ToPrompt("ye")]


def test_a_tab_in_the_midst_of_keys_sent_together_is_text() -> None:
    keys = SheetKeys()
    keys.shown(0.0, draft=True, last_typed=0.0, answers=ANSWERS)
    keys.key("x", 5.0)
    assert keys.tab(5.01) == [ToPrompt("\t")]
    assert keys.key("y", 5.02) == [ToPrompt("y")]
    assert keys.state == "prompt"


def test_a_key_sent_together_with_a_tab_is_text() -> None:
    keys = SheetKeys()
    keys.shown(0.0, draft=True, last_typed=0.0, answers=ANSWERS)
    assert keys.tab(5.0) == [TakeFocus()]
    assert keys.key("y", 5.01) == [GiveFocus(), ToPrompt("y")]


def test_tab_in_the_sheet_is_for_its_field_but_not_before_the_keys_count() -> None:
    assert armed().tab(5.0) == [Press("tab")]
    arming = SheetKeys()
    arming.shown(0.0, draft=False, answers=ANSWERS)
    assert arming.tab(0.1) == []


def test_tab_goes_nowhere_when_nothing_asks() -> None:
    keys = SheetKeys()
    assert keys.tab(1.0) == []
    assert keys.deadline(1.0) is None


def test_an_arrow_is_no_typing_but_a_key_held_with_it_was_not_alone() -> None:
    keys = armed()
    assert keys.moved(5.0) == []
    assert keys.key("a", 5.1) == []
    assert keys.moved(5.2) == [GiveFocus(), ToPrompt("a")]


def test_a_field_is_typed_into_freely() -> None:
    keys = armed()
    assert keys.field(1.0, is_open=True) == [ShowState()]
    assert [keys.key(char, 1.0 + at / 100) for at, char in enumerate("yn")] == [[ToField("y")], [ToField("n")]]
    assert keys.paste("a b", 1.1) == [ToField("a b")]
    assert keys.tab(1.2) == [Press("tab")]
    assert keys.enter(1.3) == [Press("enter")]
    assert keys.escape(1.4) == [Press("escape")]
    assert keys.field(1.4, is_open=False) == [ShowState()]
    assert keys.state == "armed"


def test_an_update_leaves_an_open_field_alone_but_its_enter_waits_for_the_new_paint() -> None:
    keys = armed()
    keys.field(1.0, is_open=True)
    assert keys.shown(2.0, draft=False, answers=ANSWERS) == []
    assert keys.enter(2.1) == []
    assert keys.key("x", 2.2) == [ToField("x")]
    assert keys.enter(2.4) == [Press("enter")]


def test_a_field_that_closes_with_an_update_does_not_leave_the_keys_counting() -> None:
    keys = armed()
    keys.field(1.0, is_open=True)
    keys.shown(2.0, draft=False, answers=ANSWERS)
    keys.field(2.0, is_open=False)
    assert (keys.state, keys.deadline(2.0)) == ("arming", 2.4)


def test_an_update_arms_anew() -> None:
    keys = armed()
    assert keys.shown(5.0, draft=False, answers=ANSWERS) == [ShowState()]
    assert (keys.state, keys.deadline(5.0)) == ("arming", 5.4)
    assert keys.key("y", 5.2) == [GiveFocus(), ToPrompt("y")]


def test_a_key_held_while_an_update_comes_was_meant_for_what_stood_there_before() -> None:
    keys = armed()
    keys.key("y", 5.0)
    assert keys.shown(5.1, draft=False, answers=ANSWERS) == [GiveFocus(), ToPrompt("y")]
    assert keys.tick(5.15) == []


def test_nothing_counts_from_the_moment_something_else_stands_there_until_it_is_painted() -> None:
    keys = armed()
    assert keys.unseen(5.0) == [ShowState()]
    assert keys.deadline(5.0) is None
    assert keys.key("y", 9.0) == [GiveFocus(), ToPrompt("y")]
    keys = armed()
    keys.key("y", 5.0)
    assert keys.unseen(5.1) == [GiveFocus(), ToPrompt("y")]
    keys = armed()
    keys.unseen(5.0)
    assert keys.escape(5.1) == [Press("escape")]


def test_a_field_whose_question_was_answered_does_not_keep_the_keys_of_the_next_one() -> None:
    keys = armed()
    keys.field(1.0, is_open=True)
    keys.unseen(2.0, is_field_open=True)
    assert keys.key("x", 2.1) == [ToField("x")] and keys.enter(2.2) == []
    keys.unseen(3.0)
    keys.shown(3.1, draft=False, answers=ANSWERS)
    keys.tick(3.5)
    keys.key("y", 4.0)
    assert keys.tick(4.15) == [Press("y")]


def test_a_key_that_answers_for_more_than_before_is_armed_anew_and_the_others_are_not() -> None:
    keys = armed()
    keys.widened(5.0, "ynA", wider="A")
    assert keys.key("A", 5.3) == [GiveFocus(), ToPrompt("A")]
    for key, at in (("A", 5.4), ("y", 5.1)):
        keys = armed()
        keys.widened(5.0, "ynA", wider="A")
        keys.key(key, at)
        assert keys.tick(at + 0.15) == [Press(key)]
    keys = armed()
    keys.widened(4.0, "ynA", wider="")
    keys.key("A", 5.0)
    assert keys.widened(5.1, "ynA", wider="A") == [GiveFocus(), ToPrompt("A")]


def test_what_is_written_anew_runs_once_typing_has_paused_or_gone_back() -> None:
    def changing() -> SheetKeys:
        keys = armed()
        keys.key("e", 5.0)
        keys.tick(5.15)
        keys.give_away()
        return keys

    keys = changing()
    for at in (5.3, 5.7, 6.1):
        keys.wrote(at, typing=True)
    assert not keys.runs(6.2) and keys.runs(6.6)
    keys.wrote(6.7, typing=True)
    assert keys.runs(6.8)
    keys = changing()
    keys.wrote(5.3, typing=False)
    assert keys.runs(5.4)
    keys.shown(5.5, draft=True, answers=ANSWERS)
    assert not keys.runs(5.8) and keys.runs(5.9)


def test_an_update_gives_the_keys_back_to_a_draft_that_was_left_by_tab() -> None:
    keys = after_tab()
    assert keys.shown(3.0, draft=True, answers=ANSWERS) == [GiveFocus()]
    assert keys.state == "prompt"


def test_what_is_held_when_the_question_goes_away_is_not_lost() -> None:
    keys = armed()
    keys.key("y", 5.0)
    assert keys.gone(5.1) == [GiveFocus(), ToPrompt("y")]
    assert armed().gone(5.0) == [GiveFocus()]


def test_a_draft_that_comes_from_elsewhere_takes_the_keys() -> None:
    keys = armed()
    assert keys.draft_changed(5.0, draft=True) == [GiveFocus()]
    assert keys.key("y", 9.0) == [ToPrompt("y")]


def test_a_tick_that_comes_late_waits_once_more_for_keys_that_may_wait_behind_it() -> None:
    keys = armed()
    keys.key("y", 5.0)
    assert keys.tick(5.9) == []
    assert keys.key("e", 5.91) == [GiveFocus(), ToPrompt("ye")]
    keys = armed()
    keys.key("y", 5.0)
    assert keys.tick(5.9) == []
    assert keys.tick(9.0) == [Press("y")]


def test_keys_that_waited_behind_a_late_arming_do_not_count() -> None:
    keys = SheetKeys()
    keys.shown(0.0, draft=False, answers=ANSWERS)
    assert keys.tick(2.0) == []
    assert keys.key("y", 2.01) == [GiveFocus(), ToPrompt("y")]
