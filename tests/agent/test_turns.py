"""Where turns begin and end: nothing said or stopped at such a moment is lost, and no failure leaves a call open."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent.events import Stamped, TurnEnded, UserMessage
from agent.model.base import Reply, Request
from agent.model.scripted import ScriptedModel, text, tool_use
from tests.support.sessions import play, results_of, session_in, turn, yes
from tools.events import ToolFinished, ToolStarted


def test_a_turn_that_is_stopped_in_the_moment_it_begins_asks_nothing_and_the_next_one_does(tmp_path: Path) -> None:
    async def body() -> None:
        model = ScriptedModel([[text("hello")]])
        async with session_in(tmp_path, model) as (session, _):
            session.submit("never mind")
            session.interrupt()
            ended = await session.turn_ended()
            assert ended is not None and ended.reason == "interrupted"
            assert model.requests == []
            assert (await turn(session, "now")).reason == "done"

    play(body)


def test_a_stop_between_turns_stops_nothing_later(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [[text("one")], [text("two")]]) as (session, _):
            assert (await turn(session)).reason == "done"
            session.interrupt()
            assert (await turn(session)).reason == "done"

    play(body)


def test_a_message_that_comes_while_a_turn_is_being_saved_is_heard(tmp_path: Path) -> None:
    async def body() -> None:
        model = ScriptedModel([[text("one")], [text("two")], [text("three")]])
        async with session_in(tmp_path, model) as (session, seen):
            late = ["and this", "and that"]

            def say_more(stamped: Stamped) -> None:
                if isinstance(stamped.event, TurnEnded):
                    while late:
                        session.submit(late.pop(0))

            session.bus.listen(say_more)
            assert (await turn(session, "first")).reason == "done"
            assert [event.text for event in seen.all(UserMessage)] == ["first", "and this", "and that"]
            assert [message["content"] for message in session.main.messages if message["role"] == "user"][1:] == [
                [text("and this")],
                [text("and that")],
            ]
            assert not session.busy

    play(body)


def test_a_stop_ends_the_turn_and_the_persons_own_line_beside_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [[tool_use("c1", "Read", file_path="a.txt"), *WAITS]], yes) as (session, seen):
            own = asyncio.create_task(session.run_shell("sleep 60"))
            await seen.first(ToolStarted)
            session.submit("go")
            await seen.first(ToolFinished, lambda finished: finished.id == "c1")
            session.interrupt()
            ended = await session.turn_ended()
            await own
            assert ended is not None and ended.reason == "interrupted"
            assert {event.id: event.outcome for event in seen.all(ToolFinished)} == {
                "c1": "failed",
                "c2": "cancelled",
                "shell-1": "cancelled",
            }

    play(body)


WAITS = (tool_use("c2", "Bash", command="sleep 60"),)


def test_one_line_of_the_persons_own_can_be_cancelled_beside_a_turn(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [[text("done")]]) as (session, seen):
            own = asyncio.create_task(session.run_shell("sleep 60"))
            await seen.first(ToolStarted)
            assert (await turn(session)).reason == "done"
            assert session.cancel("shell-1")
            await own
            assert [event.outcome for event in seen.all(ToolFinished)] == ["cancelled"]

    play(body)


class Faulty(ScriptedModel):
    """Says its script, and then fails as no client should: the first `faults` times."""

    def __init__(self, script: Any, faults: int) -> None:
        super().__init__(script)
        self._faults = faults

    async def reply(self, request: Request) -> Reply:
        events = super().reply(request)
        async for event in events:
            if self._faults and type(event).__name__ in ("ReplyEnded",):
                self._faults -= 1
                raise LookupError("of all things")
            yield event


def test_a_fault_nobody_foresaw_ends_the_turn_in_words_and_the_next_one_works(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, Faulty([[], [text("there")]], 1)) as (session, seen):
            ended = await turn(session)
            assert ended.reason == "failed"
            assert "The reply failed unexpectedly: LookupError: of all things" in ended.detail
            assert (await turn(session)).reason == "done"
            assert [event.reason for event in seen.all(TurnEnded)] == ["failed", "done"]

    play(body)


def test_after_such_a_fault_the_calls_that_had_closed_have_their_answers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content\n")

    async def body() -> None:
        model = Faulty([[tool_use("c1", "Read", file_path="a.txt")], [text("read it")]], 1)
        async with session_in(tmp_path, model) as (session, _):
            assert (await turn(session)).reason == "done"
            assert "content" in results_of(session.main.messages)["c1"]["content"]

    play(body)


def test_a_fault_of_ours_in_the_loop_is_told_and_leaves_no_call_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent.reply import ReplyReader

    read = ReplyReader.read

    async def reads_and_fails(self: ReplyReader, reply: Reply) -> None:
        await read(self, reply)
        raise ZeroDivisionError("by zero")

    async def body() -> None:
        async with session_in(tmp_path, [[tool_use("c1", "Bash", command="sleep 60")]], yes) as (session, seen):
            monkeypatch.setattr(ReplyReader, "read", reads_and_fails)
            ended = await turn(session)
            assert (ended.reason, "ZeroDivisionError: by zero" in ended.detail) == ("failed", True)
            finished = await seen.first(ToolFinished)
            assert (finished.id, finished.outcome) == ("c1", "cancelled")
            assert "tool_use" not in json.dumps(session.main.messages)

    play(body)


def test_whatever_fails_while_a_session_closes_the_rest_of_it_is_closed(tmp_path: Path) -> None:
    closed: list[str] = []

    async def fails() -> None:
        closed.append("failing")
        raise OSError("the disk is gone")

    async def body() -> None:
        async with session_in(tmp_path, [[text("x")]]) as (session, _):
            session.on_close(lambda: closed.append("first opened"))
            session.on_close(fails)

    with pytest.raises(OSError, match="the disk is gone"):
        play(body)
    assert closed == ["failing", "first opened"]
