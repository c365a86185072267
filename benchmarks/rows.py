"""A long session against a short one: what one more row costs, and how much memory all of them take."""

from __future__ import annotations

import os
import statistics
import tempfile
from functools import partial

from benchmarks.endpoint import endpoint
from benchmarks.long_session import ROWS_A_TURN, save_long_session
from benchmarks.table import Row, in_turns, times, within
from benchmarks.terminal import COMMAND, Program, person

FEW, MANY = 100, 10_000
APPENDS = 25
APPEND_FACTOR = 1.3
MEGABYTES = 40
ROW_SECONDS = 0.4


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as home, endpoint() as url:
        folder = os.path.join(home, "work")
        os.mkdir(folder)
        environ = person(home, ANTHROPIC_BASE_URL=url)
        few_id, many_id = (save_long_session(home, folder, rows) for rows in (FEW, MANY))
        with (
            Program([COMMAND], folder, environ) as empty,
            Program([COMMAND, "--resume", few_id], folder, environ) as few,
            Program([COMMAND, "--resume", many_id], folder, environ) as many,
        ):
            empty.wait_for("Watcher")
            few.wait_for(f"That was {FEW // ROWS_A_TURN}.")
            many.wait_for(f"That was {MANY // ROWS_A_TURN}.")
            for program in (empty, few, many):
                program.wait_quiet()
            grown = many.megabytes() - empty.megabytes()
            append, reference = map(statistics.median, in_turns(APPENDS, partial(_append, many), partial(_append, few)))
    return [
        times(f"CPU of one more row after {MANY}, against one after {FEW}", append, reference, APPEND_FACTOR),
        within(f"memory for {MANY} rows, over that of an empty session", grown, MEGABYTES, "MB"),
    ]


def _append(program: Program) -> float:
    """A command of the person's own: rows, and no request whose length depends on the history."""
    program.press("!true")
    program.wait_for("!true")
    program.wait_quiet(ROW_SECONDS / 4)
    worked = program.cpu_seconds()
    program.press("\r")
    program.pump(ROW_SECONDS)
    return program.cpu_seconds() - worked
