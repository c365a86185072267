"""The one table, and how its numbers are taken: medians of runs that alternate with their reference."""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class Row:
    """A measured number and the most it may be. Times are in seconds; `unit` is how they are shown."""

    name: str
    measured: float
    limit: float
    bound: str
    reference: float | None = None
    unit: str = "ms"

    @property
    def holds(self) -> bool:
        return self.measured <= self.limit


def within(name: str, measured: float, limit: float, unit: str = "ms") -> Row:
    """A bound that stands by itself."""
    return Row(name, measured, limit, f"<= {_number(limit, unit)}", None, unit)


def times(name: str, measured: float, reference: float, factor: float, unit: str = "ms") -> Row:
    bound = f"{measured / reference:.1f} x, <= {factor:g} x"
    return Row(name, measured, factor * reference, bound, reference, unit)


def more(name: str, measured: float, reference: float, extra: float) -> Row:
    over = _number(measured - reference, "ms")
    return Row(name, measured, reference + extra, f"+ {over}, <= + {_number(extra, 'ms')}", reference)


def show(rows: Iterable[Row]) -> str:
    table = [("what", "measured", "reference", "bound", "")]
    for row in rows:
        reference = "" if row.reference is None else _number(row.reference, row.unit)
        verdict = "holds" if row.holds else "MISSED"
        table.append((row.name, _number(row.measured, row.unit), reference, row.bound, verdict))
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in table)


def medians(runs: int, *works: Callable[[], object]) -> list[float]:
    """How long each takes; they take turns, so that a busy moment of the machine meets all of them."""

    def timed(work: Callable[[], object]) -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return [statistics.median(mine) for mine in in_turns(runs, *(partial(timed, work) for work in works))]


def in_turns(runs: int, *works: Callable[[], float]) -> list[list[float]]:
    """What each says it took."""
    taken: list[list[float]] = [[] for _ in works]
    for turn in range(runs + 1):
        for work, mine in zip(works, taken, strict=True):
            took = work()
            if turn > 0:  # the first round only warms up
                mine.append(took)
    return taken


def percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]


async def async_medians(runs: int, *works: Callable[[], Awaitable[object]], share: float = 0.5) -> list[float]:
    """`share` 0.25 takes the first quartile of all: other programs only ever add, and a bound in milliseconds does not
    grow with what they add, as a ratio would."""
    taken: list[list[float]] = [[] for _ in works]
    for turn in range(runs + 1):
        for work, mine in zip(works, taken, strict=True):
            started = time.perf_counter()
            await work()
            if turn > 0:
                mine.append(time.perf_counter() - started)
    return [sorted(mine)[int(len(mine) * share)] for mine in taken]


def peak_megabytes() -> float:
    """The most this process ever held; the system counts in bytes on macOS and in kibibytes elsewhere."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1_000_000 if sys.platform == "darwin" else peak * 1024 / 1_000_000


def quiet_environment() -> dict[str, str]:
    """As a person has it: bytecode is kept, and nothing is added to the path."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONUNBUFFERED")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def _number(value: float, unit: str) -> str:
    match unit:
        case "ms":
            return f"{value * 1000:.2f} ms" if abs(value) < 0.01 else f"{value * 1000:.0f} ms"
        case "s":
            return f"{value:.2f} s"
        case _:
            return f"{value:.0f} {unit}"
