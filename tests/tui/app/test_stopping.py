"""Esc, Ctrl+C and Ctrl+D: what they stop, what they clear, and how the program is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.events import TurnEnded
from agent.model.scripted import ScriptedModel, text, tool_use
from agent.settings.merge import Flags
from tests.support.commands import is_alive, pids_in
from tests.support.seat import Seat, sit
from tests.support.sessions import HeldAfter, results_of
from tools.events import ToolProgress, ToolStarted

ALLOWED = Flags(trusted=True, allowed_tools=("Bash",))
LONG = tool_use("slow", "Bash", command="echo $$ > me.pid; echo one; sleep 60")


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_running_turn_is_stopped_and_what_was_done_stays(tmp_path: Path, key: str) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.until(lambda: pids_in(tmp_path))
        await seat.press(key)
        await seat.is_idle()
        assert "∎ Bash" in seat.text() and "stopped by you" in seat.line("∎ Bash")
        assert "stopped by you" in seat.line("turn 1")
        assert seat.said(TurnEnded)[0].reason == "interrupted"
        assert not is_alive(pids_in(tmp_path)[0])
        assert results_of(seat.session.main.messages)["slow"]["is_error"]

    sit(tmp_path, [[text("I wait."), LONG]], body, flags=ALLOWED)


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_an_answer_that_streams_is_stopped_where_it_is(tmp_path: Path, key: str) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("word word")
        await seat.press(key)
        await seat.is_idle()
        assert "word word" in seat.text() and "stopped by you" in seat.text()

    sit(tmp_path, ScriptedModel([[text("word " * 40)]], pause=HeldAfter(20)), body)


def test_escape_never_stops_a_turn_twice_nor_clears_the_draft_with_it(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.until(lambda: seat.said(ToolStarted))
        await seat.types("a draft")
        await seat.press("escape")
        await seat.is_idle()
        await seat.press("escape")
        assert seat.draft == "a draft"

    sit(tmp_path, [[LONG]], body, flags=ALLOWED)


def test_two_escapes_clear_the_box_and_up_brings_it_back(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.clock.hold()
        await seat.types("a long thought")
        await seat.press("escape")
        assert seat.draft == "a long thought"
        await seat.press("escape")
        assert seat.draft == "" and "cleared, Up brings it back" in seat.activity
        await seat.press("up")
        assert seat.draft == "a long thought"

    sit(tmp_path, [], body)


def test_ctrl_c_clears_a_draft_and_only_then_may_it_quit(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.clock.hold()
        await seat.types("a draft")
        await seat.press("ctrl+c")
        assert seat.draft == "" and seat.app.is_running
        await seat.press("ctrl+c")
        await seat.sees("Ctrl+C again quits")
        await seat.press("ctrl+c")
        await seat.until(lambda: not seat.app.is_running)

    sit(tmp_path, [], body)


def test_ctrl_c_copies_what_is_selected_once_says_how_and_then_stops_again(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("some words to copy")
        y = next(y for y, line in enumerate(seat.lines()) if "some words" in line)
        await seat.pilot.mouse_down(seat.app.view, offset=(3, y))
        await seat.pilot.hover(seat.app.view, offset=(7, y))
        await seat.pilot.mouse_up(seat.app.view, offset=(7, y))
        await seat.press("ctrl+c")
        await seat.until(lambda: "copied by" in seat.activity)
        assert seat.app.clipboard.startswith("some") and seat.app.is_running
        await seat.press("ctrl+c")
        await seat.sees("Ctrl+C again quits")

    sit(tmp_path, [[text("some words to copy")]], body)


@pytest.mark.parametrize(("key", "name"), [("ctrl+c", "Ctrl+C"), ("ctrl+d", "Ctrl+D")])
def test_a_second_press_quits_only_within_a_second(tmp_path: Path, key: str, name: str) -> None:
    async def body(seat: Seat) -> None:
        seat.clock.hold()
        await seat.press(key)
        await seat.sees(f"{name} again quits")
        await seat.passes(1.1)
        await seat.press(key)
        await seat.settled()
        assert seat.app.is_running
        await seat.passes(0.9)
        await seat.press(key)
        await seat.until(lambda: not seat.app.is_running)

    sit(tmp_path, [], body)


def test_ctrl_d_with_text_deletes_to_the_right(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("abc")
        await seat.press("left", "left", "ctrl+d", "ctrl+d")
        assert seat.draft == "a" and "quits" not in seat.activity

    sit(tmp_path, [], body)


def test_other_keys_between_make_it_no_second_press(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("ctrl+c", "x", "backspace", "ctrl+c")
        await seat.settled()
        assert seat.app.is_running

    sit(tmp_path, [], body)


def test_quitting_ends_what_runs(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.until(lambda: seat.said(ToolProgress) or pids_in(tmp_path))
        await seat.send("/quit")
        await seat.until(lambda: not seat.app.is_running)

    sit(tmp_path, [[LONG]], body, flags=ALLOWED)
    assert not is_alive(pids_in(tmp_path)[0])


def test_what_is_left_on_the_terminal_says_the_answer_the_files_and_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    ids: list[str] = []
    left: list[str | None] = []

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.is_idle()
        ids.append(seat.session.id)
        await seat.send("/quit")
        await seat.until(lambda: not seat.app.is_running)
        left.append(seat.app.return_value)

    script = [
        [tool_use("r", "Read", file_path="a.txt")],
        [tool_use("e", "Edit", file_path="a.txt", old_string="one", new_string="1\n2")],
        [text("It is **done**.")],
    ]
    sit(tmp_path, script, body, flags=Flags(trusted=True, mode="acceptEdits"))
    assert left == [
        f"It is **done**.\n\nChanged files:\n  M a.txt  +2 -1\n\nagent-tui --resume {ids[0]}   goes on with this session"
    ]


def test_the_files_that_are_left_on_the_terminal_are_those_that_are_other_than_they_were(tmp_path: Path) -> None:
    for name in ("back", "kept", "commanded"):
        (tmp_path / name).write_text("one\n")
    left: list[str | None] = []

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.until(lambda: "It is done." in seat.text())
        await seat.is_idle()
        # Somebody takes one of them back.
        (tmp_path / "back").write_text("one\n")
        await seat.send("/quit")
        await seat.until(lambda: not seat.app.is_running)
        left.append(seat.app.return_value)

    script = [
        [tool_use(f"r{name}", "Read", file_path=name) for name in ("back", "kept")],
        [
            *(
                tool_use(f"e{name}", "Edit", file_path=name, old_string="one", new_string="1")
                for name in ("back", "kept")
            ),
            tool_use("b", "Bash", command="rm commanded"),
        ],
        [text("It is done.")],
    ]
    sit(tmp_path, script, body, flags=Flags(trusted=True, mode="acceptEdits", allowed_tools=("Bash",)))
    assert left[0] is not None
    assert sorted(left[0].split("\n\n")[1].split("\n")) == ["  D commanded  +0 -1", "  M kept  +1 -1", "Changed files:"]


def test_without_a_word_said_nothing_is_left_on_the_terminal(tmp_path: Path) -> None:
    left: list[str | None] = []

    async def body(seat: Seat) -> None:
        await seat.press("ctrl+d", "ctrl+d")
        await seat.until(lambda: not seat.app.is_running)
        left.append(seat.app.return_value)

    sit(tmp_path, [], body)
    assert left == [""]
