"""Running the Bash tool for real: a launcher of its own for each test, closed at its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.support.calls import context
from tests.support.patience import PATIENCE
from tools.bash.data import BashOutput
from tools.bash.launcher import SessionLauncher
from tools.bash.tool import Bash
from tools.context import ToolContext
from tools.contract import ToolError, ToolResult
from tools.inputs import ToolOutput
from tools.results import ResultStore

T = TypeVar("T")


def bash_in(
    folder: Path, work: Callable[[Bash, ToolContext], Awaitable[T]], shown: list[ToolOutput] | None = None
) -> T:
    """Does the work with a Bash tool whose outputs lie beside the folder."""

    async def with_launcher() -> T:
        launcher = SessionLauncher()
        try:
            bash = Bash(launcher, ResultStore(folder.parent / f"{folder.name}-results"))
            return await work(bash, context(folder, seen=object(), progress=shown))
        finally:
            await launcher.close()

    return asyncio.run(with_launcher())


def run_command(command: str, folder: Path, **more: Any) -> ToolResult[BashOutput]:
    """Validates and calls, like the pipeline does."""

    async def all_steps(bash: Bash, ctx: ToolContext) -> ToolResult[BashOutput]:
        parsed = bash.parse_input({"command": command, **more})
        checked = await bash.validate_input(parsed, ctx)
        if not checked.ok:
            raise ToolError(checked.message, checked.code)
        return await bash.call(parsed, ctx)

    return bash_in(folder, all_steps)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


async def wait_for(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    await asyncio.to_thread(wait_until, condition, seconds)


def pids_in(folder: Path) -> list[int]:
    """The process ids that commands wrote into files named `*.pid`."""
    texts = [file.read_text().strip() for file in sorted(folder.glob("*.pid"))]
    return [int(text) for text in texts if text]


# Starts three processes that try to get away: in the group, in a session of its own, and forked twice.
RUNAWAYS = (
    "sleep 300 & echo $! > a.pid; "
    "setsid sh -c 'echo $$ > b.pid; exec sleep 300' & "
    "(setsid sh -c 'echo $$ > c.pid; exec sleep 300' &) ; "
    "env -i setsid sh -c 'echo $$ > d.pid; exec sleep 300' & "
)
RUNAWAY_COUNT = 4
