"""TodoWrite through its tool class, with a board that keeps what it is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context, run
from tools.blocks import line
from tools.contract import ToolError, build_tool
from tools.ports import Todo
from tools.todo_write.tool import TodoWrite
from tools.view import ViewContext


class Board:
    def __init__(self) -> None:
        self.lists: dict[str, tuple[Todo, ...]] = {}

    def replace(self, agent: str, todos: tuple[Todo, ...]) -> None:
        self.lists[agent] = todos


def todo(content: str, status: str = "pending", active_form: str = "") -> dict[str, str]:
    return {"content": content, "status": status, "active_form": active_form}


def write(folder: Path, board: Board, *todos: dict[str, str]) -> str:
    tool = build_tool(TodoWrite, todos=board)
    return tool.to_result_block(run(tool, {"todos": list(todos)}, context(folder)))


def test_the_list_is_replaced_as_a_whole_for_the_agent_that_wrote_it(tmp_path: Path) -> None:
    board = Board()
    write(tmp_path, board, todo("one"), todo("two"))
    answer = write(tmp_path, board, todo("one", "completed"), todo("Run it", "in_progress", "Running it"))
    assert board.lists == {"main": (Todo("one", "completed"), Todo("Run it", "in_progress", "Running it"))}
    assert answer == "The todo list is saved: 1 of 2 completed, 1 in progress."


def test_two_in_progress_are_kept_with_a_word_of_advice(tmp_path: Path) -> None:
    board = Board()
    assert "one in progress at a time" in write(tmp_path, board, todo("a", "in_progress"), todo("b", "in_progress"))
    assert len(board.lists["main"]) == 2


def test_an_empty_list_clears_the_board(tmp_path: Path) -> None:
    board = Board()
    assert write(tmp_path, board) == "The todo list is empty now."
    assert board.lists == {"main": ()}


@pytest.mark.parametrize(
    "raw",
    [
        {"todos": [todo("")]},
        {"todos": [todo(" \n")]},
        {"todos": [todo("x", "done")]},
        {"todos": [{"content": "x"}]},
        {"todos": [{**todo("x"), "priority": 1}]},
        {"todos": "[]"},
        {},
    ],
)
def test_what_is_no_todo_is_refused_and_nothing_is_stored(tmp_path: Path, raw: dict[str, Any]) -> None:
    board = Board()
    with pytest.raises(ToolError) as refused:
        run(build_tool(TodoWrite, todos=board), raw, context(tmp_path))
    assert refused.value.code == "invalid_input"
    assert board.lists == {}


@pytest.mark.parametrize("style", ["condensed", "verbose"])
def test_it_touches_nothing_and_says_how_much_is_done(style: Any) -> None:
    tool, place = build_tool(TodoWrite, todos=Board()), ViewContext("/w", "/h")
    assert tool.touches_nothing
    some = tool.Output(total=4, completed=2, in_progress=1)
    assert tool.view.result(some, (), style, place) == (line(("2 of 4 done", "quiet")),)
    none = tool.Output(total=0, completed=0, in_progress=0)
    assert tool.view.result(none, (), style, place) == (line(("nothing left on the list", "quiet")),)


def test_the_summary_says_what_is_being_done() -> None:
    tool = build_tool(TodoWrite, todos=Board())
    assert tool.summary(tool.parse_input({"todos": [todo("a"), todo("Run", "in_progress", "Running")]})) == "Running"
    assert tool.summary(tool.parse_input({"todos": [todo("a")]})) == "1 todo"
    assert len(tool.summary(tool.parse_input({"todos": [todo("x" * 200, "in_progress")]}))) == 50


@pytest.mark.parametrize(
    ("partial", "shown"),
    [
        ({}, ""),
        ({"todos": "["}, ""),
        ({"todos": ["half"]}, ""),
        ({"todos": [{"content": "a", "status": "completed"}, {"content": "b"}]}, ""),
        ({"todos": [{"content": "Run", "status": "in_progress"}]}, "Run"),
        ({"todos": [{"content": "Run", "status": "in_progress", "active_form": "Running"}]}, "Running"),
    ],
)
def test_the_subject_is_what_is_being_done_from_any_prefix_of_the_input(partial: dict[str, Any], shown: str) -> None:
    assert TodoWrite.view.use(partial, ViewContext("/w", "/h")).text == shown
