"""The program with a watch on its main loop: `python -m benchmarks.watched FILE`, the options of agent-tui after it.

A callback wants to run every few milliseconds. When it did is written to FILE at the end, on the clock that all
processes share, and how long the loop had then been kept waiting for a processor: that is other programs' doing.
"""

import asyncio
import json
import sys
import time
from itertools import pairwise

EVERY_SECONDS = 0.005


def gaps_between(file: str, start: float, end: float) -> list[float]:
    """How long the loop was away each time, between two moments, by its own doing."""
    with open(file, encoding="ascii") as told:
        ticks = [(at, kept_waiting) for at, kept_waiting in json.load(told) if start <= at <= end]
    return [later[0] - earlier[0] - (later[1] - earlier[1]) for earlier, later in pairwise(ticks)]


class _Watched(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self.ticks: list[tuple[float, float]] = []
        self._scheduler = open("/proc/thread-self/schedstat", "rb", buffering=0)  # noqa: SIM115 (as long as the loop)

    def run_forever(self) -> None:
        self._tick()
        super().run_forever()

    def _tick(self) -> None:
        self._scheduler.seek(0)
        kept_waiting = int(self._scheduler.read().split()[1]) / 1e9
        self.ticks.append((time.perf_counter(), kept_waiting))
        self.call_later(EVERY_SECONDS, self._tick)


class _Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        loop = _Watched()
        loops.append(loop)
        return loop


if __name__ == "__main__":
    loops: list[_Watched] = []
    asyncio.set_event_loop_policy(_Policy())
    from tui.cli import main

    code = main(sys.argv[2:])
    with open(sys.argv[1], "w", encoding="ascii") as file:
        json.dump([tick for loop in loops for tick in loop.ticks], file)
    sys.exit(code)
