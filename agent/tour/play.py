"""Plays the tour: a scripted model in a scratch copy of a small project, with the real tools, gate and watcher.

While its slow command runs, a second process edits a file the model has read, as a colleague or an editor would.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from agent.assemble import Wanted, open_session
from agent.events import Stamped
from agent.model.scripted import ScriptedModel
from agent.plain import PlainText
from agent.scripts.answers import say_yes
from agent.session import Session
from agent.settings.merge import Flags
from agent.tour.scratch import scratch_copy
from agent.tour.script import TASK, reply_to
from tools.events import ToolStarted
from tools.view import ViewContext

# What the second process does: a careful colleague adds a line at the end.
COLLEAGUE = """
import sys
with open(sys.argv[1], "a") as file:
    file.write("\\n\\nABSOLUTE_ZERO_CELSIUS = -273.15\\n")
"""


async def play(show: Callable[[str], None], patient: bool = True) -> int:
    """0 when the tour came to its end. `patient` streams at a readable pace."""
    with scratch_copy() as folder:
        # It is our own copy, so the tour says yes by itself; every question is still asked and shown.
        wanted = replace(tour_in(folder, patient), answerer=say_yes)
        async with await open_session(wanted) as session:
            return await _play_in(session, folder, show)


def tour_in(folder: Path, patient: bool = True) -> Wanted:
    """The tour as a session, in a copy of its project."""
    model = ScriptedModel(reply_to, pause=asyncio.sleep if patient else None)
    return Wanted(folder=str(folder), flags=Flags(trusted=True), model=model, keep=False, hooks=False)


async def _play_in(session: Session, folder: Path, show: Callable[[str], None]) -> int:
    plain = PlainText(session.pool.find, ViewContext(str(folder), session.main.place.home))

    def take(stamped: Stamped) -> None:
        for line in plain.lines(stamped):
            show(line)

    session.bus.listen(take)
    colleague = Colleague(session, folder)
    session.announce()
    session.submit(TASK)
    ended = await session.turn_ended()
    await colleague.done()
    return 0 if ended is not None and ended.reason == "done" else 1


class Colleague:
    """Somebody else who edits the same project while the tests run: a process of its own."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._file = folder / "thermometer.py"
        self._edits: list[asyncio.Task[int]] = []
        session.bus.listen(self._heard)

    def _heard(self, stamped: Stamped) -> None:
        if stamped.event == ToolStarted("test-1"):
            self._edits.append(asyncio.create_task(_edit_from_outside(self._file)))

    async def done(self) -> None:
        await asyncio.gather(*self._edits)


async def _edit_from_outside(path: Path) -> int:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", COLLEAGUE, str(path))
    return await process.wait()
