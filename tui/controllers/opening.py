"""From the first frame to a session on the screen, and from one session to the next.

The agent is loaded in a thread while the person already types.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from textual.worker import Worker

from tools.threads import in_thread
from tui.controllers.scene import TOUR
from tui.controllers.turns import CannotOpen
from tui.loading import loading

if TYPE_CHECKING:
    from agent.assemble import Wanted
    from agent.events import Stamped
    from agent.session import Session
    from tui.app import AgentApp
    from tui.stage import Stage

# So long a saved session may be read at a stretch.
PORTION_SECONDS = 0.008
OPENING = "opening the session"


class Opening:
    def __init__(self, app: AgentApp) -> None:
        self._app = app
        self._git: Worker[None] | None = None
        self._colleague: object = None

    def begin(self) -> None:
        self._app.begin(OPENING, self._open())

    async def change(self, resume: str | None) -> None:
        """Another session: a new one, or one of this folder's earlier ones."""
        try:
            await self._app.turns.change(resume, self._show)
        except CannotOpen as problem:
            self._app.say(str(problem))

    def look_at_git(self) -> None:
        if self._git is None or self._git.is_finished:
            self._git = self._app.begin("asking git about this folder", self._ask_git())

    # -- how it goes

    async def _open(self) -> None:
        app = self._app
        try:
            wanted = await in_thread(_loaded, app.start.wanted)
            await app.turns.open(wanted, self._show)
        except CannotOpen as problem:
            app.exit(f"agent-tui: {problem}", return_code=1)
            return
        if not await self._settle_trust():
            app.exit("")
            return
        app.turns.begin()
        app.begin("reading what was sent before", self._remember(wanted))
        app.turns.prepare()
        if app.start.first_task:
            app.turns.submit(app.start.first_task)
        app.begin("loading what shows answers", in_thread(_warm))

    async def _settle_trust(self) -> bool:
        """Ask about what the folder brings, if it brings anything. False: the person would rather not be here."""
        from tui.screens.trust import Brought
        from tui.screens.trusting import QUIT, YES, TrustPage

        app = self._app
        trust = app.desk.stage.session.trust if app.desk is not None else None
        brings = await in_thread(trust.to_ask_about) if trust is not None else ()
        if trust is None or not brings:
            return True
        shown = [Brought(*one) for one in brings]
        page = TrustPage(app.scene.folder, shown, trust.would_be_kept, app.box.add_text, app.now)
        answer = await app.push_screen_wait(page)
        if answer == YES:
            trust.give()
            app.welcome.redraw()
        app.back()
        return answer != QUIT

    async def _show(self, session: Session) -> None:
        from tui.desk import Desk

        app = self._app
        if app.desk is not None:
            app.desk.close()
        desk = app.desk = Desk(app, session, self._changed)
        app.scene.stage = None
        app.scene.model = TOUR if app.start.tour else session.about.model
        app.scene.folder = desk.stage.folder
        await self._show_past(desk.stage, session.past())
        app.scene.stage = desk.stage
        if app.start.tour:
            self._colleague = _colleague(session, desk.stage.folder)
        if not desk.stage.arrangement.entries:
            app.welcome.show(session, desk.stage)
        app.frames.now()
        self.look_at_git()

    async def _show_past(self, stage: Stage, past: Sequence[Stamped]) -> None:
        """First its end, which is what a person looks at. The rest comes in portions, between which keys are heard."""
        view = self._app.view
        view.rows = stage.end_of(past)
        view.forget()
        self._app.frames.now()
        pause = time.monotonic() + PORTION_SECONDS
        for _ in stage.catch_up(past):
            if time.monotonic() >= pause:
                await asyncio.sleep(0)
                pause = time.monotonic() + PORTION_SECONDS
        view.show_with_more_before(stage.arrangement.rows)

    def _changed(self, stamped: Stamped, chars: int) -> None:
        from agent.events import ExternalEdit, TurnEnded

        if isinstance(stamped.event, TurnEnded | ExternalEdit):
            self.look_at_git()
        self._app.frames.want(chars)

    async def _ask_git(self) -> None:
        from tui.facts import git_facts

        app = self._app
        facts = await in_thread(git_facts, app.scene.folder)
        if facts != app.scene.git:
            app.scene.git = facts
            app.welcome.redraw()
            app.frames.want()

    async def _remember(self, wanted: Wanted) -> None:
        """What was sent before, and the files that can be named; neither is waited for."""
        from tui.prompt.files import FileNames
        from tui.prompt.history import History, history_file

        box = self._app.box
        box.files = FileNames(wanted.folder, self._app.outward.remark)
        if wanted.keep:
            past = History(history_file(), wanted.folder)
            await past.load()
            past.go_on_from(box.past)
            box.past = past


def _loaded(wanted: Callable[[], Wanted]) -> Wanted:
    """Imports everything a session on the screen needs, which takes a while."""
    with loading():
        # What shows a session is as much to load as the session itself.
        import_module("tui.desk")
        from agent.assemble import NotConnected

        try:
            return wanted()
        except NotConnected as problem:
            raise CannotOpen(str(problem)) from None


def _warm() -> None:
    """So that the first piece of code in an answer makes nobody wait."""
    with loading():
        import_module("tui.render.markdown").warm()


def _colleague(session: Session, folder: str) -> object:
    """Somebody else who edits the tour's project."""
    from pathlib import Path

    from agent.tour.play import Colleague

    return Colleague(session, Path(folder))
