"""From somebody else's save to the event on the bus of a session that has read the file; and what watching costs."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time

from agent.assemble import Wanted, open_session
from agent.events import ExternalEdit, Stamped
from benchmarks.table import Row, within
from tools.pipeline import ToolUse

SAVES = 60
FILES = 20
LINES = 200
PATIENCE_SECONDS = 5.0
LATENCY_SECONDS = 0.060
KNOWN_FILES, KNOWN_FOLDERS = 500, 50
IDLE_SECONDS = 20
SHARE_OF_A_CORE = 0.01


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        taken = asyncio.run(_latencies(os.path.realpath(folder)))
        worked = asyncio.run(_idle_cpu(os.path.join(os.path.realpath(folder), "many")))
    p95 = statistics.quantiles(taken, n=20)[-1]
    return [
        within("an outside edit is an event on the bus, p95", p95, LATENCY_SECONDS),
        within(f"CPU of {IDLE_SECONDS} s of watching {KNOWN_FILES} files", worked, IDLE_SECONDS * SHARE_OF_A_CORE, "s"),
    ]


async def _idle_cpu(folder: str) -> float:
    """With the short step, as while somebody types; and with nothing else in the process."""
    paths = [f"{folder}/{number % KNOWN_FOLDERS}/{number}.txt" for number in range(KNOWN_FILES)]
    for path in paths:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _save(path, "as it was")
    async with await open_session(Wanted(folder=folder, keep=False)) as session:
        uses = [ToolUse(f"read-{number}", "Read", {"file_path": path}) for number, path in enumerate(paths)]
        await session.main.run_calls(uses)
        await session.watcher.ready()
        await asyncio.sleep(1)
        worked = time.process_time()
        await asyncio.sleep(IDLE_SECONDS)
        return time.process_time() - worked


async def _latencies(folder: str) -> list[float]:
    edits: asyncio.Queue[ExternalEdit] = asyncio.Queue()
    paths = [f"{folder}/{number}.txt" for number in range(FILES)]
    async with await open_session(Wanted(folder=folder, keep=False)) as session:
        session.bus.listen(lambda stamped: _pick(stamped, edits))
        for path in paths:
            _save(path, "first")
        uses = [ToolUse(f"read-{number}", "Read", {"file_path": path}) for number, path in enumerate(paths)]
        answers = await session.main.run_calls(uses)
        assert all(answer.outcome == "ok" for answer in answers), answers
        # The first one may meet a watch that is still being set up.
        return [await _latency(edits, paths[turn % FILES], turn) for turn in range(SAVES + 1)][1:]


def _pick(stamped: Stamped, edits: asyncio.Queue[ExternalEdit]) -> None:
    if isinstance(stamped.event, ExternalEdit):
        edits.put_nowait(stamped.event)


async def _latency(edits: asyncio.Queue[ExternalEdit], path: str, turn: int) -> float:
    started = time.perf_counter()
    _save(path, f"save {turn}")
    edit = await asyncio.wait_for(edits.get(), PATIENCE_SECONDS)
    assert edit.path == path, f"{edit.path} was reported for {path}"
    assert edit.diff is not None and edit.diff.hunks, "the event says what changed"
    return time.perf_counter() - started


def _save(path: str, last_line: str) -> None:
    """As editors do: a new file, moved over the old one."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write("a line like any other\n" * LINES + last_line + "\n")
    os.replace(f"{path}.new", path)
