"""How a TodoWrite call looks: what is being done, and how much is; the list itself stands in its panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from tools.blocks import Blocks, Line, line
from tools.inputs import ToolOutput
from tools.view import Style, ToolView, ViewContext, text_of


class TodoWriteOutput(ToolOutput):
    total: int
    completed: int
    in_progress: int


class TodoWriteView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        """The step that is being done. The form it has then comes last in the input, so it may not be there yet."""
        for todo in _objects(partial_input.get("todos")):
            if todo.get("status") == "in_progress":
                return line(text_of(todo, "active_form") or text_of(todo, "content"))
        return line("")

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, TodoWriteOutput):
            return super().result(data, progress, style, ctx)
        words = f"{data.completed} of {data.total} done" if data.total else "nothing left on the list"
        return (line((words, "quiet")),)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list that may still be half written."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]
