"""Other sessions of this program at work on the same files: each says in a file of its own what it writes and runs.

The file lies in the state folder, is held by a lock as long as its session lives, and is made with the first thing
there is to say. What a session writes is said before the bytes are there, so whoever sees them can know whose they are.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from agent.git_folder import beginning
from agent.watching.hands import PROBABLY, Hand, Trace
from tools.short import shortened

# So many writes are remembered, and a command this long after it has ended.
WRITES_KEPT = 200
COMMAND_SECONDS = 2.0
_LARGEST = 1 << 20


class Peers:
    """What this session says of itself, and what others do. Used from several threads.

    What cannot be said is left unsaid: no write fails for it.
    """

    def __init__(self, folder: str, session: str, workspace: str) -> None:
        self._folder = folder
        self._session = session
        self._path = os.path.join(folder, f"{session}.json")
        self._workspace = workspace
        self._lock = threading.Lock()
        self._held: int | None = None
        self._writes: deque[tuple[str, str | None]] = deque(maxlen=WRITES_KEPT)
        self._commands: dict[str, tuple[str, float | None]] = {}
        self._closed = False

    def writes(self, path: str, hash: str | None) -> None:
        with self._lock:
            self._writes.append((path, hash))
            self._say()

    def runs(self, call_id: str, command: str) -> None:
        with self._lock:
            self._commands[call_id] = (shortened(command), None)
            self._say()

    def ran(self, call_id: str) -> None:
        with self._lock:
            command, _ = self._commands.pop(call_id, ("", None))
            self._commands = {call_id: (command, time.time())} | {
                id: one for id, one in self._commands.items() if one[1] is None
            }
            self._say()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._held is not None:
                with suppress(OSError):
                    os.unlink(self._path)
                os.close(self._held)
                self._held = None

    def others(self) -> Said:
        """Blocking."""
        return said_by_others(self._folder, self._session)

    def _say(self) -> None:
        if self._closed:
            return
        said = {
            "pid": os.getpid(),
            "session": self._session,
            "workspace": self._workspace,
            "writes": [list(one) for one in self._writes],
            "commands": [[command, ended] for command, ended in self._commands.values()],
        }
        with suppress(OSError):
            file = self._opened()
            data = json.dumps(said).encode()
            # In one piece and never shorter than what it replaces: who reads meanwhile sees one or the other.
            os.pwrite(file, data.ljust(os.fstat(file).st_size), 0)

    def _opened(self) -> int:
        if self._held is None:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            self._held = _hold(self._path)
        return self._held


class Said:
    """What the other sessions say of themselves."""

    def __init__(self, sessions: Sequence[Mapping[str, Any]] = ()) -> None:
        self._sessions = sessions

    def wrote(self, trace: Trace) -> Hand | None:
        """One that says it gave the file exactly this content."""
        for session in self._sessions:
            if [trace.path, trace.hash] in _list(session.get("writes")):
                return Hand(f"another agent-tui ({_who(session)})", "it says that it wrote this")
        return None

    def may_have_written(self, trace: Trace) -> Hand | None:
        """One that was running a command, in a folder that holds the file, when the file was changed."""
        for session in self._sessions:
            workspace = session.get("workspace")
            if not isinstance(workspace, str) or not trace.path.startswith(workspace.rstrip("/") + "/"):
                continue
            for one in _list(session.get("commands")):
                match one:
                    case [str(command), None]:
                        return _running(session, command)
                    case [str(command), float(ended)] if trace.changed_at / 1e9 < ended + COMMAND_SECONDS:
                        return _running(session, command)
                    case _:
                        pass
        return None


def said_by_others(folder: str, session: str) -> Said:
    """Of all sessions in the state folder but this one. Blocking."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json") and name != f"{session}.json"]
    except OSError:
        return Said()
    found: list[Mapping[str, Any]] = []
    for path in (os.path.join(folder, name) for name in names):
        if _is_held(path):
            with suppress(ValueError, RecursionError):
                said: Any = json.loads(beginning(path, _LARGEST))
                if isinstance(said, dict):
                    found.append(cast("dict[str, Any]", said))
    return Said(found)


def _running(said: Mapping[str, Any], command: str) -> Hand:
    who = _who(said)
    return Hand(f"{PROBABLY}another agent-tui ({who})", f"it ran `{command}` in the same folder at that time")


def _who(said: Mapping[str, Any]) -> str:
    return f"process {said.get('pid')}"


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _hold(path: str) -> int:
    """The file at this path, held by our lock; who sweeps up may just have taken an older one away."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.lexists(path) and os.path.samestat(os.fstat(file), os.lstat(path)):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _is_held(path: str) -> bool:
    """By a program that lives; what one left that was killed is taken away."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    except OSError:
        return True
    finally:
        os.close(file)
    return False
