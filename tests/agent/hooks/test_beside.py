"""Hooks that nobody waits for, how Esc ends every kind, and what all of them find."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from agent import hooks as session_hooks
from agent.assemble import Wanted, open_session
from agent.events import ExternalEdit, TurnEnded
from agent.model.scripted import tool_use
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.commands import is_alive, pids_in, wait_for
from tests.support.hooks import END, MAKE, got, run, settings_with
from tests.support.sessions import Recorder, play, results_of, turn, yes
from tools.events import PermissionRequested, ToolFinished
from tools.permissions.gate import Answer
from tools.pipeline import ToolUse


def test_the_person_is_called_when_a_question_waits_and_not_when_none_does(tmp_path: Path) -> None:
    settings_with(tmp_path, Notification=[("permission_prompt", "cat > got.json"), ("idle_prompt", "touch wrong")])

    async def body(session: Session, seen: Recorder) -> None:
        session.submit("go")
        asked = await seen.first(PermissionRequested)
        await wait_for(lambda: (tmp_path / "got.json").exists() and (tmp_path / "got.json").stat().st_size > 0)
        assert "Bash touch made" in got(tmp_path / "got.json")["message"]
        session.decide(asked.request.id, asked.revision, Answer("no"))
        await session.turn_ended()
        assert not (tmp_path / "wrong").exists()

    run(tmp_path, [[MAKE], END], body)


def test_nobody_is_called_when_a_script_answers(tmp_path: Path) -> None:
    settings_with(tmp_path, Notification="touch called")

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        assert (tmp_path / "made").exists()

    run(tmp_path, [[MAKE], END], body, answerer=yes)
    assert not (tmp_path / "called").exists()


def test_the_person_is_called_when_the_session_has_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_with(tmp_path, Notification=[("idle_prompt", "touch called")])
    monkeypatch.setattr(session_hooks, "IDLE_SECONDS", 0.05)

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        await wait_for((tmp_path / "called").exists)

    run(tmp_path, [END], body)


def test_an_outside_change_of_a_known_file_is_told(tmp_path: Path) -> None:
    settings_with(tmp_path, FileChanged=[(r"\.txt$", "cat >> got.jsonl"), ("other", "touch wrong")])
    (tmp_path / "a.txt").write_text("one\n")

    async def body(session: Session, seen: Recorder) -> None:
        await turn(session)
        await session.watcher.ready()
        (tmp_path / "a.txt").write_text("theirs\n")
        await seen.first(ExternalEdit)
        await wait_for(lambda: (tmp_path / "got.jsonl").exists() and (tmp_path / "got.jsonl").stat().st_size > 0)
        told = got(tmp_path / "got.jsonl")
        assert (told["file_path"], told["event"]) == (str(tmp_path / "a.txt"), "change")
        assert not (tmp_path / "wrong").exists()

    run(tmp_path, [[tool_use("c1", "Read", file_path="a.txt")], END], body)


def test_the_end_of_a_session_is_told_once_and_does_not_wait_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_hooks, "END_TIMEOUT_SECONDS", 0.3)
    settings_with(
        tmp_path, SessionEnd=[("", "cat >> got.jsonl; echo $$ > a.pid; sleep 300"), ("other", "touch matched")]
    )

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)

    run(tmp_path, [END], body)
    assert got(tmp_path / "got.jsonl")["reason"] == "other"
    assert (tmp_path / "matched").exists()
    assert not any(is_alive(pid) for pid in pids_in(tmp_path))


HANGS = "echo $$ > a.pid; sleep 300"


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("SessionStart", "interrupted"),
        ("UserPromptSubmit", "interrupted"),
        ("PreToolUse", "interrupted"),
        ("PermissionRequest", "interrupted"),
        ("PostToolUse", "interrupted"),
        ("Stop", "done"),
    ],
)
def test_esc_ends_a_running_hook_and_the_history_stays_whole(tmp_path: Path, event: str, reason: str) -> None:
    settings_with(tmp_path, **{event: HANGS})
    script = [[tool_use("c1", "Bash", command="touch made" if event == "PermissionRequest" else "echo x")], END]

    async def body(session: Session, seen: Recorder) -> None:
        session.announce()
        session.submit("go")
        await wait_for(lambda: len(pids_in(tmp_path)) == 1)
        session.interrupt()
        assert (await session.turn_ended() or TurnEnded("failed")).reason == reason
        await wait_for(lambda: not any(is_alive(pid) for pid in pids_in(tmp_path)))
        calls = len(seen.all(ToolFinished))
        assert len(results_of(session.main.messages)) == calls

    run(tmp_path, script, body)


@pytest.mark.parametrize("event", ["FileChanged", "Notification"])
def test_esc_ends_what_runs_beside(tmp_path: Path, event: str) -> None:
    settings_with(tmp_path, **{event: HANGS})

    async def body(session: Session, seen: Recorder) -> None:
        if event == "FileChanged":
            session.hooks.file_changed(str(tmp_path / "a.txt"), "changed")
        else:
            session.submit("go")
        await wait_for(lambda: len(pids_in(tmp_path)) == 1)
        session.interrupt()
        await wait_for(lambda: not any(is_alive(pid) for pid in pids_in(tmp_path)))

    run(tmp_path, [[MAKE], END], body)


def test_of_many_changes_of_one_file_only_the_last_waits(tmp_path: Path) -> None:
    settings_with(tmp_path, FileChanged="cat >> got.jsonl; while [ ! -e go ]; do sleep 0.01; done")

    async def body(session: Session, _: Recorder) -> None:
        for kind in ("changed", "changed", "deleted"):
            session.hooks.file_changed(str(tmp_path / "a.txt"), kind)
        await wait_for((tmp_path / "got.jsonl").exists)
        for kind in ("changed", "deleted", "changed"):
            session.hooks.file_changed(str(tmp_path / "b.txt"), kind)
        (tmp_path / "go").touch()
        await wait_for(lambda: len((tmp_path / "got.jsonl").read_text().splitlines()) == 2)
        await asyncio.sleep(0)
        told = [json.loads(line) for line in (tmp_path / "got.jsonl").read_text().splitlines()]
        assert [(Path(one["file_path"]).name, one["event"]) for one in told] == [
            ("a.txt", "unlink"),
            ("b.txt", "change"),
        ]

    run(tmp_path, [END], body)


def test_D1_D2_E6_a_hook_finds_neither_our_credentials_nor_what_a_project_must_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "our-secret")
    monkeypatch.setenv("MY_TOKEN", "hidden-secret")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    (tmp_path / ".env").write_text("FROM_DOT_ENV=1\n")
    file = settings_with(tmp_path, SessionStart="env > got; readlink /proc/self/fd/0 > /dev/null")
    project = {
        "LD_PRELOAD": "/x.so",
        "GIT_SSH_COMMAND": "x",
        "BASH_ENV": "x",
        "PROMPT_COMMAND": "x",
        "NODE_ENV": "test",
    }
    more = {"env": {**project, "BAD\0NAME": "x", "HALF": "\ud800"}, "bash": {"hideEnvironment": ["MY_TOKEN"]}}
    file.write_text(json.dumps({**got(file), **more}))

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)

    run(tmp_path, [END], body)
    found = dict(line.split("=", 1) for line in (tmp_path / "got").read_text().splitlines() if "=" in line)
    assert found["NODE_ENV"] == "test" and found["SSH_AUTH_SOCK"] == "/run/agent"
    assert found["CLAUDE_PROJECT_DIR"] == str(tmp_path)
    unwanted = {"ANTHROPIC_API_KEY", "MY_TOKEN", "FROM_DOT_ENV", "HALF", *project} - {"NODE_ENV"}
    assert unwanted.isdisjoint(found)
    assert "FROM_DOT_ENV" not in os.environ


def test_D3_a_shell_that_lies_in_the_project_runs_no_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/bash").write_text("#!/bin/sh\ntouch hijacked\n")
    (tmp_path / "bin/bash").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    settings_with(tmp_path, SessionStart="touch ran")

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)

    run(tmp_path, [END], body)
    assert (tmp_path / "ran").exists() and not (tmp_path / "hijacked").exists()


def test_where_only_calls_run_no_session_starts_or_ends_and_hooks_around_calls_run(tmp_path: Path) -> None:
    settings_with(tmp_path, SessionStart="touch wrong", SessionEnd="touch wrong", PreToolUse="touch ran")

    async def body() -> None:
        wanted = Wanted(folder=str(tmp_path), flags=Flags(trusted=True), keep=False)
        async with await open_session(wanted) as session:
            session.announce()
            await session.main.run_calls([ToolUse("c1", "Glob", {"pattern": "*"})])

    play(body)
    assert (tmp_path / "ran").exists() and not (tmp_path / "wrong").exists()


def test_no_hooks_run_where_all_that_happens_is_a_play(tmp_path: Path) -> None:
    settings_with(tmp_path, SessionStart="touch wrong", PreToolUse="touch wrong", Stop="touch wrong")

    async def body(session: Session, _: Recorder) -> None:
        assert (await turn(session)).reason == "done"

    run(tmp_path, [[tool_use("c1", "Glob", pattern="*")], END], body, hooks=False)
    assert not (tmp_path / "wrong").exists()
