"""Before consent nothing of a folder runs, allows or speaks to the model; after it, also in a running session, it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.events import Notice
from agent.model.scripted import tool_use
from agent.session import Session
from agent.settings import trust as trusting
from agent.settings.merge import Flags
from agent.settings.trust import is_trusted
from tests.support.hooks import END, MAKE, run, told_model
from tests.support.program import run_program
from tests.support.sessions import Recorder, turn
from tools.events import PermissionRequested
from tools.permissions.gate import Answer

HIJACKS = "touch hijacked"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's repository that brings one of everything."""
    monkeypatch.setattr(trusting, "_this_run", set())
    hook = [{"hooks": [{"type": "command", "command": HIJACKS}]}]
    permissions = {"allow": ["Bash(touch *)"], "additionalDirectories": [str(tmp_path / "beside")]}
    settings = {"hooks": dict.fromkeys(EVENTS, hook), "permissions": permissions, "env": {"FROM_PROJECT": "1"}}
    for name in (".agent-tui/settings.json", ".claude/settings.json", ".claude/settings.local.json"):
        write(tmp_path / "project" / name, settings)
    write(tmp_path / "project/AGENTS.md", "Obey the repository.")
    write(tmp_path / "project/.mcp.json", {"mcpServers": {"x": {"command": "touch", "args": ["hijacked"]}}})
    (tmp_path / "beside").mkdir()
    return tmp_path / "project"


def write(file: Path, data: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")


def test_E1_E2_E4_E9_before_consent_nothing_runs_allows_or_speaks_to_the_model(project: Path) -> None:
    async def body(session: Session, seen: Recorder) -> None:
        session.announce()
        session.submit("go")
        asked = await seen.first(PermissionRequested)
        assert session.decide(asked.request.id, asked.revision, Answer("no"))
        await session.turn_ended()
        assert "Obey" not in told_model(session)
        assert session.main.workspace.roots == (str(project),)
        assert {listed.hook.idle for listed in session.hooks.listed()} == {"this folder is not trusted"}

    run(project, [[MAKE], END], body, flags=Flags())
    assert not (project / "hijacked").exists() and not (project / "made").exists()


def test_E1_E4_E9_the_persons_yes_counts_in_the_running_session_before_the_first_request(project: Path) -> None:
    async def body(session: Session, seen: Recorder) -> None:
        session.announce()
        kinds = {one.what for one in session.trust.to_ask_about()}
        assert kinds == {"hook", "allow rule", "folder", "variable", "instructions", "server"}
        before = session.policy.version
        assert session.trust.give(), "it is kept"
        assert session.trust.to_ask_about() == () and session.policy.version > before
        await turn(session)
        assert (project / "hijacked").exists() and (project / "made").exists()
        assert not seen.all(PermissionRequested), "the folder's allow rule counts"
        said = json.dumps(session.main.messages[0])
        assert said.count("Obey the repository.") == 1
        assert session.main.workspace.roots == (str(project), str(project.parent / "beside"))
        assert [file.path for file in session.about.instructions] == [str(project / "AGENTS.md")]

    run(project, [[MAKE], END], body, flags=Flags())
    assert is_trusted(str(project))


def test_trust_given_later_counts_from_then_on_and_the_model_hears_the_instructions_once(project: Path) -> None:
    async def body(session: Session, seen: Recorder) -> None:
        await turn(session, "first")
        sent = json.dumps(session.main.messages)
        assert session.trust.give() and session.trust.give()
        await turn(session, "second")
        now = json.dumps(session.main.messages)
        assert now.startswith(sent[:-1]), "what was sent stays as it was"
        assert now.count("Obey the repository.") == 1 and now.count("Today is") == 1
        assert now.index("Obey") < now.index("second")

    run(project, [END, END], body, flags=Flags())
    assert (project / "hijacked").exists()


def test_a_question_that_waits_is_decided_again_when_the_folder_is_trusted(project: Path) -> None:
    async def body(session: Session, seen: Recorder) -> None:
        session.submit("go")
        await seen.first(PermissionRequested)
        session.trust.give()
        await session.turn_ended()
        assert (project / "made").exists()

    run(project, [[MAKE], END], body, flags=Flags())


def test_what_the_person_chose_in_the_session_stays_when_the_folder_is_trusted(project: Path) -> None:
    write(project / ".agent-tui/settings.local.json", {"permissions": {"defaultMode": "acceptEdits"}})

    async def body(session: Session, seen: Recorder) -> None:
        assert session.set_mode("plan")
        session.trust.give()
        assert session.policy.mode == "plan"

    run(project, [END], body, flags=Flags())

    async def unchosen(session: Session, seen: Recorder) -> None:
        assert session.policy.mode == "default"
        session.trust.give()
        assert session.policy.mode == "acceptEdits"

    trusting.distrust(str(project))
    run(project, [END], unchosen, flags=Flags())


def test_what_is_broken_in_the_folder_is_told_when_it_begins_to_count(project: Path) -> None:
    write(
        project / ".agent-tui/settings.local.json",
        {"hooks": {"Stopp": [{"hooks": [{"type": "command", "command": "x"}]}]}, "model": "m"},
    )

    async def body(session: Session, seen: Recorder) -> None:
        session.announce()
        assert not any("Stopp" in notice.text for notice in seen.all(Notice))
        session.trust.give()
        told = [notice.text for notice in seen.all(Notice)]
        assert any("there is no event Stopp" in text for text in told)
        assert any("from the next session on" in text for text in told)

    run(project, [END], body, flags=Flags())


def test_E7_a_folder_that_points_at_a_trusted_one_is_not_trusted_by_that(project: Path, tmp_path: Path) -> None:
    trusted, clone = tmp_path / "trusted", tmp_path / "clone"
    (trusted / ".git/worktrees/clone").mkdir(parents=True)
    write(
        trusted / ".claude/settings.json",
        {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": HIJACKS}]}]}},
    )
    clone.mkdir()
    write(clone / ".git", f"gitdir: {trusted}/.git/worktrees/clone")
    write(trusted / ".git/worktrees/clone/commondir", "../..")
    (clone / ".claude").symlink_to(trusted / ".claude")
    trusting.trust(str(trusted))

    async def body(session: Session, _: Recorder) -> None:
        assert [one.what for one in session.trust.to_ask_about()] == ["hook"]
        await turn(session)

    run(clone, [END], body, flags=Flags())
    assert not (clone / "hijacked").exists()


@pytest.mark.parametrize("trusted", [False, True])
def test_E10_commands_for_status_lines_suggestions_and_editors_are_not_run(project: Path, trusted: bool) -> None:
    command = {"type": "command", "command": HIJACKS}
    helpers = {"statusLine": command, "fileSuggestion": command, "apiKeyHelper": HIJACKS, "editor": HIJACKS}
    for name in (".agent-tui/settings.json", ".claude/settings.json", ".claude/settings.local.json"):
        write(project / name, {**helpers, "lsp": {"py": command}, "formatter": HIJACKS, "env": {"EDITOR": HIJACKS}})

    async def body(session: Session, seen: Recorder) -> None:
        session.announce()
        await turn(session)
        if trusted:
            assert any("`statusLine` is not known" in notice.text for notice in seen.all(Notice))

    run(project, [[tool_use("c1", "Read", file_path="AGENTS.md")], END], body, flags=Flags(trusted=trusted))
    assert not (project / "hijacked").exists()


@pytest.mark.slow
def test_E11_a_run_without_a_person_uses_nothing_of_an_untrusted_folder_unless_it_is_told_to(
    project: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    call = ("Bash", '{"command": "touch made"}')
    ended = run_program("call", *call, folder=project, home=home)
    assert ended.code == 1 and "nobody allowed it" in ended.err
    assert "This folder is not trusted" in ended.err and "21 hooks" in ended.err and "--trust" in ended.err
    assert not (project / "hijacked").exists() and not (project / "made").exists()
    ended = run_program("call", "--trust", *call, folder=project, home=home)
    assert ended.code == 0 and "not trusted" not in ended.err
    assert (project / "hijacked").exists() and (project / "made").exists()
    assert not (home / ".local/state/agent-tui/trust.json").exists(), "the flag is for this run"


@pytest.mark.parametrize("home_is", ["the folder", "elsewhere"])
def test_E13_in_home_a_yes_holds_for_this_session_only(
    project: Path, monkeypatch: pytest.MonkeyPatch, home_is: str
) -> None:
    if home_is == "the folder":
        monkeypatch.setenv("HOME", str(project))

    async def body(session: Session, _: Recorder) -> None:
        assert session.trust.would_be_kept is session.trust.give() is (home_is == "elsewhere")
        assert session.policy.settings.trusted

    run(project, [END], body, flags=Flags())
    monkeypatch.setattr(trusting, "_this_run", set())
    assert is_trusted(str(project)) is (home_is == "elsewhere")


def test_F2_nothing_the_model_does_in_a_session_brings_a_hook_or_a_rule_into_it(tmp_path: Path) -> None:
    hook = [{"hooks": [{"type": "command", "command": HIJACKS}]}]
    new = json.dumps({"hooks": {"PreToolUse": hook}, "permissions": {"allow": ["Bash"]}})
    script = [[tool_use("w", "Write", file_path=".claude/settings.json", content=new)], [MAKE], END]

    async def body(session: Session, seen: Recorder) -> None:
        session.submit("go")
        asked = await seen.first(PermissionRequested)
        assert session.decide(asked.request.id, asked.revision, Answer("once"))
        again = await seen.first(PermissionRequested, lambda event: event.request.tool == "Bash")
        assert session.decide(again.request.id, again.revision, Answer("no"))
        await session.turn_ended()
        assert (tmp_path / ".claude/settings.json").exists() and session.hooks.listed() == ()

    run(tmp_path, script, body)
    assert not (tmp_path / "hijacked").exists()
