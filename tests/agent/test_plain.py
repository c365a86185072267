"""A session as plain text: each call is one line with its outcome on it, and what there is below."""

from __future__ import annotations

from typing import Any

import pytest

from agent.events import Event, ModelWaiting, Stamped, TextDone, TurnEnded
from agent.plain import LONGEST_BLOCK, PlainText, text_of
from tools.bash.data import BashOutput
from tools.bash.view import BashView
from tools.blocks import Code, Tail
from tools.events import ToolFinished, ToolInputReady, ToolInputStarted
from tools.read.shown import ReadOutput, Text
from tools.read.tool import Read
from tools.view import ViewContext

PLACE = ViewContext("/project", "/home/me")


class Command:
    """As much of Bash as its lines need."""

    name, view, Output = "Bash", BashView(), BashOutput


TOOLS: dict[str, Any] = {"Read": Read(), "Bash": Command()}


def plain(*events: Event) -> list[str]:
    text = PlainText(TOOLS.get, PLACE)
    return [line for event in events for line in text.lines(Stamped(0, 0.0, "main", event))]


def call(name: str, input: dict[str, Any], finished: ToolFinished) -> list[str]:
    return plain(ToolInputStarted("1", name), ToolInputReady("1", input), finished)


def test_a_call_is_one_line_with_its_outcome() -> None:
    read = ReadOutput(file_path="/project/a.py", answer=Text(lines=("one",), total_lines=1))
    done = ToolFinished("1", "ok", data=read.model_dump(mode="json"))
    assert call("Read", {"file_path": "/project/a.py"}, done) == ["✓ Read    a.py  1 line"]


def ran(output: str, code: int) -> ToolFinished:
    data = BashOutput(
        output=output, exit_code=code, total_bytes=len(output), total_lines=output.count("\n"), truncated=False,
        stored="", folder="/project",
    )  # fmt: skip
    return ToolFinished("1", "ok", data=data.model_dump(mode="json"))


def test_a_command_that_ended_with_an_error_has_the_mark_of_a_failure() -> None:
    lines = call("Bash", {"command": "pytest -q"}, ran("AssertionError\n1 failed\n", 1))
    assert lines == ["✗ Bash    pytest -q  exit 1: 1 failed", "    AssertionError", "    1 failed"]
    assert call("Bash", {"command": "true"}, ran("", 0)) == ["✓ Bash    true  no output"]


@pytest.mark.parametrize(
    ("finished", "line"),
    [
        (ToolFinished("1", "failed", error="/project/a.py does not exist. Look."), "✗ Read    a.py  no such file"),
        (
            ToolFinished("1", "denied", error="The person denied Read and said: not that"),
            "⊖ Read    a.py  you said no: not that",
        ),
        (
            ToolFinished("1", "cancelled", error="Cancelled: the person stopped the turn. It was not executed."),
            "∎ Read    a.py  not run: you stopped the turn",
        ),
    ],
)
def test_what_did_not_work_is_said_on_the_calls_own_line(finished: ToolFinished, line: str) -> None:
    assert call("Read", {"file_path": "a.py"}, finished) == [line]


def test_a_tool_that_is_not_known_is_still_named() -> None:
    assert call("Gone", {}, ToolFinished("1", "failed", error="no such tool")) == ["✗ Gone    no such tool"]


def test_what_is_longer_than_a_screen_is_cut_and_says_so() -> None:
    many = "\n".join(map(str, range(LONGEST_BLOCK + 1)))
    assert list(text_of((Code(many),)))[-2:] == [str(LONGEST_BLOCK - 1), "⋯ 1 line more"]
    assert list(text_of((Tail(("a",), 9),))) == ["a", "⋯ 8 lines more"]


def test_nothing_of_foreign_text_steers_the_terminal() -> None:
    assert plain(TextDone("a\x1b[2Jb\nc")) == ["a\\x1b[2Jb", "c"]


def test_waiting_and_the_end_of_a_turn_are_said_in_words() -> None:
    assert plain(ModelWaiting("overloaded", 2, 8.0)) == ["⋯ overloaded, try 2, in 8.0 s"]
    assert plain(TurnEnded("done", "")) == ["turn done"]
    assert plain(TurnEnded("interrupted", "What was done stays.")) == ["turn interrupted: What was done stays."]
