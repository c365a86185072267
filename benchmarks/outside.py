"""Somebody else's edit, from their save to its row on the screen; and what waiting for one costs."""

from __future__ import annotations

import os
import tempfile
import time

from benchmarks.endpoint import endpoint
from benchmarks.table import Row, percentile, within
from benchmarks.terminal import COMMAND, Program, person

FILES = 20
EDITS = 60
PAUSE_SECONDS = 0.12
MEDIAN_SECONDS, P95_SECONDS = 0.060, 0.150
IDLE_SECONDS = 20
IDLE_CPU_SECONDS = 0.15


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as made, endpoint() as url:
        home = os.path.realpath(made)
        folder = os.path.join(home, "work")
        os.mkdir(folder)
        paths = [os.path.join(folder, f"{number}.txt") for number in range(FILES)]
        for path in paths:
            _save(path, "as it was")
        with Program([COMMAND], folder, person(home, ANTHROPIC_BASE_URL=url)) as program:
            program.wait_for("Watcher")
            program.wait_quiet()
            program.ask("read " + " ".join(paths), "Answered.", "turn 1")
            program.wait_quiet()
            worked = program.cpu_seconds()
            program.pump(IDLE_SECONDS)
            worked = program.cpu_seconds() - worked
            taken = [_until_shown(program, paths[edit % FILES], f"change {edit}.") for edit in range(EDITS)]
    return [
        within(f"CPU of {IDLE_SECONDS} s in which nothing happens", worked, IDLE_CPU_SECONDS, "s"),
        within("an outside edit is on the screen, p50", percentile(taken, 50), MEDIAN_SECONDS),
        within("the same, p95", percentile(taken, 95), P95_SECONDS),
    ]


def _until_shown(program: Program, path: str, words: str) -> float:
    program.pump(PAUSE_SECONDS)
    saved = time.perf_counter()
    _save(path, words)
    return program.wait_for(words) - saved


def _save(path: str, words: str) -> None:
    """As editors do: a new file, moved over the old one."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(f"a first line\n{words}\na last line\n")
    os.replace(f"{path}.new", path)
