"""What changes while calls wait: checked again, asked again, and answered together within one budget."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.support.pipeline import (
    FakeInput,
    FakeOutput,
    Rig,
    Stage,
    fake,
    message,
    text_of,
    until,
)
from tools.context import ToolContext
from tools.contract import ContextChange, Ground, Preview, ToolResult, Validation
from tools.events import PermissionRequested
from tools.executor import message_of
from tools.files import hash_file
from tools.results import BATCH_CHARS


def play(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(body())  # type: ignore[arg-type]  # a coroutine function


def test_a_check_that_fails_is_not_final_while_an_earlier_call_may_mend_it(tmp_path: Path) -> None:
    async def body() -> None:
        async def exists(input: FakeInput, ctx: ToolContext) -> Validation:
            there = (tmp_path / str(input.path)).exists()
            return Validation() if there else Validation("There is no such file.", "file_missing")

        async def make(input: FakeInput, ctx: ToolContext) -> str:
            await go.wait()
            (tmp_path / "a").write_text("made")
            return "made"

        go = asyncio.Event()
        look = fake(name="Look", safe=True, reads=True, look=exists)
        rig = Rig(tmp_path, look, fake(name="Command", work=make))
        talk = rig.talk()
        talk.add("r0", "Look", path="a")
        talk.add("c1", "Command", command="make a")
        talk.add("r2", "Look", path="a")
        talk.add("r3", "Look", path="never")
        await until(lambda: {"r2", "r3"} <= set(rig.queued))
        go.set()
        answers = await talk.answers()
        assert {name: answer.code for name, answer in answers.items()} == {
            "r0": "file_missing",
            "c1": "",
            "r2": "",
            "r3": "file_missing",
        }

    play(body)


def test_a_check_that_fails_waits_for_an_earlier_look_at_the_same_file(tmp_path: Path) -> None:
    async def body() -> None:
        shown: list[str | None] = []

        async def was_shown(input: FakeInput, ctx: ToolContext) -> Validation:
            return Validation() if input.path in shown else Validation("Read it first.", "not_read")

        async def show(input: FakeInput, ctx: ToolContext) -> str:
            await asyncio.sleep(0)
            shown.append(input.path)
            return "shown"

        look = fake(name="Look", safe=True, reads=True, work=show)
        rig = Rig(tmp_path, look, fake(name="Change", look=was_shown))
        talk = rig.talk()
        talk.add("r1", "Look", path="a")
        talk.add("w2", "Change", path="b")
        talk.add("w3", "Change", path="a")
        answers = await talk.answers()
        assert {name: answer.code for name, answer in answers.items()} == {"r1": "", "w2": "not_read", "w3": ""}

    play(body)


def test_a_denied_check_is_final_at_once(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = Rig(tmp_path, fake(name="Command", work=stage), fake(name="Read", safe=True, reads=True))
        rig.policy.add_rule("Read(secret/**)", "deny")
        talk = rig.talk()
        talk.add("c1", "Command", command="make")
        await until(lambda: stage.running)
        talk.add("c2", "Read", path="secret/a")
        await until(lambda: talk.state("c2") == "done")
        stage.end("c1")
        await talk.answers()

    play(body)


def grounded(file: Path) -> Any:
    async def shows(input: FakeInput, ctx: ToolContext) -> Preview:
        return Preview((), (Ground(str(file), hash_file(str(file))),))

    return shows


def test_ground_that_changed_while_a_call_waited_brings_it_back_to_the_gate(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one")

    async def body() -> None:
        stage = Stage()
        rig = Rig(tmp_path, fake(name="Command", work=stage), fake(name="Change", shows=grounded(file)))
        talk = rig.talk()
        talk.add("c1", "Command", command="make")
        talk.add("c2", "Change", path="a", says="ask")
        await until(lambda: rig.asked == ["c2"])
        rig.answer("c2", "once")
        await until(lambda: talk.state("c2") == "queued")
        file.write_text("two")
        stage.end("c1")
        await until(lambda: rig.asked == ["c2"])
        assert rig.started == ["c1"], "a yes to what was there before is no yes to this"
        assert [event.revision for event in rig.of(PermissionRequested)] == [1, 2]
        rig.answer("c2", "once")
        assert (await talk.answers())["c2"].outcome == "ok"

    play(body)


def test_a_yes_still_stands_where_only_the_rules_have_changed(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one")

    async def body() -> None:
        stage = Stage()
        rig = Rig(tmp_path, fake(name="Command", work=stage), fake(name="Change", shows=grounded(file)))
        talk = rig.talk()
        talk.add("c1", "Command", command="make")
        talk.add("c2", "Change", path="a", says="ask")
        await until(lambda: rig.asked == ["c2"])
        rig.answer("c2", "once")
        await until(lambda: talk.state("c2") == "queued")
        assert rig.asked == [], "what was answered waits no longer"
        rig.policy.add_rule("Other", "deny")
        stage.end("c1")
        assert (await talk.answers())["c2"].outcome == "ok"
        assert len(rig.of(PermissionRequested)) == 1

    play(body)


def test_ground_that_never_rests_is_left_after_three_returns(tmp_path: Path) -> None:
    file = tmp_path / "a"
    looks = 0

    async def shows(input: FakeInput, ctx: ToolContext) -> Preview:
        nonlocal looks
        looks += 1
        ground = Ground(str(file), hash_file(str(file)))
        file.write_text(f"changed {looks}")
        return Preview((), (ground,))

    async def body() -> None:
        rig = Rig(tmp_path, fake(shows=shows))
        talk = rig.talk()
        talk.add("c1", path="a")
        answered = (await talk.answers())["c1"]
        assert (answered.outcome, answered.code) == ("failed", "ground_changed")
        assert "Look again" in text_of(answered)
        assert (looks, rig.started) == (4, [])

    play(body)


def test_a_later_call_stands_where_an_earlier_one_has_led(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()

    async def body() -> None:
        async def enter(input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
            await go.wait()
            return ToolResult(FakeOutput(text="in"), context_change=ContextChange(folder=str(tmp_path / "sub")))

        async def where(input: FakeInput, ctx: ToolContext) -> str:
            return ctx.folder

        go = asyncio.Event()
        rig = Rig(tmp_path, fake(name="Enter", work=enter), fake(name="Where", work=where))
        talk = rig.talk()
        talk.add("c0", "Where")
        talk.add("c1", "Enter")
        talk.add("c2", "Where", says="ask")
        await until(lambda: rig.asked == ["c2"])
        rig.answer("c2", "once")
        await until(lambda: talk.state("c2") == "queued")
        go.set()
        await until(lambda: rig.asked == ["c2"])
        rig.answer("c2", "once")
        answers = await talk.answers()
        assert text_of(answers["c0"]) == str(tmp_path)
        assert text_of(answers["c2"]) == str(tmp_path / "sub"), "asked again, for the same words mean another place"

    play(body)


def test_answers_go_into_one_message_in_the_models_order_within_the_budget_of_the_batch(tmp_path: Path) -> None:
    sizes = {"c1": 40_000, "c2": 49_000, "c3": 45_000, "c4": 41_000, "c5": 30_000, "c6": 10}

    async def body() -> None:
        async def long(input: FakeInput, ctx: ToolContext) -> str:
            return "x" * sizes[input.text]

        rig = Rig(tmp_path, fake(safe=True, work=long, max_result_chars=100_000))
        talk = rig.talk()
        for name in sizes:
            talk.add(name)
        blocks = message(await talk.answers(), rig)
        assert [block["tool_use_id"] for block in blocks] == list(sizes)
        assert sum(len(block["content"]) for block in blocks) <= BATCH_CHARS
        kept = [block["tool_use_id"] for block in blocks if len(block["content"]) == sizes[block["tool_use_id"]]]
        assert kept == ["c1", "c3", "c4", "c5", "c6"], "the largest goes to disk, and no more than need be"

    play(body)


def test_texts_that_go_with_results_come_after_all_of_them(tmp_path: Path) -> None:
    async def body() -> None:
        async def work(input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
            return ToolResult(FakeOutput(text="did"), extra_messages=(f"about {input.text}",))

        rig = Rig(tmp_path, fake(work=work))
        talk = rig.talk()
        talk.add("c1")
        talk.add("c2", "Nobody")
        talk.add("c3")
        blocks, texts = message_of(list((await talk.answers()).values()), rig.results)
        assert [block.get("is_error", False) for block in blocks] == [False, True, False]
        assert texts == ["about c1", "about c3"]

    play(body)
