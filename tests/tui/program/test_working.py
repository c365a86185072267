"""The installed command in a terminal, against a server that speaks the Messages API: what is seen while it works."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import text, tool_use
from tests.support.endpoint import Endpoint
from tests.support.loopback import Held, Stream, spoken
from tests.support.terminal import Terminal

pytestmark = pytest.mark.slow

READY = "What shall we do?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def ask(terminal: Terminal, words: str = "go") -> None:
    terminal.wait_for("watcher ready")
    terminal.press(f"{words}\r")
    terminal.wait_for(f"   {words}")


def press_alone(terminal: Terminal, key: str) -> None:
    """Once the keys of the sheet count, and nothing was typed for a while."""
    terminal.wait_for("yes, once")
    terminal.wait_until(lambda: lit(terminal, "y  yes, once"), failing="the keys of the sheet do not count")
    terminal.press(key)


def until(events: list[dict[str, Any]], words: str) -> int:
    """How many events of a reply it takes until its call's input has these words."""
    raw = ""
    for number, event in enumerate(events, start=1):
        raw += event.get("delta", {}).get("partial_json", "")
        if words in raw:
            return number
    raise AssertionError(f"{words!r} is never said")


def lit(terminal: Terminal, words: str) -> bool:
    # A frame that has come only in part may not have them yet.
    return words in terminal.text() and terminal.cell(*terminal.find(words)).style.bold


def test_the_middle_of_a_file_is_on_the_screen_while_it_is_written_and_nothing_on_disk_before_yes(
    tmp_path: Path, folder: Path
) -> None:
    content = "".join(f"line number {number}\n" for number in range(1, 41))
    events = spoken(tool_use("w", "Write", file_path="new.txt", content=content))
    held = Held(events, before=until(events, "line number 22"))
    with Endpoint(held, Stream(spoken(text("All done.")))) as endpoint, endpoint.started(tmp_path, folder) as terminal:
        ask(terminal)
        terminal.wait_for("» Write   new.txt")
        terminal.wait_for("line number 20")
        assert "line number 40" not in terminal.text() and not held.go.is_set()
        held.go.set()
        terminal.wait_for("Write new.txt?")
        assert list(folder.iterdir()) == []
        press_alone(terminal, "y")
        terminal.wait_for_all("All done.", "✓ Write   new.txt", "+40")
        assert (folder / "new.txt").read_text() == content


def test_the_ticks_of_a_slow_command_show_while_it_runs(tmp_path: Path, folder: Path) -> None:
    command = "for n in 1 2 3 4 5 6 7 8 9; do echo tick $n; sleep 0.3; done; until [ -e go ]; do sleep 0.05; done"
    answers = Stream(spoken(tool_use("b", "Bash", command=command))), Stream(spoken(text("All done.")))
    with (
        Endpoint(*answers) as endpoint,
        endpoint.started(tmp_path, folder, "--allowed-tools", "Bash") as terminal,
    ):
        ask(terminal)
        for tick in ("tick 6", "tick 8"):
            terminal.wait_for_all(tick, "▸ Bash    for n in")
        terminal.wait_until(lambda: lit(terminal, "╎ tick"), failing="the rail of what runs is not lit")
        (folder / "go").touch()
        terminal.wait_for_all("All done.", "✓ Bash    for n in")


def test_four_reads_at_once_show_four_names_and_ctrl_o_shows_more(tmp_path: Path, folder: Path) -> None:
    names = ["alpha.py", "beta.py", "gamma.py", "delta.py"]
    for name in names:
        (folder / name).write_text(f"inside_{name[:-3]} = 1\n")
    calls = [tool_use(name, "Read", file_path=name) for name in names]
    with (
        Endpoint(Stream(spoken(*calls)), Stream(spoken(text("All done.")))) as endpoint,
        endpoint.started(tmp_path, folder) as terminal,
    ):
        ask(terminal)
        terminal.wait_for_all("All done.", "✓ Read 4 files", *(f"╎ ✓ Read    {name}" for name in names))
        assert "inside_gamma" not in terminal.text()
        terminal.press("\x0f")
        terminal.wait_for("inside_gamma")
        terminal.wait_for("verbose Ctrl+O")
        terminal.press("\x0f")
        terminal.wait_gone("inside_gamma")


@pytest.mark.parametrize(("key", "goes_on"), [("n", True), ("\x1b", False)])
def test_no_and_escape_run_nothing_and_answer_the_model(tmp_path: Path, folder: Path, key: str, goes_on: bool) -> None:
    answers = Stream(spoken(tool_use("b", "Bash", command="touch made"))), Stream(spoken(text("I do without.")))
    with Endpoint(*answers) as endpoint, endpoint.started(tmp_path, folder) as terminal:
        ask(terminal)
        press_alone(terminal, key)
        if not goes_on:
            terminal.wait_for("stopped by you")
            terminal.press("and now?\r")
        terminal.wait_for_all("I do without.", "⊖ Bash")
        assert not (folder / "made").exists()
        answer = next(
            block
            for message in endpoint.requests[-1].body["messages"]
            if message["role"] == "user"
            for block in message["content"]
            if block["type"] == "tool_result"
        )
        assert answer["tool_use_id"] == "b" and answer["is_error"] and "denied" in str(answer["content"])


def test_yyy_typed_when_the_sheet_appears_approves_nothing_and_is_in_the_prompt(tmp_path: Path, folder: Path) -> None:
    answers = Stream(spoken(tool_use("b", "Bash", command="touch made"))), Stream(spoken(text("never")))
    with Endpoint(*answers) as endpoint, endpoint.started(tmp_path, folder) as terminal:
        ask(terminal)
        terminal.wait_for("Run this command?")
        terminal.press("yyy")
        terminal.wait_for_all("❯ yyy", "your draft has the keys: Tab answers")
        # Longer than any key is held back.
        until = time.monotonic() + 1.5
        terminal.wait_until(lambda: time.monotonic() > until)
        assert not (folder / "made").exists() and len(endpoint.requests) == 1
        terminal.wait_for("❯ yyy")


def write(file: Path) -> None:
    file.write_text("one\nTHEIRS\nthree\n")


def rename(file: Path) -> None:
    other = file.with_name(".tmp")
    other.write_text("one\nTHEIRS\nthree\n")
    other.replace(file)


def save_like_vim(file: Path) -> None:
    backup = file.with_name("a.txt~")
    file.rename(backup)
    file.write_text("one\nTHEIRS\nthree\n")
    backup.unlink()


def append(file: Path) -> None:
    with file.open("a") as opened:
        opened.write("THEIRS\n")


@pytest.mark.parametrize("change", [write, rename, save_like_vim, append])
def test_an_outside_change_is_on_the_screen_at_once_and_survives_the_next_edit(
    tmp_path: Path, folder: Path, change: Callable[[Path], None]
) -> None:
    file = folder / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    answers = [
        Stream(spoken(tool_use("r", "Read", file_path="a.txt"))),
        Stream(spoken(text("I have read it."))),
        Stream(spoken(tool_use("e", "Edit", file_path="a.txt", old_string="three", new_string="3"))),
        Stream(spoken(text("I have changed it."))),
    ]
    with (
        Endpoint(*answers) as endpoint,
        endpoint.started(tmp_path, folder, "--permission-mode", "acceptEdits") as terminal,
    ):
        ask(terminal)
        terminal.wait_for("I have read it.")
        terminal.wait_for("watching 1")
        change(file)
        terminal.wait_for("≢ Outside a.txt")
        terminal.wait_for("+ THEIRS")
        terminal.wait_for("watching 1, 1 changed")
        terminal.press("change three\r")
        terminal.wait_for("I have changed it.")
        assert "THEIRS\n" in file.read_text() and "3\n" in file.read_text() and "three" not in file.read_text()
        told = json.dumps(endpoint.requests[2].body["messages"])
        assert "a.txt (line" in told and "THEIRS" not in told
