"""The command as a whole, up to the door of those who do the work."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.version import __version__
from tui.cli import main
from tui.piped import TooMuch, piped_text

PROGRAM = [sys.executable, "-c", "import sys; from tui.cli import main; sys.exit(main())"]


def run(*args: str, **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *args], capture_output=True, text=True, check=False, **how)  # type: ignore[call-overload] (the keywords of run)


def test_version(capsys: pytest.CaptureFixture[str]):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"agent-tui {__version__}\n"


def test_a_wrong_line_is_one_sentence_and_2(capsys: pytest.CaptureFixture[str]):
    assert main(["--nonsense"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1


def test_help_goes_to_stdout_and_is_no_failure(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    assert "agent-tui -p TASK" in capsys.readouterr().out


def test_no_task_is_one_sentence_and_2():
    ended = run("-p", stdin=subprocess.DEVNULL)
    assert ended.returncode == 2
    assert "there is no task" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_A29_a_working_folder_that_is_gone_is_one_sentence_and_1(tmp_path: Path):
    gone = tmp_path / "gone"
    gone.mkdir()
    source = f"import os, sys; os.rmdir({str(gone)!r}); from tui.cli import main; sys.exit(main(['tour']))"
    root = str(Path(__file__).resolve().parents[2])
    ended = subprocess.run(
        [sys.executable, "-c", source],
        cwd=gone,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (
        1,
        "agent-tui: the working folder is gone; change to another one and start again.\n",
    )


def test_a_working_folder_that_cannot_be_read_is_one_sentence_and_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    # Root may read everything, so the system's word on it is what is replaced.
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    assert main(["call", "Read", "{}"]) == 1
    assert capsys.readouterr().err.startswith(f"agent-tui: the working folder {tmp_path} cannot be read")


def test_explain_answers_for_a_person_and_for_a_script(tmp_path: Path):
    told = run("explain", "--json", "Read", '{"file_path": "a"}', env={**os.environ, "HOME": str(tmp_path)})
    assert json.loads(told.stdout)["decision"] == "allow"


def test_what_explain_loads_is_light():
    source = (
        "import sys; from tui.cli import main; main(['explain', 'Bash', '{\"command\": \"git status\"}'])\n"
        "heavy = {'asyncio', 'textual', 'anthropic', 'watchfiles', 'httpx2', 'rich', 'argparse'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_what_version_loads_is_next_to_nothing():
    source = (
        "import sys; before = set(sys.modules); from tui.cli import main; main(['--version'])\n"
        "new = set(sys.modules) - before - {'tui', 'tui.cli', 'tools', 'tools.version', '__future__'}\n"
        "assert not new, new"
    )
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


# -- standard input


def pipe_with(data: bytes) -> io.TextIOWrapper:
    read, write = os.pipe()
    with open(write, "wb") as writer:
        writer.write(data)
    return open(read, encoding="utf-8")


def test_piped_text_is_read_to_its_end():
    with pipe_with("grüße\n".encode()) as source:
        assert piped_text(source, io.StringIO()) == "grüße\n"


def test_piped_bytes_that_are_no_text_are_shown_as_such():
    with pipe_with(b"caf\xe9") as source:
        assert piped_text(source, io.StringIO()) == "caf�"


def test_a_closed_standard_input_is_none():
    assert piped_text(None, io.StringIO()) == ""


def test_a_terminal_is_not_read():
    leader, follower = os.openpty()
    with open(leader, "rb", buffering=0), open(follower, encoding="utf-8") as terminal:
        assert piped_text(terminal, io.StringIO()) == ""


def test_a_pipe_that_stays_silent_is_waited_for_but_not_in_silence():
    read, write = os.pipe()

    class Notes(io.StringIO):
        """Whoever is told that we wait ends the wait."""

        def flush(self) -> None:
            os.write(write, b"late")
            os.close(write)

    notes = Notes()
    with open(read, encoding="utf-8") as source:
        assert piped_text(source, notes, patience=0) == "late"
    assert "waiting for the end of standard input" in notes.getvalue()


def test_more_than_a_task_may_hold_is_refused(tmp_path: Path):
    large = tmp_path / "large"
    large.write_bytes(b"x" * 10_000_001)
    with large.open(encoding="utf-8") as source, pytest.raises(TooMuch, match="more than 10 MB; put it into a file"):
        piped_text(source, io.StringIO())
