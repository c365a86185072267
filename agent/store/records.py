"""The two records of a session on disk, as the session writes them and a later one reads them back.

`messages.jsonl` is what was sent, byte for byte; `events.jsonl` is what was shown. What the model has seen of files is
kept beside them, with its hashes, which decide what of it still counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from agent.events import MAIN, Stamped, TurnStarted
from agent.model.base import Plain, Request
from agent.model.normalize import without_thinking
from agent.settings.locations import state
from agent.store.sessions import SessionError, SessionStore, latest_session, live_sessions, new_session
from agent.store.sessions import open_session as open_store
from tools.ledger.seen import Seen
from tools.results import sweep


class Records:
    def __init__(self, store: SessionStore, notices: tuple[str, ...], temporary: str | None = None) -> None:
        self._store = store
        self._temporary = temporary
        saved, events = store.load_messages(), store.load_events()
        self.id = store.id
        self.results_path = store.results_path
        self.messages_path = store.messages_path
        self.notices = (*notices, *saved.notices, *events.notices)
        self.events = events.events
        self.messages = saved.messages
        self.cut = saved.cut
        self.seen = self._load_seen()
        self.seen.count_pictures(*pictures_in(saved.messages))
        self._head: Plain = saved.head
        if saved.mended:
            self._begin_anew(saved.messages)

    @property
    def came_by(self) -> str:
        """How the session came about."""
        return "resume" if self.messages else "startup"

    @property
    def next_seq(self) -> int:
        return self.events[-1].seq + 1 if self.events else 1

    @property
    def stored_results(self) -> list[str]:
        """The results an earlier run of this session stored: still readable. A second name would show another file."""
        try:
            with os.scandir(self.results_path) as found:
                return [
                    entry.path
                    for entry in found
                    if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_nlink == 1
                ]
        except OSError:  # nothing was stored
            return []

    def sweep(self) -> int:
        """Remove what all sessions together stored too long ago or too much of; how many results that were."""
        sessions = self._store.all_sessions
        try:
            return sweep(Path(sessions), time.time(), live_sessions(sessions))
        except OSError:  # the next start tries again
            return 0

    @property
    def path(self) -> str:
        """The session's own folder."""
        return self._store.path

    @property
    def state(self) -> str:
        """The folder for what all sessions share; it ends with the session where nothing is to be kept."""
        return self._store.state

    @property
    def sessions(self) -> str:
        return self._store.all_sessions

    @property
    def turns(self) -> int:
        """How many turns the main conversation had so far."""
        events = (stamped.event for stamped in self.events if stamped.agent == MAIN)
        return max((event.turn for event in events if isinstance(event, TurnStarted)), default=0)

    def past(self) -> Sequence[Stamped]:
        """What was shown so far, for a screen that goes on with it: from then on it has them, and we need not."""
        events, self.events = self.events, ()
        return events

    def add_to_past(self, stamped: Stamped) -> None:
        """Something that was told while the session was opened, before anybody listened."""
        self.events = (*self.events, stamped)

    def save_event(self, stamped: Stamped) -> None:
        self._store.save_event(stamped)

    def save_message(self, message: Plain) -> None:
        self._store.messages().append(message)

    def keep_messages(self, count: int) -> None:
        """Only the first of them count from here on."""
        self._store.messages().keep(count)

    def frozen_request(self) -> Request | None:
        """Model, system prompt and tools of the conversation that is resumed, as they were sent."""
        if not self._head:
            return None
        return Request(self._head["model"], (), self._head["system"], self._head["tools"])

    def change_model(self, model: str) -> None:
        """Another model goes on with what is resumed. It cannot read the thoughts of the one before."""
        before = str(self._head.get("model", model))
        if model == before:
            return
        self.messages = tuple(without_thinking(self.messages))
        self._head = {**self._head, "model": model}
        self._begin_anew(self.messages, self._head)
        self.notices += (f"{model} goes on with what {before} began; what that one had thought is left out.",)

    def freeze(self, request: Request) -> None:
        if not self._head:
            head: Plain = {"model": request.model, "system": request.system, "tools": list(request.tools)}
            self._store.messages(MAIN).begin(head)
            self._head = head

    async def turn_over(self, seen: Seen) -> str:
        """On disk, whatever happens next. A sentence where the disk did not take it."""
        await asyncio.to_thread(self._save_seen, seen)
        await self._store.sync()
        return self._store.problem

    def close(self) -> None:
        self._store.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _begin_anew(self, messages: Sequence[Plain], head: Plain | None = None) -> None:
        """What the resumed conversation sends from now on is what the record must hold."""
        log = self._store.messages(MAIN)
        log.keep(0)
        if head is not None:
            log.begin(head)
        for message in messages:
            log.append(message)

    def _save_seen(self, seen: Seen) -> None:
        path = os.path.join(self._store.path, "seen.json")
        temporary = f"{path}.new"
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
                json.dump(seen.dump(), file)
            os.replace(temporary, path)
        except OSError:
            return  # a resume then asks the model to read again, which is safe

    def _load_seen(self) -> Seen:
        seen = Seen()
        try:
            with open(os.path.join(self._store.path, "seen.json"), encoding="utf-8") as file:
                found: Any = json.load(file)
            # What has changed since is known as it was: an edit of it is refused until it is read again.
            seen.load(cast("list[dict[str, Any]]", found))
        except (OSError, ValueError, KeyError, TypeError):
            return Seen()
        return seen


def pictures_in(messages: Sequence[Plain]) -> tuple[int, int]:
    """How many pictures the messages hold, and their size as they are sent."""
    blocks = (block for message in messages for block in _blocks(message))
    inner = (part for block in blocks for part in (block, *_blocks(block)))
    sizes = [len(str(part.get("source", {}).get("data", ""))) for part in inner if part.get("type") == "image"]
    return len(sizes), sum(sizes)


def _blocks(holder: Plain) -> list[Plain]:
    content = holder.get("content")
    return cast("list[Plain]", content) if isinstance(content, list) else []


def open_records(folder: str, resume: str | None, resume_latest: bool, keep: bool) -> Records:
    """New records, or those of a session to go on with. Raises SessionError with a sentence for the person."""
    if not keep:
        temporary = tempfile.mkdtemp(prefix="agent-tui-")
        return Records(new_session(temporary, folder), (), temporary)
    where = state()
    notices = (where.notice,) if where.notice else ()
    if resume_latest:
        latest = latest_session(str(where.folder), folder)
        if latest is None:
            raise SessionError("There is no session of this folder to continue; start one without --continue.")
        resume = latest.id
    if resume is not None:
        return Records(open_store(str(where.folder), folder, resume), notices)
    return Records(new_session(str(where.folder), folder), notices)
