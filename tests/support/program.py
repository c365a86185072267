"""The program as a person starts it: the command of this environment, in a folder, with an empty home."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.patience import PATIENCE

COMMAND = str(Path(sys.executable).with_name("agent-tui"))


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "AGENT_TUI_", "XDG_"))
    }
    return {**kept, "HOME": str(home), **more}


def run_program(*args: str, folder: Path, home: Path, stdin: str = "", **env: str) -> Ended:
    ended = subprocess.run(
        [COMMAND, *args],
        check=False,
        cwd=folder,
        env=environment(home, **env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


async def start_program(*args: str, folder: Path, home: Path, **env: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        COMMAND,
        *args,
        cwd=folder,
        env=environment(home, **env),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
    )
