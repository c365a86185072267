"""A program in a terminal of its own, driven from outside: keys in, a screen out, with deadlines instead of sleeps.

    with Terminal([COMMAND], env=environment(home), folder=folder) as terminal:
        terminal.wait_for("What shall we do?")
        terminal.press("hello\\r")

Every wait fails with the whole screen in its message.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from tests.support.emulator import Cell, Emulator
from tests.support.patience import PATIENCE

_LOOK_AGAIN = 0.05


class Terminal:
    """`size` is columns and rows. `answers`: it says what it can when asked, as modern terminals do."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (120, 40),
        folder: str | os.PathLike[str] | None = None,
        answers: bool = False,
        term: str = "xterm-256color",
    ) -> None:
        self.screen = Emulator(*size)
        # When each piece of output came, for those who measure.
        self.output: list[tuple[float, bytes]] = []
        self.code: int | None = None
        self._answers = answers
        self._master, self._slave = os.openpty()
        self._set_size(*size)
        self.attributes_before = termios.tcgetattr(self._slave)
        if folder is not None:
            argv = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', os.fspath(folder), *argv]
        environ = {"COLORTERM": "truecolor", **(os.environ if env is None else env), "TERM": term}
        name = os.ttyname(self._slave)
        self.started = time.perf_counter()
        # The first terminal a new session opens becomes its controlling one.
        self.pid = os.posix_spawnp(
            argv[0],
            list(argv),
            environ,
            setsid=True,
            # Whoever runs us in the background may have us ignore some of these.
            setsigdef=[signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM],
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what is seen

    def lines(self) -> list[str]:
        return self.screen.lines()

    def text(self) -> str:
        return "\n".join(self.lines()).rstrip("\n")

    def cell(self, row: int, column: int) -> Cell:
        return self.screen.cell(row, column)

    def find(self, text: str) -> tuple[int, int]:
        """Row and column of its first appearance."""
        for row, line in enumerate(self.lines()):
            if text in line:
                return row, line.index(text)
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text()}")

    @property
    def bytes_written(self) -> int:
        return sum(len(data) for _, data in self.output)

    @property
    def written(self) -> bytes:
        return b"".join(data for _, data in self.output)

    # -- what is done to it

    def press(self, keys: str | bytes) -> None:
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(columns, rows)
        self._set_size(columns, rows)

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        """At once, without a last word."""
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait_ended()

    def hang_up(self) -> None:
        """The window is closed: the program hears SIGHUP and nothing it writes arrives any more."""
        os.close(self._master)
        self._master = -1

    def close(self) -> None:
        self.kill()
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1

    # -- waiting

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        self.wait_until(lambda: text in self.text(), seconds, f"{text!r} did not appear")

    def wait_for_all(self, *texts: str) -> None:
        """All on the screen at one time: a frame may come in parts."""
        missing = list(texts)

        def holds() -> bool:
            missing[:] = [text for text in texts if text not in self.text()]
            return not missing

        self.wait_until(holds, failing=f"one of {texts!r} did not appear")

    def wait_gone(self, text: str, seconds: float = PATIENCE) -> None:
        self.wait_until(lambda: text not in self.text(), seconds, f"{text!r} did not go")

    def wait_until(
        self, holds: Callable[[], bool], seconds: float = PATIENCE, failing: str = "it did not happen"
    ) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            ended = self._reap()
            if not self.pump(min(_LOOK_AGAIN, max(deadline - time.monotonic(), 0))) and not holds():
                assert not ended, f"{failing}, the program ended with {self.code}:\n{self.text()}"
                assert time.monotonic() < deadline, f"{failing} in {seconds} s:\n{self.text()}"

    def wait_ended(self, seconds: float = PATIENCE) -> int:
        """The exit code, a signal's as a negative number; everything it wrote is on the screen."""
        deadline = time.monotonic() + seconds
        while not self._reap():
            self.pump(_LOOK_AGAIN)
            assert time.monotonic() < deadline, f"it did not end in {seconds} s:\n{self.text()}"
        while self.pump(0):
            pass
        assert self.code is not None
        return self.code

    def wait_stopped(self, seconds: float = PATIENCE) -> None:
        """It has put itself to sleep, as by Ctrl+Z."""
        deadline = time.monotonic() + seconds
        while not os.WIFSTOPPED(os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)[1]):
            self.pump(_LOOK_AGAIN)
            assert time.monotonic() < deadline, f"it was not stopped in {seconds} s:\n{self.text()}"

    def pump(self, seconds: float) -> bool:
        """Take what it wrote, waiting at most so long; False where there was nothing."""
        if self._master < 0 or not select.select([self._master], [], [], seconds)[0]:
            return False
        data = os.read(self._master, 1 << 16)
        self.output.append((time.perf_counter(), data))
        self.screen.feed(data)
        if self._answers and self.screen.answers:
            self.press(b"".join(self.screen.answers))
        self.screen.answers.clear()
        return bool(data)

    @property
    def has_ended(self) -> bool:
        return self._reap()

    @property
    def restored(self) -> bool:
        """Line mode as before, and no mode of a full-screen program left on."""
        left_on = self.screen.modes - {7, 25}
        return (
            termios.tcgetattr(self._slave) == self.attributes_before
            and not left_on
            and {7, 25} <= self.screen.modes
            and self.screen.kitty_depth <= 0
        )

    def _reap(self) -> bool:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
