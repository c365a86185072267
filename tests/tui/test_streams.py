"""Standard streams that are closed, full, or cannot take every character: a sentence at most, and nothing mixed up."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE
from tests.support.program import COMMAND, Ended, environment

HI = json.dumps({"command": "echo hi"})


def shell(line: str, folder: Path, **env: str) -> Ended:
    """`$0` is the command."""
    argv = ["/bin/sh", "-c", line, COMMAND]
    ended = subprocess.run(
        argv,
        cwd=folder,
        env=environment(folder, **env),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.parametrize("line", ["--version", "--help", "explain Bash 'HI'", "call Bash 'HI'"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_as_if_it_led_nowhere(tmp_path: Path, line: str, closed: str) -> None:
    command = f'"$0" {line.replace("HI", HI)}'
    ended = shell(f"{command} {closed}", tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == ("" if ">&-" in closed.replace("2>&-", "") else shell(command, tmp_path).out)


def test_lines_from_a_closed_input_are_none(tmp_path: Path) -> None:
    assert shell('"$0" call --batch <&-', tmp_path) == Ended(0, "", "")
    assert shell('"$0" explain --batch <&-', tmp_path) == Ended(0, "", "")


def test_what_a_failed_call_says_goes_nowhere_but_to_the_errors(tmp_path: Path) -> None:
    assert shell('"$0" call Nope "{}" 2>&-', tmp_path) == Ended(1, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("line", ["--version", "explain Bash 'HI'", "call Bash 'HI'", "tour --quick"])
def test_output_that_cannot_be_written_is_one_sentence_and_1(tmp_path: Path, line: str) -> None:
    ended = shell(f'"$0" {line.replace("HI", HI)} > /dev/full', tmp_path)
    assert (ended.code, ended.err) == (1, "agent-tui: the output could not be written: No space left on device.\n")


def test_a_character_the_output_cannot_take_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "grün").write_text("x")
    ended = shell('"$0" call Glob \'{"pattern": "gr*"}\'', tmp_path, PYTHONIOENCODING="ascii")
    assert (ended.code, ended.out, ended.err) == (0, "gr\\xfcn\n", "")
