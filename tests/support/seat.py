"""A person in front of the screen: the whole app with a real session, real tools and a scripted model, driven by keys.

async def body(seat: Seat) -> None:
    await seat.send("go")
    await seat.sees("waiting for you")

sit(tmp_path, [[tool_use("c", "Bash", command="touch made")], [text("done")]], body)
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.strip import Strip

from agent.assemble import Wanted
from agent.events import Event
from agent.model.scripted import ScriptedModel
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.patience import PATIENCE
from tests.support.sessions import Recorder
from tui.app import AgentApp
from tui.in_turn import InTurn
from tui.start import Start

LOOK_AGAIN = 0.005
# Of a clock that is held.
STEP = 0.05


class Clock:
    """The app's, for what depends on how long ago a key was pressed. It may be held: then it goes on only when told."""

    def __init__(self) -> None:
        self._held: float | None = None

    def __call__(self) -> float:
        return time.monotonic() if self._held is None else self._held

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def hold(self) -> None:
        self._held = time.monotonic()

    def goes_on(self, seconds: float) -> None:
        assert self._held is not None
        self._held += seconds


class Seat:
    def __init__(self, app: AgentApp, pilot: Pilot[str], model: ScriptedModel, folder: Path, clock: Clock) -> None:
        self.app = app
        self.clock = clock
        self.pilot = pilot
        self.model = model
        self.folder = folder
        self.seen: Recorder
        self._keys = InTurn(app)

    @property
    def session(self) -> Session:
        session = self.app.turns.session
        assert session is not None
        return session

    def said(self, kind: type[Event]) -> list[Any]:
        """What the session has told of this kind."""
        return self.seen.all(kind)

    # -- seeing

    def strips(self) -> list[Strip]:
        return self.app.screen._compositor.render_strips()

    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.strips()]

    def text(self) -> str:
        return "\n".join(self.lines())

    def line(self, words: str) -> str:
        """The first line with these words in it."""
        found = next((line for line in self.lines() if words in line), None)
        assert found is not None, f"{words!r} is not on the screen:\n{self.text()}"
        return found

    @property
    def draft(self) -> str:
        return self.app.box.draft

    @property
    def activity(self) -> str:
        return "\n".join(line.text for line in self.app.scene.parts.activity.lines).strip()

    @property
    def sheet(self) -> list[str]:
        return [line.text.rstrip() for line in self.app.scene.parts.sheet.lines]

    @property
    def sheet_has_keys(self) -> bool:
        return self.app.desk is not None and self.app.desk.approvals.has_keys

    @property
    def keys_count(self) -> bool:
        """Whether the sheet's keys are lit."""
        return self.app.desk is not None and self.app.desk.approvals._keys.lit

    @property
    def armed_at(self) -> float:
        """From when on the keys of what is on the sheet count."""
        return self.app.desk.approvals._keys._counts_from if self.app.desk is not None else 0.0

    # -- waiting

    async def until(
        self, holds: Callable[[], Any], words: str = "it did not happen", seconds: float = PATIENCE
    ) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"{words} in {seconds} s:\n{self.text()}"
            await asyncio.sleep(LOOK_AGAIN)

    async def passes(self, seconds: float) -> None:
        """So much time, of a clock that is held."""
        end = self.clock() + seconds
        while self.clock() < end:
            self.clock.goes_on(min(STEP, end - self.clock()))
            if self.app.desk is not None:
                self.app.desk.approvals._tick()
            await asyncio.sleep(0)

    async def looks(self) -> None:
        """As long as it takes to read what is there before going on; from here on the clock is held."""
        if not self.clock.is_held:
            self.clock.hold()
        await self.passes(0.6)

    async def in_time(self, holds: Callable[[], Any], words: str) -> None:
        """Like `until`, for what may have to wait for the clock."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"{words}:\n{self.text()}"
            if self.clock.is_held:
                await self.passes(STEP)
            await asyncio.sleep(LOOK_AGAIN)

    async def has_keys_that_count(self) -> None:
        await self.in_time(lambda: self.keys_count, "the keys of the sheet do not count")

    async def sees(self, *words: str, seconds: float = PATIENCE) -> None:
        for each in words:
            await self.until(lambda each=each: each in self.text(), f"{each!r} did not appear", seconds)

    async def misses(self, words: str, seconds: float = PATIENCE) -> None:
        """Until it is not there any more."""
        await self.until(lambda: words not in self.text(), f"{words!r} did not go", seconds)

    async def is_idle(self, seconds: float = PATIENCE) -> None:
        await self.until(lambda: not self.app.turns.busy, "the turn did not end", seconds)
        await self.settled()

    async def settled(self) -> None:
        """All that has happened so far is drawn."""
        await self.pilot.pause()
        self.app.frames.now()
        await self.pilot.pause()

    # -- doing

    async def press(self, *keys: str) -> None:
        """In one breath, the way the terminal hands them over; until the last has come through."""
        for key in keys:
            name = key if len(key) > 1 else _character_to_key(key)
            self._take(events.Key(name, key if len(key) == 1 else None))
        await self._came_through()

    def clicks(self, x: int, y: int) -> None:
        """Without waiting for what comes of it."""
        for kind in (events.MouseDown, events.MouseUp):
            self._take(kind(None, x, y, 0, 0, 1, False, False, False, x, y))

    async def types(self, words: str) -> None:
        await self.press(*("ctrl+j" if letter == "\n" else letter for letter in words))

    async def pastes(self, words: str) -> None:
        self._take(events.Paste(words))
        # Behind it in every queue it goes through.
        await self.press("f12")

    async def send(self, words: str) -> None:
        await self.types(words)
        await self.press("enter")

    async def answers(self, *keys: str) -> None:
        """Waits until the sheet's keys count, presses one after the other, and waits until each has been taken."""
        for key in keys:
            counts = "the keys of the sheet do not count"
            await self.in_time(lambda: self.keys_count and not self._typed_lately(), counts)
            await self.press(key)
            if len(key) == 1:
                await self.in_time(self._taken, "the key was not taken")
        await self.settled()

    def _take(self, event: events.InputEvent | events.Paste) -> None:
        event.time = self.clock()
        self._keys.take(event)

    async def _came_through(self) -> None:
        await self.until(lambda: self._keys._stuck is None and not self._keys.waiting, "a key did not come through")
        # What it posted is done too.
        for _ in range(5):
            await asyncio.sleep(0)

    def _typed_lately(self) -> bool:
        keys = self.app.desk.approvals._keys if self.app.desk is not None else None
        return keys is not None and keys._typed is not None and self.clock() - keys._typed < 0.55

    def _taken(self) -> bool:
        return self.app.desk is None or self.app.desk.approvals._keys.state != "held"


Body = Callable[[Seat], Awaitable[None]]


def sit(
    folder: Path,
    script: Any,
    body: Body,
    size: tuple[int, int] = (100, 40),
    early: Body | None = None,
    start: dict[str, Any] | None = None,
    **wanted: Any,
) -> None:
    """Starts the app in the folder and does what the person does: `early` before there is a session, `body` with it."""
    model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)
    flags = wanted.pop("flags", Flags(trusted=True))
    may_open = threading.Event()

    def opened() -> Wanted:
        assert may_open.wait(PATIENCE)
        return Wanted(folder=str(folder), flags=flags, model=model, **wanted)

    async def run() -> None:
        clock = Clock()
        app = AgentApp(Start(wanted=opened, folder=str(folder), **(start or {})), clock)
        async with asyncio.timeout(5 * PATIENCE), app.run_test(size=size) as pilot:
            seat = Seat(app, pilot, model, folder, clock)
            try:
                if early is not None:
                    await early(seat)
            finally:
                may_open.set()
            await seat.until(lambda: app.turns.session is not None, "no session was opened")
            seat.seen = Recorder(seat.session)
            await body(seat)

    asyncio.run(run())
