"""What the order rests on is measured again where it may have changed: by a hook, by a question, by another folder."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.support.pipeline import Fake, FakeInput, FakeOutput, Rig, SaidHooks, Stage, fake, settled, until
from tools.context import ToolContext
from tools.contract import ContextChange, ToolResult, build_tool
from tools.hooks import SILENT_BEFORE, BeforeWord


def play(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(body())  # type: ignore[arg-type]  # a coroutine function


class ByPath(Fake):
    """May run beside others, unless it is about what all share."""

    def is_concurrency_safe(self, input: FakeInput) -> bool:
        return input.path != "shared"


def test_a_call_that_a_hook_made_unsafe_runs_alone(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        changed = BeforeWord(updated_input={"text": "c1", "path": "shared"})
        rig = Rig(tmp_path, build_tool(ByPath, work=stage), hooks=SaidHooks([changed, SILENT_BEFORE]))
        talk = rig.talk()
        talk.add("c1", path="own")
        await until(lambda: stage.running == ["c1"])
        talk.add("c2", path="other")
        await until(lambda: "c2" in rig.queued)
        await settled()
        assert stage.running == ["c1"]
        stage.end("c1")
        stage.end("c2")
        await talk.answers()

    play(body)


def test_a_call_that_waits_already_goes_ahead_when_an_earlier_one_begins_to_ask(tmp_path: Path) -> None:
    async def body() -> None:
        let_on = asyncio.Event()

        class Slow(SaidHooks):
            async def before(self, call: Any) -> BeforeWord:
                if call.tool == "Change":
                    await let_on.wait()
                return SILENT_BEFORE

        stage = Stage()
        look = fake(name="Look", safe=True, reads=True, work=stage)
        rig = Rig(tmp_path, look, fake(name="Change", work=stage), hooks=Slow())
        talk = rig.talk()
        talk.add("c1", "Change", path="a", says="ask")
        talk.add("c2", "Look", path="b")
        await until(lambda: "c2" in rig.queued)
        let_on.set()
        await until(lambda: stage.running == ["c2"])
        assert rig.asked == ["c1"]
        stage.end("c2")
        rig.answer("c1", "no")
        await talk.answers()

    play(body)


def test_a_path_means_another_file_once_an_earlier_call_has_moved(tmp_path: Path) -> None:
    """`a` is apart from `sub/a` where it was asked for, and the same where it would run."""
    (tmp_path / "sub").mkdir()

    async def body() -> None:
        stage = Stage()

        async def move(input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
            await stage(input, ctx)
            return ToolResult(FakeOutput(text="moved"), context_change=ContextChange(folder=str(tmp_path / "sub")))

        look = fake(name="Look", safe=True, reads=True, work=stage)
        rig = Rig(tmp_path, fake(name="Move", work=move), look, fake(name="Change", work=stage))
        talk = rig.talk()
        talk.add("c1", "Move", path="z")
        talk.add("c2", "Change", path=str(tmp_path / "sub" / "a"), says="ask")
        talk.add("c3", "Look", path="a")
        await until(lambda: rig.asked == ["c2"] and "c3" in rig.queued)
        stage.end("c1")
        await until(lambda: "c1" not in stage.running)
        await settled(200)
        assert stage.began == ["c1"]
        rig.answer("c2", "no")
        stage.end("c3")
        await talk.answers()

    play(body)
