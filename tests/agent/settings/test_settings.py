from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.settings.lines import lines_of
from agent.settings.locations import config_folder, settings_files, state
from agent.settings.merge import Flags, Settings, load_settings
from agent.settings.schema import check_settings, parse_settings
from tests.support.permissions import bash
from tools.permissions.decide import World, decide


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "AGENT_TUI_FEATURES"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    (home / "project").mkdir(parents=True)
    return home


def write(file: Path, data: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(data if isinstance(data, str) else json.dumps(data, indent=2), encoding="utf-8")
    return file


def load(home: Path, **flags: Any) -> Settings:
    return load_settings(str(home / "project"), str(home), Flags(**{"trusted": True, **flags}))


def test_lists_of_all_files_are_joined_and_each_rule_knows_its_line(home: Path) -> None:
    write(home / ".config/agent-tui/settings.json", {"permissions": {"allow": ["Bash(a)"]}})
    write(home / ".claude/settings.json", {"permissions": {"deny": ["Bash(b)"]}})
    file = write(home / "project/.agent-tui/settings.json", {"permissions": {"ask": ["Bash(c)", "Bash(d)"]}})
    write(home / "project/.claude/settings.local.json", {"permissions": {"allow": ["Bash(e)"]}})
    found = {rule.text: rule for rule in load(home).rules.rules}
    assert set(found) == {"Bash(a)", "Bash(b)", "Bash(c)", "Bash(d)", "Bash(e)"}
    assert found["Bash(d)"].where == f"{file}:5"
    assert [found[f"Bash({name})"].source.scope for name in "abce"] == ["user", "user", "project", "local"]


def test_of_single_values_the_nearest_wins(home: Path) -> None:
    write(
        home / ".config/agent-tui/settings.json", {"model": "user", "theme": "paper", "bash": {"autoBackground": True}}
    )
    write(home / "project/.agent-tui/settings.json", {"model": "project"})
    assert load(home).model == "project"
    write(home / "project/.agent-tui/settings.local.json", {"model": "local"})
    assert load(home).model == "local"
    assert load(home, model="flag").model == "flag"
    assert load(home).values == {"model": "local", "theme": "paper", "bash.autoBackground": True}


def test_only_permissions_hooks_and_env_are_read_from_others_files(home: Path) -> None:
    write(home / ".claude/settings.json", {"model": "theirs", "env": {"A": "1"}, "statusLine": {"x": 1}})
    settings = load(home)
    assert settings.model is None
    assert settings.env == {"A": "1"}
    assert settings.notices == []


def test_E4_the_mode_never_comes_from_the_project(home: Path) -> None:
    project = home / "project/.agent-tui/settings.json"
    write(project, {"permissions": {"defaultMode": "acceptEdits"}})
    settings = load(home)
    assert settings.mode == "default"
    assert str(project) in settings.notices[0]
    write(home / ".claude/settings.json", {"permissions": {"defaultMode": "plan"}})
    assert load(home).mode == "plan"
    assert load(home, mode="auto").mode == "auto"
    local = {"permissions": {"defaultMode": "acceptEdits"}}
    write(home / "project/.agent-tui/settings.local.json", local)
    assert load(home).mode == "acceptEdits"
    assert load(home, trusted=False).mode == "plan"


def test_bypass_is_only_to_be_had_by_starting_with_it(home: Path) -> None:
    write(home / ".claude/settings.json", {"permissions": {"defaultMode": "bypassPermissions"}})
    assert load(home).mode == "default"
    assert not load(home).bypass_allowed
    assert load(home, mode="bypassPermissions").bypass_allowed


def test_E1_E4_E5_of_an_untrusted_folder_only_what_restricts_is_used(home: Path) -> None:
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "evil"}]}]}
    permissions = {"allow": ["Bash(make)"], "deny": ["Bash(rm *)"], "additionalDirectories": ["/srv"]}
    brought = {"permissions": permissions, "hooks": hooks, "env": {"A": "1"}, "features": ["repl"]}
    for name in (".agent-tui/settings.json", ".claude/settings.local.json"):
        write(home / "project" / name, brought)
    settings = load(home, trusted=False)
    assert (settings.env, settings.additional_directories, settings.features) == ({}, (), frozenset())
    assert {hook.idle for hook in settings.hooks} == {"this folder is not trusted"}
    world = World(str(home / "project"), str(home), rules=settings.rules, trusted=settings.trusted)
    assert decide(bash("make"), world).kind == "ask"
    assert decide(bash("rm x"), world).kind == "deny"
    trusted = load(home)
    assert [hook.command for hook in trusted.hooks if not hook.idle] == ["evil"]
    assert trusted.additional_directories == ("/srv",)


def test_D2_E5_a_project_sets_no_variable_that_loads_code_or_moves_the_endpoint(home: Path) -> None:
    named = {
        "LD_PRELOAD": "x",
        "GIT_SSH_COMMAND": "x",
        "ANTHROPIC_BASE_URL": "x",
        "https_proxy": "x",
        "NODE_ENV": "test",
    }
    write(home / "project/.claude/settings.json", {"env": named})
    settings = load(home)
    assert settings.env == {"NODE_ENV": "test"}
    assert len(settings.notices) == 4
    write(home / ".claude/settings.json", {"env": {"ANTHROPIC_BASE_URL": "mine"}})
    assert load(home).env["ANTHROPIC_BASE_URL"] == "mine"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  "permissions": {\n    "allow": [,]\n}}', "line 3"),
        ("[]", "must be an object"),
        ("", "line 1"),
        ('{"a": ' * 100_000, "nested"),
    ],
)
def test_a_broken_file_stops_nothing_and_is_named_with_reason_and_line(home: Path, text: str, reason: str) -> None:
    broken = write(home / "project/.agent-tui/settings.json", text)
    write(home / ".claude/settings.json", {"permissions": {"deny": ["Bash(rm *)"]}})
    settings = load(home)
    assert len(settings.rules.rules) == 1
    (problem,) = settings.problems
    assert str(broken) in problem
    assert reason in problem


def test_a_wrong_value_is_left_out_and_the_rest_of_its_file_holds(home: Path) -> None:
    text = '{\n "env": {"A": 1},\n "permissions": {\n  "deny": [\n   7,\n   "Bash(rm *)",\n   "Bash(x *"\n  ],\n  "allow": "Bash"\n }\n}'
    write(home / "project/.agent-tui/settings.json", text)
    settings = load(home)
    assert [(rule.text, rule.line) for rule in settings.rules.rules] == [("Bash(rm *)", 6), ("Bash(x *", 7)]
    told = "\n".join(settings.problems)
    for place in ("line 2: `env.A`", "line 5: `permissions.deny.0`", "line 9: `permissions.allow`", "settings.json:7"):
        assert place in told


def test_a_file_that_cannot_be_read_is_named(home: Path) -> None:
    (home / "project/.agent-tui/settings.json").mkdir(parents=True)
    write(home / "project/.claude/x", "")
    (home / "project/.claude/settings.json").write_bytes(b"\xff\xfe{")
    assert len(load(home).problems) == 2


def test_unknown_keys_are_tolerated_with_a_notice(home: Path) -> None:
    write(home / ".config/agent-tui/settings.json", '{\n"$schema": "x",\n"colour": 1,\n"bash": {"fast": true}}')
    settings = load(home)
    assert settings.problems == []
    assert [notice.split(": ", 1)[1] for notice in settings.notices] == [
        "line 3: `colour` is not known and has no effect.",
        "line 4: `bash.fast` is not known and has no effect.",
    ]


def test_features_come_from_files_the_environment_and_flags(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home / ".config/agent-tui/settings.json", {"features": ["tasks", "repl"]})
    write(home / "project/.agent-tui/settings.json", {"features": {"repl": False}})
    monkeypatch.setenv("AGENT_TUI_FEATURES", "teams, ")
    assert load(home, features=("browser",)).features == {"tasks", "teams", "browser"}


def test_flags_bring_rules_and_folders(home: Path) -> None:
    settings = load(
        home, allowed_tools=("Bash(make)",), disallowed_tools=("WebFetch",), additional_directories=("../x", "~/y")
    )
    assert [(rule.kind, rule.text) for rule in settings.rules.rules] == [("deny", "WebFetch"), ("allow", "Bash(make)")]
    assert settings.additional_directories == (str(home / "x"), str(home / "y"))


def test_a_missing_home_is_no_problem(tmp_path: Path) -> None:
    settings = load_settings(str(tmp_path), "/nonexistent/home", Flags(trusted=False))
    assert settings.problems == []
    assert settings.mode == "default"


def test_a_folder_of_the_command_line_that_is_not_there_is_told(home: Path, tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    flags = Flags(additional_directories=("beside", "nowhere"))
    assert load_settings(str(tmp_path), str(home), flags).problems == ["--add-dir nowhere: there is no such folder."]


def test_at_the_root_of_the_file_system_settings_have_paths_like_anywhere() -> None:
    """As in many a container, where home and working folder are both `/`. POSIX lets `//` mean another place."""
    paths = [file.path for file in settings_files("/", "/")]
    assert {"/.agent-tui/settings.json", "/.claude/settings.json"} <= set(paths)
    assert not [path for path in paths if path.startswith("//")]


def test_settings_are_sought_where_xdg_says_but_not_for_a_home_to_assume(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/xdg")
    assert config_folder() == Path("/xdg/agent-tui")
    assert config_folder("/home/other") == Path("/home/other/.config/agent-tui")
    assert settings_files("/p", str(home))[1].path == "/xdg/agent-tui/settings.json"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert config_folder() == home / ".config/agent-tui"


def test_state_lies_where_xdg_says_or_in_a_private_temporary_folder_with_a_notice(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state().folder == home / ".local/state/agent-tui"
    assert state().notice == ""
    write(home / "file", "")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "file"))
    elsewhere = state()
    assert "Nothing of this session is kept" in elsewhere.notice
    assert os.stat(elsewhere.folder).st_mode & 0o777 == 0o700
    assert state().folder == elsewhere.folder


def test_an_edit_that_breaks_settings_is_told_why() -> None:
    assert check_settings("/p/.claude/settings.json", '{"permissions": {"allow": ["Bash"]}}') is None
    assert check_settings("/p/other.json", "{") is None
    assert "line 1" in (check_settings("/p/.agent-tui/settings.local.json", "{") or "")
    assert "`env.A`" in (check_settings("/h/.config/agent-tui/settings.json", '{"env": {"A": 1}}') or "")


def test_hooks_must_have_their_shape() -> None:
    parsed = parse_settings('{"hooks": {"Stop": [{"matcher": "x"}], "PreToolUse": [{"hooks": []}]}}')
    assert "`hooks.Stop.0`" in parsed.problems[0]
    assert set(parsed.values.hooks) == {"Stop", "PreToolUse"}


def test_every_value_of_a_json_text_knows_its_line() -> None:
    lines = lines_of('{"a": [1,\n {"b, ]": "x\\"}"},\n [] ],\n"c": {}}')
    assert lines[("a", 0)] == 1
    assert lines[("a", 1, "b, ]")] == 2
    assert lines[("a", 2)] == 3
    assert lines[("c",)] == 4
