"""Hooks around a call, in a real session: they block, change, add and decide; a bad one harms nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from agent.events import Notice
from agent.model.scripted import tool_use
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.hooks import END, MAKE, got, run, says, settings_with, specific
from tests.support.sessions import Recorder, results_of, turn, yes
from tools.events import PermissionDecided, PermissionRequested
from tools.permissions.gate import Answer


def test_a_hook_blocks_a_call_and_the_model_is_told_who_and_why(tmp_path: Path) -> None:
    file = settings_with(tmp_path, PreToolUse=[("Bash", "echo 'not on a Friday' >&2; exit 2")])

    async def body(session: Session, seen: Recorder) -> None:
        assert (await turn(session)).reason == "done", "one denied call does not end the turn"
        assert not (tmp_path / "made").exists() and not seen.all(PermissionRequested)
        (decided,) = seen.all(PermissionDecided)
        assert decided.decision.trace[0].source == "hook"
        answer = results_of(session.main.messages)["c1"]
        assert answer["is_error"] and f"({file}:7) denies it: not on a Friday" in answer["content"]

    run(tmp_path, [[MAKE], END], body, answerer=yes)


def test_a_hook_allows_a_call_that_would_have_asked(tmp_path: Path) -> None:
    settings_with(tmp_path, PreToolUse=says(specific("PreToolUse", permissionDecision="allow")))

    async def body(session: Session, seen: Recorder) -> None:
        await turn(session)
        assert (tmp_path / "made").exists() and not seen.all(PermissionRequested)

    run(tmp_path, [[MAKE], END], body)


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest"])
def test_a_hooks_allow_beats_no_deny_rule(tmp_path: Path, event: str) -> None:
    settings_with(tmp_path, **{event: says(specific(event, permissionDecision="allow"))})

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        assert not (tmp_path / "made").exists()
        assert "deny rule" in results_of(session.main.messages)["c1"]["content"]

    run(tmp_path, [[MAKE], END], body, flags=Flags(trusted=True, disallowed_tools=("Bash(touch *)",)))


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest"])
def test_a_hooks_allow_beats_no_ask_rule_and_no_protected_path(tmp_path: Path, event: str) -> None:
    file = settings_with(tmp_path, **{event: says(specific(event, permissionDecision="allow"))})
    file.write_text(json.dumps({**got(file), "permissions": {"ask": ["Bash(touch *)"]}}))
    script = [[MAKE, tool_use("c2", "Write", file_path=".git/config", content="x")], END]

    async def body(session: Session, seen: Recorder) -> None:
        session.submit("go")
        for call in ("c1", "c2"):
            asked = await seen.first(PermissionRequested, lambda event, call=call: event.request.call_id == call)
            assert session.decide(asked.request.id, asked.revision, Answer("no"))
        await session.turn_ended()
        assert not (tmp_path / "made").exists() and not (tmp_path / ".git").exists()

    run(tmp_path, script, body)


def test_T34_a_changed_input_is_checked_from_the_schema_on_and_judged_again(tmp_path: Path) -> None:
    change = says(specific("PreToolUse", permissionDecision="allow", updatedInput={"command": "rm -rf ~"}))
    settings_with(tmp_path, PreToolUse=[("Bash", change)])

    async def body(session: Session, seen: Recorder) -> None:
        session.submit("go")
        asked = await seen.first(PermissionRequested)
        assert asked.request.input["command"] == "rm -rf ~", "what always asks is found in the changed input"
        assert session.decide(asked.request.id, asked.revision, Answer("no"))
        await session.turn_ended()

    run(tmp_path, [[MAKE], END], body)


def test_T34_an_input_changed_to_a_wrong_one_runs_nothing(tmp_path: Path) -> None:
    settings_with(tmp_path, PreToolUse=says(specific("PreToolUse", updatedInput={"command": 7})))

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        assert "A hook changed the input to one that is not valid" in results_of(session.main.messages)["c1"]["content"]
        assert not (tmp_path / "made").exists()

    run(tmp_path, [[MAKE], END], body, answerer=yes)


def test_a_changed_input_runs_and_the_model_is_told_what_ran(tmp_path: Path) -> None:
    added = "Files go into the folder other."
    change = specific("PreToolUse", updatedInput={"command": "touch other"}, additionalContext=added)
    settings_with(tmp_path, PreToolUse=says(change))

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        assert (tmp_path / "other").exists() and not (tmp_path / "made").exists()
        answer = results_of(session.main.messages)["c1"]["content"]
        assert 'what ran: {"command": "touch other"}' in answer and added in answer

    run(tmp_path, [[MAKE], END], body, answerer=yes)


def test_a_hook_answers_a_question_before_the_person_is_asked(tmp_path: Path) -> None:
    allow = says(specific("PermissionRequest", decision={"behavior": "allow"}))
    deny = says(specific("PermissionRequest", decision={"behavior": "deny", "message": "never these"}))
    settings_with(tmp_path, PermissionRequest=[("Bash", allow), ("Write", deny)])
    script = [[MAKE, tool_use("c2", "Write", file_path="new", content="x"), tool_use("c3", "Read", file_path="x")], END]

    async def body(session: Session, seen: Recorder) -> None:
        await turn(session)
        assert (tmp_path / "made").exists() and not (tmp_path / "new").exists()
        assert not seen.all(PermissionRequested)
        assert "never these" in results_of(session.main.messages)["c2"]["content"]

    run(tmp_path, script, body)


def test_a_hook_changes_the_input_of_a_question_and_the_changed_one_is_judged(tmp_path: Path) -> None:
    change = {"behavior": "allow", "updatedInput": {"command": "touch other"}}
    settings_with(tmp_path, PermissionRequest=says(specific("PermissionRequest", decision=change)))

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        assert (tmp_path / "other").exists() and not (tmp_path / "made").exists()

    run(tmp_path, [[MAKE], END], body)


def test_a_question_hook_that_changes_the_input_badly_leaves_the_question_as_it_was(tmp_path: Path) -> None:
    settings_with(tmp_path, PermissionRequest=says(specific("PermissionRequest", updatedInput={"command": 7})))

    async def body(session: Session, seen: Recorder) -> None:
        await turn(session)
        (asked,) = seen.all(PermissionRequested)
        assert asked.request.input["command"] == "touch made" and asked.request.problem == ""
        assert (tmp_path / "made").exists()
        assert "A hook's change of the input was not used" in results_of(session.main.messages)["c1"]["content"]

    run(tmp_path, [[MAKE], END], body, answerer=yes)


CHANGE_OUTPUT = """
import json, sys

output = {**json.load(sys.stdin)["tool_response"], "output": "nothing to see"}
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}))
"""


def test_after_a_call_a_hook_sees_and_changes_the_output_and_speaks_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "change.py").write_text(CHANGE_OUTPUT)
    change = f"{sys.executable} change.py"
    objection = "cat > got.json; echo 'the tests are red' >&2; exit 2"
    settings_with(tmp_path, PostToolUse=[("Bash", change), ("Bash|Edit", objection)])

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        asked = got(tmp_path / "got.json")
        assert (asked["tool_input"]["command"], asked["tool_use_id"]) == ("echo secret", "c1")
        assert asked["tool_response"]["output"] == "secret\n"
        answer = results_of(session.main.messages)["c1"]["content"]
        assert "nothing to see" in answer and "secret" not in answer
        assert "objects: the tests are red" in answer

    run(tmp_path, [[tool_use("c1", "Bash", command="echo secret")], END], body)


def test_a_failed_call_is_told_to_its_own_hooks(tmp_path: Path) -> None:
    settings_with(tmp_path, PostToolUseFailure="cat > got.json", PostToolUse="touch wrong")

    async def body(session: Session, _: Recorder) -> None:
        await turn(session)
        assert got(tmp_path / "got.json")["error"] and not (tmp_path / "wrong").exists()

    script = [[tool_use("c1", "Bash", command="sleep 9", timeout=50)], END]
    run(tmp_path, script, body, answerer=yes)


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_continue_false_ends_the_turn_and_the_person_is_told_why(tmp_path: Path, event: str) -> None:
    stops = says({"continue": False, "stopReason": "enough for today"})
    settings_with(tmp_path, **{event: [("Bash", stops)]})
    script = [[MAKE, tool_use("c2", "Write", file_path="second", content="x")], END]

    async def body(session: Session, seen: Recorder) -> None:
        ended = await turn(session)
        assert (ended.reason, ended.detail) == ("stopped", "A hook ended the turn.")
        assert any("ends the turn: enough for today" in notice.text for notice in seen.all(Notice))
        assert (tmp_path / "made").exists() is (event == "PostToolUse")
        assert not (tmp_path / "second").exists()
        assert "a hook stopped the turn" in results_of(session.main.messages)["c2"]["content"]

    run(tmp_path, script, body, answerer=yes)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("exit 1", "failed with exit code 1"),
        ("kill -SEGV $$", "SIGSEGV"),
        ("yes", "printed more than"),
        ("echo '{'", "looks like JSON"),
        ("no-such-program", "exit code 127"),
    ],
)
def test_a_bad_hook_is_shown_and_harms_nothing(tmp_path: Path, bad: str, told: str) -> None:
    settings_with(tmp_path, PreToolUse=bad, PostToolUse=bad, UserPromptSubmit=bad, Stop=bad, SessionStart=bad)

    async def body(session: Session, seen: Recorder) -> None:
        assert (await turn(session)).reason == "done"
        assert (tmp_path / "made").exists()
        shown = [notice.text for notice in seen.all(Notice) if told in notice.text]
        assert len(shown) == 5
        assert results_of(session.main.messages)["c1"].get("is_error") is None

    run(tmp_path, [[MAKE], END], body, answerer=yes)
