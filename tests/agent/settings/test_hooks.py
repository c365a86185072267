"""Hooks from all settings files: each with its place, the broken ones named, a stranger's not used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.settings.merge import Flags, Settings, load_settings
from tools.hooks.configured import Hook


@pytest.fixture
def project(a_home_of_its_own: Path) -> Path:
    project = a_home_of_its_own / "project"
    project.mkdir()
    return project


def write(file: Path, data: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(data if isinstance(data, str) else json.dumps(data, indent=1), encoding="utf-8")
    return file


def load(project: Path, trusted: bool = True) -> Settings:
    return load_settings(str(project), str(project.parent), Flags(trusted=trusted))


def group(*commands: str, matcher: str = "Bash") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command} for command in commands]}


def test_hooks_of_all_files_are_joined_and_each_knows_its_line(project: Path) -> None:
    home = project.parent
    theirs = write(
        home / ".claude/settings.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}
    )
    write(home / ".config/agent-tui/settings.json", {"hooks": {"PreToolUse": [group("b", "c"), group("d")]}})
    write(project / ".agent-tui/settings.json", {"hooks": {"PreToolUse": [group("e", matcher="Edit|Write")]}})
    local = write(
        project / ".claude/settings.local.json",
        '{"hooks": {"Stop": [\n{"hooks": [\n{"type": "command",\n"command": "f", "timeout": 5}]}]}}',
    )
    hooks = load(project).hooks
    assert [hook.command for hook in hooks] == ["a", "b", "c", "d", "e", "f"]
    assert hooks[0] == Hook("Stop", "a", "", None, "user", str(theirs), 6)
    assert hooks[4].matcher == "Edit|Write" and hooks[4].scope == "project"
    assert hooks[5] == Hook("Stop", "f", "", 5.0, "local", str(local), 3)
    assert not any(hook.idle for hook in hooks)


def test_E1_the_hooks_of_an_untrusted_folder_are_named_and_not_used(project: Path) -> None:
    write(project.parent / ".claude/settings.json", {"hooks": {"Stop": [group("mine")]}})
    for name in (".agent-tui/settings.json", ".claude/settings.json", ".claude/settings.local.json"):
        write(project / name, {"hooks": {"PreToolUse": [group(name, matcher="Edit(")]}})
    settings = load(project, trusted=False)
    assert [hook.command for hook in settings.hooks if not hook.idle] == ["mine"]
    assert len(settings.hooks) == 4
    assert settings.problems == [], "what is not used needs no mending"


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ({"PreTool": [group("x")]}, "settings.json:7: the hook for PreTool cannot work: there is no event PreTool"),
        ({"Stop": [group("x", matcher="a(")]}, "its matcher `a(` is neither"),
        ({"Stop": [{"matcher": 7, "hooks": [{"type": "command", "command": "x"}]}]}, "its matcher must be a text"),
        ({"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}, 'not of the type "prompt"'),
        ({"Stop": [{"hooks": [{"type": "command"}]}]}, "it has no command"),
        ({"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}, "`hooks.Stop.0.hooks.0.timeout`"),
        ({"Stop": [{"hooks": [{"command": "x"}]}]}, "`hooks.Stop.0.hooks.0` is left out"),
        ({"Stop": "x"}, "`hooks.Stop` is left out"),
    ],
)
def test_a_broken_hook_is_reported_with_file_and_line_and_never_runs(project: Path, groups: Any, told: str) -> None:
    file = write(project / ".agent-tui/settings.json", {"hooks": {**groups, "SessionEnd": [group("fine")]}})
    settings = load(project)
    (problem,) = settings.problems
    assert told in problem and str(file) in problem
    runs = [hook.command for hook in settings.hooks if not hook.idle]
    assert runs == (["x", "fine"] if "timeout" in told else ["fine"])


def test_lines_stay_right_when_an_entry_before_was_left_out(project: Path) -> None:
    text = """{"hooks": {"Stop": [
        {"hooks": 1},
        {"hooks": [
            {"command": "no type"},
            {"type": "command", "command": "x"}]}]}}"""
    write(project / ".agent-tui/settings.json", text)
    settings = load(project)
    assert [(hook.command, hook.line) for hook in settings.hooks] == [("x", 5)]
    assert any("line 4" in problem for problem in settings.problems)


def test_the_same_hook_in_two_files_runs_once_and_says_where_the_other_is(project: Path) -> None:
    mine = write(project.parent / ".claude/settings.json", {"hooks": {"Stop": [group("x")]}})
    write(project / ".claude/settings.json", {"hooks": {"Stop": [group("x"), group("x", matcher="other")]}})
    assert [hook.idle for hook in load(project).hooks] == ["", f"it is the same as {mine}:7", ""]
    assert load(project, trusted=False).hooks[0].idle == ""


def test_an_event_that_does_not_happen_yet_is_no_mistake(project: Path) -> None:
    write(project / ".claude/settings.json", {"hooks": {"PreCompact": [group("x")]}})
    settings = load(project)
    assert settings.problems == []
    assert settings.hooks[0].idle == "PreCompact does not happen yet"


def test_a_key_of_a_hook_that_is_not_known_is_told_in_everybodys_files(project: Path) -> None:
    hook = {"type": "command", "command": "x", "if": "Bash(git *)", "statusMessage": "Checking"}
    write(project / ".claude/settings.json", {"hooks": {"PreToolUse": [{"hooks": [hook]}]}})
    (notice,) = load(project).notices
    assert "line 9: `if` of a hook for PreToolUse is not known" in notice
