"""TodoWrite: the list of what is still to be done, rewritten as a whole each time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tools.context import ToolContext
from tools.contract import SUMMARY_CHARS, PromptOptions, Tool, ToolResult
from tools.inputs import ToolInput
from tools.ports import Todo, TodoBoard
from tools.todo_write.view import TodoWriteOutput, TodoWriteView

MOST_TODOS = 200

Status = Literal["pending", "in_progress", "completed"]
# At least one character that is not blank.
Sentence = Annotated[str, StringConstraints(pattern=r"\S", max_length=1_000)]


class TodoItem(ToolInput):
    content: Sentence = Field(description="What is to be done, such as `Run the tests`.")
    status: Status
    active_form: str = Field(
        default="", max_length=1_000, description="The same while it is being done, such as `Running the tests`."
    )


class TodoWriteInput(ToolInput):
    todos: list[TodoItem] = Field(max_length=MOST_TODOS, description="The whole list; it replaces the one before.")


class TodoWrite(Tool[TodoWriteInput, TodoWriteOutput]):
    name = "TodoWrite"
    search_hint = "plan and track the steps of a task"
    Input = TodoWriteInput
    Output = TodoWriteOutput
    max_result_chars = 10_000
    view = TodoWriteView()
    prompt_file = Path(__file__).with_name("prompt.md")
    touches_nothing = True

    def __init__(self, todos: TodoBoard) -> None:
        self._board = todos

    def summary(self, input: TodoWriteInput) -> str:
        active = next((todo for todo in input.todos if todo.status == "in_progress"), None)
        number = len(input.todos)
        text = (active.active_form or active.content) if active else f"{number} todo{'' if number == 1 else 's'}"
        return text[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Replaces the todo list of this conversation, which the person sees beside it."

    async def call(self, input: TodoWriteInput, ctx: ToolContext) -> ToolResult[TodoWriteOutput]:
        self._board.replace(ctx.agent, tuple(Todo(one.content, one.status, one.active_form) for one in input.todos))
        states = [todo.status for todo in input.todos]
        return ToolResult(
            TodoWriteOutput(
                total=len(states), completed=states.count("completed"), in_progress=states.count("in_progress")
            )
        )

    def to_result_block(self, data: TodoWriteOutput) -> str:
        if not data.total:
            return "The todo list is empty now."
        text = f"The todo list is saved: {data.completed} of {data.total} completed, {data.in_progress} in progress."
        if data.in_progress > 1:
            text += " Keep one in progress at a time, so that the person can see what you are at."
        return text
