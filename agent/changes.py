"""What commands change: found, and credited to the command.

A command has a window, from before it starts until it has ended or left for the background. A known file that changes
in it is credited to the command, because nobody can tell better: the change is shown like any other, "while it ran",
listed with the command's result, and no later edit takes it for somebody else's. What the watcher has not told by the
end is found by looking; that look, and the one before, are those of the checkpoint, which takes note of all the other
files of the workspace too. What had changed before is told before the window opens: it is not the command's. A task of
the background has no window: it may run for hours, and what people change meanwhile is theirs.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent.checkpoints.commands import Around, CommandCheckpoints
from agent.watch import OutsideChange, Watcher
from agent.watching.known import Known
from agent.watching.peers import Peers
from tools.diffs import diff_of
from tools.ledger.writes import Writes
from tools.ports import ChangedFile
from tools.short import shortened
from tools.threads import in_own_thread, in_thread

WHILE = "while `{command}` ran"
# Looking before a command and keeping what may be lost by it takes no longer.
BEFORE_SECONDS = 20.0
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
    """`tools.ports.Changes`. `watch` and `cover` come before any command."""

    def __init__(self, writes: Writes, peers: Peers) -> None:
        self._writes = writes
        self._peers = peers
        self._open: list[CommandWindow] = []
        self._watcher: Watcher | None = None
        self._checkpoints: CommandCheckpoints | None = None
        self._told: Callable[[], Awaitable[None]] | None = None

    def watch(self, watcher: Watcher, told: Callable[[], Awaitable[None]]) -> None:
        """`told` returns once all changes that were found so far are told."""
        self._watcher, self._told = watcher, told

    def cover(self, checkpoints: CommandCheckpoints) -> None:
        self._checkpoints = checkpoints

    @asynccontextmanager
    async def window(self, call_id: str, agent: str, command: str) -> AsyncGenerator[CommandWindow]:
        watcher, checkpoints = self._watcher, self._checkpoints
        assert watcher is not None and checkpoints is not None, "a session watches before it runs anything"
        around = Around()
        try:
            await _look_before(checkpoints, around, watcher)
            window = CommandWindow(call_id, agent, command, watcher.all_known())
            signs = await in_thread(_signs, window.before, around)
            self._open.append(window)
            self._peers.runs(call_id, command)
            try:
                yield window
            finally:
                try:
                    # Also when the call is cancelled: what it did until then is its doing.
                    await asyncio.shield(self._look_after(checkpoints, around, watcher, window, signs))
                finally:
                    self._open.remove(window)
                    self._peers.ran(call_id)
        finally:
            around.close()

    def takes(self, change: OutsideChange) -> CommandWindow | None:
        """The command that a change is taken to be of; None where no window is open."""
        if not self._open:
            return None
        window = self._open[-1]
        self._writes.credit(change.path, change.after.hash, window.call_id)
        return window

    async def _look_after(
        self,
        checkpoints: CommandCheckpoints,
        around: Around,
        watcher: Watcher,
        window: CommandWindow,
        signs: dict[str, Sign],
    ) -> None:
        changes = await in_thread(checkpoints.after, around)
        known = watcher.all_known()
        now = await in_thread(_signs, window.before, around)
        # Whatever differs goes the way of every change that is seen, and is taken by this window there.
        moved = [path for path, sign in now.items() if sign != signs.get(path)]
        await in_thread(watcher.look_now, [*moved, *(path for path in changes if path in known)])
        await asyncio.sleep(0)
        if self._told is not None:
            await self._told()
        said = WHILE.format(command=shortened(window.command))
        await in_thread(checkpoints.note, around, changes, frozenset(known), window.call_id, said)
        pairs = [(path, before, watcher.last_known(path)) for path, before in window.before.items()]
        window.changed = await in_thread(
            lambda: tuple(_changed(path, before, after) for path, before, after in pairs if _differ(before, after))
        )


async def _look_before(checkpoints: CommandCheckpoints, around: Around, watcher: Watcher) -> None:
    """A disk that does not answer costs the checkpoint, not the command."""
    try:
        await in_own_thread(lambda: checkpoints.before(around), BEFORE_SECONDS)
    except TimeoutError:
        checkpoints.give_up()
        around.tree = None
    known = watcher.all_known()
    if earlier := [path for path in around.news if path in known]:
        await in_thread(watcher.look_now, earlier)
        await asyncio.sleep(0)


def _differ(before: Known, after: Known | None) -> bool:
    return after is not None and after.hash != before.hash


def _changed(path: str, before: Known, after: Known | None) -> ChangedFile:
    assert after is not None, "only what differs is told"
    if after.hash is None or before.text is None or after.text is None:
        return ChangedFile(path, deleted=after.hash is None)
    diff = diff_of(path, before.text, after.text)
    return ChangedFile(path, diff.added, diff.removed)


def _signs(paths: Iterable[str], around: Around) -> dict[str, Sign]:
    """Of those files that the checkpoint does not look at."""
    return {path: _sign(path) for path in paths if not around.covers(path)}


def _sign(path: str) -> Sign:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
