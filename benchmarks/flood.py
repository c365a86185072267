"""200 KB of markdown at full speed: what it costs to read and draw it, and whether the screen stays there meanwhile."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import watched
from benchmarks.endpoint import FLOOD_CHARS, FLOOD_ENDS, endpoint
from benchmarks.table import Row, in_turns, percentile, times, within
from benchmarks.terminal import COMMAND, Program, person

RUNS = 3
CPU_FACTOR = 3
GAP_SECONDS = 0.050
MEGABYTES = 40
QUIT = "\x04\x04"
# A watch on the loop costs something by itself.
WATCHED_HUM = 0.05


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as home, endpoint() as url:
        floods = _Floods(home, url)
        cpu, alone = map(statistics.median, in_turns(RUNS, floods.ours, floods.sdk_alone))
        gaps = statistics.median(floods.longest_gap() for _ in range(RUNS))
    kilobytes = statistics.median(floods.written) / 1000
    return [
        times("CPU for 200 KB of markdown, against the SDK alone", cpu, alone, CPU_FACTOR, "s"),
        within("what the terminal is sent for it", kilobytes, FLOOD_CHARS / 1000, "KB"),
        within("memory after it, over that of the start", statistics.median(floods.grown), MEGABYTES, "MB"),
        within("the main loop is away, p99", gaps, GAP_SECONDS),
    ]


class _Floods:
    def __init__(self, home: str, url: str) -> None:
        self._url = url
        self._folder = os.path.join(home, "work")
        os.mkdir(self._folder)
        self._environ = person(home, ANTHROPIC_BASE_URL=url)
        self._ticks = os.path.join(home, "ticks")
        self.written: list[float] = []
        self.grown: list[float] = []

    def ours(self) -> float:
        """The seconds of CPU; what is written and kept is noted."""
        with Program([COMMAND], self._folder, self._environ) as program:
            self._begin(program)
            before, worked, written = program.megabytes(), program.cpu_seconds(), program.bytes_read
            program.ask("flood", FLOOD_ENDS, "turn 2")
            worked = program.cpu_seconds() - worked
            program.wait_quiet()
            self.written.append(program.bytes_read - written)
            self.grown.append(program.megabytes() - before)
            return worked

    def sdk_alone(self) -> float:
        command = [sys.executable, "-m", "benchmarks.sdk_alone", self._url]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def longest_gap(self) -> float:
        """Of a hundred times the loop is away, the longest."""
        root = str(Path(__file__).parents[1])
        command = [sys.executable, "-m", "benchmarks.watched", self._ticks]
        with Program(command, self._folder, {**self._environ, "PYTHONPATH": root}, hum=WATCHED_HUM) as program:
            self._begin(program)
            start = time.perf_counter()
            end = program.ask("flood", FLOOD_ENDS, "turn 2")
            program.wait_quiet()
            program.press(QUIT)
            program.wait_ended()
        return percentile(watched.gaps_between(self._ticks, start, end), 99)

    def _begin(self, program: Program) -> None:
        """As after a first answer: everything is loaded."""
        program.wait_for("Watcher")
        program.wait_quiet()
        program.ask("hello", "Answered.", "turn 1")
        program.wait_quiet()
