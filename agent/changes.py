"""What commands change among the files this session knows: found, and credited to the command.

A command has a window, from before it starts until it has ended or left for the background. A known file that changes
in it is credited to the command, because nobody can tell better: the change is shown like any other, "while it ran",
listed with the command's result, and no later edit takes it for somebody else's. What the watcher has not told by the
end is found by looking at every known file. A task of the background has no window: it may run for hours, and what
people change meanwhile is theirs.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent.watch import OutsideChange, Watcher
from agent.watching.known import Known
from tools.diffs import diff_of
from tools.ledger.writes import Writes
from tools.ports import ChangedFile
from tools.threads import in_thread

# What tells, without reading it, that a file is not what it was; None where there is none.
Sign = tuple[int, int, int, int] | None


@dataclass(slots=True, eq=False)
class CommandWindow:
    """`tools.ports.ChangeWindow`."""

    call_id: str
    agent: str
    command: str
    before: dict[str, Known]
    changed: tuple[ChangedFile, ...] = field(default=())


class CommandWindows:
    """`tools.ports.Changes`. `watch` comes before any command."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        self._open: list[CommandWindow] = []
        self._watcher: Watcher | None = None

    def watch(self, watcher: Watcher) -> None:
        self._watcher = watcher

    @asynccontextmanager
    async def window(self, call_id: str, agent: str, command: str) -> AsyncGenerator[CommandWindow]:
        watcher = self._watcher
        assert watcher is not None, "a session watches before it runs anything"
        window = CommandWindow(call_id, agent, command, watcher.all_known())
        signs = await in_thread(_signs, window.before)
        self._open.append(window)
        try:
            yield window
        finally:
            try:
                # Also when the call is cancelled: what it did until then is its doing.
                await asyncio.shield(self._look(watcher, window, signs))
            finally:
                self._open.remove(window)

    def takes(self, change: OutsideChange) -> CommandWindow | None:
        """The command that a change is taken to be of; None where no window is open."""
        if not self._open:
            return None
        window = self._open[-1]
        self._writes.credit(change.path, change.after.hash, window.call_id)
        return window

    async def _look(self, watcher: Watcher, window: CommandWindow, signs: dict[str, Sign]) -> None:
        now = await in_thread(_signs, window.before)
        # Whatever differs goes the way of every change that is seen, and is taken by this window there.
        await in_thread(watcher.look_now, [path for path, sign in now.items() if sign != signs[path]])
        await asyncio.sleep(0)
        pairs = [(path, before, watcher.last_known(path)) for path, before in window.before.items()]
        window.changed = await in_thread(
            lambda: tuple(_changed(path, before, after) for path, before, after in pairs if _differ(before, after))
        )


def _differ(before: Known, after: Known | None) -> bool:
    return after is not None and after.hash != before.hash


def _changed(path: str, before: Known, after: Known | None) -> ChangedFile:
    assert after is not None, "only what differs is told"
    if after.hash is None or before.text is None or after.text is None:
        return ChangedFile(path, deleted=after.hash is None)
    diff = diff_of(path, before.text, after.text)
    return ChangedFile(path, diff.added, diff.removed)


def _signs(paths: Iterable[str]) -> dict[str, Sign]:
    return {path: _sign(path) for path in paths}


def _sign(path: str) -> Sign:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
