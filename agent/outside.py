"""What others did to known files: credited at once, then told to whom it concerns, with whose it was.

What must be right at once is whose command a change is taken to be of, and the step in the session's history. Who it
was and what differs is found out in a thread; then the screen hears of it, the open questions, the hooks and the
models, in the order in which it happened. Where git is at work its end is waited for: what it does it does to many
files, and only its log tells what that was.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agent.changes import WHILE, CommandWindow, CommandWindows
from agent.checkpoints.history import SessionHistory
from agent.context.reminders import OutsideEdit
from agent.conversation import Conversation
from agent.events import Burst, Event, ExternalEdit
from agent.watch import Batch, OutsideChange
from agent.watching.attribution import hands_of
from agent.watching.git import is_at_work
from agent.watching.hands import EXTERNAL, Hand, trace_of
from agent.watching.known import known_from
from agent.watching.peers import Peers
from agent.watching.together import AT_IT_SECONDS, MANY_KNOWN, Together, regular_files
from tools.blocks import Diff
from tools.diffs import changed_ranges, diff_of
from tools.short import shortened
from tools.threads import in_thread

# How long the end of what git does is waited for, how often it is looked for, and how long for what it may still do.
GIT_SECONDS = 2.0
GIT_STEP_SECONDS = 0.02
GATHER_SECONDS = 0.08
# What is told before git is done is told again at its end, if that comes so soon.
END_SECONDS = AT_IT_SECONDS
# What a command does to several files comes in pieces. Their end is waited for so long at most.
PIECES_SECONDS = 1.0
# So many of them within such a time are pieces, also where each was told before the next one came.
PIECES, PIECES_WITHIN = 3, 0.3
# So many are told before others have their turn in the loop.
AT_ONCE = 50
WHILE_CLOSED = "while agent-tui was closed"


@dataclass(frozen=True, slots=True)
class Heard:
    """Who hears of what others did, besides the models."""

    emit: Callable[[Event], object]
    # The open questions: a path, and why what rests on it is no longer so.
    questions: Callable[[str, str], None]
    has_question: Callable[[str], bool]
    hooks: Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Around:
    """What tells whose a change is."""

    windows: CommandWindows
    history: SessionHistory
    peers: Peers
    # The command of a task that runs in the background; empty where none does.
    background: Callable[[], str]
    # Whether git may be asked about the repository of this folder. Blocking.
    may_ask_git: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _Found:
    change: OutsideChange
    window: CommandWindow | None
    touched: frozenset[str]
    # Of the session's history; 0 where there is none.
    step: int
    # Whose it is where nothing else is found.
    otherwise: Hand

    @property
    def path(self) -> str:
        return self.change.path

    @property
    def is_gone(self) -> bool:
        return self.change.after.hash is None


@dataclass(frozen=True, slots=True)
class _Closer:
    """What a closer look has told."""

    found: _Found
    hand: Hand
    diff: Diff | None
    # What each conversation that knows the file will hear.
    edits: Mapping[str, OutsideEdit]


class Outside:
    def __init__(self, around: Around, heard: Heard, conversations: Mapping[str, Conversation]) -> None:
        self._around = around
        self._heard = heard
        self._conversations = conversations
        self._waiting: list[_Found] = []
        self._telling: asyncio.Task[None] | None = None
        self._together = Together()
        self._ending: set[asyncio.Task[None]] = set()
        # When the last changes by commands came.
        self._pieces = deque[float](maxlen=PIECES)
        # Somebody waits until all is told.
        self._waited_for = 0
        # Files are compared with what they were when the program last ran.
        self.waking = False

    def take(self, batch: Batch) -> None:
        """In the loop, as soon as the watcher has found it."""
        changes = [change for change in batch.changes if not (self.waking and self._is_shown(change))]
        found = [self._credited(change, batch.touched) for change in changes]
        self._waiting += found
        self._pieces.extend(time.monotonic() for one in found if one.window is not None)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.ensure_future(self._tell())

    async def settled(self) -> None:
        """Until all that was found so far is told."""
        if self._telling is not None and not self._telling.done():
            self._waited_for += 1
            try:
                await asyncio.wait([self._telling])
            finally:
                self._waited_for -= 1

    async def close(self) -> None:
        running = [*self._ending, *([self._telling] if self._telling is not None else [])]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    # -- at once

    def _is_shown(self, change: OutsideChange) -> bool:
        """Whether every model that knows the file was shown it like this."""
        known = [seen for one in self._conversations.values() if (seen := one.seen.get(change.path)) is not None]
        return bool(known) and all(seen.snapshot.hash == change.after.hash for seen in known)

    def _credited(self, change: OutsideChange, touched: frozenset[str]) -> _Found:
        window = self._around.windows.takes(change)
        after, otherwise = change.after, self._otherwise(window)
        known_as = "" if window is None and otherwise is EXTERNAL else otherwise.words
        call = window.call_id if window is not None else ""
        words = known_as or EXTERNAL.words
        step = self._around.history.found(change.path, change.before.hash, after.hash, call, words, after.text)
        # Whose command it was hears of it with the command's result.
        own = self._conversations.get(window.agent) if window is not None else None
        if window is not None and own is not None and after.hash is not None:
            own.seen.credit(change.path, after.hash, window.command)
        return _Found(change, window, touched, step, otherwise)

    def _otherwise(self, window: CommandWindow | None) -> Hand:
        if window is not None:
            return Hand(WHILE.format(command=shortened(window.command)))
        if self.waking:
            return Hand(WHILE_CLOSED)
        running = self._around.background()
        return Hand(f"while `{shortened(running)}` ran in the background") if running else EXTERNAL

    # -- then

    async def _tell(self) -> None:
        while self._waiting:
            await self._until_git_is_done()
            await self._until_all_pieces_came()
            taken = len(self._waiting)
            closer = await self._look_closer(self._waiting[:taken])
            if any(one.hand.repository for one in closer):
                # It seldom stops at one file, and logs what it did last of all.
                await asyncio.sleep(GATHER_SECONDS)
                taken = len(self._waiting)
                closer = await self._look_closer(self._waiting[:taken])
            del self._waiting[:taken]
            await self._tell_of(closer)
            if goes_on := [one.found for one in closer if one.hand.goes_on]:
                ending = asyncio.ensure_future(self._tell_the_end(goes_on))
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)

    async def _tell_the_end(self, found: Sequence[_Found]) -> None:
        """Once git is done: what it was, which nobody could know when the first of it was told."""
        deadline = time.monotonic() + END_SECONDS
        at_work = True
        while at_work and time.monotonic() < deadline:
            at_work = await in_thread(is_at_work, _folders(found))
            await asyncio.sleep(GATHER_SECONDS)
        closer = [one for one in await self._look_closer(found) if one.hand.repository and not one.hand.goes_on]
        bursts = await self._bursts(closer)
        for one in closer:
            self._around.history.attribute(one.found.step, one.hand.words)
            nothing = Diff(one.found.path, ())
            as_seen = self._is_shown(one.found.change)
            self._heard.emit(_event(one, bursts.get(one.hand.words), nothing, as_seen))

    async def _until_git_is_done(self) -> None:
        """Not where a question waits for it."""
        deadline = time.monotonic() + GIT_SECONDS
        while time.monotonic() < deadline:
            if self._a_question_waits():
                return
            if not await in_thread(is_at_work, _folders(self._waiting)):
                return
            await asyncio.sleep(GIT_STEP_SECONDS)

    async def _until_all_pieces_came(self) -> None:
        """Of what one of our commands does to several files: told together they are one thing to look at."""
        deadline, came = time.monotonic() + PIECES_SECONDS, 0
        while came < len(self._waiting) and time.monotonic() < deadline:
            came = len(self._waiting)
            if self._waited_for or self._a_question_waits() or not self._come_in_pieces():
                return
            await asyncio.sleep(GATHER_SECONDS)

    def _come_in_pieces(self) -> bool:
        paths = {one.path for one in self._waiting if one.window is not None}
        fast = len(self._pieces) == PIECES and time.monotonic() - self._pieces[0] < PIECES_WITHIN
        return len(paths) > 1 or (bool(paths) and fast)

    def _a_question_waits(self) -> bool:
        return any(self._heard.has_question(one.path) for one in self._waiting)

    async def _look_closer(self, found: Sequence[_Found]) -> list[_Closer]:
        joined = _joined(found)
        return await in_thread(lambda: self._closer(joined))

    def _closer(self, found: Sequence[_Found]) -> list[_Closer]:
        """In a thread."""
        traces = [trace_of(one.path, one.change.after.hash, one.touched) for one in found]
        hands = hands_of(traces, self._around.peers.others(), self._around.may_ask_git)
        return [self._one_closer(one, hand) for one, hand in zip(found, hands, strict=True)]

    def _one_closer(self, found: _Found, hand: Hand) -> _Closer:
        if found.window is not None:
            # It is our command's, whatever that started; git says how many files it was.
            hand = replace(found.otherwise, files=hand.files)
        elif hand is EXTERNAL:
            hand = found.otherwise
        edits = {agent: edit for agent in list(self._conversations) if (edit := self._edit_for(agent, found))}
        before, after = self._text_before(found.change), found.change.after.text
        if before is None or (after is None and not found.is_gone):
            return _Closer(found, hand, None, edits)
        return _Closer(found, hand, diff_of(found.path, before, after or ""), edits)

    def _edit_for(self, agent: str, found: _Found) -> OutsideEdit | None:
        """What is another than it saw: of several changes all, and nothing of what was put back."""
        seen = self._conversations[agent].seen.get(found.path)
        if seen is None:
            return None
        saw, after = seen.snapshot.text, found.change.after
        if saw is None and (data := self._around.history.content(seen.snapshot.hash)) is not None:
            saw = known_from(data).text
        ranges = changed_ranges(saw, after.text) if saw is not None and after.text is not None else None
        return OutsideEdit(found.path, after.hash, ranges)

    def _text_before(self, change: OutsideChange) -> str | None:
        """As the session knew it; of what it knew by its hash alone the history may have kept the bytes."""
        if change.before.text is not None or change.before.hash is None:
            return change.before.text
        data = self._around.history.content(change.before.hash)
        return known_from(data).text if data is not None else None

    # -- told

    async def _tell_of(self, closer: Sequence[_Closer]) -> None:
        bursts = await self._bursts(closer)
        for number, one in enumerate(closer):
            self._tell_one(one, bursts.get(one.hand.words))
            if number % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0)

    async def _bursts(self, closer: Sequence[_Closer]) -> dict[str, Burst]:
        """Of each hand that has changed many files."""
        by_hand: dict[str, list[_Closer]] = {}
        for one in closer:
            by_hand.setdefault(one.hand.words, []).append(one)
        bursts: dict[str, Burst] = {}
        for words, many in by_hand.items():
            touched = frozenset[str]().union(*(one.found.touched for one in many))
            files = await in_thread(regular_files, touched) if len(many) >= MANY_KNOWN else ()
            burst = self._together.burst_of(many[0].hand, {one.found.path for one in many}, files, time.time())
            if burst is not None:
                bursts[words] = burst
        return bursts

    def _tell_one(self, one: _Closer, burst: Burst | None) -> None:
        found, path = one.found, one.found.path
        self._around.history.attribute(found.step, one.hand.words)
        event = _event(one, burst, one.diff, self._is_shown(found.change))
        self._heard.emit(event)
        self._heard.questions(path, "the file was changed outside")
        self._heard.hooks(path, event.kind)
        own = self._conversations.get(found.window.agent) if found.window is not None else None
        for agent, edit in one.edits.items():
            conversation = self._conversations.get(agent)
            if conversation is not None and conversation is not own:
                conversation.note_outside_edit(edit)


def _event(one: _Closer, burst: Burst | None, diff: Diff | None, as_seen: bool) -> ExternalEdit:
    kind = "deleted" if one.found.is_gone else "changed"
    call = one.found.window.call_id if one.found.window is not None else ""
    return ExternalEdit(one.found.path, diff, one.hand.words, kind, call, one.hand.evidence, burst, as_seen)


def _folders(found: Sequence[_Found]) -> frozenset[str]:
    return frozenset(os.path.dirname(one.path) for one in found)


def _joined(found: Sequence[_Found]) -> list[_Found]:
    """Several changes of one file by one hand as one; a file that is again what it was has not changed."""
    by_path: dict[tuple[str, int], _Found] = {}
    for one in found:
        key = (one.path, id(one.window))
        by_path[key] = _after(by_path[key], one) if key in by_path else one
    return [one for one in by_path.values() if one.change.before.hash != one.change.after.hash]


def _after(earlier: _Found, one: _Found) -> _Found:
    change = replace(one.change, before=earlier.change.before)
    return replace(one, change=change, touched=earlier.touched | one.touched)
