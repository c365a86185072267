"""Draws the parts of the screen from the stage, each frame; a part whose lines are the same is not repainted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from tui.faults import problems_in_words
from tui.first_paint import placeholder
from tui.painted import Painted, PaintedPanel
from tui.panels.activity import Doing, activity_line, cramped
from tui.panels.queue import queue_lines
from tui.panels.side import SideFacts, side_lines, todo_lines
from tui.panels.status import StatusFacts, status_line
from tui.prompt.completion import Completion, menu_lines
from tui.render.lines import Drawn
from tui.render.look import Look

if TYPE_CHECKING:
    from textual.widget import Widget

    from tools.ports import Todo
    from tui.prompt.box import PromptBox
    from tui.stage import Stage
    from tui.transcript.view import TranscriptView

FEEDBACK_SECONDS = 3.0
# What stands for the model's name where the tour answers.
TOUR = "tour"
SIDE_WIDTH = 40
# From here on the panel stands beside the transcript instead of covering it.
SIDE_BESIDE = 110


@dataclass(frozen=True, slots=True)
class Parts:
    """The widgets of the screen."""

    view: TranscriptView
    box: PromptBox
    side: Painted = field(default_factory=lambda: PaintedPanel(id="side"))
    activity: Painted = field(default_factory=lambda: Painted(id="activity", always=True))
    sheet: Painted = field(default_factory=lambda: Painted(id="sheet"))
    queue: Painted = field(default_factory=lambda: Painted(id="queue"))
    todos: Painted = field(default_factory=lambda: Painted(id="todos"))
    status: Painted = field(default_factory=lambda: Painted(id="status", always=True))
    menu: Painted = field(default_factory=lambda: Painted(id="menu"))


@dataclass(frozen=True, slots=True)
class GitFacts:
    """`changed`: files that differ from the last commit; None where git was not asked."""

    branch: str = ""
    changed: int | None = None


class Scene:
    """What is shown besides the session's own data stands here: feedback, the panel, the branch."""

    def __init__(self, parts: Parts, ascii: bool, still: bool) -> None:
        self.parts = parts
        self.stage: Stage | None = None
        self.git = GitFacts()
        self.model = ""
        self.mode = "default"
        self.folder = ""
        # How many faults of our own there were.
        self.faults = 0
        self.show_todos = False
        self.side_open = False
        self.side_pick: int | None = None
        self.side_scroll = 0
        # What the transcript's keys say of themselves, and messages sent before there is a session.
        self.browsing = ""
        self.held: tuple[str, ...] = ()
        # What the box offers just now.
        self.menu: Completion | None = None
        self._ascii = ascii
        self._still = still
        self._feedback = ("", 0.0)

    @property
    def look(self) -> Look:
        size = self.parts.view.screen.size
        return Look(size.width, size.height, self.parts.view.verbose, self._ascii, time.time())

    def say(self, words: str) -> None:
        """Short feedback, in the activity line for a moment."""
        self._feedback = (words, time.monotonic() + FEEDBACK_SECONDS if words else 0.0)

    @property
    def says(self) -> bool:
        return self._feedback[1] > time.monotonic()

    def draw(self, spin: int) -> None:
        """Everything, as it is now."""
        look = self.look
        if self.stage is not None:
            self.stage.transcript.settle()
        self.parts.view.update(look.now)
        self.draw_activity(spin)
        queued = (*self.held, *(self.stage.transcript.queue.texts if self.stage is not None else ()))
        self.parts.queue.show(queue_lines(queued, look))
        self.parts.box.queued = bool(queued)
        self.parts.box.mode = self._mode
        self.parts.todos.show(todo_lines(self._todos(), look) if self.show_todos and not self.side_open else ())
        self.parts.status.show([self.status(look)])
        self._draw_side(look)
        self._hint(look)
        self.place_menu()

    @property
    def moves(self) -> bool:
        """Whether anything on the screen goes on by itself."""
        return self.doing().moves or self.says or self.panel_moves

    @property
    def panel_moves(self) -> bool:
        """Whether the panel shows something whose time goes on."""
        return self.side_open and self.stage is not None and self.stage.has_running_tasks

    def place_menu(self) -> None:
        """Over the transcript, its last line right above the box."""
        look, menu, box = self.look, self.parts.menu, self.parts.box
        menu.show(menu_lines(self.menu, look) if self.menu is not None else ())
        if self.menu is not None:
            menu.styles.offset = (0, box.region.y - look.height)

    def draw_activity(self, spin: int) -> None:
        view, look = self.parts.view, self.look
        said = self.browsing or (self._feedback[0] if self.says else "") or cramped(self.doing(), look)
        line = activity_line(self.doing(), look, spin, said, view.lines_below, self._still, view.new_below)
        self.parts.activity.show([line])

    def doing(self) -> Doing:
        return self.stage.doing() if self.stage is not None else Doing()

    def _hint(self, look: Look) -> None:
        """What can be typed is said until something was."""
        said = self.stage is not None and bool(self.stage.arrangement.entries)
        hint = "" if said or self.held else placeholder(look.width)
        if self.parts.box.placeholder != hint:
            self.parts.box.placeholder = hint

    # -- what they are drawn from

    @property
    def _mode(self) -> str:
        return (self.stage.transcript.mode if self.stage is not None else "") or self.mode

    def _todos(self) -> Sequence[Todo]:
        return self.stage.todos() if self.stage is not None else ()

    def status(self, look: Look) -> Drawn:
        """The last line of the screen, for pages that have it, too."""
        return status_line(self._status(), look)

    def _status(self) -> StatusFacts:
        facts = StatusFacts(
            mode=self._mode,
            model=self.model,
            folder=self.folder,
            branch=self.git.branch,
            changed_files=self.git.changed or 0,
            verbose=self.parts.view.verbose,
            trouble=problems_in_words(self.faults),
        )
        return self.stage.status(facts, self.faults) if self.stage is not None else facts

    def _draw_side(self, look: Look) -> None:
        side, main = self.parts.side, self.parts.view
        side.display = self.side_open
        main.display = not self.side_open or look.width >= SIDE_BESIDE
        if not self.side_open:
            return
        beside = look.width >= SIDE_BESIDE
        side.styles.width = SIDE_WIDTH if beside else "1fr"
        facts = self.stage.side() if self.stage is not None else SideFacts()
        # The panel itself has no size yet when it opens; what it opens in has.
        room = cast("Widget", side.parent).size.height
        width, height = SIDE_WIDTH if beside else look.width, max(room, 1)
        lines = side_lines(facts, width, height, self._ascii, self.side_pick, self.side_scroll, look.now)
        side.show(lines)
