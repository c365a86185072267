"""Running one hook: a process that can neither hold us up, nor fill our memory, nor outlive us.

The session's launcher starts it, in a session of its own, without a terminal, and ends it with all it started when we
go, however we go. Its stdin is a file and so are its stdout and stderr: a hook that never reads blocks nobody, and of
what it prints only the beginning is ever read.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tools.contract import ToolError
from tools.ports import Launcher, RunningCommand
from tools.threads import in_thread

TIMEOUT_SECONDS = 60.0
# A hook that prints more than this is ended; of what is printed so much is read.
QUOTA_BYTES = 16 * 1024 * 1024
READ_BYTES = 1024 * 1024
# After so long the person is told which hook everything waits for.
SLOW_SECONDS = 5.0
LOOK_SECONDS = 0.1

# The launcher hands over no input, and one file for both outputs: the shell's own redirection does the rest.
_REDIRECTED = 'exec "$0" -c "$1" <"$2" 2>"$3"'


@dataclass(frozen=True, slots=True)
class Job:
    """A command line for a shell, what it finds on stdin, and where it runs."""

    shell: str
    command: str
    input: str
    folder: str
    env: Mapping[str, str]
    timeout: float


@dataclass(frozen=True, slots=True)
class Ran:
    """How a hook ended. `exit_code` is None where it did not end by itself; then `trouble` says why."""

    exit_code: int | None
    out: str = ""
    err: str = ""
    seconds: float = 0.0
    trouble: str = ""


async def run_hook(launcher: Launcher, job: Job, on_slow: Callable[[], None]) -> Ran:
    """Cancelling ends the hook and everything it started, and then goes on."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    slow = loop.call_later(SLOW_SECONDS, on_slow)
    files: _Files | None = None
    try:
        files = await _files_with(job.input)
        exit_code, trouble = await _run(launcher, job, files)
        out, err = await in_thread(files.read)
        return Ran(exit_code, out, err, loop.time() - began, trouble)
    except ToolError as error:
        return Ran(None, seconds=loop.time() - began, trouble=error.message)
    except OSError as error:
        return Ran(None, seconds=loop.time() - began, trouble=f"it was not started: {error.strerror or error}.")
    finally:
        slow.cancel()
        if files is not None:
            # Not awaited: also when this is being cancelled, they must go.
            files.remove()


async def _files_with(input: str) -> _Files:
    """Made in a thread, for an input may be large; whoever is cancelled meanwhile leaves none behind."""
    making = asyncio.ensure_future(in_thread(_Files, input))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        making.add_done_callback(lambda made: made.cancelled() or made.exception() or made.result().remove())
        raise


async def _run(launcher: Launcher, job: Job, files: _Files) -> tuple[int | None, str]:
    argv = ("/bin/sh", "-c", _REDIRECTED, job.shell, job.command, files.input, files.err)
    command = await launcher.start(argv, job.folder, job.env, files.out)
    try:
        return await _watch(command, job.timeout, files)
    except asyncio.CancelledError:
        await asyncio.shield(command.end())
        raise


async def _watch(command: RunningCommand, timeout: float, files: _Files) -> tuple[int | None, str]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    waiting = asyncio.ensure_future(command.wait())
    try:
        while True:
            left = deadline - loop.time()
            await asyncio.wait([waiting], timeout=max(0.0, min(LOOK_SECONDS, left)))
            if waiting.done():
                return waiting.result(), ""
            if files.size() > QUOTA_BYTES:
                await command.end()
                return None, f"it was ended because it printed more than {QUOTA_BYTES} bytes."
            if loop.time() >= deadline:
                await command.end()
                return None, f"it was ended after {timeout:g} s."
    finally:
        waiting.cancel()


class _Files:
    """The three files of one run, in a folder nobody else can look into."""

    def __init__(self, input: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="agent-tui-hook-")
        self.input, self.out, self.err = (os.path.join(self._folder, name) for name in ("in", "out", "err"))
        with open(self.input, "x", encoding="utf-8") as file:
            file.write(input)

    def size(self) -> int:
        return sum(os.path.getsize(path) for path in (self.out, self.err) if os.path.exists(path))

    def read(self) -> tuple[str, str]:
        return _beginning(self.out), _beginning(self.err)

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _beginning(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(READ_BYTES).decode("utf-8", errors="replace")
    except FileNotFoundError:  # it did not come so far
        return ""
