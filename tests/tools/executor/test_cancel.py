"""Cancelling has a defined answer in every state of a call, and every call gets exactly one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import (
    FakeInput,
    FakeOutput,
    Rig,
    Stage,
    fake,
    text_of,
    until,
)
from tools.context import ToolContext
from tools.contract import Validation
from tools.events import PermissionWithdrawn, ToolFinished, ToolProgress
from tools.permissions.gate import Answer


def play(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(body())  # type: ignore[arg-type]  # a coroutine function


def three(folder: Path, stage: Stage, **more: Any) -> Rig:
    """A tool that looks, one that changes, one that may touch anything."""
    look = fake(name="Look", safe=True, reads=True, work=stage)
    return Rig(folder, look, fake(name="Change", work=stage), fake(name="Command", work=stage), **more)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_call_cancelled_before_its_first_step_is_answered(tmp_path: Path, at_once: bool) -> None:
    async def body() -> None:
        rig = three(tmp_path, Stage())
        talk = rig.talk()
        if at_once:
            talk.executor.cancel_all("interrupted")
        talk.add("c1", "Look", path="a")
        if not at_once:
            assert talk.executor.cancel("c1", "interrupted")
        answered = (await talk.answers())["c1"]
        assert (answered.outcome, answered.code) == ("cancelled", "cancelled")
        assert text_of(answered) == "Cancelled: interrupted. It was not executed."
        assert rig.started == []

    play(body)


def test_a_call_cancelled_while_it_is_looked_at_is_answered(tmp_path: Path) -> None:
    async def body() -> None:
        looking = asyncio.Event()

        async def look(input: FakeInput, ctx: ToolContext) -> Validation:
            looking.set()
            await asyncio.Event().wait()
            raise AssertionError("never")

        rig = Rig(tmp_path, fake(look=look))
        talk = rig.talk()
        talk.add("c1")
        await looking.wait()
        talk.executor.cancel("c1", "interrupted")
        assert (await talk.answers())["c1"].outcome == "cancelled"

    play(body)


def test_a_call_cancelled_while_it_waits_for_a_person_withdraws_its_question(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        talk.add("c2", "Change", path="a")
        await until(lambda: rig.asked)
        question = rig.question("c1")
        talk.executor.cancel("c1", "interrupted")
        await until(lambda: stage.running == ["c2"])
        assert [event.request_id for event in rig.of(PermissionWithdrawn)] == [question.request.id]
        stage.end("c2")
        answers = await talk.answers()
        assert [answer.outcome for answer in answers.values()] == ["cancelled", "ok"]

    play(body)


def test_T40_an_answer_after_the_turn_was_cancelled_is_void(tmp_path: Path) -> None:
    async def body() -> None:
        rig = three(tmp_path, Stage())
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        await until(lambda: rig.asked)
        question = rig.question("c1")
        talk.executor.cancel_all("interrupted")
        await talk.answers()
        assert not rig.gate.answer(question.request.id, question.revision, Answer("once"))
        assert rig.started == []

    play(body)


def test_T40_a_yes_and_a_cancel_in_the_same_moment_run_nothing(tmp_path: Path) -> None:
    async def body() -> None:
        rig = three(tmp_path, Stage())
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        await until(lambda: rig.asked)
        rig.answer("c1", "once")
        talk.executor.cancel_all("interrupted")
        assert (await talk.answers())["c1"].outcome == "cancelled"
        assert rig.started == []
        assert rig.asked == []

    play(body)


@pytest.mark.parametrize("tool", ["Look", "Change"])
def test_a_call_cancelled_in_the_queue_takes_no_place_in_it(tmp_path: Path, tool: str) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Command", command="make")
        talk.add("c2", tool, path="a")
        talk.add("c3", "Change", path="b")
        await until(lambda: talk.state("c3") == "queued")
        talk.executor.cancel("c2", "not wanted")
        await until(lambda: talk.state("c2") == "done")
        stage.end("c1")
        await until(lambda: stage.running == ["c3"])
        stage.end("c3")
        answers = await talk.answers()
        assert [answer.outcome for answer in answers.values()] == ["ok", "cancelled", "ok"]
        assert "not executed" in text_of(answers["c2"])

    play(body)


def test_a_call_cancelled_in_the_moment_of_its_turn_gives_the_turn_on(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Change", path="a")
        talk.add("c2", "Change", path="b")
        talk.add("c3", "Change", path="c")
        await until(lambda: talk.state("c3") == "queued")
        stage.end("c1")
        while talk.state("c2") != "running":
            await asyncio.sleep(0)
        talk.executor.cancel("c2", "not wanted")
        await until(lambda: stage.running == ["c3"])
        stage.end("c3")
        await talk.answers()
        assert stage.began == ["c1", "c3"]

    play(body)


def test_a_call_cancelled_while_it_waits_for_the_write_lock_never_runs(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        one, two = rig.talk(), rig.talk("helper")
        one.add("c1", "Change", path="a")
        await until(lambda: stage.running == ["c1"])
        two.add("h1", "Change", path="b")
        await until(lambda: two.state("h1") == "running")
        two.executor.cancel("h1", "not wanted")
        assert "not executed" in text_of((await two.answers())["h1"])
        stage.end("c1")
        await one.answers()
        assert not rig.lock.locked()

    play(body)


def test_a_running_call_is_cancelled_after_its_progress_and_says_that_it_had_started(tmp_path: Path) -> None:
    async def body() -> None:
        cleaned: list[str | None] = []
        cleaning, go_on = asyncio.Event(), asyncio.Event()

        async def work(input: FakeInput, ctx: ToolContext) -> str:
            ctx.progress(FakeOutput(text="half"))
            rig.now += 2
            try:
                await asyncio.Event().wait()
            finally:
                cleaning.set()
                await go_on.wait()
                cleaned.append(ctx.cancellation.reason)
            return "never"

        rig = Rig(tmp_path, fake(work=work))
        talk = rig.talk()
        talk.add("c1")
        await until(lambda: rig.of(ToolProgress))
        assert talk.executor.cancel("c1", "interrupted")
        await cleaning.wait()
        assert talk.executor.cancel("c1", "again"), "asking again does not cut short the cleaning up"
        go_on.set()
        answered = (await talk.answers())["c1"]
        assert text_of(answered) == "Cancelled: interrupted. It had started; what it did so far stays."
        assert cleaned == ["interrupted"]
        assert rig.finished("c1").duration == 2
        assert not rig.lock.locked()

    play(body)


def test_a_finished_call_cannot_be_cancelled_nor_one_that_nobody_knows(tmp_path: Path) -> None:
    async def body() -> None:
        rig = Rig(tmp_path, fake())
        talk = rig.talk()
        talk.add("c1")
        assert (await talk.answers())["c1"].outcome == "ok"
        assert not talk.executor.cancel("c1", "too late")
        assert not talk.executor.cancel("c9", "who?")
        talk.executor.cancel_all("too late")
        assert (await talk.answers())["c1"].outcome == "ok"
        assert len(rig.of(ToolFinished)) == 1

    play(body)


def test_work_that_is_done_when_the_cancel_comes_is_told_as_done(tmp_path: Path) -> None:
    async def body() -> None:
        async def stubborn(input: FakeInput, ctx: ToolContext) -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return "written"
            return "never"

        rig = Rig(tmp_path, fake(work=stubborn))
        talk = rig.talk()
        talk.add("c1")
        await until(lambda: rig.started)
        talk.executor.cancel_all("interrupted")
        answered = (await talk.answers())["c1"]
        assert (answered.outcome, text_of(answered)) == ("ok", "written")

    play(body)


def test_what_has_not_started_can_be_cancelled_alone(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        for name in ("c1", "c2", "c3"):
            talk.add(name, "Look" if name != "c3" else "Change", path=name)
        stage.end("c1")
        await until(lambda: stage.running == ["c2"] and talk.state("c1") == "done")
        assert talk.executor.cancel_unstarted("the model refused to go on") == {"c1", "c2"}
        talk.add("c4", "Look", path="d")
        stage.end("c2")
        answers = await talk.answers()
        assert [answer.outcome for answer in answers.values()] == ["ok", "ok", "cancelled", "cancelled"]

    play(body)


def test_a_new_message_ends_only_the_calls_that_are_made_to_be_ended_by_one(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        sleeper = fake(name="Sleep", safe=True, touches_nothing=True, work=stage, interrupt_behavior="cancel")
        rig = Rig(tmp_path, sleeper, fake(name="Look", safe=True, reads=True, work=stage))
        talk = rig.talk()
        talk.add("c1", "Sleep")
        talk.add("c2", "Look", path="a")
        await until(lambda: stage.running == ["c1", "c2"])
        talk.executor.message_arrived()
        await until(lambda: stage.running == ["c2"])
        stage.end("c2")
        answers = await talk.answers()
        assert "a new message arrived" in text_of(answers["c1"])
        assert answers["c2"].outcome == "ok"

    play(body)


def test_an_executor_that_is_thrown_away_in_the_middle_answers_what_it_had_begun(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Look", path="a")
        talk.add("c2", "Change", path="b", says="ask")
        waiting = asyncio.create_task(talk.executor.answers())
        await until(lambda: stage.running and rig.asked)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        answers = await talk.answers()
        assert [answer.outcome for answer in answers.values()] == ["cancelled", "cancelled"]
        assert "the turn ended" in text_of(answers["c1"])
        assert rig.asked == []

    play(body)


def test_a_stop_denies_one_call_ends_the_others_and_what_is_still_to_come(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = three(tmp_path, stage)
        talk = rig.talk()
        talk.add("c1", "Look", path="a")
        talk.add("c2", "Change", path="b", says="ask")
        talk.add("c3", "Command", command="make", says="ask")
        await until(lambda: rig.asked == ["c2", "c3"] and stage.running)
        rig.answer("c2", "stop", comment="Enough.")
        await until(lambda: talk.state("c1") == "done")
        talk.add("c4", "Look", path="c")
        answers = await talk.answers()
        assert [answer.outcome for answer in answers.values()] == ["cancelled", "denied", "cancelled", "cancelled"]
        assert "Enough." in text_of(answers["c2"])
        assert "It had started" in text_of(answers["c1"])
        assert "It was not executed" in text_of(answers["c3"])
        assert "It was not executed" in text_of(answers["c4"])
        assert [answer.stop for answer in answers.values()] == [False, True, False, False]
        assert rig.asked == []

    play(body)
