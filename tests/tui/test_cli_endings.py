"""How the program ends: exit codes, and what is left behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE
from tui.endings import guarded


def fails_with(error: BaseException):
    def work() -> int:
        raise error

    return work


def test_the_code_of_the_work_is_the_code_of_the_program():
    assert guarded(lambda: 3) == 3


def test_an_interrupt_is_130():
    assert guarded(fails_with(KeyboardInterrupt())) == 130


def test_SIGTERM_closes_what_is_open_and_is_143():
    closed: list[bool] = []

    def work() -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        finally:
            closed.append(True)
        return 0

    with pytest.raises(SystemExit) as ended:
        guarded(work)
    assert ended.value.code == 143
    assert closed


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_in_a_place_where_python_drops_exceptions_still_ends_the_program(number: signal.Signals):
    class Dropped:
        def __del__(self) -> None:
            signal.raise_signal(number)

    def work() -> int:
        Dropped()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            # In short turns: a signal that comes just before a long one would be heard only after it.
            time.sleep(0.01)
        return 0

    try:
        code = guarded(work)
    except SystemExit as ended:
        code = ended.code
    assert code == 128 + number


def test_a_fault_is_one_sentence_and_a_private_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert guarded(fails_with(ZeroDivisionError("by zero"))) == 70
    said = capsys.readouterr().err
    [report] = (tmp_path / "agent-tui" / "crashes").iterdir()
    assert said.count("\n") == 1
    assert str(report) in said
    assert "ZeroDivisionError: by zero" in report.read_text()
    assert "in work" in report.read_text()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700


def test_F9_a_report_quotes_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-secret")
    guarded(fails_with(ValueError("refused sk-test-secret")))
    [report] = (tmp_path / "agent-tui" / "crashes").iterdir()
    assert "refused <ANTHROPIC_API_KEY>" in report.read_text()
    assert "sk-test-secret" not in report.read_text()


def test_a_fault_is_told_in_full_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "agent-tui").mkdir()
    (tmp_path / "agent-tui" / "crashes").write_text("in the way")
    assert guarded(fails_with(ZeroDivisionError())) == 70
    assert "in work" in capsys.readouterr().err


def test_a_pipe_of_our_own_that_breaks_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    source = "import sys; from tui.endings import guarded\ndef work(): raise BrokenPipeError\nsys.exit(guarded(work))"
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ended.returncode == 70


@pytest.mark.parametrize("lines", [1, 100_000])
def test_output_that_nobody_reads_any_more_ends_quietly(lines: int):
    """Whether it breaks while it is written or only when the rest is flushed."""
    source = (
        "import sys; from tui.endings import guarded\n"
        "sys.stdin.read()\n"
        f"sys.exit(guarded(lambda: [print('x') for _ in range({lines})] and 0))"
    )
    program = [sys.executable, "-c", source]
    pipes = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipes, stdout=pipes, stderr=pipes) as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdout.close()
        running.stdin.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141
