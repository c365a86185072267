"""Sees at once when somebody else changes a file this session knows.

The folders of the known files are watched, never the files (an editor's rename would end that watch); of a folder that
is not there, the nearest one above it. What kind of event came does not matter: the file is compared with what was last
known of it, and content that is not ours is an outside change. A new set of folders is watched before the old watch
ends, and the known files are looked at again: what changed between is not lost. What cannot be watched is looked at
again and again; nothing here ends in silence.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agent.watching.coverage import Coverage, covered
from agent.watching.folders import FolderWatch, Polling, Presence
from agent.watching.known import Known, Sign, Unreadable, proves, read_known, sign_of
from agent.watching.mounts import Mounts
from agent.watching.settings import SettingsWatch
from agent.watching.trouble import CALM, Trouble, trouble_of
from tools.ledger.writes import Writes
from tools.threads import in_own_thread

# How long setting up a watch may take before that is said.
SETUP_SECONDS = 10.0
# After so long a watch that could not be had is tried for again.
RETRY_SECONDS = 30.0
# How often it is asked whether looking again and again still gets anywhere.
PULSE_SECONDS = 5.0
# Many a program that saves takes the file away or empties it first; its new content is there within this time.
SAVING_SECONDS = 0.03
# For so long what moved beside a file may tell who changed it.
LATELY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class OutsideChange:
    path: str
    before: Known
    after: Known


@dataclass(frozen=True, slots=True)
class Batch:
    """What was found at one look. `touched`: everything that was seen to move in the watched folders lately."""

    changes: tuple[OutsideChange, ...]
    touched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Look:
    path: str
    after: Known
    # Of `Writes`, as it was while looking.
    epoch: int
    # Whether it was other than known then.
    news: bool


@dataclass(frozen=True, slots=True)
class _Looked:
    sign: Sign
    at: float
    epoch: int


class Watcher:
    """Calls `on_changes` in the event loop's thread for what others changed, and `on_trouble` when watching gets
    harder or easier. Everything but `look_now` is for the loop's thread."""

    def __init__(
        self,
        writes: Writes,
        on_changes: Callable[[Batch], None],
        on_trouble: Callable[[Trouble], None] = lambda _: None,
        mounts: Callable[[], Mounts] = Mounts,
    ) -> None:
        self._writes = writes
        self._on_changes = on_changes
        self._on_trouble = on_trouble
        self._mounts = mounts
        self._presence = Presence()
        self._settings = SettingsWatch()
        self._known: dict[str, Known] = {}
        self._looked: dict[str, _Looked] = {}
        self._unreadable: set[str] = set()
        # One look at a time, so that an older one never comes after a newer; disks that may hang apart from the others.
        self._lanes = {False: threading.Lock(), True: threading.Lock()}
        self._lately: deque[tuple[float, frozenset[str]]] = deque()
        self._coverage = Coverage()
        self._watch: FolderWatch | None = None
        self._polling: Polling | None = None
        self._failure = ""
        self._failed_at = 0.0
        self._told = CALM
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arranging: asyncio.Task[None] | None = None
        self._arrange_again = False
        self._pulse: asyncio.TimerHandle | None = None
        self._closed = False

    # -- what is followed

    def follow(self, path: str, known: Known) -> bool:
        """Know a file (by its real path) from now on, as it was when it was shown or written. False: that was no news,
        and what the watcher has found out later than that stays."""
        if path in self._known and not self._is_news(path, known):
            return False
        new = path not in self._known
        self._known[path] = known
        self._looked.pop(path, None)
        if new:
            self._arrange_soon()
        return True

    def follow_settings(self, paths: Iterable[str], changed: Callable[[tuple[str, ...]], None]) -> None:
        """Call `changed` with those of the files that got other content, appeared or went. They need not exist, nor
        their folders. Whatever was followed so before is not any more."""
        self._settings.follow(paths, changed)
        self._arrange_soon()

    def person_is_here(self) -> None:
        """A key was pressed. Whoever types wants to see quickly what others do."""
        self._presence.here()
        if self._watch is not None:
            self._watch.hurry()

    @property
    def following(self) -> int:
        """How many files it looks after."""
        return len(self._known)

    @property
    def folders(self) -> int:
        """How many folders they lie in."""
        return len({os.path.dirname(path) for path in self._known})

    @property
    def trouble(self) -> Trouble:
        """What is wrong with watching; `CALM` where nothing is."""
        held = self._polling.held_for if self._polling is not None else 0.0
        return trouble_of(self._coverage, self._failure, held, frozenset(self._unreadable))

    @property
    def problem(self) -> str:
        """The same as a sentence that says what to do; empty where all is well."""
        return self.trouble.sentence

    def knows(self, path: str) -> bool:
        return path in self._known

    def all_known(self) -> dict[str, Known]:
        return dict(self._known)

    def last_known(self, path: str) -> Known | None:
        return self._known.get(path)

    # -- looking

    def look_now(self, paths: Iterable[str] | None = None) -> None:
        """Compare known files with the disk, without waiting for an event. It reads them: not for the loop's thread."""
        chosen = list(self._known) if paths is None else list(paths)
        for network in (False, True):
            self._look([path for path in chosen if self._is_polled(path) is network], network)

    async def ready(self) -> None:
        """Wait until all known files are watched and have been looked at since."""
        while self._arranging is not None and not self._arranging.done():
            await asyncio.wait([self._arranging])

    def close(self) -> None:
        self._closed = True
        if self._arranging is not None:
            self._arranging.cancel()
        if self._pulse is not None:
            self._pulse.cancel()
        for thread in (self._watch, self._polling):
            if thread is not None:
                thread.stop()
        self._watch = self._polling = None

    # -- told by the threads (`folders.Listener`)

    def touched(self, paths: Sequence[str]) -> None:
        if self._coverage.moves(paths):
            self._tell_loop(self._arrange_soon)
        if not self._coverage.settings_polled and self._settings.concerns(paths):
            self._look_at_settings()
        self._remember(frozenset(paths))
        self._look([path for path in paths if path in self._known], network=False)

    def look_around(self) -> None:
        watch = self._watch
        if watch is not None and not watch.is_true():
            self._tell_loop(self._arrange_soon)
        if not self._coverage.settings_polled:
            self._look_at_settings()
        self._look([path for path in list(self._known) if not self._is_polled(path)], network=False)
        self._tell_loop(self._tell_trouble)

    def died(self, error: BaseException) -> None:
        self._tell_loop(lambda: self._give_up(f"the watch ended: {error or type(error).__name__}"))

    # -- in threads

    def _poll(self) -> None:
        paths = [path for path in list(self._known) if self._is_polled(path)]
        self._look(paths, network=True)
        if self._coverage.settings_polled:
            self._look_at_settings()
        if self._failure and time.monotonic() - self._failed_at > RETRY_SECONDS:
            self._tell_loop(self._arrange_soon)

    def _remember(self, touched: frozenset[str]) -> None:
        now = time.monotonic()
        self._lately.append((now, touched))
        while self._lately[0][0] < now - LATELY_SECONDS:
            self._lately.popleft()

    def _look(self, paths: Sequence[str], network: bool) -> None:
        with self._lanes[network]:
            looks = self._looks_at(paths, network)
            if passing := [path for path, look in looks.items() if self._may_pass(look)]:
                time.sleep(SAVING_SECONDS)
                looks |= self._looks_at(passing, network)
            if looks:
                self._tell_loop(lambda: self._take(list(looks.values())))

    def _looks_at(self, paths: Iterable[str], network: bool) -> dict[str, _Look]:
        return {path: look for path in paths if (look := self._look_at(path, network)) is not None}

    def _may_pass(self, look: _Look) -> bool:
        """Whether it looks like the middle of a save."""
        before = self._known.get(look.path)
        had_content = before is not None and before.hash is not None and before.text != ""
        return had_content and (look.after.hash is None or look.after.text == "")

    def _look_at(self, path: str, network: bool) -> _Look | None:
        """None where nothing is new, nobody can tell, or a write of ours is under way; its end is an event again."""
        known = self._known.get(path)
        epoch = self._writes.epoch(path)
        if known is None or self._writes.being_written(path):
            return None
        at, last = time.time(), self._looked.get(path)
        try:
            if last is not None and proves(last.sign, last.at, network) and sign_of(path) == last.sign:
                self._unreadable.discard(path)
                return None
            after, sign = read_known(path, known)
        except Unreadable:
            # While we write in place nobody else may open it, not even we.
            if self._writes.epoch(path) == epoch:
                self._unreadable.add(path)
            return None
        self._unreadable.discard(path)
        if self._writes.epoch(path) != epoch:
            return None
        self._looked[path] = _Looked(sign, at, epoch)
        return _Look(path, after, epoch, after.hash != known.hash)

    def _look_at_settings(self) -> None:
        if changed := self._settings.look():
            self._tell_loop(lambda: self._settings.tell(changed))

    def _tell_loop(self, call: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
                self._loop.call_soon_threadsafe(call)

    # -- in the loop

    def _is_news(self, path: str, known: Known) -> bool:
        """Of a file that is known already only a write of ours is news, and only where no look came after it."""
        last, looked = self._writes.last(path), self._looked.get(path)
        if last is None or last.hash != known.hash or known.hash == self._known[path].hash:
            return False
        return looked is None or looked.epoch != self._writes.epoch(path)

    def _take(self, looks: Sequence[_Look]) -> None:
        changes: list[OutsideChange] = []
        for look in looks:
            before = self._known.get(look.path)
            if before is None or look.after.hash == before.hash or self._is_over(look):
                continue
            # What comes back is compared with what it was before it went.
            gone = look.after.hash is None
            self._known[look.path] = replace(look.after, text=before.text) if gone else look.after
            if not self._is_ours(look):
                changes.append(OutsideChange(look.path, before, look.after))
        if changes:
            since = time.monotonic() - LATELY_SECONDS
            touched = frozenset[str]().union(*(paths for at, paths in list(self._lately) if at >= since))
            self._on_changes(Batch(tuple(changes), touched))

    def _is_over(self, look: _Look) -> bool:
        """It showed what was known then, and we have written the file since."""
        return not look.news and self._writes.epoch(look.path) != look.epoch

    def _is_ours(self, look: _Look) -> bool:
        if self._writes.is_ours(look.path, look.after.hash) is None:
            return False
        last = self._writes.last(look.path)
        # An earlier content of ours, where nothing of ours was written since the look: somebody put it back.
        return last is None or last.hash == look.after.hash or self._writes.epoch(look.path) != look.epoch

    def _is_polled(self, path: str) -> bool:
        return os.path.dirname(path) in self._coverage.polled

    def _arrange_soon(self) -> None:
        if self._closed:
            return
        self._arrange_again = True
        if self._arranging is None or self._arranging.done():
            self._loop = self._loop or asyncio.get_running_loop()
            self._arranging = self._loop.create_task(self._arrange())

    async def _arrange(self) -> None:
        while self._arrange_again and not self._closed:
            self._arrange_again = False
            wanted = frozenset(os.path.dirname(path) for path in self._known)
            try:
                await in_own_thread(lambda wanted=wanted: self._cover(wanted), SETUP_SECONDS)
            except TimeoutError:
                self._failure = "a disk does not answer"
                self._failed_at = time.monotonic()
            except Exception as error:
                self._replace_watch(None)
                self._coverage = Coverage(wanted=wanted)
                self._give_up(str(error) or type(error).__name__)
            self._tell_trouble()

    def _cover(self, wanted: frozenset[str]) -> None:
        """In a thread: from the folders on the disk to what is watched of them."""
        coverage = covered(wanted, self._settings.folders(), self._mounts())
        before, failure = self._watch, ""
        if before is None or before.identities.keys() != coverage.watched or not before.is_true():
            try:
                self._replace_watch(FolderWatch(coverage.watched, self, self._presence))
            except OSError as error:
                failure = str(error)
                coverage = coverage.all_polled()
        if failure:
            self._replace_watch(None)
            self._failed_at = time.monotonic()
        self._failure, self._coverage = failure, coverage
        self._poll_where_needed()
        self._look([path for path in list(self._known) if not self._is_polled(path)], network=False)
        if not self._coverage.settings_polled:
            self._look_at_settings()

    def _replace_watch(self, watch: FolderWatch | None) -> None:
        before, self._watch = self._watch, watch
        if before is not None:
            before.stop()
        if self._closed and watch is not None:
            watch.stop()

    def _poll_where_needed(self) -> None:
        if not self._coverage.polled and not self._coverage.settings_polled:
            polling, self._polling = self._polling, None
            if polling is not None:
                polling.stop()
        elif self._polling is None and not self._closed:
            self._polling = Polling(self._poll, self._polling_died)
            self._tell_loop(self._beat)

    def _polling_died(self, error: BaseException) -> None:
        self._coverage = self._coverage.given_up(f"{error or type(error).__name__}")
        self._tell_loop(self._tell_trouble)

    def _give_up(self, failure: str) -> None:
        """The system tells nothing any more: everything is looked at again and again, until it does."""
        self._failure, self._failed_at = failure, time.monotonic()
        self._watch = None
        self._coverage = self._coverage.all_polled()
        self._poll_where_needed()
        self._tell_trouble()

    def _beat(self) -> None:
        self._tell_trouble()
        if self._polling is not None and self._loop is not None and not self._closed:
            self._pulse = self._loop.call_later(PULSE_SECONDS, self._beat)

    def _tell_trouble(self) -> None:
        trouble = self.trouble
        if trouble != self._told and not self._closed:
            self._told = trouble
            self._on_trouble(trouble)
