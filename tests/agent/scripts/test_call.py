"""`agent-tui call`, as a script uses it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.edits import edit_of, labelled_edits, put_before, wrong_end
from tests.support.patience import PATIENCE
from tests.support.program import COMMAND, environment, run_program


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def test_the_labelled_edits_pass_through_one_batch_byte_for_byte(folder: Path, home: Path) -> None:
    rows = labelled_edits()
    assert len(rows) > 250
    lines: list[dict[str, Any]] = []
    for row in rows:
        path = folder / f"{row['id']}.txt"
        if put_before(row, path):
            lines.append({"id": f"read {row['id']}", "tool": "Read", "input": {"file_path": str(path)}})
        lines.append({"id": row["id"], "tool": "Edit", "input": edit_of(row, path)})
    ended = run_program("call", "--batch", "--yes", folder=folder, home=home, stdin="\n".join(map(json.dumps, lines)))
    assert ended.code == 0, ended.err
    answers = {answer["id"]: answer for answer in map(json.loads, ended.out.splitlines())}
    outcomes = {id: "ok" if answer["ok"] else answer["code"] for id, answer in answers.items()}
    wrong = [wrong_end(row, folder / f"{row['id']}.txt", outcomes[row["id"]]) for row in rows]
    assert [one for one in wrong if one] == []


def test_what_would_ask_is_denied_with_the_reason_unless_yes_is_given(folder: Path, home: Path) -> None:
    given = json.dumps({"command": "touch made"})
    refused = run_program("call", "Bash", given, folder=folder, home=home)
    assert (refused.code, (folder / "made").exists()) == (1, False)
    assert "No rule allows it" in refused.err
    allowed = run_program("call", "--yes", "Bash", given, folder=folder, home=home)
    assert (allowed.code, (folder / "made").exists()) == (0, True)


def test_yes_holds_back_before_deny_rules_and_removals_that_always_ask(folder: Path, home: Path) -> None:
    settings = folder / ".agent-tui"
    settings.mkdir()
    (settings / "settings.json").write_text(json.dumps({"permissions": {"deny": ["Bash(touch *)"]}}))
    denied = run_program("call", "--yes", "Bash", json.dumps({"command": "touch made"}), folder=folder, home=home)
    assert denied.code == 1 and "denied" in denied.err
    removal = run_program("call", "--yes", "Bash", json.dumps({"command": f"rm -rf {home}"}), folder=folder, home=home)
    assert removal.code == 1 and home.exists()


def test_lines_that_cannot_be_read_are_answered_and_the_next_goes_on(folder: Path, home: Path) -> None:
    (folder / "a.txt").write_text("hello\n")
    lines = ["not json", "[]", '{"id": 1}', '{"id": 2, "tool": "Read", "input": {"file_path": "a.txt"}}']
    ended = run_program("call", "--batch", folder=folder, home=home, stdin="\n".join(lines))
    answers = [json.loads(line) for line in ended.out.splitlines()]
    assert [answer["ok"] for answer in answers] == [False, False, False, True]
    assert "hello" in answers[3]["result"]


@pytest.mark.parametrize("command", ["call", "explain"])
def test_no_line_of_a_batch_ends_it_whatever_it_holds(command: str, folder: Path, home: Path) -> None:
    (folder / "a.txt").write_text("hello\n")
    nested = ["[" * deep + "]" * deep for deep in (100, 600, 950, 100_000)]
    nameless = [reading(id) for id in ("NaN", "1e999", "9" * 5000, r'"\ud800"', '"\udce9"', *nested)]
    named = [reading('"named"', path) for path in nested[:3]]
    ended = subprocess.run(
        [COMMAND, command, "--batch"],
        check=False,
        cwd=folder,
        # As in most people's locales, where what is no UTF-8 is an error to a stream of text.
        env=environment(home, PYTHONIOENCODING="utf-8:strict"),
        input="\n".join([*nameless, *named, reading('"good"')]).encode(errors="surrogateescape"),
        capture_output=True,
        timeout=2 * PATIENCE,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    answers = [json.loads(line, parse_constant=pytest.fail) for line in ended.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [*[None] * len(nameless), *["named"] * len(named), "good"]
    went = [answer["ok"] if command == "call" else answer["decision"] == "allow" for answer in answers]
    assert went == [False] * (len(answers) - 1) + [True]


def reading(id: str, path: str = '"a.txt"') -> str:
    return f'{{"id": {id}, "tool": "Read", "input": {{"file_path": {path}}}}}'


@pytest.mark.parametrize(
    "args", [(), ("Read",), ("Read", "{"), ("Read", "[" * 600 + "]" * 600), ("--batch", "Read", "{}")]
)
def test_a_wrong_command_line_gets_a_sentence_and_code_2(args: tuple[str, ...], folder: Path, home: Path) -> None:
    ended = run_program("call", *args, folder=folder, home=home)
    assert ended.code == 2 and ended.err.strip() and "Traceback" not in ended.err


def test_what_a_long_output_was_stored_in_is_there_afterwards(folder: Path, home: Path) -> None:
    given = json.dumps({"command": "seq 20000"})
    ended = run_program("call", "--yes", "Bash", given, folder=folder, home=home)
    named = re.search(r"/\S+\.txt", ended.out)
    assert named is not None, ended.out
    assert Path(named[0]).read_text().endswith("\n20000\n")


def test_a_call_that_stores_nothing_leaves_no_session_behind(folder: Path, home: Path) -> None:
    assert run_program("call", "Glob", json.dumps({"pattern": "*"}), folder=folder, home=home).code == 0
    sessions = home / ".local" / "state" / "agent-tui" / "sessions"
    assert not list(sessions.glob("*/*"))


def test_a_broken_settings_file_is_named_beside_the_answer(folder: Path, home: Path) -> None:
    (folder / ".agent-tui").mkdir()
    (folder / ".agent-tui" / "settings.json").write_text("{ not json")
    ended = run_program("call", "Glob", '{"pattern": "*"}', folder=folder, home=home)
    assert ended.code == 0 and ended.out
    assert "settings.json" in ended.err and "JSON" in ended.err
