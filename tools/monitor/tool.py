"""Monitor: wait until a task of the background writes a line that matches."""

from __future__ import annotations

import time
from pathlib import Path

from pydantic import Field

from tools.context import ToolContext
from tools.contract import SUMMARY_CHARS, PromptOptions, Tool, ToolResult, Validation
from tools.inputs import ToolInput
from tools.monitor.view import Monitored, MonitorView
from tools.ports import Tasks
from tools.tasks.state import known, state_of
from tools.tasks.view import TaskProgress

DEFAULT_WAIT_MS = 60_000
LONGEST_WAIT_MS = 600_000
LOOK_SECONDS = 0.25


class MonitorInput(ToolInput):
    task_id: str = Field(description="The task, as in `task-1`.")
    pattern: str = Field(min_length=1, description="The regular expression, as for Grep, that a line is to match.")
    after: int = Field(default=0, ge=0, description="Look only at what was written after so many bytes.")
    timeout: int = Field(
        default=DEFAULT_WAIT_MS, gt=0, description=f"Milliseconds to wait at most, {LONGEST_WAIT_MS} the longest."
    )


class Monitor(Tool[MonitorInput, Monitored]):
    name = "Monitor"
    search_hint = "wait for a line, pattern or readiness message of a server or background command"
    Input = MonitorInput
    Output = Monitored
    Progress = TaskProgress
    max_result_chars = 30_000
    view = MonitorView()
    prompt_file = Path(__file__).with_name("prompt.md")
    touches_nothing = True
    should_defer = True
    interrupt_behavior = "cancel"

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    def summary(self, input: MonitorInput) -> str:
        return f"wait for {input.pattern}"[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Waits until a line of a background task's output matches a pattern, the task ends, or the time is over."

    async def validate_input(self, input: MonitorInput, ctx: ToolContext) -> Validation:
        return known(self._tasks, input.task_id)

    async def call(self, input: MonitorInput, ctx: ToolContext) -> ToolResult[Monitored]:
        from tools.monitor.matching import Lookout
        from tools.tasks.waiting import waited

        seconds = min(input.timeout, LONGEST_WAIT_MS) / 1000
        task = await self._tasks.over(input.task_id, 0.0)
        lookout = Lookout(task.output, input.pattern, input.after, ctx.workspace.roots)
        async for now in waited(self._tasks, input.task_id, seconds, ctx, LOOK_SECONDS):
            task = now
            if await lookout.look():
                break
        if task.over and lookout.line is None:
            # What it wrote between our last look and its end.
            await lookout.look()
        self._tasks.told(task.id)
        found = {"line": lookout.line, "next": lookout.at, "stored": task.output}
        return ToolResult(Monitored.model_validate(state_of(task, time.time()) | found))

    def to_result_block(self, data: Monitored) -> str:
        if data.line is not None:
            return f"{data.line}\n\n{data.sentence} To look further on, give `after` {data.next}."
        waited = "No line matched. " if data.state != "running" else "No line has matched so far. "
        return f"{waited}{data.sentence} Its output is in {data.stored}."
