"""How the screen starts and ends: what it is given, and the terminal as it was, whatever ended it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.program import environment
from tests.support.starting import ROOT, STAND_IN, let_go, started
from tests.support.terminal import Terminal

pytestmark = pytest.mark.slow

TEXTUAL = "TEXTUAL IS HERE"
F2, F8, F9 = "\x1bOQ", "\x1b[19~", "\x1b[20~"
LAST_WORDS = "Session abc, agent-tui --continue goes on with it."
# Before Textual, while it is loaded, and when it is there.
FIRST = "What shall we do?"
MOMENTS = [FIRST, TEXTUAL]


def test_quitting_leaves_the_last_words_and_the_terminal_as_it_was(tmp_path: Path):
    with started(tmp_path, answers=True) as terminal:
        terminal.wait_for(TEXTUAL)
        assert not terminal.restored
        terminal.press(F9)
        assert terminal.wait_ended() == 0
        assert terminal.text() == LAST_WORDS
        assert terminal.restored


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_ends_it_in_order(tmp_path: Path, moment: str, number: signal.Signals, code: int):
    with started(tmp_path, held=moment == FIRST) as terminal:
        terminal.wait_for(moment)
        terminal.press("x")
        terminal.wait_for("x")
        terminal.send(number)
        assert terminal.wait_ended() == code
        assert terminal.text() == ""
        assert terminal.restored


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_closed_window_ends_it(tmp_path: Path, moment: str):
    with started(tmp_path, held=moment == FIRST) as terminal:
        terminal.wait_for(moment)
        terminal.hang_up()
        assert terminal.wait_ended() == 129


def test_a_fault_is_one_sentence_and_a_private_report(tmp_path: Path):
    with started(tmp_path) as terminal:
        terminal.wait_for(TEXTUAL)
        terminal.press(F8)
        assert terminal.wait_ended() == 70
        said = terminal.text().replace("\n", "")
        assert said.startswith("agent-tui: this should not have happened: ZeroDivisionError. What led to it is in ")
        (report,) = (tmp_path / ".local/state/agent-tui/crashes").iterdir()
        assert str(report) in said
        assert "on purpose" in report.read_text()
        assert terminal.restored


def test_a_fault_while_loading_gives_the_terminal_back(tmp_path: Path):
    broken = STAND_IN.replace("standin.py", "no such file.py")
    with Terminal(
        [sys.executable, "-c", broken], environment(tmp_path, PYTHONPATH=str(ROOT)), folder=tmp_path
    ) as terminal:
        assert terminal.wait_ended() == 70
        assert b"What shall we do?" in terminal.written
        assert "this should not have happened" in terminal.text()
        assert terminal.restored


def test_it_sleeps_and_comes_back(tmp_path: Path):
    with started(tmp_path, held=True) as terminal:
        terminal.wait_for(FIRST)
        terminal.press("draft\x1a")
        let_go(tmp_path)
        terminal.wait_stopped()
        while terminal.pump(0):
            pass
        assert terminal.restored
        terminal.send(signal.SIGCONT)
        terminal.wait_for(TEXTUAL)
        terminal.press("!")
        terminal.wait_for("draft!")
        terminal.press(F9)
        assert terminal.wait_ended() == 0
        assert terminal.restored


@pytest.mark.parametrize("sleeps", [True, False])
def test_who_is_put_to_sleep_by_somebody_else_comes_back_and_gives_the_terminal_back_all_the_same(
    tmp_path: Path, sleeps: bool
):
    with started(tmp_path) as terminal:
        terminal.wait_for(TEXTUAL)
        terminal.press("one")
        terminal.wait_for("one")
        if sleeps:
            terminal.send(signal.SIGSTOP)
            terminal.wait_stopped()
        entered = terminal.written.count(b"\x1b[?1049h")
        terminal.send(signal.SIGCONT)
        terminal.wait_until(lambda: terminal.written.count(b"\x1b[?1049h") > entered)
        terminal.press(" and two, and all of it in order")
        terminal.wait_for("one and two, and all of it in order")
        terminal.press(F9)
        assert terminal.wait_ended() == 0
        assert terminal.restored


def test_a_wrong_line_is_told_on_the_terminal_as_it_was(tmp_path: Path):
    with started(tmp_path, "--max-turns", "none") as terminal:
        assert terminal.wait_ended() == 2
        assert "--max-turns takes a number" in terminal.text()
        assert terminal.restored


def test_a_tiny_terminal_gets_a_sentence(tmp_path: Path):
    with started(tmp_path, size=(19, 10)) as terminal:
        assert terminal.wait_ended() == 1
        assert "the screen needs 20 columns" in " ".join(terminal.text().replace("\n", "").split())
        assert terminal.restored


def test_a_terminal_that_cannot_move_its_cursor_gets_a_sentence(tmp_path: Path):
    with started(tmp_path, term="dumb") as terminal:
        assert terminal.wait_ended() == 1
        assert "TERM=dumb" in terminal.text()


def test_without_a_terminal_a_task_is_told_where_to_go(tmp_path: Path):
    program = [sys.executable, "-c", STAND_IN, "mend the test"]
    environ = environment(tmp_path, PYTHONPATH=str(ROOT))
    ended = subprocess.run(program, capture_output=True, text=True, check=False, env=environ, stdin=subprocess.DEVNULL)
    assert (ended.returncode, ended.stderr) == (
        1,
        'agent-tui: the screen needs a terminal; `agent-tui -p "the task"` works without one.\n',
    )


def test_without_a_model_it_is_the_tour(tmp_path: Path):
    with started(tmp_path, "--ascii", "--theme", "paper") as terminal:
        terminal.wait_for(TEXTUAL)
        terminal.press(F2)
        terminal.wait_for("START (True, 'paper', True, '', False, None, False)")


def test_what_the_line_asked_for_is_what_it_is_given(tmp_path: Path):
    args = ("--permission-mode", "plan", "-c", "mend the test")
    with started(tmp_path, *args, ANTHROPIC_API_KEY="k", LC_ALL="C.UTF-8") as terminal:
        terminal.wait_for(TEXTUAL)
        terminal.press(F2)
        terminal.wait_for("START (False, None, False, 'mend the test', True, 'plan', True)")
