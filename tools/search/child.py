"""A search runs in a process of its own: it can be stopped at any moment, and the screen never waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.contract import ToolError
from tools.threads import in_own_thread

DEADLINE_SECONDS = 20.0
# How much longer we wait for what hangs on a disk that does not answer.
HANGING_SECONDS = 2.0
CHUNK_BYTES = 65_536
LOOK_SECONDS = 0.5
MESSAGE_BYTES = 4_096

# All that a searching program needs of ours; above all none of our credentials.
PASSED_ON = ("HOME", "XDG_CONFIG_HOME", "PATH", "LANG", "LC_ALL")

# Runs `main` of one of our modules, isolated: neither the searched folder nor PYTHONPATH can lend it code.
_START = "import sys, importlib; sys.path.append(sys.argv[1]); importlib.import_module(sys.argv[2]).main(sys.argv[3:])"


@dataclass(frozen=True, slots=True)
class Ended:
    """How the search ended. `stopped`: we had enough and ended it; `message` is what it said on stderr."""

    exit_code: int
    message: str = ""
    stopped: bool = False
    timed_out: bool = False


async def run(
    argv: Sequence[str],
    folder: str,
    take: Callable[[bytes], bool],
    seconds: float,
    look: Callable[[], None] | None = None,
    stdin: int = subprocess.DEVNULL,
) -> Ended:
    """Run the program and hand its output to `take`, in a thread, until that says False. `stdin` is a descriptor.

    `look` is called now and then while it runs. However this ends, also by being cancelled, the program and its group
    are gone afterwards.
    """
    search = _Search(argv, folder, take, seconds, stdin)
    running = asyncio.ensure_future(in_own_thread(search.run, seconds + HANGING_SECONDS))
    try:
        while look is not None and not (await asyncio.wait([running], timeout=LOOK_SECONDS))[0]:
            look()
        return await asyncio.shield(running)
    except TimeoutError:
        return Ended(-signal.SIGKILL, timed_out=True)
    finally:
        search.stop()
        await _ended(running)


def our_own(module: str, *arguments: str) -> list[str]:
    """The argv that runs `main(arguments)` of a module of ours in a process of its own."""
    return [sys.executable, "-I", "-c", _START, str(Path(__file__).parents[2]), module, *arguments]


async def _ended(running: asyncio.Future[Ended]) -> None:
    """A search that was stopped ends at once, unless what takes its output hangs."""
    while not running.done():
        with contextlib.suppress(asyncio.CancelledError):  # asking again does not make it faster
            await asyncio.wait([running], timeout=HANGING_SECONDS)
            running.cancel()
    if not running.cancelled():
        running.exception()  # told already, or nobody waits for it


class _Search:
    """One run of a program. `run` blocks; `stop` may be called from anywhere at any time."""

    def __init__(
        self, argv: Sequence[str], folder: str, take: Callable[[bytes], bool], seconds: float, stdin: int
    ) -> None:
        self._argv = argv
        self._folder = folder
        self._take = take
        self._seconds = seconds
        self._stdin = stdin
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = False
        self._message = b""

    def run(self) -> Ended:
        process = self._start()
        if process is None:
            return Ended(-signal.SIGKILL, stopped=True)
        with process:
            how = "stopped"
            try:
                how = self._read(process)
            finally:
                if how != "finished":
                    self.stop()
        message = self._message.decode(errors="replace").strip()
        return Ended(process.returncode, message, how == "stopped", how == "timed out")

    def stop(self) -> None:
        with self._lock:
            self._unwanted = True
            # Once it was waited for, its number may be somebody else's.
            if self._process is not None and self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._unwanted:
                return None
            try:
                self._process = subprocess.Popen(
                    self._argv,
                    cwd=self._folder,
                    env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
                    stdin=self._stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                raise ToolError(f"The search could not start: {error.strerror}.", "failed") from None
            return self._process

    def _read(self, process: subprocess.Popen[bytes]) -> Literal["finished", "stopped", "timed out"]:
        ends = time.monotonic() + self._seconds
        with selectors.DefaultSelector() as outputs:
            for stream in (process.stdout, process.stderr):
                assert stream is not None  # both are pipes, as asked for above
                outputs.register(stream, selectors.EVENT_READ)
            while outputs.get_map():
                left = ends - time.monotonic()
                if left <= 0:
                    return "timed out"
                for key, _ in outputs.select(left):
                    chunk = os.read(key.fd, CHUNK_BYTES)
                    if not chunk:
                        outputs.unregister(key.fileobj)
                    elif key.fileobj is process.stderr:
                        self._message += chunk[: MESSAGE_BYTES - len(self._message)]
                    elif not self._take(chunk):
                        return "stopped"
        return "finished"
