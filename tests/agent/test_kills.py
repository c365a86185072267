"""Killed at any moment, with commands that run, hide and wait in the background: no process of ours is left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.commands import RUNAWAYS, wait_until
from tests.support.program import environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]

KILLS = 50
AT_ONCE = 5
SEED = 20_260_101
# Every other one is killed so long after it was opened, the others so long after their first command has begun.
LATEST_SECONDS = 0.5
MARK = "KILLED_IN_TEST"

PROGRAM = """
import asyncio, os, sys
from agent.assemble import Wanted, open_session
from agent.scripts.answers import say_yes
from agent.settings.merge import Flags
from tools.pipeline import ToolUse

async def main(command):
    wanted = Wanted(folder=os.getcwd(), flags=Flags(trusted=True), answerer=say_yes, keep=False)
    async with await open_session(wanted) as session:
        print("open", flush=True)
        await session.main.run_calls([
            ToolUse("back", "Bash", {"command": command, "run_in_background": True}),
            ToolUse("front", "Bash", {"command": command}),
        ])

asyncio.run(main(sys.argv[1]))
"""


def test_D6_after_fifty_kills_at_random_moments_no_process_of_ours_is_left(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    moments = [chance.random() * LATEST_SECONDS for _ in range(KILLS)]
    folders = [tmp_path / str(number) for number in range(KILLS)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = list(pool.map(killed_after, folders, moments, [number % 2 == 0 for number in range(KILLS)]))
    assert sum(running) >= KILLS // 2, "many were killed while commands ran, or this shows nothing"


def killed_after(folder: Path, seconds: float, once_it_runs: bool) -> bool:
    """Kills a program at its moment and waits until nothing of it is left. Whether a command of it was running."""
    (folder / "home").mkdir(parents=True)
    env = environment(folder / "home", PYTHONPATH=str(Path(__file__).parents[2]), **{MARK: str(folder)})
    argv = [sys.executable, "-c", PROGRAM, RUNAWAYS + "sleep 300"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=folder, env=env) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"open\n"
        if once_it_runs:
            wait_until(lambda: any(folder.glob("*.pid")))
        time.sleep(seconds)  # the moment itself is what is tried
        program.send_signal(signal.SIGKILL)
    wait_until(lambda: not left(folder))
    return any(folder.glob("*.pid"))


def left(folder: Path) -> list[str]:
    """The processes that stand in the folder or carry its name."""
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_of(pid, folder)]


def _is_of(pid: str, folder: Path) -> bool:
    try:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
            return False
        if f"{MARK}={folder}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes():
            return True
        return os.readlink(f"/proc/{pid}/cwd") == str(folder)
    except OSError:  # gone meanwhile
        return False
