"""The session's launcher, seen from our side: starts commands outside this process, so that they end when we do.

One small process per session (`launcher_child.py`, where the how is told) forks for each command. It is started with
the first command, and again with the next one should it ever die.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from tools.bash.environment import without_credentials
from tools.bash.launcher_child import CONFINES
from tools.contract import ToolError
from tools.ports import Confined
from tools.threads import in_thread

# How long a healthy launcher may take to start a command.
START_SECONDS = 10.0
# A little more than the launcher's own grace, after which it kills.
END_SECONDS = 3.0
CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher_child.py")


class SessionLauncher:
    """`tools.ports.Launcher`. Close it when the session ends; if we are killed, it ends everything by itself.

    `confines`: whether commands will be put inside by Landlock, which is then loaded before the first of them.
    """

    def __init__(self, confines: Callable[[], bool] = lambda: False) -> None:
        self._confines = confines
        self._process: _Process | None = None
        self._commands: set[StartedCommand] = set()
        self._lock = threading.Lock()

    async def start(
        self, argv: tuple[str, ...], folder: str, env: Mapping[str, str], output: str, confined: Confined | None = None
    ) -> StartedCommand:
        request: dict[str, Any] = {"argv": argv, "folder": folder, "env": dict(env), "output": output}
        if confined is not None:
            request |= {"argv": confined.argv, "rules": confined.rules, "feed": confined.feed.hex()}
        starting = asyncio.ensure_future(in_thread(self._start, request))
        try:
            pid, connection = await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_abandon)
            raise
        command = StartedCommand(pid, connection, self._commands.discard)
        self._commands.add(command)
        return command

    @property
    def process_id(self) -> int | None:
        """The launcher's own process, once it was needed."""
        return self._process.pid if self._process else None

    async def close(self) -> None:
        """End whatever still runs, and the launcher."""
        for command in tuple(self._commands):
            await command.abandon()
        process, self._process = self._process, None
        if process is not None:
            await in_thread(process.close)

    def _start(self, request: dict[str, Any]) -> tuple[int, socket.socket]:
        """In a thread: hand the command over and hear whether it runs. A launcher that died is replaced once."""
        ours, theirs = socket.socketpair()
        try:
            with self._lock, theirs:
                self._hand_over(request, theirs)
            ours.settimeout(START_SECONDS)
            answer = _read_message(ours)
        except OSError as error:
            ours.close()
            raise ToolError(
                f"The command was not started: its launcher does not answer ({error}). Try again."
            ) from None
        if answer is None or "pid" not in answer:
            ours.close()
            reason = answer["error"] if answer else "its launcher ended"
            raise ToolError(f"The command was not started: {reason}.")
        ours.setblocking(False)
        return answer["pid"], ours

    def _hand_over(self, request: dict[str, Any], theirs: socket.socket) -> None:
        body = json.dumps(request).encode()
        if self._process is not None:
            try:
                return self._process.send(body, theirs)
            except OSError:
                self._process.close()
        self._process = _Process([CONFINES] if self._confines() else [])
        return self._process.send(body, theirs)


class StartedCommand:
    """`tools.ports.RunningCommand`: a command and its socket to its keeper."""

    def __init__(self, pid: int, connection: socket.socket, forget: Any) -> None:
        self.pid = pid
        # Known once it has ended: the processes it left behind, which were ended with it.
        self.leftovers: tuple[str, ...] = ()
        self._connection = connection
        self._forget = forget
        self._listening = asyncio.ensure_future(self._listen())
        # A command nobody waits for may be lost without a word.
        self._listening.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def wait(self) -> int:
        return await asyncio.shield(self._listening)

    async def end(self) -> None:
        with contextlib.suppress(OSError):  # it is over already
            self._connection.send(b"e")
        await asyncio.wait([self._listening], timeout=END_SECONDS)
        await self.abandon()

    async def abandon(self) -> None:
        """Close the socket: whatever still runs is killed at once."""
        self._listening.cancel()
        await asyncio.wait([self._listening])
        self._over()

    async def _listen(self) -> int:
        received = bytearray()
        loop = asyncio.get_running_loop()
        while True:
            try:
                part = await loop.sock_recv(self._connection, 4096)
            except OSError:
                part = b""
            if not part:
                self._over()
                raise ToolError("The command was lost: its keeper ended before it did. What it did is not known.")
            received += part
            message = _message_in(received)
            if message is not None:
                self.leftovers = tuple(message["leftovers"])
                self._over()
                return message["exit"]

    def _over(self) -> None:
        self._connection.close()
        self._forget(self)


class _Process:
    """The launcher's process and our end of the socket to it."""

    def __init__(self, options: list[str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
            self.pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", "-X", "utf8", CHILD, *options],
                without_credentials(os.environ),
                file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0), *nowhere],
            )
        ours.settimeout(START_SECONDS)
        self._control = ours

    def send(self, body: bytes, theirs: socket.socket) -> None:
        socket.send_fds(self._control, [struct.pack("!I", len(body))], [theirs.fileno()])
        self._control.sendall(body)

    def close(self) -> None:
        """It ends everything it started once its socket is closed; one that is stuck is killed."""
        self._control.close()
        waiter = threading.Timer(START_SECONDS, os.kill, (self.pid, signal.SIGKILL))
        waiter.start()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        waiter.cancel()


def _read_message(source: socket.socket) -> dict[str, Any] | None:
    """The next message and not a byte more: what comes after it is for whoever waits for the command."""
    head = _read_exactly(source, 4)
    body = _read_exactly(source, struct.unpack("!I", head)[0]) if head else b""
    return json.loads(body) if body else None


def _read_exactly(source: socket.socket, size: int) -> bytes:
    """So many bytes, or none when the other side is gone."""
    received = b""
    while len(received) < size:
        part = source.recv(size - len(received))
        if not part:
            return b""
        received += part
    return received


def _message_in(received: bytearray) -> dict[str, Any] | None:
    """The message, once it is there whole."""
    if len(received) < 4:
        return None
    (size,) = struct.unpack("!I", received[:4])
    return json.loads(received[4 : 4 + size]) if len(received) >= 4 + size else None


def _abandon(starting: asyncio.Future[tuple[int, socket.socket]]) -> None:
    """Nobody waits for this command any more: closing its socket ends it."""
    if not starting.cancelled() and starting.exception() is None:
        starting.result()[1].close()
