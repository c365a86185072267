"""One file of the session: who changed it when, and how it differs from what it was, by three measures."""

from __future__ import annotations

from collections.abc import Callable

from textual import events

from agent.bus import Bus
from tools.blocks import Diff
from tools.threads import in_thread
from tui.render.diff import counts
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, cut, drawn, fit, middle_cut, wrap
from tui.render.look import Look
from tui.render.safe import one_line
from tui.review.bases import BASES, WORDS, Base, Compared, Sources, compared
from tui.review.blocks import Naming
from tui.review.diff_blocks import INDENT, DiffBlocks
from tui.review.makers import outsider
from tui.review.window import Window
from tui.screens.followed import Followed
from tui.transcript.times import clock
from tui.work import begin

# Of what happened to the file, the last so many are listed.
MOST_LISTED = 5
_LEAST_PATH = 12
_WHEEL = 3


class FilePage(Followed):
    """`edit` opens it in the person's editor."""

    def __init__(
        self, path: str, sources: Sources, naming: Naming, bus: Bus, edit: Callable[[str, int | None], None]
    ) -> None:
        super().__init__(lambda look, scroll: self._lines(look), lambda look: 0)
        self._path = path
        self._sources = sources
        self._naming = naming
        self._bus = bus
        self._edit = edit
        self._base: Base = BASES[0]
        self._compared: Compared | None = None
        self._blocks = DiffBlocks(Diff(path, ()), 1)
        self._blocks_for: tuple[object, int] = (None, 0)
        self._window = Window()

    def on_mount(self) -> None:
        super().on_mount()
        self.follow(self._bus)

    async def look_again(self) -> None:
        base = self._base
        found = await in_thread(compared, self._sources, self._path, base)
        if base == self._base and found != self._compared:
            self._compared = found
        self.redraw()

    # -- keys

    def takes(self, event: events.Key) -> bool:
        match event.key:
            case "escape" | "q" | "enter":
                self.dismiss(None)
            case "b":
                self._switch()
            case "e":
                self._edit(self._path, None)
                begin(self, "comparing a file", self.look_again())
            case "n" | "p":
                self._go(1 if event.key == "n" else -1)
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

    def _switch(self) -> None:
        self._base = BASES[(BASES.index(self._base) + 1) % len(BASES)]
        self._compared = None
        self._window = Window()
        begin(self, "comparing a file", self.look_again())

    def _go(self, by: int) -> None:
        """To the hunk before or after the one that stands first."""
        begins, at = self._blocks.begins, self._window.block
        if by > 0:
            wanted = next((begin for begin in begins if begin > at), None)
        else:
            wanted = next((begin for begin in reversed(begins) if (begin, 0) < (at, self._window.line)), None)
        if wanted is not None:
            self._window.to(wanted)

    # -- lines

    @property
    def _height(self) -> int:
        return max(self.size.height - len(self._head(self.look)), 1)

    def _lines(self, look: Look) -> list[Drawn]:
        head = self._head(look)
        diff = self._compared.diff if self._compared is not None else Diff(self._path, ())
        if self._blocks_for != (diff, look.width):
            self._blocks, self._blocks_for = DiffBlocks(diff, look.width - 1), (diff, look.width)
        return [*head, *self._window.shown(self._blocks, max(look.height - len(head), 1))]

    def _head(self, look: Look) -> list[Drawn]:
        room = max(look.width - 1 - INDENT, 1)
        next_one = WORDS[BASES[(BASES.index(self._base) + 1) % len(BASES)]]
        keys = hints(("b", next_one if look.wide else "other base"), ("e", "editor"), ("Esc", "back"))
        sizes = counts(self._compared.diff) if self._compared is not None else BLANK
        against = drawn("  ", sizes, "   ", (f"against {WORDS[self._base]}", "$dim"))
        path = one_line(self._naming.short(self._path))
        if look.wide:
            name = middle_cut(path, max(room - keys.width - against.width - 2, _LEAST_PATH))
            lines = [fit(room, drawn((name, "bold"), against), keys)]
        else:
            name = middle_cut(path, max(room - keys.width - 2, _LEAST_PATH))
            lines = [fit(room, drawn((name, "bold")), keys), cut(drawn(*against.pieces[1:]), room)]
        lines += [BLANK, *self._happened(room), BLANK, *self._problem(room)]
        return [BLANK, *(drawn(" " * INDENT, line) if line.pieces else BLANK for line in lines)]

    def _happened(self, room: int) -> list[Drawn]:
        steps = self._sources.history.steps(self._path)
        if not steps:
            return [drawn(("It was only read.", "$dim"))]
        lines: list[Drawn] = []
        for step in steps[-MOST_LISTED:]:
            if step.by == "outside":
                lines.append(drawn((one_line(outsider(step)), "$other")))
                continue
            makers = self._naming.makers
            message = makers.of(step).message if step.by != "person" else ""
            words = f"{makers.name(step)}, {clock(step.time)}" + (f", for: {message}" if message else "")
            lines.append(drawn((one_line(words), "$dim")))
        before = len(steps) - len(lines)
        first = [drawn((f"{before} changes before these", "$dim"))] if before else []
        return [cut(line, room) for line in (*first, *lines)]

    def _problem(self, room: int) -> list[Drawn]:
        if self._compared is None:
            words = "Comparing."
        elif self._compared.problem:
            words = self._compared.problem
        else:
            words = "" if self._compared.diff.hunks else f"Nothing differs from {WORDS[self._base]}."
        return [*wrap(drawn((words, "$dim")), room), BLANK] if words else []
