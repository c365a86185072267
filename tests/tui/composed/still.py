"""The whole app held still: a session that only says what a story tells it, at the story's own times, in a place that
exists only on paper. What is on the screen is then the same on every machine and every day."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest
from textual import events
from textual.pilot import Pilot

from agent.assemble import Wanted
from agent.events import MAIN, Event, ModelAsked, TurnStarted, UserMessage
from agent.model.scripted import ScriptedModel
from agent.rulebook import Rulebook, SavingPlace
from agent.settings.merge import Flags
from agent.watch import Watcher
from tests.support.patience import PATIENCE
from tests.tui.sheet.asked import CTX, FOLDER
from tests.tui.transcript.told import plain
from tools.events import (
    PermissionRequest,
    PermissionRequested,
    ToolFinished,
    ToolInputDelta,
    ToolInputReady,
    ToolInputStarted,
    ToolProgress,
    ToolStarted,
)
from tui.app import AgentApp
from tui.controllers.scene import GitFacts
from tui.start import Start

# A Wednesday in November, 14:02:00 in Greenwich.
NOON = 1_795_010_520.0
Tell = Callable[["Story"], Awaitable[None]]


class Story:
    """Tells the app what happens. `after` so many seconds."""

    def __init__(self, app: AgentApp, clock: Clock) -> None:
        self.app = app
        self._clock = clock

    def hear(self, *events: Event, after: float = 0.0, agent: str = MAIN) -> Self:
        self._clock.now += after
        session = self.app.turns.session
        assert session is not None
        for event in events:
            session.bus.emit(event, agent)
        return self

    def turn(self, words: str, number: int = 1) -> Self:
        return self.hear(TurnStarted(number), UserMessage(words), ModelAsked())

    def streams(self, id: str, name: str, raw: str) -> Self:
        return self.hear(ToolInputStarted(id, name), ToolInputDelta(id, raw))

    def called(self, id: str, name: str, **input: Any) -> Self:
        return self.hear(ToolInputStarted(id, name), ToolInputReady(id, input))

    def runs(self, id: str, name: str, after: float = 0.0, **input: Any) -> Self:
        return self.called(id, name, **input).hear(ToolStarted(id), after=after)

    def says(self, id: str, progress: Any, after: float = 0.0) -> Self:
        return self.hear(ToolProgress(id, plain(progress)), after=after)

    def done(self, id: str, data: Any, after: float = 0.1, **more: Any) -> Self:
        return self.hear(ToolFinished(id, "ok", data=plain(data), duration=after, **more), after=after)

    def ends(self, id: str, outcome: Any, error: str, after: float = 0.0) -> Self:
        return self.hear(ToolFinished(id, outcome, outcome, error=error, duration=after), after=after)

    def asks(self, *requests: PermissionRequest) -> Self:
        return self.hear(*(PermissionRequested(request, 1) for request in requests))

    # -- what the person does

    async def types(self, words: str) -> None:
        self.app.box.focus()
        self.app.box.add_text(words)
        await self.until(lambda: self.app.box.text.endswith(words))

    async def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, "it did not happen"
            await asyncio.sleep(0.01)

    async def press(self, *keys: str) -> None:
        """Keys of the sheet, each alone."""
        for key in keys:
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await asyncio.sleep(0)
        await self.until(lambda: self.app.message_queue_size == 0)

    async def keys_count(self) -> None:
        """The answers of the sheet are lit."""
        await self.until(lambda: self.app.desk is not None and self.app.desk.approvals._keys.lit)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


class Still:
    """`of` makes the app and what `snap_compare` runs before its picture."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._clock = Clock()
        self._folder = folder / "tidewatch"
        self._folder.mkdir()
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
        monkeypatch.setattr(time, "time", self._clock)
        monkeypatch.setattr("tui.stage.ViewContext", lambda *_: replace(CTX, exists=lambda _: False))
        monkeypatch.setattr("tui.facts.git_facts", lambda _: GitFacts("main", 3))
        monkeypatch.setattr("tools.version.__version__", "0.1.0")
        place = SavingPlace("local", f"{FOLDER}/.agent-tui/settings.local.json")
        monkeypatch.setattr(Rulebook, "places", lambda _: (place,))
        # The spinner stands.
        monkeypatch.setattr("tui.controllers.clock.STEP_SECONDS", 3600.0)
        self._watches(monkeypatch, 6)

    @staticmethod
    def _watches(monkeypatch: pytest.MonkeyPatch, files: int) -> None:
        monkeypatch.setattr(Watcher, "following", property(lambda _: files))
        monkeypatch.setattr(Watcher, "folders", property(lambda _: 3))

    def of(self, tell: Tell, theme: str = "slate", mode: Any = None, **start: Any) -> dict[str, Any]:
        """The arguments of `snap_compare`."""
        flags = Flags(trusted=True, mode=mode, model="claude-sonnet-5-5")
        wanted = Wanted(folder=str(self._folder), flags=flags, model=ScriptedModel([]), keep=False)
        app = AgentApp(Start(wanted=lambda: wanted, folder=str(self._folder), theme=theme, **start))

        async def before(pilot: Pilot[str]) -> None:
            story = Story(app, self._clock)
            await story.until(lambda: app.desk is not None and app.scene.git.changed == 3)
            session = app.turns.session
            assert session is not None
            session.bus._clock = self._clock
            await tell(story)
            await pilot.pause()
            app.frames.now()
            await pilot.pause()

        return {"app": app, "run_before": before}
