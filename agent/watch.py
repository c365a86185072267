"""Sees at once when somebody else changes a file this session knows.

The folders of the known files are watched, never the files (an editor's rename would end that watch). What kind of
event came does not matter: the file's hash is compared with the last one known, and a hash that is not one of ours is
an outside edit. The library cannot add a folder to a running watch, so a new watch is started before the old one ends
and the known files are hashed again: what changed between is not lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tools.contract import ToolError
from tools.files import hash_bytes
from tools.ledger.writes import Writes
from tools.textfile import decode

DEBOUNCE_MS = 50
STEP_MS = 10
LARGEST_TEXT = 1024 * 1024
# How long one wait inside the library lasts before it looks whether it should stop.
WAIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Known:
    """A file as this session last knew it. `text` is kept for files small enough to be compared line by line."""

    hash: str | None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class OutsideChange:
    path: str
    before: Known
    after: Known


class Watcher:
    """Follows known files; calls `on_change` in the event loop's thread for each outside change."""

    def __init__(self, writes: Writes, on_change: Callable[[OutsideChange], None]) -> None:
        self._writes = writes
        self._on_change = on_change
        self._known: dict[str, Known] = {}
        self._folders: frozenset[str] = frozenset()
        self._watch: _FolderWatch | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._restart: asyncio.Handle | None = None
        self._looked: asyncio.Future[None] | None = None
        self.problem = ""

    def follow(self, path: str, known: Known) -> None:
        """Know a file (by its real path) from now on, as it was when it was shown or written."""
        self._known[path] = known
        self._loop = self._loop or asyncio.get_running_loop()
        if os.path.dirname(path) not in self._folders and self._restart is None:
            self._restart = self._loop.call_soon(self._watch_all_folders)

    @property
    def following(self) -> int:
        """How many files it looks after."""
        return len(self._known)

    @property
    def folders(self) -> int:
        """How many folders it watches for that."""
        return len(self._folders)

    def knows(self, path: str) -> bool:
        return path in self._known

    def all_known(self) -> dict[str, Known]:
        return dict(self._known)

    def last_known(self, path: str) -> Known | None:
        return self._known.get(path)

    def look_now(self, paths: Iterable[str] | None = None) -> None:
        """Compare known files with the disk, without waiting for an event. It reads them: not for the loop's thread."""
        for path in list(self._known) if paths is None else paths:
            if path in self._known and self._loop is not None:
                after = read_known(path)
                with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
                    self._loop.call_soon_threadsafe(self._compare, path, after)

    async def ready(self) -> None:
        """Wait until all known files are watched and have been looked at since."""
        while self._restart is not None or (self._looked is not None and not self._looked.done()):
            await (self._looked if self._looked is not None and not self._looked.done() else asyncio.sleep(0))

    def close(self) -> None:
        if self._restart is not None:
            self._restart.cancel()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _watch_all_folders(self) -> None:
        self._restart = None
        folders = frozenset(os.path.dirname(path) for path in self._known)
        there = sorted(folder for folder in folders if os.path.isdir(folder))
        assert self._loop is not None, "follow sets the loop"
        self._folders = folders
        before, self._watch = self._watch, None
        try:
            self._watch = _FolderWatch(there, self.look_now)
            self.problem = ""
        except OSError as error:
            # Out of watches or instances: known files are still compared whenever a call uses them.
            self.problem = f"Files are not watched ({error}); outside edits are noticed when a file is next used."
        if before is not None:
            before.stop()
        self._looked = self._loop.run_in_executor(None, self.look_now)

    def _compare(self, path: str, after: Known) -> None:
        before = self._known.get(path)
        if before is None or after.hash == before.hash:
            return
        self._known[path] = after
        if after.hash is None or self._writes.is_ours(path, after.hash) is None:
            self._on_change(OutsideChange(path, before, after))


def read_known(path: str) -> Known:
    """The file as it is now; a hash of None where there is none that can be read."""
    try:
        # Not blocking: what was a file may have become a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            return known_from(file.read()) if stat.S_ISREG(os.fstat(descriptor).st_mode) else Known(None)
    except OSError:
        return Known(None)


def known_from(data: bytes) -> Known:
    """The text is kept as it is shown: decoded, with lines that end in \\n."""
    text: str | None = None
    if len(data) <= LARGEST_TEXT:
        with contextlib.suppress(ToolError):  # no text: compared by its hash alone
            text = decode(data, "the file").text
    return Known(hash_bytes(data), text)


class _FolderWatch:
    """One watch over a fixed set of folders, in a thread of its own."""

    def __init__(self, folders: list[str], touched: Callable[[Iterable[str]], None]) -> None:
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        try:
            self._notify = RustNotify(folders, False, False, 0, False, True)
        except WatchfilesRustInternalError as error:
            raise OSError(str(error)) from error
        self._touched = touched
        self._stopping = threading.Event()
        threading.Thread(target=self._run, name="watch", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            changes = self._notify.watch(DEBOUNCE_MS, STEP_MS, WAIT_MS, self._stopping)
            if not isinstance(changes, str):
                self._touched({path for _, path in changes})
        self._notify.close()
