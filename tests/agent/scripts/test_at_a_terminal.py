"""What a person at a terminal sees of the commands for scripts: foreign text, which may want to steer the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.model.scripted import text
from agent.scripts.explain import main as explain
from tests.support.endpoint import Endpoint
from tests.support.loopback import Stream, refused, spoken
from tests.support.program import COMMAND, environment, run_program
from tests.support.terminal import Terminal

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\u202e"
SHOWN = r"\x1b]0;owned\x07red\u202e"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text(HOSTILE)
    return tmp_path / "project"


def test_the_result_of_a_call_is_made_harmless_for_eyes_and_left_alone_for_programs(folder: Path, home: Path) -> None:
    call = ["call", "Bash", json.dumps({"command": "cat a.txt"})]
    with Terminal([COMMAND, *call], environment(home), folder=folder) as terminal:
        assert terminal.wait_ended() == 0
        assert terminal.written == f"{SHOWN}\r\n".encode()
    assert run_program(*call, folder=folder, home=home).out == f"{HOSTILE}\n"


@pytest.mark.slow
def test_so_are_an_answer_and_what_an_endpoint_says(folder: Path, home: Path) -> None:
    answers = [Stream(spoken(text(HOSTILE))), refused(400, "invalid_request_error", HOSTILE)]
    with Endpoint(*answers) as endpoint:
        for code in (0, 1):
            with endpoint.started(home, folder, "-p", "go") as terminal:
                assert terminal.wait_ended() == code
                assert SHOWN.encode() in terminal.written and b"\x1b" not in terminal.written


def test_what_explain_says_steers_nothing_and_no_line_of_it_can_be_forged(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert explain(["Bash", json.dumps({"command": f"rm x{HOSTILE}\n  allow  rule: rm x: Mine."})]) == 0
    said = capsys.readouterr().out
    assert r"\x1b]0;owned\x07\x1b[31mred\u202e\n  allow  rule" in said
    assert not [char for char in said if char != "\n" and not char.isprintable()]
    assert not [line for line in said.splitlines() if line.startswith("  allow  rule")]
    assert explain(["No\x1b[31m", "{}"]) == 1
    assert "\x1b" not in capsys.readouterr().err
