"""TaskOutput: what a task of the background has written, and how it stands."""

from __future__ import annotations

import time
from pathlib import Path

from pydantic import Field

from tools.context import ToolContext
from tools.contract import SUMMARY_CHARS, PromptOptions, Tool, ToolError, ToolResult, Validation
from tools.inputs import ToolInput
from tools.ports import Sandbox, Task, Tasks
from tools.task_output.view import TaskOutputData, TaskOutputView
from tools.tasks.state import known, state_of
from tools.tasks.view import TaskProgress
from tools.threads import in_thread

LONGEST_WAIT_MS = 600_000
# While it waits, the screen is shown news at most so often.
SHOW_SECONDS = 0.5


class TaskOutputInput(ToolInput):
    task_id: str = Field(description="The task, as in `task-1`.")
    after: int = Field(default=0, ge=0, description="Only what was written after so many bytes; an answer names them.")
    wait: int = Field(
        default=0, ge=0, description=f"Milliseconds to wait for its end before answering, {LONGEST_WAIT_MS} at most."
    )


class TaskOutput(Tool[TaskOutputInput, TaskOutputData]):
    name = "TaskOutput"
    search_hint = "read what a background command has printed, wait for its end"
    Input = TaskOutputInput
    Output = TaskOutputData
    Progress = TaskProgress
    max_result_chars = 100_000
    view = TaskOutputView()
    prompt_file = Path(__file__).with_name("prompt.md")
    touches_nothing = True
    interrupt_behavior = "cancel"

    def __init__(self, tasks: Tasks, sandbox: Sandbox | None = None) -> None:
        self._tasks = tasks
        self._sandbox = sandbox

    def summary(self, input: TaskOutputInput) -> str:
        return f"output of {input.task_id}"[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Shows what a background task has written so far and whether it still runs; it can wait for its end."

    def is_read_only(self, input: TaskOutputInput) -> bool:
        return True

    def is_concurrency_safe(self, input: TaskOutputInput) -> bool:
        return True

    async def validate_input(self, input: TaskOutputInput, ctx: ToolContext) -> Validation:
        return known(self._tasks, input.task_id)

    async def call(self, input: TaskOutputInput, ctx: ToolContext) -> ToolResult[TaskOutputData]:
        from tools.bash.output import read_output

        task = await self._waited_for(input, ctx)
        try:
            read = await in_thread(read_output, task.output, after=input.after)
        except OSError as error:
            message = f"The output of {task.id} cannot be read ({error.strerror}): {task.output}"
            raise ToolError(message, "file_missing") from None
        self._tasks.told(task.id)
        data = TaskOutputData.model_validate(
            state_of(task, time.time())
            | {
                "output": read.text,
                "next": input.after + read.total_bytes,
                "total_lines": read.total_lines,
                "truncated": read.truncated,
                "stored": task.output,
                "blocked": self._blame(task, read.text),
            }
        )
        return ToolResult(data, stored_at=task.output if read.truncated else None)

    def to_result_block(self, data: TaskOutputData) -> str:
        more = f" For what it writes next, give `after` {data.next}." if data.state == "running" else ""
        output = data.output.rstrip("\n") or "(no output)"
        return "\n".join(part for part in (f"{data.sentence}{more}", output, data.blocked) if part)

    def is_result_truncated(self, data: TaskOutputData) -> bool:
        return data.truncated

    def _blame(self, task: Task, output: str) -> str:
        failed = task.state == "ended" and task.exit_code != 0
        return self._sandbox.blame(output) if self._sandbox is not None and task.sandboxed and failed else ""

    async def _waited_for(self, input: TaskOutputInput, ctx: ToolContext) -> Task:
        from tools.tasks.waiting import waited

        seconds = min(input.wait, LONGEST_WAIT_MS) / 1000
        looks = [task async for task in waited(self._tasks, input.task_id, seconds, ctx, SHOW_SECONDS)]
        return looks[-1]
