"""The whole change of an open question over the full screen, hunk by hunk; those that are wanted can be picked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from textual import events

from tui.render.diff import diff_lines
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, drawn, fit, middle_cut
from tui.render.look import SIDE_BY_SIDE, Look
from tui.render.safe import one_line
from tui.screens.page import Page
from tui.sheet.keys import ARMING, BEFORE
from tui.sheet.picks import Picking

_INDENT, _HEAD = 3, 3


class HunkPage(Page):
    """Dismissed with the text that is left of the change, or with nothing: then the question stays as it was.

    The key that leads here may have been the start of a word: Enter waits for the paint, and for the end of typing."""

    def __init__(self, picking: Picking, now: Callable[[], float]) -> None:
        super().__init__(self._lines, self._most_scroll)
        self._picking = picking
        self._now = now
        self._counts_from = math.inf
        self._count = len(picking.changes)
        self._taken = set(range(self._count))
        self._at = 0
        # The line of each hunk's title, as drawn last.
        self._titles: list[int] = []

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._counts_from = self._now() + ARMING

    def takes(self, event: events.Key) -> bool:
        match event.character if event.is_printable else event.key:
            case "escape" | "d" | "q":
                self.dismiss(None)
            case "enter":
                if self._taken and event.time >= self._counts_from:
                    self.dismiss(self._picking.with_only(self._taken))
            case " " | "space":
                self._taken ^= {self._at}
            case "n" | "tab" | "right":
                self._go(1)
            case "p" | "shift+tab" | "left":
                self._go(-1)
            case _:
                if event.is_printable:
                    self._counts_from = max(self._counts_from, event.time + BEFORE)
                return False
        if self.is_current:
            self.redraw()
        return True

    def _go(self, by: int) -> None:
        self._at = (self._at + by) % self._count
        self.redraw()
        self.scroll_at = max(self._titles[self._at] - 1, 0)

    def _lines(self, look: Look, scroll: int) -> Sequence[Drawn]:
        room = max(look.width - 1, 1)
        body = self._body(look, room)
        return [*self._head(room), *body[scroll : scroll + max(look.height - _HEAD, 1)]]

    def _most_scroll(self, look: Look) -> int:
        return max(len(self._body(look, max(look.width - 1, 1))) - max(look.height - _HEAD, 1), 0)

    def _head(self, room: int) -> list[Drawn]:
        runs = f"makes {len(self._taken)} of {self._count}" if self._taken else "nothing is picked"
        keys = hints(("space", "picks"), ("n p", "hunks"), ("Enter", runs), ("Esc", "back"))
        path = middle_cut(one_line(self._picking.path), max(room - keys.width - _INDENT - 2, 10))
        return [BLANK, drawn(" " * _INDENT, fit(room - _INDENT, drawn((path, "bold")), keys)), BLANK]

    def _body(self, look: Look, room: int) -> list[Drawn]:
        width = room - _INDENT
        lines: list[Drawn] = []
        self._titles = []
        for number in range(self._count):
            taken, here = number in self._taken, number == self._at
            sign = ("✓" if taken else "◦", "$ok" if taken else "$dim")
            words = f"{number + 1} of {self._count}   {'makes it' if taken else 'left out'}"
            title = drawn(" ", sign, " ", (words, "bold" if here else "$dim"))
            self._titles.append(len(lines))
            lines.append(fit(room, title).on("on $pick") if here else title)
            hunk = self._picking.hunk(number)
            side = width >= SIDE_BY_SIDE
            lines += [drawn(" " * _INDENT, line) for line in diff_lines(hunk, width, None, side, wrap_long=True)]
            lines.append(BLANK)
        return lines
