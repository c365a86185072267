"""Threads that notice changes in folders: one that the system tells, and one that looks again and again.

The library cannot add a folder to a running watch, so a watch is over a fixed set, and another one takes its place.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

DEBOUNCE_MS = 50
STEP_MS = 10
# The step once nobody has pressed a key for so long.
QUIET_STEP_MS = 25
QUIET_AFTER_SECONDS = 60.0
# How often a watch is compared with what is really there: a disk that was unmounted says nothing.
CHECK_MS = 2_000
# Between two looks at files nobody tells us of; and how much of a core looking may take.
POLL_SECONDS = 0.25
POLL_SHARE = 0.01

Identity = tuple[int, int] | None


class Listener(Protocol):
    """Called from the threads."""

    def touched(self, paths: Sequence[str]) -> None:
        """Something happened to these: files in the folders, or the folders themselves."""
        ...

    def look_around(self) -> None:
        """It is time to look whether everything is as it was."""
        ...

    def died(self, error: BaseException) -> None:
        """The thread has come to its end, and nobody wanted that."""
        ...


class Presence:
    """When the person last did something: whoever types wants to see quickly what others do."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def here(self) -> None:
        self._last = time.monotonic()

    @property
    def step(self) -> int:
        return STEP_MS if time.monotonic() - self._last < QUIET_AFTER_SECONDS else QUIET_STEP_MS


class FolderWatch:
    """Raises OSError where the system grants no more watches. Folders that are not there are left out."""

    def __init__(self, folders: Iterable[str], listener: Listener, presence: Presence) -> None:
        from watchfiles._rust_notify import WatchfilesRustInternalError

        self.identities = {folder: identity(folder) for folder in folders}
        try:
            self._notify = _notify(sorted(self.identities))
        except WatchfilesRustInternalError as error:
            raise OSError(str(error)) from error
        self._listener = listener
        self._presence = presence
        self._stopping = False
        self._interrupt = threading.Event()
        self._step = 0
        threading.Thread(target=self._run, name="watch", daemon=True).start()

    def hurry(self) -> None:
        """The person is here: the long step need not be waited for."""
        if self._step == QUIET_STEP_MS:
            self._interrupt.set()

    def stop(self) -> None:
        self._stopping = True
        self._interrupt.set()

    def is_true(self) -> bool:
        """Whether each folder is still the one that is watched."""
        return all(identity(folder) == known for folder, known in self.identities.items())

    def _run(self) -> None:
        try:
            self._watch()
        except BaseException as error:
            self._listener.died(error)
        finally:
            self._notify.close()

    def _watch(self) -> None:
        checked = time.monotonic()
        while not self._stopping:
            self._step = self._presence.step
            told = self._notify.watch(DEBOUNCE_MS, self._step, CHECK_MS, self._interrupt)
            self._interrupt.clear()
            if not isinstance(told, str):
                self._listener.touched([path for _, path in told])
            if time.monotonic() - checked >= CHECK_MS / 1000 and not self._stopping:
                self._listener.look_around()
                checked = time.monotonic()
        # What was told until the next watch began is still in the library's hands.
        told = self._notify.watch(1, 1, 1, None)
        if not isinstance(told, str):
            self._listener.touched([path for _, path in told])


def _notify(folders: list[str]) -> RustNotify:
    """To be lenient with folders means, for the library, to be silent about the limit on watches too: so only where one
    has gone, or was closed to us, in this very moment. The next look at what is there finds that."""
    from watchfiles._rust_notify import RustNotify

    try:
        return RustNotify(folders, False, False, 0, False, False)
    except (FileNotFoundError, PermissionError):
        return RustNotify(folders, False, False, 0, False, True)


class Polling:
    """Calls `look` again and again in a thread of its own, which a disk that hangs may hold for ever."""

    def __init__(self, look: Callable[[], None], died: Callable[[BaseException], None]) -> None:
        self._look = look
        self._died = died
        self._stopping = threading.Event()
        self._began: float | None = None
        threading.Thread(target=self._run, name="poll", daemon=True).start()

    @property
    def held_for(self) -> float:
        """For how many seconds the look has been going on that has not ended."""
        began = self._began
        return time.monotonic() - began if began is not None else 0.0

    def stop(self) -> None:
        self._stopping.set()

    def _run(self) -> None:
        try:
            pause = 0.0
            while not self._stopping.wait(pause):
                self._began = time.monotonic()
                worked = time.thread_time()
                self._look()
                self._began = None
                pause = max(POLL_SECONDS, (time.thread_time() - worked) / POLL_SHARE)
        except BaseException as error:
            self._died(error)


def identity(path: str) -> Identity:
    """Which file or folder lies there; None where there is none, or none that we may look at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
