"""A session that goes on: its files are compared with what they were when the program was last open.

What its calls, its commands and the person through it wrote is its own again; whatever differs from that and from what
the model was shown is an outside edit that came while it was closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from agent.checkpoints.steps import Step
from agent.outside import Outside
from agent.watch import SETUP_SECONDS, Watcher
from agent.watching.known import Known, known_as_shown
from tools.ledger.seen import Seen
from tools.ledger.writes import Writes


def remember_writes(steps: Iterable[Step], writes: Writes) -> None:
    """What this session wrote in its earlier runs, in the order it did."""
    for step in steps:
        if step.by != "outside":
            writes.note(step.path, step.after, step.call)


class Waking:
    def __init__(self, watcher: Watcher, outside: Outside) -> None:
        self._watcher = watcher
        self._outside = outside
        self._looking: asyncio.Task[None] | None = None

    def begin(self, seen: Seen, steps: Iterable[Step]) -> None:
        """Look at what was known, once; what has changed is told as all that others do."""
        if self._looking is None:
            last = {step.path: step.after for step in steps}
            self._looking = asyncio.ensure_future(self._look(seen, last))

    async def settled(self) -> None:
        """Until what others did so far is known and told; a disk that does not answer is not waited for."""
        if self._looking is not None and not self._looking.done():
            await asyncio.wait([self._looking], timeout=SETUP_SECONDS)
        await self._outside.settled()

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look(self, seen: Seen, last: dict[str, str | None]) -> None:
        known = [(path, file) for path in seen.paths() if (file := seen.get(path)) is not None]
        if not known:
            return
        self._outside.waking = True
        for path, file in known:
            # What the history took note of last is newer than what the model was shown of the file.
            shown = known_as_shown(file.snapshot)
            self._watcher.follow(path, Known(last[path]) if path in last else shown)
        try:
            await self._watcher.ready()
            await self._outside.settled()
        finally:
            self._outside.waking = False
