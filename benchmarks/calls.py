"""What the thirteen steps and the executor cost a call that does nothing."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from agent.policy import Ground, SessionPolicy
from agent.settings.merge import Settings
from benchmarks.contexts import context
from benchmarks.table import Row, async_medians, within
from tools.classify import NoClassifier
from tools.context import ToolContext
from tools.contract import Tool, ToolResult, build_tool
from tools.executor import SLOTS, Executor
from tools.hooks import NoHooks
from tools.inputs import ToolInput, ToolOutput
from tools.permissions.gate import Gate
from tools.pipeline import Pipeline, PipelineParts, ToolUse
from tools.results import ResultStore

RUNS = 300
ONE_CALL_SECONDS = 0.0005
MANY = 1_000
MANY_RUNS = 3
MANY_SECONDS = 1.0


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(folder))


async def _measure(folder: str) -> list[Row]:
    nothing = build_tool(Nothing)
    pipeline = _pipeline(nothing, folder)

    async def calls(count: int) -> None:
        executor = Executor(pipeline, lambda use: context(use.id, folder), asyncio.Lock)
        ids = [f"call-{number}" for number in range(count)]
        nothing.started, nothing.at_once, nothing.most_at_once = [], 0, 0
        for id in ids:
            executor.add(ToolUse(id, "Nothing", {"text": "x"}))
        answers = await executor.answers()
        assert [(answer.use.id, answer.outcome) for answer in answers] == [(id, "ok") for id in ids], answers[0]
        # In the model's order, and never more at once than there are slots: or this measures something else.
        assert nothing.started == ids, "the calls started out of order"
        assert nothing.most_at_once == min(SLOTS, count), nothing.most_at_once

    one, bare = await async_medians(
        RUNS, lambda: calls(1), lambda: nothing.call(NothingInput(text="x"), context("call", folder))
    )
    [many] = await async_medians(MANY_RUNS, lambda: calls(MANY))
    return [
        within("one call that does nothing, the pipeline's part", one - bare, ONE_CALL_SECONDS),
        within(f"{MANY} such calls at once, in slots of {SLOTS}", many, MANY_SECONDS, "s"),
    ]


class NothingInput(ToolInput):
    text: str


class NothingOutput(ToolOutput):
    text: str


class Nothing(Tool[NothingInput, NothingOutput]):
    name = "Nothing"
    search_hint = "does nothing at all"
    Input = NothingInput
    Output = NothingOutput
    max_result_chars = 1_000
    touches_nothing = True

    def __init__(self) -> None:
        self.started: list[str] = []
        self.at_once = self.most_at_once = 0

    def is_read_only(self, input: NothingInput) -> bool:
        return True

    def is_concurrency_safe(self, input: NothingInput) -> bool:
        return True

    async def call(self, input: NothingInput, ctx: ToolContext) -> ToolResult[NothingOutput]:
        self.started.append(ctx.call_id)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)  # so that others could start, if they may
        self.at_once -= 1
        return ToolResult(NothingOutput(text=input.text))


class _OneTool:
    """`tools.pipeline.ToolFinder`."""

    def __init__(self, tool: Nothing) -> None:
        self._tool = tool

    def find(self, name: str) -> Nothing | None:
        return self._tool if name == self._tool.name else None

    def names(self) -> tuple[str, ...]:
        return (self._tool.name,)


def _pipeline(tool: Nothing, folder: str) -> Pipeline:
    return Pipeline(
        PipelineParts(
            tools=_OneTool(tool),
            policy=SessionPolicy(
                Settings(), Ground(folder, folder, read_only=False, git_safe=lambda _: True), frozenset
            ),
            gate=Gate(lambda _: None),
            agent="main",
            hooks=NoHooks(),
            classifier=NoClassifier(),
            results=ResultStore(Path(folder) / "results"),
            emit=lambda _: None,
            apply_change=lambda _: None,
            clock=time.monotonic,
        )
    )
