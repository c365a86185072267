"""From one session of a folder to another, and what is seen on the way."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent.events import Stamped
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tools.events import ToolStarted
from tui.stage import Stage


async def opens(seat: Seat, title: str) -> None:
    await seat.until(lambda: len(seat.app.screen_stack) > 1 and title in seat.text(), f"{title} did not open")


def test_clear_begins_anew_and_resume_goes_back_with_the_same_rows(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        first = seat.session.id
        await seat.send("remember the blue door")
        await seat.is_idle()
        await seat.send("/clear")
        await seat.until(lambda: seat.app.turns.session is not None and seat.session.id != first)
        await seat.sees("agent-tui 0.", "❯ remember the blue door   just now, /resume")
        await seat.send("/resume")
        await opens(seat, "Sessions")
        await seat.sees("remember the blue door", "just now")
        await seat.press("enter")
        await seat.sees("   remember the blue door", "   I will.")
        assert seat.session.id == first
        await seat.send("and?")
        await seat.sees("   A door.")
        assert "blue door" in str(seat.model.requests[-1].messages)

    sit(tmp_path, [[text("I will.")], [text("A door.")]], body)


def test_a_long_session_shows_its_end_and_hears_keys_while_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_on = threading.Event()
    catch_up = Stage.catch_up

    def slowly(stage: Stage, past: Sequence[Stamped]) -> Iterator[None]:
        while past and not read_on.is_set():
            yield
        yield from catch_up(stage, past)

    monkeypatch.setattr(Stage, "catch_up", slowly)
    monkeypatch.setattr("tui.stage.LAST_EVENTS", 4)
    monkeypatch.setattr("tui.controllers.opening.PORTION_SECONDS", 0)

    async def body(seat: Seat) -> None:
        first = seat.session.id
        for words in ("the first question", "the last question"):
            await seat.send(words)
            await seat.is_idle()
        await seat.send(f"/resume {first}")
        await seat.until(lambda: seat.app.scene.stage is None)
        await seat.settled()
        assert "   the last question" in seat.lines()
        assert "the first question" not in seat.text()
        await seat.send("/context")
        assert "still being opened" in seat.activity and seat.draft == "/context"
        read_on.set()
        await seat.until(lambda: seat.app.turns.session is not None)
        await seat.sees("   the first question", "   the last question")
        await seat.press("enter")
        await opens(seat, "Context")

    sit(tmp_path, [[text("x")], [text("y")]], body)


def test_what_others_did_while_it_was_closed_is_shown_before_anything_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    ids: list[str] = []

    async def first(seat: Seat) -> None:
        await seat.send("read it")
        await seat.is_idle()
        ids.append(seat.session.id)

    async def then(seat: Seat) -> None:
        await seat.sees("read it", "≢ Outside a.txt  +1 -1  while agent-tui was closed", "2 + 2")

    sit(tmp_path, [[tool_use("r", "Read", file_path="a.txt")], [text("done")]], first)
    (tmp_path / "a.txt").write_text("one\n2\n")
    sit(tmp_path, [], then, resume=ids[0])


def test_resume_of_what_is_not_there_says_so_and_changes_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("hello")
        await seat.is_idle()
        id = seat.session.id
        await seat.send("/resume nonsense")
        await seat.until(lambda: "nonsense" in seat.activity and seat.app.turns.session is not None)
        assert seat.session.id == id and "   hello" in seat.lines()

    sit(tmp_path, [[text("x")]], body)


def test_no_session_is_changed_under_a_running_turn(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        id = seat.session.id
        await seat.send("go")
        await seat.until(lambda: seat.said(ToolStarted))
        await seat.send("/clear")
        assert "something still runs" in seat.activity and seat.session.id == id
        (tmp_path / "go").touch()
        await seat.is_idle()

    script = [[tool_use("c", "Bash", command="until [ -e go ]; do sleep 0.02; done")], [text("x")]]
    sit(tmp_path, script, body, flags=Flags(trusted=True, allowed_tools=("Bash",)))
