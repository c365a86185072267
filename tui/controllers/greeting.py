"""The welcome: stands in the transcript until the first thing is said, and is kept up to date meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.threads import in_thread
from tools.version import __version__
from tui.render.lines import Drawn
from tui.render.look import Look

if TYPE_CHECKING:
    from agent.session import Session
    from agent.store.sessions import SessionInfo
    from tui.app import AgentApp
    from tui.stage import Stage
    from tui.transcript.entries import Entry


class Greeting:
    """The row of the welcome."""

    live = False
    stacks = False
    parts = 1
    text = ""
    entries: Sequence[Entry] = ()

    def __init__(self, app: AgentApp) -> None:
        self._app = app
        self._session: Session | None = None
        self._stage: Stage | None = None
        self._latest: SessionInfo | None = None
        self._said = ""
        self.version = 0

    def show(self, session: Session, stage: Stage) -> None:
        self._session, self._stage, self._said = session, stage, ""
        stage.arrangement.rows.insert(0, self)
        self._app.begin("looking for earlier sessions", self._look_for_latest(stage.folder))

    def say(self, sentence: str) -> None:
        """There is no session that could tell this."""
        self._said = sentence
        self._app.view.rows = [self]
        self._app.view.forget()
        self.redraw()

    def redraw(self) -> None:
        self.version += 1

    def owner(self, line: int) -> int:
        return 0

    def part(self, number: int) -> None:
        return None

    def lines(self, look: Look) -> Sequence[Drawn]:
        if self._said:
            return _note(self._said, look)
        from tui.facts import welcome_of
        from tui.screens.welcome import welcome_lines

        if self._session is None or self._stage is None:
            return ()
        app = self._app
        facts = welcome_of(
            self._session, self._stage.kinds.ctx, app.scene.git, self._latest, __version__, app.start.tour
        )
        return welcome_lines(facts, look)[1:]

    async def _look_for_latest(self, folder: str) -> None:
        from agent.settings.locations import wanted_state_folder
        from agent.store.sessions import list_sessions

        if self._app.start.tour or self._session is None:
            return
        own = self._session.id
        earlier = await in_thread(list_sessions, str(wanted_state_folder()), folder)
        self._latest = next((info for info in earlier if info.id != own and info.title), None)
        self.redraw()
        self._app.frames.want()


def _note(sentence: str, look: Look) -> Sequence[Drawn]:
    from tui.transcript.entries import Note
    from tui.transcript.words import note_lines

    first, _, rest = sentence.partition(". ")
    return note_lines(Note(text=first, level="error", detail=rest), look)
