"""Many calls, one rule at a time: early start, slots, overtaking, the write lock, what waits and why."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import (
    Rig,
    SaidHooks,
    Stage,
    fake,
    settled,
    until,
)
from tools.contract import ToolError
from tools.events import ToolFinished, ToolQueued, ToolStarted
from tools.executor import SLOTS
from tools.hooks import BeforeWord
from tools.permissions.gate import Answer


def play(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(body())  # type: ignore[arg-type]  # a coroutine function


def three(folder: Path, stage: Stage, **more: Any) -> Rig:
    """A tool that looks, one that changes, one that may touch anything."""
    look = fake(name="Look", safe=True, reads=True, work=stage)
    return Rig(folder, look, fake(name="Change", work=stage), fake(name="Command", work=stage), **more)


def test_a_call_starts_while_the_model_still_writes_the_next(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Look", path="a")
        await until(lambda: stage.running == ["c1"])
        stage.end("c1")
        await until(lambda: rig.of(ToolFinished))
        talk.add("c2", "Look", path="b")
        stage.end("c2")
        assert [answer.outcome for answer in (await talk.answers()).values()] == ["ok", "ok"]

    play(body)


def test_calls_that_only_look_run_together_ten_at_most(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        names = [f"c{number}" for number in range(25)]
        for name in names:
            talk.add(name, "Look", path=name)
        await until(lambda: len(stage.running) == SLOTS)
        await settled()
        assert stage.running == names[:10]
        assert rig.queued["c10"] == "10 calls are running"
        stage.end("c3")
        await until(lambda: "c10" in stage.running)
        assert len(stage.running) == 10
        for name in names:
            if name != "c3":
                stage.end(name)
        await talk.answers()
        assert stage.most_at_once == SLOTS == 10

    play(body)


def test_a_call_that_changes_something_runs_alone_and_in_its_place(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        for name, tool in (("r1", "Look"), ("r2", "Look"), ("w3", "Change"), ("r4", "Look"), ("w5", "Change")):
            talk.add(name, tool, path=name)
        await until(lambda: stage.running == ["r1", "r2"])
        stage.end("r1")
        await settled()
        assert stage.running == ["r2"]
        stage.end("r2")
        await until(lambda: stage.running == ["w3"])
        await settled()
        assert stage.running == ["w3"]
        assert rig.queued["r4"] == "an earlier call is not done"
        stage.end("w3")
        await until(lambda: stage.running == ["r4"])
        stage.end("r4")
        await until(lambda: stage.running == ["w5"])
        stage.end("w5")
        await talk.answers()

    play(body)


@pytest.mark.parametrize(
    ("asking", "other", "overtakes"),
    [
        ({"tool": "Change", "path": "a"}, {"tool": "Look", "path": "b"}, True),
        ({"tool": "Change", "path": "a"}, {"tool": "Look", "path": "a"}, False),
        ({"tool": "Change", "path": "a"}, {"tool": "Look", "path": "a/b"}, False),
        ({"tool": "Change", "path": "a/b"}, {"tool": "Look", "path": "a"}, False),
        ({"tool": "Change", "path": "a"}, {"tool": "Look", "path": "ab"}, True),
        ({"tool": "Change", "path": "a"}, {"tool": "Look"}, False),
        ({"tool": "Change", "path": "a"}, {"tool": "Look", "command": "cat b"}, False),
        ({"tool": "Change", "path": "a"}, {"tool": "Change", "path": "b"}, False),
        ({"tool": "Command", "command": "make"}, {"tool": "Look", "path": "b"}, False),
        ({"tool": "Look", "path": "a"}, {"tool": "Look", "path": "a"}, True),
        ({"tool": "Look", "path": "a"}, {"tool": "Change", "path": "b"}, False),
    ],
)
def test_only_a_look_at_surely_other_paths_overtakes_a_call_that_waits_for_a_person(
    tmp_path: Path, asking: dict[str, Any], other: dict[str, Any], overtakes: bool
) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", says="ask", **asking)
        talk.add("c2", **other)
        await until(lambda: rig.asked == ["c1"])
        await settled()
        assert (stage.running == ["c2"]) == overtakes
        stage.end("c2")
        rig.answer("c1", "once")
        stage.end("c1")
        await talk.answers()
        assert stage.began == (["c2", "c1"] if overtakes else ["c1", "c2"])

    play(body)


def test_paths_are_compared_where_their_links_lead(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Change", path="real/a", says="ask")
        talk.add("c2", "Look", path="link/a")
        await until(lambda: rig.asked == ["c1"])
        await settled()
        assert stage.running == []
        assert rig.queued["c2"] == "waits for an earlier call about the same files"
        rig.answer("c1", "no")
        stage.end("c2")
        await talk.answers()

    play(body)


def test_a_call_that_needs_no_answer_is_not_overtaken_at_the_gate(tmp_path: Path) -> None:
    async def body() -> None:
        let_on = asyncio.Event()

        class Slow(SaidHooks):
            async def before(self, call: Any) -> BeforeWord:
                if call.tool == "Change":
                    await let_on.wait()
                return BeforeWord()

        stage = Stage()
        rig = three(tmp_path, stage, hooks=Slow())
        talk = rig.talk()
        talk.add("c1", "Change", path="a")
        talk.add("c2", "Look", path="b")
        await until(lambda: "c2" in rig.queued)
        await settled()
        assert stage.running == []
        let_on.set()
        await until(lambda: stage.running == ["c1"])
        stage.end("c1")
        stage.end("c2")
        await talk.answers()
        assert stage.began == ["c1", "c2"]

    play(body)


def test_what_a_hook_made_of_a_call_decides_who_overtakes_it(tmp_path: Path) -> None:
    async def body() -> None:
        class Moves(SaidHooks):
            async def before(self, call: Any) -> BeforeWord:
                moved = {**call.input, "path": "b"}
                return BeforeWord(updated_input=moved) if call.tool == "Change" else BeforeWord()

        stage = Stage()
        rig = three(tmp_path, stage, hooks=Moves())
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        await until(lambda: rig.asked == ["c1"])
        talk.add("c2", "Look", path="b")
        talk.add("c3", "Look", path="a")
        await until(lambda: stage.running == ["c3"])
        await settled()
        assert stage.running == ["c3"]
        stage.end("c3")
        rig.answer("c1", "once")
        stage.end("c1")
        stage.end("c2")
        await talk.answers()
        assert stage.began == ["c3", "c1", "c2"]

    play(body)


def test_the_answered_call_waits_for_those_that_overtook_it_and_no_more_do(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        talk.add("c2", "Look", path="b")
        await until(lambda: stage.running == ["c2"])
        rig.answer("c1", "once")
        await until(lambda: talk.state("c1") == "queued")
        assert rig.queued["c1"] == "waits for the calls that overtook it"
        talk.add("c3", "Look", path="c")
        await settled()
        assert stage.running == ["c2"]
        stage.end("c2")
        await until(lambda: stage.running == ["c1"])
        stage.end("c1")
        stage.end("c3")
        await talk.answers()
        assert stage.began == ["c2", "c1", "c3"]

    play(body)


def test_a_call_behind_a_question_says_so(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        await until(lambda: rig.asked)
        talk.add("c2", "Change", path="b")
        await until(lambda: "c2" in rig.queued)
        assert rig.queued["c2"] == "an earlier call waits for your answer"
        rig.answer("c1", "no")
        stage.end("c2")
        await talk.answers()

    play(body)


def test_conversations_of_a_session_change_the_worktree_one_at_a_time_and_look_together(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        one, two = rig.talk(), rig.talk("helper")
        one.add("c1", "Change", path="a")
        await until(lambda: stage.running == ["c1"])
        two.add("h1", "Look", path="a")
        two.add("h2", "Change", path="b")
        await until(lambda: stage.running == ["c1", "h1"])
        stage.end("h1")
        await until(lambda: two.state("h2") == "running")
        await settled()
        assert stage.running == ["c1"]
        assert [event.id for event in rig.of(ToolStarted)] == ["c1", "h1"], "told as started only with the lock"
        stage.end("c1")
        await until(lambda: stage.running == ["h2"])
        stage.end("h2")
        await one.answers()
        await two.answers()

    play(body)


def test_a_person_who_is_asked_by_one_conversation_holds_up_no_other(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        one, two = rig.talk(), rig.talk("helper")
        one.add("c1", "Change", path="a", says="ask")
        await until(lambda: rig.asked)
        two.add("h1", "Change", path="a")
        await until(lambda: stage.running == ["h1"])
        stage.end("h1")
        await two.answers()
        rig.answer("c1", "no")
        await one.answers()

    play(body)


def test_a_failed_and_a_denied_call_cancel_nobody(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Look", path="a")
        talk.add("c2", "Look", path="b")
        talk.add("c3", "Change", path="c", says="deny")
        talk.add("c4", "Change", path="d")
        stage.end("c1", ToolError("It has gone."))
        await until(lambda: stage.running == ["c2"])
        stage.end("c2")
        stage.end("c4")
        answers = await talk.answers()
        assert [answer.outcome for answer in answers.values()] == ["failed", "ok", "denied", "ok"]

    play(body)


def test_nobody_overtakes_a_call_that_is_answered_without_a_person(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage, answerer=lambda _: Answer("once"))
        talk = rig.talk()
        talk.add("c0", "Change", path="z")
        await until(lambda: stage.running == ["c0"])
        talk.add("c1", "Change", path="a", says="ask")
        talk.add("c2", "Look", path="b")
        for name in ("c0", "c1", "c2"):
            stage.end(name)
        await talk.answers()
        assert stage.began == ["c0", "c1", "c2"]
        assert [event.id for event in rig.of(ToolQueued)] == ["c1", "c2"]

    play(body)
