"""Bash against the plain way to do the same: a spawn, and a flood of output into a file."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from pathlib import Path

from benchmarks.contexts import context
from benchmarks.table import Row, async_medians, more, peak_megabytes, times, within
from tools.bash.launcher import SessionLauncher
from tools.bash.tool import Bash
from tools.contract import build_tool
from tools.results import ResultStore

RUNS = 61
MORE_PER_SPAWN_SECONDS = 0.002
FLOOD_BYTES = 100_000_000
FLOOD_RUNS = 5
FLOOD_FACTOR = 2
# Ten of the floods, one after the other, in one output.
DELUGE_FLOODS = 10
FLOOD_MEGABYTES = 16


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(folder))


async def _measure(folder: str) -> list[Row]:
    launcher = SessionLauncher()
    results = ResultStore(Path(folder) / "results")
    bash = build_tool(Bash, launcher=launcher, outputs=results)

    async def ours(command: str) -> None:
        done = await bash.call(bash.Input(command=command), context("call-1", folder))
        assert done.data.exit_code == 0, done.data.output
        # As with the plain one, of which only the latest is there: or the disk is what is measured.
        Path(done.data.stored).unlink()

    async def plain(command: str) -> None:
        with open(f"{folder}/plain", "wb") as out:
            subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, check=True)

    async def spawned() -> None:
        command = await launcher.start(("/bin/bash", "-c", "true"), folder, dict(os.environ), f"{folder}/ours")
        assert await command.wait() == 0

    try:
        spawn, plain_spawn = await async_medians(RUNS, spawned, lambda: plain("true"), share=0.25)
        _write_flood(f"{folder}/flood")
        before = peak_megabytes()
        flood, plain_flood = await async_medians(FLOOD_RUNS, lambda: ours("cat flood"), lambda: plain("cat flood"))
        await _deluge(bash, folder)
        grown = peak_megabytes() - before
    finally:
        await launcher.close()
    return [
        more("a spawn of Bash, against a plain one", spawn, plain_spawn, MORE_PER_SPAWN_SECONDS),
        times("100 MB through Bash, against cat > file", flood, plain_flood, FLOOD_FACTOR),
        within("memory that takes, and 1 GB at once", grown, FLOOD_MEGABYTES, "MB"),
    ]


async def _deluge(bash: Bash, folder: str) -> None:
    """All of it goes to the disk, and what the model gets stays small."""
    cats = "; ".join(["cat flood"] * DELUGE_FLOODS)
    done = (await bash.call(bash.Input(command=cats), context("call-2", folder))).data
    stored = Path(done.stored)
    assert done.total_bytes == stored.stat().st_size == DELUGE_FLOODS * Path(f"{folder}/flood").stat().st_size
    assert len(done.output) < bash.max_result_chars
    stored.unlink()


def _write_flood(path: str) -> None:
    line = b"the same line again and again, as programs do\n"
    with open(path, "wb") as file:
        for _ in range(FLOOD_BYTES // (1000 * len(line))):
            file.write(line * 1000)
