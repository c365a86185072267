"""What it takes to judge command lines: those people write, and those made to be hard to read."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.table import Row, within
from tests.support.hostile_lines import HOSTILE_LINES
from tests.support.permissions import world
from tools.bash.inside import inside_line
from tools.bash.parse import parse
from tools.bash.readonly import only_reads
from tools.bash.subjects import subjects_of
from tools.permissions.decide import decide
from tools.permissions.world import Call

VECTORS = Path(__file__).parents[1] / "tests" / "vectors" / "shell_readonly.jsonl"
ORDINARY = 1_000
ORDINARY_SECONDS = 0.5
HOSTILE_SECONDS = 0.05
RUNS = 5
WORLD = world(
    deny=("Bash(rm *)", "Read(.env)", "Edit(src/**)"), ask=("Bash(git push *)",), allow=("Bash(npm *)", "Edit(out/*)")
)


def measure() -> list[Row]:
    lines = [json.loads(row)["command"] for row in VECTORS.read_text(encoding="utf-8").splitlines()]
    ordinary = [line for line in lines if 0 < len(line) < 200]
    # Each another one: judged once, a line is remembered.
    thousand = [f"{ordinary[number % len(ordinary)]} #{number}" for number in range(ORDINARY)]
    slowest = max(_processor(partial(_judge, line)) for line in HOSTILE_LINES.values())
    return [
        within(
            f"judging {ORDINARY} ordinary commands",
            _processor(lambda: [_judge(line) for line in thousand]),
            ORDINARY_SECONDS,
        ),
        within(f"the slowest of {len(HOSTILE_LINES)} hostile lines of 10 KB", slowest, HOSTILE_SECONDS),
    ]


def _judge(line: str) -> None:
    subjects = subjects_of(line)
    decide(Call("Bash", subjects=subjects, read_only=only_reads(parse(line))), WORLD)


def _processor(work: Callable[[], object]) -> float:
    """Seconds of the processor, the median of a few: what else runs here is not counted."""
    taken: list[float] = []
    for _ in range(RUNS):
        parse.cache_clear()
        inside_line.cache_clear()
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)
