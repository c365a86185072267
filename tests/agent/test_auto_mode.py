"""Auto mode in a whole session: the conversation's model and the cheap one, over one client, on the loopback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.classifier import CHEAP_MODEL
from agent.events import Stamped, Usage
from agent.model.anthropic import AnthropicModel, Endpoint
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.loopback import Answer as Reply
from tests.support.loopback import Loopback, Received, Stream, spoken
from tests.support.sessions import play, session_in, turn
from tools.events import PermissionDecided, PermissionRequested
from tools.permissions.gate import Answer

HARMLESS = Stream(spoken(text('{"harmless": true, "reason": "It makes a file."}')))
HARMFUL = Stream(spoken(text('{"harmless": false, "reason": "It cannot be told."}')))
DONE = Stream(spoken(text("Done.")))


def calling(name: str, **input: Any) -> Stream:
    return Stream(spoken(tool_use("c1", name, **input)))


def a_turn(folder: Path, *answers: Reply, mode: Any = "auto") -> tuple[Sequence[Received], list[Stamped]]:
    async def body() -> tuple[Sequence[Received], list[Stamped]]:
        async with Loopback(*answers) as server:
            model = AnthropicModel(Endpoint("sk-test", "", server.url))
            flags = Flags(trusted=True, mode=mode)
            async with session_in(folder, model, lambda _: Answer("no"), flags=flags) as (session, heard):
                await turn(session)
            return server.requests, heard.stamped

    return play(body)


def of(stamped: Sequence[Stamped], kind: type[Any]) -> list[Any]:
    return [one.event for one in stamped if isinstance(one.event, kind)]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    return project


def test_what_the_cheap_model_finds_harmless_runs_unasked(project: Path) -> None:
    requests, stamped = a_turn(project, calling("Bash", command="touch made"), HARMLESS, DONE)
    assert (project / "made").exists()
    assert [request.body["model"] == CHEAP_MODEL for request in requests] == [False, True, False]
    assert of(stamped, PermissionRequested) == []
    (decided,) = of(stamped, PermissionDecided)
    assert "It makes a file." in decided.decision.reason


def test_what_it_cost_is_told_apart_from_the_conversation(project: Path) -> None:
    judged = Stream(spoken(text('{"harmless": true, "reason": "x"}'), usage={"input_tokens": 300, "output_tokens": 20}))
    _, stamped = a_turn(project, calling("Bash", command="touch made"), judged, DONE)
    (spent,) = [usage for usage in of(stamped, Usage) if usage.model]
    assert (spent.model, spent.input_tokens, spent.output_tokens) == (CHEAP_MODEL, 300, 20)


def test_what_it_does_not_is_asked_with_its_reason(project: Path) -> None:
    _, stamped = a_turn(project, calling("Bash", command="touch made"), HARMFUL, DONE)
    assert not (project / "made").exists()
    (asked,) = of(stamped, PermissionRequested)
    assert any("It cannot be told." in step.reason for step in asked.request.decision.trace)


def test_a_file_that_is_to_be_written_is_judged_with_its_text(project: Path) -> None:
    requests, _ = a_turn(project, calling("Write", file_path="a.txt", content="hello"), HARMLESS, DONE)
    assert (project / "a.txt").read_text() == "hello"
    assert "hello" in requests[1].body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("mode", "name", "input"),
    [
        ("default", "Bash", {"command": "touch made"}),
        ("auto", "Bash", {"command": "ls"}),
        ("auto", "Bash", {"command": "rm -rf made"}),
        ("auto", "Bash", {"command": 'bash -c "$X"'}),
        ("auto", "Write", {"file_path": ".git/config", "content": "x"}),
    ],
)
def test_in_other_modes_and_where_something_else_decides_it_is_not_asked(
    project: Path, mode: str, name: str, input: dict[str, Any]
) -> None:
    requests, _ = a_turn(project, calling(name, **input), DONE, mode=mode)
    assert [request.body["model"] for request in requests].count(CHEAP_MODEL) == 0


def test_the_settings_name_another_model(project: Path) -> None:
    (project / ".agent-tui").mkdir()
    (project / ".agent-tui" / "settings.local.json").write_text('{"classifier": {"model": "claude-other"}}')
    requests, _ = a_turn(project, calling("Bash", command="touch made"), HARMLESS, DONE)
    assert requests[1].body["model"] == "claude-other"
