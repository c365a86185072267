"""Where sessions are kept: one private folder each, under the folder they worked in, never in the repository.

    <state>/sessions/<hash of the folder>/<id>/   session.json  messages.jsonl  events.jsonl  agents/  results/  lock

One program at a time holds a session; a second one is refused, so that their lines never mix.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from agent.checkpoints.history import STEPS_FILE
from agent.events import Stamped, UserMessage
from agent.store.codec import DELTAS, from_plain, to_plain
from agent.store.lines import LineLog, left_out, read_lines
from agent.store.messages import MessageLog, SavedConversation, has_messages, load_messages

TITLE_CHARS = 80
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
_AGENT = re.compile(r"[A-Za-z0-9_.-]{1,80}")


class SessionError(Exception):
    """A session that cannot be used, in a sentence for the person."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A saved session, as a list of them shows it."""

    id: str
    folder: str
    started: float
    last_used: float
    title: str


@dataclass(frozen=True, slots=True)
class SavedEvents:
    events: tuple[Stamped, ...]
    notices: tuple[str, ...] = ()


class SessionStore:
    """One session's files, held against other programs until it is closed."""

    def __init__(self, session_id: str, path: str) -> None:
        self.id = session_id
        self.path = path
        self._lock = _locked(os.path.join(path, "lock"), session_id)
        self._logs: dict[str, MessageLog] = {}
        self._events = LineLog(os.path.join(path, "events.jsonl"))

    @property
    def messages_path(self) -> str:
        return os.path.join(self.path, "messages.jsonl")

    @property
    def results_path(self) -> str:
        return os.path.join(self.path, "results")

    @property
    def all_sessions(self) -> str:
        """The folder with the sessions of every folder."""
        return os.path.dirname(os.path.dirname(self.path))

    @property
    def state(self) -> str:
        """The folder all this is in."""
        return os.path.dirname(self.all_sessions)

    def messages(self, agent: str = "main") -> MessageLog:
        """The log of one conversation, the main one or a sub-agent's."""
        if agent not in self._logs:
            self._logs[agent] = MessageLog(self._messages_path(agent))
        return self._logs[agent]

    def load_messages(self, agent: str = "main") -> SavedConversation:
        return load_messages(self._messages_path(agent))

    def save_event(self, stamped: Stamped) -> None:
        if not isinstance(stamped.event, DELTAS):
            self._events.append(to_plain(stamped))

    def load_events(self) -> SavedEvents:
        read = read_lines(self._events.path)
        found = [from_plain(data) for data in read.objects]
        events = tuple(stamped for stamped in found if stamped is not None)
        lost = len(found) - len(events) + len(read.skipped)
        return SavedEvents(events, (left_out(lost, self._events.path),) if lost else ())

    @property
    def problem(self) -> str:
        """Why the files are behind what happened; empty when they are not. What is missing is kept and caught up."""
        logs = [self._events, *(log.log for log in self._logs.values())]
        behind = sum(log.behind for log in logs)
        why = next((log.problem for log in logs if log.problem), "")
        return f"The session's log is {behind} lines behind: {why}." if why else ""

    async def sync(self) -> None:
        """At the end of a turn."""
        for log in self._logs.values():
            await log.sync()
        await self._events.sync()

    def close(self) -> None:
        """One that was opened and left without a trace leaves no folder behind."""
        for log in self._logs.values():
            log.close()
        self._events.close()
        if self._is_empty():
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)

    def _is_empty(self) -> bool:
        """Nothing was said in it, no result stored, no file changed."""
        try:
            if any(_size(os.path.join(self.path, name)) for name in ("results", "agents", STEPS_FILE)):
                return False
            return not (os.path.exists(self.messages_path) and has_messages(self.messages_path))
        except OSError:  # in doubt it stays
            return False

    def _messages_path(self, agent: str) -> str:
        if agent == "main":
            return self.messages_path
        if not _AGENT.fullmatch(agent) or agent.startswith("."):
            raise SessionError(f"{agent!r} is no name of an agent.")
        return os.path.join(_private_folder(os.path.join(self.path, "agents")), f"{agent}.jsonl")


def new_session(state: str, folder: str, clock: Callable[[], float] = time.time) -> SessionStore:
    started = clock()
    session_id = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started)) + "-" + secrets.token_hex(3)
    path = os.path.join(_folder_of(state, folder), session_id)
    for level in (state, os.path.join(state, "sessions"), os.path.dirname(path), path):
        _private_folder(level)
    facts = json.dumps({"folder": os.path.realpath(folder), "started": started})
    file = os.open(os.path.join(path, "session.json"), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "w") as facts_file:
        facts_file.write(facts)
    return SessionStore(session_id, path)


def open_session(state: str, folder: str, session_id: str) -> SessionStore:
    """A saved session of this folder, to go on with. Raises SessionError if it is not there or in use."""
    path = os.path.join(_folder_of(state, folder), session_id)
    if not _ID.fullmatch(session_id) or not os.path.isdir(path):
        raise SessionError(f"There is no session {session_id} of this folder.")
    return SessionStore(session_id, path)


def latest_session(state: str, folder: str) -> SessionInfo | None:
    return next(iter(list_sessions(state, folder)), None)


def list_sessions(state: str, folder: str) -> list[SessionInfo]:
    """The folder's sessions in which something was said, last used first."""
    infos = [info for path in _session_paths(_folder_of(state, folder)) if (info := _info(path)) is not None]
    return sorted(infos, key=lambda info: (info.last_used, info.id), reverse=True)


def live_sessions(sessions: str) -> frozenset[str]:
    """The ids of those that some program holds right now, of every folder."""
    return frozenset(map(os.path.basename, live_session_folders(sessions)))


def live_session_folders(sessions: str) -> list[str]:
    """Where the sessions lie that some program holds right now."""
    paths = (path for parent in _subfolders(sessions) for path in _session_paths(parent))
    return [path for path in paths if _is_held(os.path.join(path, "lock"))]


def _folder_of(state: str, folder: str) -> str:
    digest = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
    return os.path.join(state, "sessions", digest[:16])


def _subfolders(folder: str) -> list[str]:
    with os.scandir(folder) as found:
        return [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]


def _session_paths(parent: str) -> Iterator[str]:
    try:
        names = os.listdir(parent)
    except FileNotFoundError:
        return
    yield from (os.path.join(parent, name) for name in names if _ID.fullmatch(name))


def _info(path: str) -> SessionInfo | None:
    """None also for one that was opened and left without a word."""
    try:
        with open(os.path.join(path, "session.json"), encoding="utf-8") as file:
            facts: Any = json.load(file)
        messages = os.path.join(path, "messages.jsonl")
        if not has_messages(messages):
            return None
        last_used = os.stat(messages).st_mtime
        return SessionInfo(
            os.path.basename(path), str(facts["folder"]), float(facts["started"]), last_used, _title(path)
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _title(path: str) -> str:
    """The first words the person said, on one line."""
    for data in read_lines(os.path.join(path, "events.jsonl")).objects:
        stamped = from_plain(data)
        if stamped is not None and isinstance(stamped.event, UserMessage):
            return " ".join(stamped.event.text.split())[:TITLE_CHARS]
    return ""


def _private_folder(path: str) -> str:
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def _size(path: str) -> int:
    """Bytes of a file, entries of a folder, none where there is neither."""
    try:
        return len(os.listdir(path)) if os.path.isdir(path) else os.path.getsize(path)
    except FileNotFoundError:
        return 0


def _locked(path: str, session_id: str) -> int:
    """Held until closed, also by the end of the process however it ends."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise SessionError(f"Session {session_id} is open in another agent-tui; close it there first.") from None
    return file


def _is_held(path: str) -> bool:
    """In doubt it is: then nothing of it is removed."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False
