"""What the tour's model says and asks for. It is a script and says so; its tools, files and results are real.

What it says about results it takes from the results of this very run.
"""

from __future__ import annotations

import shlex
import sys
from typing import Any, cast

from agent.model.base import Plain, Request
from agent.model.scripted import text, tool_use

HOW_TO_CONNECT = (
    "To connect a model, set ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL for any endpoint that speaks the Messages API) "
    "and start agent-tui again."
)
WELCOME = (
    "I am a script, not a model: no key and no endpoint are set. Everything else you see is real. "
    "I work in a scratch copy of a small project, with the same tools, gate and watcher a model uses. " + HOW_TO_CONNECT
)
SLOW_TESTS = f"for part in units stations report; do echo checking $part; sleep 1; done; {shlex.quote(sys.executable)}"
TASK = "The freezing test fails. Find out why, mend it, and note what you did."


def reply_to(request: Request) -> list[Plain]:
    """The next reply, by how many there were."""
    steps = (_look, _note, _test, _mend, _test_again)
    said = sum(message["role"] == "assistant" for message in request.messages)
    return steps[said](request) if said < len(steps) else _last_words(request)


def _look(_: Request) -> list[Plain]:
    return [
        text(WELCOME),
        text("First I read the project: four calls at once."),
        tool_use("look-1", "Read", file_path="thermometer.py"),
        tool_use("look-2", "Read", file_path="test_thermometer.py"),
        tool_use("look-3", "Read", file_path="stations.csv"),
        tool_use("look-4", "Grep", pattern="def test_", output_mode="content"),
    ]


def _note(_: Request) -> list[Plain]:
    todos = [
        {"content": "Run the tests", "status": "in_progress", "active_form": "Running the tests"},
        {"content": "Mend to_celsius", "status": "pending", "active_form": "Mending to_celsius"},
    ]
    notes = "# What was wrong\n\n`to_celsius` takes away 30 where it should be 32.\n"
    return [
        text("Water freezes at 32 F, and `to_celsius` takes away 30. I write that down in a new file."),
        tool_use("note-1", "TodoWrite", todos=todos),
        tool_use("note-2", "Write", file_path="NOTES.md", content=notes),
    ]


def _test(_: Request) -> list[Plain]:
    words = "Now the tests, a command that takes a while. Meanwhile somebody else edits thermometer.py: watch."
    return [text(words), _tests("test-1")]


def _mend(request: Request) -> list[Plain]:
    words = "The tests failed as expected: " + _verdict(request) + " The file was changed outside meanwhile; "
    change = {"old_string": "(fahrenheit - 30)", "new_string": "(fahrenheit - 32)"}
    return [
        text(words + "my edit goes into the new text, and the other change stays."),
        tool_use("mend-1", "Edit", file_path="thermometer.py", **change),
    ]


def _test_again(_: Request) -> list[Plain]:
    return [text("And once more."), _tests("test-2")]


def _last_words(request: Request) -> list[Plain]:
    return [text(f"The tests now say: {_verdict(request)} That was the tour. {HOW_TO_CONNECT}")]


def _tests(call_id: str) -> Plain:
    description = "Run the tests, slowly"
    return tool_use(call_id, "Bash", command=f"{SLOW_TESTS} -m unittest 2>&1 | tail -n 3", description=description)


def _verdict(request: Request) -> str:
    """The last line of the last command's real output that says how the tests went."""
    for message in reversed(request.messages):
        for block in cast("list[dict[str, Any]]", message["content"]):
            if block.get("type") == "tool_result" and str(block["tool_use_id"]).startswith("test"):
                lines = [line for line in str(block["content"]).splitlines() if line.startswith(("FAILED", "OK"))]
                return f"{lines[-1]}." if lines else "nothing about the tests."
    return "nothing."
