"""Typing never answers a question: bursts, drafts, pastes, and when the sheet has the keys."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.driver import Driver

from agent.events import UserMessage
from agent.model.scripted import text, tool_use
from tests.support.seat import Body, Seat
from tests.support.seat import sit as sit_down
from tools.events import PermissionUpdated, ToolStarted
from tui.render.lines import Drawn

ASKS = [[tool_use("c", "Bash", command="touch made")], [text("x")]]


async def asks(seat: Seat) -> None:
    await seat.until(lambda: seat.sheet, "nothing asked")


def sit(folder: Path, script: Any, body: Body) -> None:
    """With the clock in the test's hands: how long the machine takes for anything decides nothing."""

    async def held(seat: Seat) -> None:
        seat.clock.hold()
        await body(seat)

    sit_down(folder, script, held)


async def is_open_still(seat: Seat, tmp_path: Path) -> None:
    await seat.passes(2)
    assert seat.session.gate.waiting and not seat.said(ToolStarted) and not (tmp_path / "made").exists()


async def leave(seat: Seat) -> None:
    seat.session.interrupt()
    await seat.is_idle()


@pytest.mark.parametrize("words", ["yyy", "y", "no, wait", "1", "a"])
def test_what_is_typed_at_the_moment_the_sheet_appears_is_in_the_prompt_whole(tmp_path: Path, words: str) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await asks(seat)
        await seat.types(words)
        await is_open_still(seat, tmp_path)
        assert seat.draft == words and not seat.sheet_has_keys
        assert "your draft has the keys: Tab answers" in "\n".join(seat.sheet)
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_nothing_is_said_of_a_draft_where_there_is_none(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        sheet, shown = seat.app.scene.parts.sheet, list[str]()
        show = sheet.show

        def watched(lines: Sequence[Drawn]) -> None:
            shown.extend(line.text for line in lines)
            show(lines)

        sheet.show = watched  # type: ignore[method-assign]
        # Typed a moment ago, so the sheet waits for a quiet second.
        await seat.send("go")
        await seat.has_keys_that_count()
        assert any("Tab comment" in line for line in shown)
        assert not any("your draft" in line for line in shown)
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_a_burst_of_answer_keys_with_an_enter_goes_to_the_prompt_and_sends_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.press("y", "e", "s", "enter", "n", "o")
        await is_open_still(seat, tmp_path)
        assert seat.draft == "yes\nno" and len(seat.said(UserMessage)) == 1
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_a_paste_is_no_answer(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.pastes("y")
        await is_open_still(seat, tmp_path)
        assert seat.draft == "y"
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_who_goes_on_typing_keeps_the_keys_until_a_second_is_quiet(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await asks(seat)
        await seat.passes(0.9)
        assert not seat.sheet_has_keys
        await seat.passes(0.2)
        assert seat.sheet_has_keys
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_a_draft_keeps_the_keys_until_tab(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("half a thought")
        seat.app.turns.submit("go")
        await asks(seat)
        await seat.passes(1.2)
        assert not seat.sheet_has_keys
        await seat.press("y")
        assert seat.draft == "half a thoughty"
        await seat.passes(0.1)
        await seat.press("tab")
        await seat.has_keys_that_count()
        await seat.passes(0.1)
        await seat.press("y")
        await seat.passes(0.3)
        await seat.is_idle()
        assert (tmp_path / "made").exists() and seat.draft == "half a thoughty"

    sit(tmp_path, ASKS, body)


def test_a_draft_that_is_cleared_gives_the_sheet_the_keys(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("xx")
        seat.app.turns.submit("go")
        await asks(seat)
        await seat.press("backspace", "backspace")
        await seat.has_keys_that_count()
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_enter_sends_the_draft_as_a_message_and_answers_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("also the docs")
        seat.app.turns.submit("go")
        await asks(seat)
        await seat.passes(0.6)
        await seat.press("enter")
        await seat.sees("◦ queued  also the docs")
        await is_open_still(seat, tmp_path)
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_escape_in_a_draft_stops_the_turn_and_keeps_the_draft(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("draft")
        seat.app.turns.submit("go")
        await asks(seat)
        await seat.press("escape")
        await seat.is_idle()
        assert seat.draft == "draft" and not seat.sheet and not (tmp_path / "made").exists()

    sit(tmp_path, ASKS, body)


def test_after_the_last_answer_the_prompt_has_the_keys_again(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await asks(seat)
        await seat.answers("y")
        await seat.is_idle()
        await seat.types("and now")
        assert seat.draft == "and now" and not seat.app.box.has_class("quiet")

    sit(tmp_path, ASKS, body)


def test_a_key_that_means_nothing_begins_a_draft(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.types("x")
        assert seat.draft == "x" and not seat.sheet_has_keys
        await is_open_still(seat, tmp_path)
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_a_page_over_a_waiting_question_holds_all_keys_and_arms_it_anew_when_it_goes(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        seat.app.commands.keys()
        await seat.sees("more, less detail")
        await seat.press("y", "n")
        await is_open_still(seat, tmp_path)
        await seat.press("escape")
        await seat.sees("Run this command?")
        assert not seat.keys_count, "what was out of sight is armed anew"
        await seat.press("y")
        await is_open_still(seat, tmp_path)
        assert seat.draft == "y"
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_a_question_that_comes_under_a_page_asks_when_the_page_goes(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("?")
        await seat.sees("more, less detail")
        seat.app.turns.submit("go")
        await seat.until(lambda: seat.session.gate.waiting)
        await seat.passes(0.6)
        assert not seat.keys_count
        await seat.press("escape")
        await seat.sees("Run this command?")
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / "made").exists()

    sit(tmp_path, ASKS, body)


def test_who_comes_back_from_the_shell_finds_it_armed_anew(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.press("y")
        seat.app.post_message(Driver.SignalResume())
        await seat.until(lambda: seat.draft == "y", "it was pressed before the sheet was there again")
        await is_open_still(seat, tmp_path)
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_a_word_that_begins_with_e_runs_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.press("e")
        await seat.passes(0.3)
        assert seat.draft == "touch made"
        for letter in "xplain":
            await seat.press(letter)
            await seat.passes(0.3)
        await seat.press("enter")
        await is_open_still(seat, tmp_path)
        assert seat.draft == "touch madexplain"
        await seat.press("escape")
        await leave(seat)

    sit(tmp_path, ASKS, body)


def test_what_was_written_anew_waits_for_the_paint_of_a_new_revision(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.answers("e")
        await seat.looks()
        await seat.types(" other")
        armed = seat.armed_at
        (pending,) = seat.session.gate.waiting
        seat.session.gate.update(pending, replace(pending.request, summary="another"), pending.ground, "a test says so")
        await seat.until(lambda: seat.armed_at > armed, "the new revision was not armed")
        await seat.press("enter")
        await is_open_still(seat, tmp_path)
        await seat.press("enter")
        await seat.is_idle()
        assert (tmp_path / "other").exists()

    sit(tmp_path, ASKS, body)


def test_where_the_answers_have_no_room_nothing_is_answered(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.pilot.resize_terminal(60, 8)
        await seat.until(lambda: "too low to answer" in "".join(seat.sheet), "it does not say what it lacks")
        await seat.press("y")
        await is_open_still(seat, tmp_path)
        assert seat.draft == "y" and not seat.keys_count
        await seat.press("backspace")
        await seat.pilot.resize_terminal(80, 24)
        await seat.sees("yes, once")
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / "made").exists()

    sit(tmp_path, ASKS, body)


def test_yes_to_all_counts_once_those_that_came_last_were_in_sight(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        gate = seat.session.gate
        await seat.has_keys_that_count()
        (pending,) = gate.waiting
        gate.ask(replace(pending.request, id="ask-behind", call_id="behind"), "main", ())
        await seat.sees("1 of 2")
        await seat.press("A")
        await seat.passes(0.3)
        assert seat.draft == "A" and len(gate.waiting) == 2
        await seat.press("backspace")
        await seat.answers("A")
        await seat.until(lambda: all(one.answered for one in gate.waiting), "all that wait are answered")
        await leave(seat)

    sit(tmp_path, ASKS, body)


# -- files that change under a question

EDIT = [
    [tool_use("r", "Read", file_path="a.txt")],
    [tool_use("e", "Edit", file_path="a.txt", old_string="two", new_string="TWO")],
    [text("x")],
]


def test_a_change_apart_from_the_edit_redraws_it_and_arms_it_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n")

    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        armed = seat.armed_at
        await asyncio.to_thread(file.write_text, file.read_text().replace("nine", "theirs"))
        await seat.until(lambda: seat.armed_at > armed, "the new revision was not armed anew")
        assert not seat.keys_count and [event.revision for event in seat.said(PermissionUpdated)] == [2]
        await seat.sees("Changed by someone else", "apart from this edit", "≢ Outside a.txt  +1 -1")
        await seat.answers("y")
        await seat.is_idle()
        assert file.read_text().split() == ["one", "TWO", "three", "four", "five", "six", "seven", "eight", "theirs"]

    sit(tmp_path, EDIT, body)


def test_a_change_that_meets_the_edit_takes_the_yes_away_and_offers_to_tell_the_model(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\n")

    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        armed = seat.armed_at
        await asyncio.to_thread(file.write_text, "one\ntheirs\nthree\n")
        await seat.until(lambda: seat.armed_at > armed, "the new revision was not armed anew")
        await seat.sees("in the lines this edit replaces", "r  tell the model")
        yes, tell, no = (line.split() for line in seat.sheet if line.split()[:1] in (["y"], ["r"], ["n"]))
        assert "off:" in yes and tell[:4] == ["r", "tell", "the", "model"] and no[:2] == ["n", "no"]
        await seat.answers("y")
        assert seat.session.gate.waiting, "a yes would overwrite their line"
        await seat.answers("r")
        await seat.is_idle()
        assert file.read_text() == "one\ntheirs\nthree\n"
        assert "theirs" in str(seat.session.main.messages)

    sit(tmp_path, EDIT, body)


def test_a_key_pressed_for_the_question_as_it_was_does_not_answer_the_new_revision(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\nfour\nfive\nsix\n")

    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.has_keys_that_count()
        await seat.press("y")  # held for a moment, as it may be the beginning of a word
        file.write_text(file.read_text().replace("six", "6"))
        await seat.until(lambda: seat.said(PermissionUpdated) or seat.said(ToolStarted))
        await seat.passes(0.5)
        assert file.read_text().split()[-1] == "6", "whatever was answered, their work is there"
        if not seat.said(ToolStarted):
            assert seat.draft == "y"
        await leave(seat)

    sit(tmp_path, EDIT, body)
