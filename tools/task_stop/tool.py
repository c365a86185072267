"""TaskStop: end a task of the background, with everything it started."""

from __future__ import annotations

import time
from pathlib import Path

from pydantic import Field

from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, PromptOptions, Tool, ToolResult, Validation, Verdict
from tools.inputs import ToolInput
from tools.ports import Tasks
from tools.task_stop.view import TaskStopView
from tools.tasks.state import TaskAsItIs, known, state_of


class TaskStopInput(ToolInput):
    task_id: str = Field(description="The task, as in `task-1`.")


class TaskStop(Tool[TaskStopInput, TaskAsItIs]):
    name = "TaskStop"
    search_hint = "end, kill or cancel a background command or agent"
    Input = TaskStopInput
    Output = TaskAsItIs
    max_result_chars = 100_000
    view = TaskStopView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    def summary(self, input: TaskStopInput) -> str:
        return f"stop {input.task_id}"[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Ends a background task and everything it started: politely first, then not."

    async def validate_input(self, input: TaskStopInput, ctx: ToolContext) -> Validation:
        return known(self._tasks, input.task_id)

    def check_permissions(self, input: TaskStopInput, place: Place) -> Verdict | None:
        return Verdict("allow", "It ends only what this session has started.")

    async def call(self, input: TaskStopInput, ctx: ToolContext) -> ToolResult[TaskAsItIs]:
        task = await self._tasks.stop(input.task_id, "by TaskStop")
        self._tasks.told(task.id)
        return ToolResult(TaskAsItIs.model_validate(state_of(task, time.time())))

    def to_result_block(self, data: TaskAsItIs) -> str:
        return data.sentence
