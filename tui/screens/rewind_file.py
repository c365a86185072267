"""One file of a rewind: exactly which of its lines would change, and where others' overlap, which way it is to go."""

from __future__ import annotations

from collections.abc import Callable

from textual import events

from agent.checkpoints.rewind import FilePlan, Held, Outcome
from agent.checkpoints.rewinds import Choice
from tools.threads import in_thread
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, drawn, fit, middle_cut
from tui.render.look import Look
from tui.render.safe import one_line
from tui.review.diff_blocks import INDENT
from tui.review.window import Window
from tui.rewind.sections import Section, SectionBlocks, sections_of
from tui.screens.page import Page
from tui.work import begin

LOOKING = "Comparing."
_HEAD, _LEAST_PATH, _WHEEL = 3, 12, 3


class RewindFilePage(Page):
    """Dismissed with "mine" or "theirs" where that was chosen. `outcome` reads files: not for the loop's thread."""

    def __init__(self, file: FilePlan, name: str, chosen: Choice, outcome: Callable[[], tuple[Held, Outcome]]) -> None:
        super().__init__(lambda look, scroll: self._lines(look), lambda look: 0)
        self._file = file
        self._name = name
        self._chosen: Choice = chosen
        self._outcome = outcome
        self._sections: tuple[Section, ...] = ()
        self._problem = LOOKING
        self._blocks = SectionBlocks((), chosen, 1, False)
        self._blocks_for: tuple[object, ...] = ()
        self._window = Window()

    def on_mount(self) -> None:
        super().on_mount()
        begin(self, "comparing a file", self._compare())

    async def _compare(self) -> None:
        try:
            held, outcome = await in_thread(self._outcome)
            self._problem = outcome.lost
            if not outcome.lost:
                self._sections = await in_thread(sections_of, self._file.path, held, outcome)
        except OSError as error:
            self._problem = error.strerror or str(error)
        self.redraw()

    def takes(self, event: events.Key) -> bool:
        match event.key:
            case "escape" | "q" | "enter":
                self.dismiss(None)
            case "m" if self._file.met:
                self.dismiss("mine")
            case "t" if self._file.met:
                self.dismiss("theirs")
            case _:
                self._window.key(self._blocks, event.key, self._height)
        if self.is_current:
            self.redraw()
        return True

    def on_mouse_scroll_up(self) -> None:
        self._window.scroll(self._blocks, -_WHEEL, self._height)
        self.redraw()

    def on_mouse_scroll_down(self) -> None:
        self._window.scroll(self._blocks, _WHEEL, self._height)
        self.redraw()

    @property
    def _height(self) -> int:
        return max(self.size.height - _HEAD, 1)

    def _lines(self, look: Look) -> list[Drawn]:
        if self._blocks_for != (self._sections, look.width):
            self._blocks = SectionBlocks(self._sections, self._chosen, look.width - 1, look.ascii)
            self._blocks_for = (self._sections, look.width)
        if self._problem:
            return [*self._head(look), drawn(" " * INDENT, (one_line(self._problem), "$dim"))]
        return [*self._head(look), *self._window.shown(self._blocks, max(look.height - _HEAD, 1))]

    def _head(self, look: Look) -> list[Drawn]:
        room = max(look.width - 1 - INDENT, 1)
        choices = (("m", "mine"), ("t", "theirs")) if self._file.met else ()
        keys = hints(*choices, ("Esc", "back"))
        words = "   what going back would change" if look.wide else ""
        path = middle_cut(one_line(self._name), max(room - keys.width - len(words) - 2, _LEAST_PATH))
        return [BLANK, drawn(" " * INDENT, fit(room, drawn((path, "bold"), (words, "$dim")), keys)), BLANK]
