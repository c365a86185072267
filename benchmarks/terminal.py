"""A program in a pseudo-terminal of its own, read as plainly as can be: measuring must cost the machine little."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.table import quiet_environment

COMMAND = str(Path(sys.executable).with_name("agent-tui"))
PATIENCE_SECONDS = 30.0
QUIET_SECONDS = 0.5
QUIET_HUM = 0.01
BREATH_SECONDS = 0.2
# What is looked through for a text: more than one frame.
_RECENT = 1 << 15
_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")


def person(home: str, **more: str) -> dict[str, str]:
    """The environment of somebody with an empty home and a modern terminal."""
    apart = ("ANTHROPIC_", "AGENT_TUI_", "XDG_", "NO_COLOR", "TEXTUAL")
    kept = {name: value for name, value in quiet_environment().items() if not name.startswith(apart)}
    return {**kept, "HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor", **more}


class Program:
    """Started at once; killed when it is left."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: str,
        environ: Mapping[str, str],
        size: tuple[int, int] = (120, 40),
        hum: float = QUIET_HUM,
    ) -> None:
        """`hum` is the share of a core that it may use and still count as quiet."""
        self.bytes_read = 0
        self._hum = hum
        self._recent = b""
        self._ended = False
        self._master, slave = os.openpty()
        columns, rows = size
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        name = os.ttyname(slave)
        # Changed here, so that no shell stands in between.
        before = os.getcwd()
        os.chdir(folder)
        self.started = time.perf_counter()
        try:
            # The first terminal a new session opens becomes its controlling one.
            self.pid = os.posix_spawn(
                argv[0],
                list(argv),
                environ,
                setsid=True,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
                    (os.POSIX_SPAWN_DUP2, 0, 1),
                    (os.POSIX_SPAWN_DUP2, 0, 2),
                ],
            )
        finally:
            os.chdir(before)
            os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._ended:
            os.kill(self.pid, signal.SIGKILL)
            self.wait_ended()
        os.close(self._master)

    def press(self, keys: str) -> float:
        """When they were pressed. What came before them is not looked at any more."""
        self._recent = b""
        os.write(self._master, keys.encode())
        return time.perf_counter()

    def ask(self, words: str, *answer: str) -> float:
        """Type it and send it; when the last part of the answer came."""
        self.press(words)
        # Enter in one breath with the words would be a line of the text.
        self.wait_for(words[-20:])
        self.pump(BREATH_SECONDS)
        self.press("\r")
        return self.wait_for(*answer)

    def wait_for(self, *texts: str) -> float:
        """When the last of these texts came, each after the one before, however they are coloured."""
        return self._wait(texts, plain)

    def wait_raw(self, *texts: str) -> float:
        """The same with the terminal's own language in them."""
        return self._wait(texts, bytes)

    def wait_quiet(self, seconds: float = QUIET_SECONDS) -> None:
        """Until it neither writes nor works any more."""
        until = time.perf_counter() + PATIENCE_SECONDS
        while time.perf_counter() < until:
            worked = self.cpu_seconds()
            wrote = self.pump(seconds)
            if not wrote and self.cpu_seconds() - worked < self._hum * seconds:
                return
        raise TimeoutError("the program is never quiet")

    def pump(self, seconds: float) -> int:
        """Take for so long what it writes; how much that was."""
        before, until = self.bytes_read, time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            if select.select([self._master], [], [], left)[0]:
                self._take()
        return self.bytes_read - before

    def wait_ended(self) -> float:
        with contextlib.suppress(OSError):  # nobody is at the other end any more
            while True:
                self._take()
        os.waitpid(self.pid, 0)
        self._ended = True
        return time.perf_counter()

    def cpu_seconds(self) -> float:
        """What it has worked so far, with all its threads and without its children: Linux' clock of another process."""
        return time.clock_gettime(((~self.pid) << 3) | 2)

    def kept_waiting(self) -> float:
        """How many seconds its threads could have worked and had no processor: what other programs took from it."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with (
                contextlib.suppress(OSError),  # that thread is gone
                open(f"/proc/{self.pid}/task/{task}/schedstat", encoding="ascii") as file,
            ):
                total += int(file.read().split()[1])
        return total / 1e9

    def megabytes(self) -> float:
        with open(f"/proc/{self.pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("Rss:")) * 1024 / 1_000_000

    def shows(self, text: str, seconds: float) -> bool:
        """Whether it comes in so many seconds."""
        until = time.perf_counter() + seconds
        while text.encode() not in plain(self._recent):
            left = until - time.perf_counter()
            if left < 0 or not select.select([self._master], [], [], left)[0]:
                return False
            self._take()
        return True

    def _wait(self, texts: Sequence[str], shown: Callable[[bytes], bytes]) -> float:
        at, wanted = 0.0, re.compile(b".*?".join(re.escape(text.encode()) for text in texts), re.DOTALL)
        while not wanted.search(shown(self._recent)):
            if not select.select([self._master], [], [], PATIENCE_SECONDS)[0]:
                raise TimeoutError(f"{texts} did not come; the last of it: {plain(self._recent)[-600:]!r}")
            at = self._take()
        return at

    def _take(self) -> float:
        data = os.read(self._master, 1 << 16)
        at = time.perf_counter()
        self.bytes_read += len(data)
        self._recent = (self._recent + data)[-_RECENT:]
        return at


def plain(data: bytes) -> bytes:
    return _SEQUENCE.sub(b"", data)
