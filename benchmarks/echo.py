"""From a key to its letter on the screen, while nothing goes on and while an answer streams in."""

from __future__ import annotations

import os
import tempfile

from benchmarks.endpoint import endpoint
from benchmarks.screen import BARE
from benchmarks.table import Row, in_turns, percentile, times
from benchmarks.terminal import COMMAND, Program, person

KEYS = 150
FACTOR = 2
# Letters that neither the answer nor the screen has.
LETTERS = "QWEZXJKV"
CLEAR = "\x15"
# So long nobody types, so that the keys meet every moment of what else goes on.
PAUSE_SECONDS = 0.011


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as home, endpoint() as url:
        folder = os.path.join(home, "work")
        os.mkdir(folder)
        environ = person(home, ANTHROPIC_BASE_URL=url)
        with (
            Program(BARE, folder, environ) as bare,
            Program([COMMAND], folder, environ) as calm,
            Program([COMMAND], folder, environ) as streaming,
        ):
            for program in (calm, streaming):
                program.wait_for("Watcher")
            streaming.ask("hello", "Answered.")
            programs = (bare, calm, streaming)
            for program in programs:
                program.wait_quiet()
            streaming.ask("trickle", "some words")
            echoes = in_turns(KEYS, *(_Typist(program, programs).press for program in programs))
    reference, ours, meanwhile = (percentile(echo, 95) for echo in echoes)
    return [
        times("a key's echo, p95, against that of a bare Textual app", ours, reference, FACTOR),
        times("the same while text streams in, 100 pieces a second", meanwhile, reference, FACTOR),
    ]


class _Typist:
    """Types one letter after the other into a program, and reads what all of them write."""

    def __init__(self, program: Program, all: tuple[Program, ...]) -> None:
        self._program = program
        self._all = all
        self._pressed = 0

    def press(self) -> float:
        """How long the letter took; what other programs took of that does not count."""
        letter = LETTERS[self._pressed % len(LETTERS)]
        if letter == LETTERS[0]:
            self._program.press(CLEAR)
            self._pause()
        self._pause()
        self._pressed += 1
        kept_waiting = self._program.kept_waiting()
        pressed = self._program.press(letter)
        shown = self._program.wait_for(letter)
        return shown - pressed - (self._program.kept_waiting() - kept_waiting)

    def _pause(self) -> None:
        for program in self._all:
            program.pump(PAUSE_SECONDS)
