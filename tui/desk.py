"""What a session brings to the screen besides its data: who gets the keys, and what a chosen row does.

Imported with the agent, after the first frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events

from agent.events import Stamped
from agent.session import Session
from tools.events import PermissionDecided, PermissionRequested, PermissionUpdated, PermissionWithdrawn
from tui.controllers.approvals import Approvals, Around
from tui.controllers.browse import Browse
from tui.controllers.panel import Panel
from tui.controllers.scene import TOUR
from tui.screens.followed import NEWS
from tui.stage import Stage

if TYPE_CHECKING:
    from tui.app import AgentApp

ASKING = (PermissionRequested, PermissionUpdated, PermissionWithdrawn, PermissionDecided)


class Desk:
    """`changed` is told of every event, once the data has it, with how much text came."""

    def __init__(self, app: AgentApp, session: Session, changed: Callable[[Stamped, int], None]) -> None:
        scene, parts = app.scene, app.scene.parts
        model = "" if scene.model == TOUR else session.about.model
        self.stage = Stage(session, model, self._heard, app.fault)
        self.approvals = Approvals(
            self.stage.sheet,
            parts.box,
            parts.sheet,
            look=lambda: scene.look,
            decide=session.decide,
            around=Around(
                seen=lambda: parts.view.screen.is_current,
                elsewhere=lambda: app.focused in (parts.view, parts.side),
                pick=app.pick_hunks,
                now=app.now,
            ),
        )
        self.browse = Browse(parts.view, app.outward.actions())
        self.panel = Panel(self.stage, scene, parts.side, app.outward.doings())
        self._app = app
        self._scene = scene
        self._side = parts.side
        self._view = parts.view
        self._changed = changed
        self._asks_changed = False

    def show_questions(self, now: float, again: bool = False) -> None:
        """What is open now, on the sheet. `again`: also what is on it already is armed anew."""
        if self._asks_changed or again:
            self._asks_changed = False
            self.approvals.show(self.stage.transcript.calls.open_questions(now), again)

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Whether a key was for the sheet or for the rows."""
        self.stage.session.watcher.person_is_here()
        # Not what a widget says of itself: that comes later, when its turn to hear of it has come.
        focused = self._app.focused
        if focused is self._side and isinstance(event, events.Key):
            if self.panel.takes(event):
                return True
            if event.is_printable:
                self.browse.leave()
        if focused is self._view and isinstance(event, events.Key):
            if event.key != "tab" and self.browse.takes(event):
                return True
            if event.is_printable:
                # Typing: the prompt has the keys again, and this is its first.
                self.browse.leave()
        return self.approvals.takes(event)

    def background(self) -> bool:
        """Let the command that runs longest go on by itself; False where none can."""
        running = [call for call in self.stage.transcript.calls.open.values() if call.phase == "run"]
        return any(self.stage.session.background(call.id) for call in running)

    def close(self) -> None:
        self.approvals.close()

    def _heard(self, stamped: Stamped, chars: int) -> None:
        if isinstance(stamped.event, ASKING) or self.stage.transcript.calls.questions:
            self._asks_changed = True
        if self._scene.side_open and isinstance(stamped.event, NEWS):
            self.panel.look()
        self._changed(stamped, chars)
