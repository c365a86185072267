"""How soon the screen is there: the prompt, a key typed at once, and Textual's frame over the first one."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from functools import partial

from benchmarks import bare_app
from benchmarks.table import Row, in_turns, times, within
from benchmarks.terminal import COMMAND, Program, person

RUNS = 21
PROMPT_FACTOR = 3
KEY_FACTOR = 4
FRAMES = 15
FRAME_FACTOR = 1.3
KEYS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
TYPED_STARTS = 8
PATIENCE_SECONDS = 5.0
# An endpoint nobody asks anything of: with one the program works in its folder, without one it shows the tour.
ENDPOINT = "http://127.0.0.1:9"
ALTERNATE, TEXTUAL = "\x1b[?1049h", "\x1b[?1003h"
BARE = (sys.executable, bare_app.__file__)


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "work")
        os.mkdir(folder)
        start = partial(Program, folder=folder, environ=person(home, ANTHROPIC_BASE_URL=ENDPOINT))
        tour = partial(Program, folder=folder, environ=person(home))
        bare, prompt, key = map(
            statistics.median,
            in_turns(
                RUNS,
                lambda: _ended(start((sys.executable, "-c", "pass"))),
                lambda: _shown(start((COMMAND,)), ALTERNATE, "❯"),
                lambda: _shown(start((COMMAND,)), ALTERNATE, "Q", typed="Q"),
            ),
        )
        frame, ours, tours = map(
            statistics.median,
            in_turns(
                FRAMES,
                lambda: _shown(start(BARE), TEXTUAL, bare_app.WORDS),
                lambda: _shown(start((COMMAND,)), TEXTUAL, "❯"),
                lambda: _shown(tour((COMMAND,)), TEXTUAL, "❯"),
            ),
        )
        lost = sum(not _all_arrive(start((COMMAND,)), ours * spread) for spread in _spreads())
    return [
        times("the prompt on the screen, against python -c pass", prompt, bare, PROMPT_FACTOR),
        times("a key pressed at once on the screen, against the same", key, bare, KEY_FACTOR),
        times("the whole frame, against that of a bare Textual app", ours, frame, FRAME_FACTOR),
        times("the whole frame of the tour, against the same", tours, frame, FRAME_FACTOR),
        within(f"starts of {TYPED_STARTS} that lost or turned around some of {len(KEYS)} keys", lost, 0, ""),
    ]


def _ended(program: Program) -> float:
    with program:
        return program.wait_ended() - program.started


def _shown(program: Program, *texts: str, typed: str = "") -> float:
    with program:
        if typed:
            program.press(typed)
        return program.wait_raw(*texts) - program.started


def _spreads() -> list[float]:
    """Over what part of a start the keys are spread: from a burst at its beginning to beyond its end."""
    return [1.6 * number / (TYPED_STARTS - 1) for number in range(TYPED_STARTS)]


def _all_arrive(program: Program, seconds: float) -> bool:
    with program:
        for number, key in enumerate(KEYS):
            program.pump(program.started + seconds * number / len(KEYS) - time.perf_counter())
            program.press(key)
        return program.shows(KEYS, PATIENCE_SECONDS)
