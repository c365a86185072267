"""Settings files that somebody edits while a session runs: what counts at once, what stays, and that it is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.events import Notice
from agent.model.scripted import text, tool_use
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.permissions import bash
from tests.support.sessions import Recorder, play, session_in
from tools.context import Place
from tools.events import PermissionRequested, PermissionUpdated, PermissionWithdrawn, ToolFinished
from tools.permissions.decide import decide
from tools.permissions.gate import Answer

TOUCH = [[tool_use("c", "Bash", command="touch made")], [text("x")]]


def settings_of(folder: Path, name: str = "settings.json", **permissions: Any) -> Path:
    file = folder / ".agent-tui" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"permissions": permissions}))
    return file


def judged(session: Session, folder: Path, command: str) -> str:
    return decide(bash(command), session.policy.world(Place(str(folder), str(folder)))).kind


def says(words: str) -> Callable[[Notice], bool]:
    return lambda notice: words in notice.text


async def asks(session: Session, recorder: Recorder) -> None:
    session.submit("go")
    await recorder.first(PermissionRequested)


def test_a_rule_that_comes_into_a_file_withdraws_the_question_it_answers_and_is_told(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, TOUCH) as (session, recorder):
            await asks(session, recorder)
            file = settings_of(tmp_path, allow=["Bash(touch *)"])
            withdrawn = await recorder.first(PermissionWithdrawn)
            assert "Bash(touch *)" in withdrawn.why
            await session.turn_ended()
            assert (tmp_path / "made").exists()
            notice = await recorder.first(Notice, says("the rules were changed"))
            assert notice.text == (f"{file}: the rules were changed, added allow Bash(touch *). They are in force.")

    play(body)


def test_a_deny_that_comes_ends_the_question_and_one_that_goes_lets_it_be_asked(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, TOUCH) as (session, recorder):
            await asks(session, recorder)
            file = settings_of(tmp_path, deny=["Bash(touch *)"])
            finished = await recorder.first(ToolFinished)
            assert finished.outcome == "denied"
            await recorder.first(Notice, says("added deny Bash(touch *)"))
            file.unlink()
            await recorder.first(Notice, says("taken out deny Bash(touch *)"))
            assert judged(session, tmp_path, "touch made") == "ask"

    play(body)


def test_a_broken_file_keeps_the_rules_it_had_and_its_problem_is_known_until_it_is_mended(tmp_path: Path) -> None:
    file = settings_of(tmp_path, deny=["Bash(touch *)"])

    async def body() -> None:
        async with session_in(tmp_path, []) as (session, recorder):
            file.write_text('{"permissions": {"deny": [')
            told = await recorder.first(Notice, says("not valid JSON"))
            assert told.text.startswith(f"{file}: line 1:")
            assert told.text.endswith("The rules it had stay in force until it is mended.")
            assert judged(session, tmp_path, "touch made") == "deny"
            assert any(str(file) in problem for problem in session.policy.problems)
            settings_of(tmp_path, deny=["Bash(rm *)"])
            await recorder.first(Notice, says(f"{file}: it is in order again"))
            assert session.policy.problems == ()
            assert judged(session, tmp_path, "touch made") == "ask" and judged(session, tmp_path, "rm x") == "deny"

    play(body)


def test_in_a_folder_that_is_not_trusted_new_allow_rules_do_not_count_and_new_denies_do(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [], flags=Flags(trusted=False)) as (session, recorder):
            settings_of(tmp_path, allow=["Bash(touch *)"], deny=["Bash(make)"])
            told = await recorder.first(Notice, says("the rules were changed"))
            assert told.text.endswith("Its allow rules do not count: the folder is not trusted.")
            assert judged(session, tmp_path, "touch made") == "ask" and judged(session, tmp_path, "make") == "deny"
            assert not session.policy.trusted

    play(body)


def test_a_mode_or_a_hook_that_comes_does_nothing_in_this_session_and_that_is_said(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, []) as (session, recorder):
            file = settings_of(tmp_path, "settings.local.json")
            hook = {"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}
            file.write_text(
                json.dumps({"permissions": {"defaultMode": "acceptEdits"}, "hooks": {"PreToolUse": [hook]}})
            )
            await recorder.first(Notice, says("counts from the next session on"))
            assert session.policy.mode == "default" and session.hooks.listed() == ()

    play(body)


def test_a_rule_the_person_saves_themselves_is_no_news(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, TOUCH) as (session, recorder):
            await asks(session, recorder)
            (waiting,) = session.gate.waiting
            session.decide(waiting.request.id, waiting.revision, Answer("always", ("Bash(touch *)",)))
            await session.turn_ended()
            settings_of(tmp_path, ask=["Bash(make)"])
            # What was saved before this came by the same watch, earlier.
            await recorder.first(Notice, says("added ask Bash(make)"))
            assert not [notice for notice in recorder.all(Notice) if "touch" in notice.text]
            assert recorder.all(PermissionUpdated) == []

    play(body)
