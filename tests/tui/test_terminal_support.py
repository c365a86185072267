"""The terminal that other tests look through: what it says stands where it was written."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.support.emulator import Cell, Emulator, Style
from tests.support.terminal import Terminal


def shown(*written: str, columns: int = 10, rows: int = 4) -> Emulator:
    screen = Emulator(columns, rows)
    for part in written:
        screen.feed(part.encode())
    return screen


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("one\r\ntwo", ["one", "two", "", ""]),
        ("\x1b[2;3Hx\x1b[Ay\x1b[1;1Hz", ["z  y", "  x", "", ""]),
        ("0123456789ab", ["0123456789", "ab", "", ""]),
        ("\x1b[?7l0123456789ab", ["012345678b", "", "", ""]),
        ("a\r\nb\r\nc\r\nd\r\ne", ["b", "c", "d", "e"]),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\n", ["a", "c", "", "d"]),
        ("abc\x1b[1;2H\x1b[K", ["a", "", "", ""]),
        ("abc\r\ndef\x1b[2J", ["", "", "", ""]),
        ("日本x", ["日本x", "", "", ""]),
        ("e\u0301x", ["e\u0301x", "", "", ""]),
        ("\x1b]0;title\x07\x1bP1$r\x1b\\\x1b(Bx", ["x", "", "", ""]),
    ],
)
def test_text_stands_where_it_was_put(written: str, lines: list[str]):
    assert shown(written).lines() == lines


def test_a_sequence_may_arrive_in_pieces():
    screen = shown("\x1b", "[3", "8;2;1;2", ";3m", "x\x1b]2;na", "me\x1b\\")
    assert screen.cell(0, 0) == Cell("x", Style(color="#010203"))
    assert screen.title == "name"


def test_styles_are_kept_by_cell():
    screen = shown("\x1b[1;38;5;7;48;2;0;0;255mA\x1b[22;4mB\x1b[0mC\x1b[91;7mD")
    assert [screen.cell(0, column).style for column in range(4)] == [
        Style("7", "#0000ff", bold=True),
        Style("7", "#0000ff", underline=True),
        Style(),
        Style("9", reverse=True),
    ]


def test_a_wide_character_fills_two_cells():
    screen = shown("日x")
    assert [screen.cell(0, column).text for column in range(3)] == ["日", "", "x"]


def test_erased_cells_take_the_ground():
    assert shown("\x1b[48;2;1;1;1m\x1b[2J").cell(3, 9) == Cell(" ", Style(ground="#010101"))


def test_the_other_screen_leaves_the_first_as_it_was():
    screen = shown("before\x1b[?1049h\x1b[Hinside")
    assert screen.lines()[0] == "inside"
    screen.feed(b"\x1b[?1049l!")
    assert screen.lines()[0] == "before!"


PROGRAM = """
import os, signal, sys, termios, tty
def size(*_):
    # Not print, which may be at work where the signal comes.
    os.write(1, ("size %d %d\\n" % os.get_terminal_size()).encode())
signal.signal(signal.SIGWINCH, size)
size()
for line in sys.stdin:
    print("heard", line.strip(), flush=True)
    if line.strip() == "raw":
        tty.setraw(0)
        print("\\x1b[?1049h\\x1b[?2004h", flush=True)
        break
    if line.strip() == "end":
        sys.exit(3)
signal.pause()
"""


@pytest.mark.slow
def test_a_program_runs_in_it():
    with Terminal([sys.executable, "-c", PROGRAM], size=(50, 10), folder="/") as terminal:
        terminal.wait_for("size 50 10")
        terminal.resize(60, 12)
        terminal.wait_for("size 60 12")
        terminal.press("hello\n")
        terminal.wait_for("heard hello")
        assert terminal.find("heard")[1] == 0
        terminal.press("end\n")
        assert terminal.wait_ended() == 3
        assert terminal.restored


@pytest.mark.slow
def test_it_knows_a_terminal_that_was_left_in_disorder():
    with Terminal([sys.executable, "-c", PROGRAM]) as terminal:
        terminal.press("raw\n")
        terminal.wait_until(lambda: terminal.screen.alternate)
        terminal.send(signal.SIGKILL)
        assert terminal.wait_ended() == -signal.SIGKILL
        assert not terminal.restored


@pytest.mark.slow
def test_closing_the_window_is_heard():
    with Terminal([sys.executable, "-c", PROGRAM]) as terminal:
        terminal.wait_for("size")
        terminal.hang_up()
        assert terminal.wait_ended() == -signal.SIGHUP


@pytest.mark.slow
def test_what_does_not_appear_is_told_with_the_screen():
    with (
        Terminal([sys.executable, "-c", "print('only this')"]) as terminal,
        pytest.raises(AssertionError, match="'never' did not appear, the program ended with 0:\nonly this"),
    ):
        terminal.wait_for("never")
