"""The installed command in a terminal: how it ends, sleeps and comes back, and what it leaves behind."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.model.scripted import text, tool_use
from tests.support.commands import is_alive, pids_in
from tests.support.endpoint import Endpoint
from tests.support.loopback import Held, Stream, spoken
from tests.support.program import COMMAND, environment, run_program
from tests.support.terminal import Terminal
from tests.tui.program.test_working import lit

pytestmark = pytest.mark.slow

QUIT, DELETE_LINE, UP, CTRL_C = "\x04", "\x15", "\x1b[A", "\x03"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def ask(terminal: Terminal, words: str = "go") -> None:
    terminal.wait_for("watcher ready")
    terminal.press(f"{words}\r")
    terminal.wait_for(f"   {words}")


def ground(terminal: Terminal, words: str) -> str:
    return terminal.cell(*terminal.find(words)).style.ground if words in terminal.text() else ""


def quit_by_keys(terminal: Terminal) -> int:
    """Both presses at once: the second counts only within a second."""
    terminal.press(QUIT * 2)
    return terminal.wait_ended()


def test_quitting_leaves_the_answer_the_files_and_the_way_back_and_that_way_works(tmp_path: Path, folder: Path) -> None:
    (folder / "a.txt").write_text("one\n")
    answers = [
        Stream(spoken(tool_use("r", "Read", file_path="a.txt"))),
        Stream(spoken(tool_use("e", "Edit", file_path="a.txt", old_string="one", new_string="1"))),
        Stream(spoken(text("It is changed."))),
        Stream(spoken(text("I remember."))),
    ]
    with Endpoint(*answers) as endpoint:
        with endpoint.started(tmp_path, folder, "--permission-mode", "acceptEdits") as terminal:
            ask(terminal, "change it")
            terminal.wait_for("It is changed.")
            terminal.wait_for("turn 1")
            assert not terminal.restored
            assert quit_by_keys(terminal) == 0
            assert terminal.restored
            left = terminal.text()
        assert left.startswith("It is changed.\n\nChanged files:\n  M a.txt  +1 -1\n\nagent-tui --resume ")
        id = re.findall(r"--resume (\S+)", left)[0]
        with endpoint.started(tmp_path, folder, "--resume", id) as terminal:
            terminal.wait_for("   change it")
            terminal.wait_for("✓ Edit    a.txt")
            terminal.wait_for("   It is changed.")
            terminal.press("do you remember?\r")
            terminal.wait_for("I remember.")
            said = str(endpoint.requests[-1].body["messages"])
            assert "change it" in said and "do you remember?" in said
            terminal.press("/quit\r")
            assert terminal.wait_ended() == 0


def test_what_was_sent_while_it_started_is_found_again_with_up_also_in_the_next_session(
    tmp_path: Path, folder: Path
) -> None:
    with Endpoint(Stream(spoken(text("Hello.")))) as endpoint:
        with endpoint.started(tmp_path, folder) as terminal:
            terminal.wait_for("What shall we do?")
            terminal.press("as soon as I can\r")
            terminal.wait_for("turn 1")
            terminal.press(UP)
            terminal.wait_for("❯ as soon as I can")
            terminal.press(DELETE_LINE)
            assert quit_by_keys(terminal) == 0
        with endpoint.started(tmp_path, folder) as terminal:
            terminal.wait_for("watcher ready")
            terminal.press(UP)
            terminal.wait_for("❯ as soon as I can")


def test_a_terminated_program_ends_its_children_and_gives_the_terminal_back(tmp_path: Path, folder: Path) -> None:
    call = tool_use("b", "Bash", command="echo $$ > me.pid; sleep 300")
    with (
        Endpoint(Stream(spoken(call))) as endpoint,
        endpoint.started(tmp_path, folder, "--allowed-tools", "Bash") as terminal,
    ):
        ask(terminal)
        terminal.wait_until(lambda: bool(pids_in(folder)))
        (child,) = pids_in(folder)
        terminal.send(signal.SIGTERM)
        assert terminal.wait_ended() == 143
        assert terminal.restored and "Traceback" not in terminal.text()
        terminal.wait_until(lambda: not is_alive(child), failing="the command outlived the program")


def test_an_answer_that_streams_does_not_hold_up_the_end(tmp_path: Path, folder: Path) -> None:
    events = spoken(text("word " * 200))
    held = Held(events, before=len(events) // 2)
    with Endpoint(held) as endpoint, endpoint.started(tmp_path, folder) as terminal:
        ask(terminal)
        terminal.wait_for("word word word")
        terminal.send(signal.SIGTERM)
        assert terminal.wait_ended() == 143
        assert terminal.restored


def test_a_fault_of_ours_in_the_midst_of_the_screen_is_one_sentence_and_the_terminal_is_as_it_was(
    tmp_path: Path, folder: Path
) -> None:
    program = """
import sys
from tui.cli import main
from tui.controllers.opening import Opening
def breaks(self):
    raise ZeroDivisionError("on purpose")
Opening.begin = breaks
sys.exit(main())
"""
    with Endpoint(Stream(spoken(text("x")))) as endpoint:
        environ = environment(tmp_path, ANTHROPIC_BASE_URL=endpoint.url, ANTHROPIC_API_KEY="none", PYTHONPATH=str(ROOT))
        with Terminal([sys.executable, "-c", program], environ, folder=folder) as terminal:
            assert terminal.wait_ended() == 70
            said = terminal.text().replace("\n", "")
            assert said.startswith("agent-tui: this should not have happened: ZeroDivisionError.")
            assert "Traceback" not in said and terminal.restored


def test_it_sleeps_in_the_middle_of_a_turn_and_comes_back_with_all_of_it(tmp_path: Path, folder: Path) -> None:
    events = spoken(text("first half " + "and then the second half"))
    held = Held(events, before=4)
    with Endpoint(held) as endpoint, endpoint.started(tmp_path, folder) as terminal:
        ask(terminal)
        terminal.wait_for("   first")
        terminal.press("my draft")
        terminal.wait_for("❯ my draft")
        terminal.press("\x1a")
        terminal.wait_stopped()
        while terminal.pump(0):
            pass
        assert terminal.restored
        held.go.set()
        terminal.send(signal.SIGCONT)
        terminal.wait_for("first half and then the second half")
        terminal.wait_for("❯ my draft")
        terminal.press(DELETE_LINE)
        terminal.wait_gone("❯ my draft")
        assert quit_by_keys(terminal) == 0
        assert terminal.restored


def test_the_draft_can_be_written_in_an_editor(tmp_path: Path, folder: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "%s, and more" "$(cat "$1")" > "$1"\n')
    editor.chmod(0o755)
    with (
        Endpoint(Stream(spoken(text("x")))) as endpoint,
        endpoint.started(tmp_path, folder, EDITOR=str(editor), VISUAL="") as terminal,
    ):
        terminal.wait_for("watcher ready")
        terminal.press("a thought")
        terminal.wait_for("❯ a thought")
        terminal.press("\x07")
        terminal.wait_for("❯ a thought, and more")
        terminal.press("!")
        terminal.wait_for("❯ a thought, and more!")


@pytest.mark.parametrize("editor", ["/no/such/editor", "'vi", "/"])
def test_an_editor_that_cannot_be_started_is_a_sentence_and_the_draft_goes_on(
    tmp_path: Path, folder: Path, editor: str
) -> None:
    with (
        Endpoint(Stream(spoken(text("x")))) as endpoint,
        endpoint.started(tmp_path, folder, EDITOR=editor, VISUAL="") as terminal,
    ):
        terminal.wait_for("watcher ready")
        terminal.press("a thought")
        terminal.wait_for("❯ a thought")
        terminal.press("\x07")
        terminal.wait_for("the editor cannot be started")
        terminal.press(", and more")
        terminal.wait_for("❯ a thought, and more")
        terminal.press(DELETE_LINE)
        terminal.wait_gone("❯ a thought")
        assert quit_by_keys(terminal) == 0 and terminal.restored


def test_ctrl_c_at_an_editor_that_leaves_the_terminal_as_it_is_ends_the_editor_alone(
    tmp_path: Path, folder: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho waiting\nsleep 60\n")
    editor.chmod(0o755)
    with (
        Endpoint(Stream(spoken(text("x")))) as endpoint,
        endpoint.started(tmp_path, folder, EDITOR=str(editor), VISUAL="") as terminal,
    ):
        terminal.wait_for("watcher ready")
        terminal.press("a thought")
        terminal.wait_for("❯ a thought")
        terminal.press("\x07")
        terminal.wait_for("waiting")
        terminal.press(CTRL_C)
        terminal.wait_for("❯ a thought")
        terminal.press(", and more")
        terminal.wait_for("❯ a thought, and more")


def test_a_chosen_row_opens_in_the_editor_at_its_line(tmp_path: Path, folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    editor = tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n')
    editor.chmod(0o755)
    answers = [
        Stream(spoken(tool_use("r", "Read", file_path="a.txt"))),
        Stream(spoken(tool_use("e", "Edit", file_path="a.txt", old_string="three", new_string="3"))),
        Stream(spoken(text("All done."))),
    ]
    with (
        Endpoint(*answers) as endpoint,
        endpoint.started(
            tmp_path, folder, "--permission-mode", "acceptEdits", EDITOR=str(editor), VISUAL=""
        ) as terminal,
    ):
        ask(terminal)
        terminal.wait_for("turn 1")
        terminal.press("\t")
        terminal.wait_until(lambda: ground(terminal, "All done.") != ground(terminal, "turn 1"))
        terminal.press("ke")
        terminal.wait_until((tmp_path / "opened").exists)
        terminal.wait_for("All done.")
        assert (tmp_path / "opened").read_text().split() == ["+3", f"{folder}/a.txt"]
        assert "❯ e" not in terminal.text()


def test_without_a_terminal_it_says_what_works(tmp_path: Path, folder: Path) -> None:
    ended = run_program(folder=folder, home=tmp_path, ANTHROPIC_API_KEY="none")
    assert ended.code == 1 and "-p" in ended.err and "Traceback" not in ended.err


@pytest.mark.parametrize("size", [(19, 10), (40, 4)])
def test_a_terminal_that_is_too_small_gets_a_sentence(tmp_path: Path, folder: Path, size: tuple[int, int]) -> None:
    with Endpoint(Stream(spoken(text("x")))) as endpoint, endpoint.started(tmp_path, folder, size=size) as terminal:
        assert terminal.wait_ended() == 1
        assert b"the screen needs 20 columns and 5 lines" in terminal.written and terminal.restored


def test_at_its_smallest_it_still_asks_and_hears_an_answer(tmp_path: Path, folder: Path) -> None:
    answers = Stream(spoken(tool_use("b", "Bash", command="touch made"))), Stream(spoken(text("Done.")))
    with Endpoint(*answers) as endpoint, endpoint.started(tmp_path, folder, size=(20, 5)) as terminal:
        terminal.wait_for_all("❯", "Enlarge to 60x15")
        terminal.press("go\r")
        terminal.wait_until(lambda: len(endpoint.requests) == 1)
        terminal.wait_for("Run this")
        terminal.press("\x1b")
        terminal.wait_gone("Run this")
        assert not (folder / "made").exists()
        terminal.press("/quit\r")
        assert terminal.wait_ended() == 0 and terminal.restored


def say_yes_until(terminal: Terminal, words: str) -> None:
    """To whatever is asked, once its keys count; again where it was asked anew in the same moment."""
    while words not in terminal.text():
        terminal.wait_until(lambda: lit(terminal, "y  yes, once") or words in terminal.text())
        if words in terminal.text():
            return
        terminal.press("y")
        again = time.monotonic() + 10
        terminal.wait_until(lambda again=again: not lit(terminal, "y  yes, once") or time.monotonic() > again)


def test_the_tour_needs_no_key_and_shows_questions_and_an_outside_edit(tmp_path: Path, folder: Path) -> None:
    environ = environment(tmp_path)
    with Terminal([COMMAND], environ, folder=folder) as terminal:
        terminal.wait_for("press Enter, and the tour begins")
        terminal.press("\r")
        terminal.wait_for("I am a script, not a model")
        say_yes_until(terminal, "turn 1")
        assert b"Outside" in terminal.written
        assert quit_by_keys(terminal) == 0 and terminal.restored
    assert subprocess.run(["find", str(folder), "-type", "f"], capture_output=True, check=True).stdout == b""
