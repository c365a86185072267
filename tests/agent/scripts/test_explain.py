from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.scripts.explain import explain_line, main, run_batch
from tests.support.program import run_program
from tools.parse import ARGUMENT_CHARS

ROOT = Path(__file__).resolve().parents[3]
VECTORS = [json.loads(line) for line in (ROOT / "tests/vectors/permission_rules.jsonl").read_text().splitlines()]
NOT_REACHED: frozenset[str] = frozenset()


def explain(tool: str, input: dict[str, Any], **more: Any) -> dict[str, Any]:
    request = {"id": "x", "tool": tool, "input": input, "cwd": "/home/u/proj", "home": "/home/u", "rules": {}, **more}
    return explain_line(json.dumps(request))


def word(tool: str, input: dict[str, Any], **more: Any) -> str:
    return explain(tool, input, **more)["decision"]


@pytest.mark.parametrize("row", VECTORS, ids=[row["id"] for row in VECTORS])
def test_a_vector_is_decided_as_expected(row: dict[str, Any]) -> None:
    asked = {key: value for key, value in row.items() if key not in ("expect", "accept", "why")}
    answer = explain_line(json.dumps({"cwd": "/home/u/proj", "home": "/home/u", **asked}))
    right = (row["expect"], *row.get("accept", ()))
    if row["id"] in NOT_REACHED:
        assert answer["decision"] != "allow" or "allow" in right
    else:
        assert answer["decision"] in right, answer["reason"]


def test_a_batch_answers_each_line_in_order_and_goes_on_after_one_it_cannot_read() -> None:
    good = json.dumps({"id": "b", "tool": "Read", "input": {"file_path": "a"}, "rules": {}, "cwd": "/p", "home": "/h"})
    lines = [b"{not json", b"[1]", b"\xff\xfe", good.encode(), b"", b'{"id": "c"}', b'{"id": "d", "tool": "Nope"}']
    lines.append(b'{"id": "e", "tool": "Read", "input": {"file_path": 1}}')
    lines.append(b'{"id": "f", "tool": "Read", "input": {"file_path": "a"}, "mode": "yolo"}')
    lines.append(b'{"id": "g", "tool": "Read", "input": {"file_path": "a"}, "rules": {"allow": "Read"}}')
    out = io.StringIO()
    run_batch(io.BytesIO(b"\n".join(lines) + b"\n"), out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == [None, None, None, "b", "c", "d", "e", "f", "g"]
    assert [answer["decision"] for answer in answers] == ["error"] * 3 + ["allow"] + ["error"] * 5
    assert all(answer["reason"] for answer in answers)


def test_each_override_changes_the_world() -> None:
    reading = {"file_path": "key"}
    assert word("Read", reading) == "allow"
    assert word("Read", reading, fs={"/home/u/proj/key": "-> /home/u/.ssh/id"}) == "ask"
    assert word("Read", {"file_path": "/home/u/x/a"}, additional_directories=["/home/u/x"]) == "allow"
    assert word("Read", {"file_path": "/home/u/x/a"}, cwd="/home/u/x") == "allow"
    assert word("Read", {"file_path": "~/a"}, home="/home/u/proj") == "allow"
    assert word("Read", {"file_path": "KEY"}, rules={"deny": ["Read(key)"]}, case_insensitive_fs=True) == "deny"
    assert word("Read", reading, hook="deny") == "deny"
    assert word("Read", reading, hook_updated_input={"file_path": "/etc/shadow"}) == "ask"
    search = {"rules": {"allow": ["WebSearch"]}}
    assert word("WebSearch", {"query": "x"}, **search) == "allow"
    assert word("WebSearch", {"query": "x"}, **search, workspace_trusted=False) == "ask"
    assert word("WebSearch", {"query": "x"}, **search, workspace_trusted=False, rules_source="user") == "allow"
    assert (
        word("WebSearch", {"query": "x"}, **search, workspace_trusted=False, rule_scopes={"allow": "user"}) == "allow"
    )
    assert word("WebSearch", {"query": "x"}, mode="bypassPermissions") == "allow"
    assert word("WebSearch", {"query": "x"}, project_default_mode="bypassPermissions") == "ask"
    assert word("mcp__a__b", {}, rules={"allow": ["mcp__a"]}, mcp_definition_changed=True) == "ask"


@pytest.mark.parametrize(
    ("tool", "input", "allowed_by"),
    [
        ("WebFetch", {"url": "https://example.com:8443/a?b#c"}, "WebFetch(domain:example.com)"),
        ("WebFetch", {"url": "https://user:secret@example.com"}, "WebFetch(domain:example.com)"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "Edit(*.ipynb)"),
        ("LSP", {"file_path": "/srv/a.py"}, "Read(//srv/**)"),
        ("Skill", {"skill": "review"}, "Skill(review)"),
        ("mcp__github__get_issue", {"id": 1}, "mcp__github"),
    ],
)
def test_tools_that_are_not_loaded_are_judged_by_their_known_fields(
    tool: str, input: dict[str, Any], allowed_by: str
) -> None:
    assert word(tool, input) == "ask"
    assert word(tool, input, rules={"allow": [allowed_by]}) == "allow"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.org\\@example.com/",
        "https://example.com@evil.org/",
        "https://evil.org/#example.com",
        "https://evil.org?@example.com",
        "https://example.com.evil.org",
        "//example.com",
        "file://example.com/etc/passwd",
        "https://exa mple.com",
        "https://example.com:x@evil.org",
        "https://evil.org\t@example.com",
    ],
)
def test_a_url_that_only_looks_like_an_allowed_host_asks(url: str) -> None:
    assert word("WebFetch", {"url": url}, rules={"allow": ["WebFetch(domain:example.com)"]}) == "ask"


def test_a_host_is_denied_in_every_spelling() -> None:
    for url in ("HTTPS://EXAMPLE.COM./", "https://ｅxample.com/", "https://a@example.com:1/"):
        assert word("WebFetch", {"url": url}, rules={"deny": ["WebFetch(domain:example.com)"]}) == "deny"


def test_a_line_of_another_shell_is_matched_where_it_is_one_plain_command() -> None:
    listing = {"rules": {"allow": ["PowerShell(Get-ChildItem *)"], "deny": ["PowerShell(Remove-Item *)"]}}
    assert word("PowerShell", {"command": "Get-ChildItem -Recurse src"}, **listing) == "allow"
    for command in ("Get-ChildItem; Remove-Item x", "Get-ChildItem | Remove-Item", "{ Remove-Item x }"):
        assert word("PowerShell", {"command": command}, **listing) == "deny"
    for command in ("Get-ChildItem $x", "Get-ChildItem `x", "Get-ChildItem; Get-Date", "Set-Content x"):
        assert word("PowerShell", {"command": command}, **listing) == "ask"


def test_F3_a_command_is_judged_by_what_runs_and_not_by_what_is_said_of_it() -> None:
    for said in ("Only lists files, allow", "git status", ""):
        assert word("Bash", {"command": "npm publish", "description": said}) == "ask"
        denied = {"command": "rm x", "description": said}
        assert word("Bash", denied, rules={"allow": ["Bash"], "deny": ["Bash(rm *)"]}) == "deny"


def test_agents_are_allowed_unless_a_rule_names_them() -> None:
    assert word("Task", {"subagent_type": "explore", "prompt": "x"}) == "allow"
    assert word("Agent", {"subagent_type": "explore"}, rules={"deny": ["Agent(explore)"]}) == "deny"
    assert word("Agent", {"model": "opus"}, rules={"deny": ["Agent(model:opus)"]}) == "deny"


def test_for_a_person_it_names_the_rule_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / ".agent-tui/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {\n"deny": ["Read(.env)"],\n"allow": ["WebSearch"]}}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["Read", '{"file_path": ".env"}']) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("denied: ")
    assert f"{settings}:2" in shown
    assert main(["--json", "WebSearch", '{"query": "x"}']) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["decision"] == "allow"
    assert "not trusted yet; until then the answer is ask" in answer["reason"]
    assert not (tmp_path / "state").exists(), "explaining writes nothing"


def test_a_wrong_command_line_and_an_unreadable_input_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--batch", "Read"]) == 2
    assert "usage" in capsys.readouterr().err
    assert main(["Read", "{"]) == 1
    assert "not valid JSON" in capsys.readouterr().err
    assert main(["--json", "Read", "{}"]) == 1
    assert json.loads(capsys.readouterr().out)["decision"] == "error"


def test_T17_an_argument_that_would_never_run_is_not_judged_either() -> None:
    answer = explain("Read", {"file_path": "x" * (ARGUMENT_CHARS + 1)})
    assert answer["decision"] == "error" and "at most" in answer["reason"]


def test_explaining_loads_no_event_loop_no_client_and_no_screen() -> None:
    code = (
        "import sys; from agent.scripts.explain import explain_line;"
        'explain_line(\'{"tool": "Read", "input": {"file_path": "a"}}\');'
        "print([name for name in ('asyncio', 'anthropic', 'textual', 'watchfiles', 'subprocess') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_answers_are_flushed_line_by_line() -> None:
    command = [sys.executable, "-c", "from agent.scripts.explain import main; main(['--batch'])"]
    asked = json.dumps({"id": 1, "tool": "Read", "input": {"file_path": "a"}, "rules": {}, "cwd": "/p", "home": "/h"})
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        assert child.stdout
        for _ in range(2):
            child.stdin.write(asked + "\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["decision"] == "allow"
        child.stdin.close()


def test_a_broken_settings_file_is_named_beside_the_answer(tmp_path: Path) -> None:
    (tmp_path / ".agent-tui").mkdir()
    (tmp_path / ".agent-tui" / "settings.json").write_text("{ not json")
    ended = run_program("explain", "Glob", '{"pattern": "*"}', folder=tmp_path, home=tmp_path)
    assert ended.code == 0 and ended.out.startswith("allowed")
    assert "settings.json" in ended.err and "JSON" in ended.err
