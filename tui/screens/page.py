"""Screens beside the session: lines over the whole terminal, keys to scroll, Esc back. One list to choose from, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from tui.painted import Painted, paint_of
from tui.render.glyphs import CHEVRON
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, drawn, fit
from tui.render.look import Look
from tui.render.safe import one_line

_WHEEL = 3
# Further than any page reaches.
_FAR = 1_000_000
_INDENT = 3


class Page(Screen[str | None]):
    """`draw` gives the lines for a look and a scroll, `most` how far that goes; `keys` do something besides, and
    `status` is the screen's last line, for a page that does not draw it itself."""

    DEFAULT_CSS: ClassVar[str] = "Page { background: $background; } Page Painted { height: 100%; }"

    def __init__(
        self,
        draw: Callable[[Look, int], Sequence[Drawn]],
        most: Callable[[Look], int],
        at_end: bool = False,
        keys: Mapping[str, Callable[[], object]] | None = None,
        status: Callable[[Look], Drawn] | None = None,
    ) -> None:
        super().__init__()
        self._draw_lines = draw
        self._most = most
        self._keys = keys or {}
        self._status = status
        self.scroll_at = _FAR if at_end else 0

    def compose(self) -> ComposeResult:
        yield Painted(always=True)

    @property
    def look(self) -> Look:
        import time

        return Look(self.size.width, self.size.height, False, paint_of(self).ascii, time.time())

    def on_mount(self) -> None:
        self.redraw()

    def on_resize(self) -> None:
        self.redraw()

    def redraw(self) -> None:
        # What was begun on a page may end when the page is closed, and its lines are gone.
        painted, look = self.query_one_optional(Painted), self.look
        if painted is not None and look.width and look.height:
            foot = [BLANK, self._status(look)] if self._status is not None else []
            above = replace(look, height=max(look.height - len(foot), 1))
            self.scroll_at = max(min(self.scroll_at, self._most(above)), 0)
            lines = self._draw_lines(above, self.scroll_at)
            painted.show([*lines, *[BLANK] * (above.height - len(lines)), *foot] if foot else lines)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if not self.takes(event):
            self._scroll(event.key)

    def takes(self, event: events.Key) -> bool:
        """Keys that mean something besides scrolling."""
        if event.key in ("escape", "q", "enter", "question_mark"):
            self.dismiss(None)
            return True
        if (does := self._keys.get(event.character or "")) is not None:
            does()
            return True
        return False

    def on_mouse_scroll_up(self) -> None:
        self._by(-_WHEEL)

    def on_mouse_scroll_down(self) -> None:
        self._by(_WHEEL)

    def _scroll(self, key: str) -> None:
        page = max(self.size.height - 4, 1)
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "pagedown": page, "space": page}
        far = {"home": -_FAR, "end": _FAR}
        self._by({**steps, **far}.get(key, 0))

    def _by(self, lines: int) -> None:
        self.scroll_at += lines
        self.redraw()


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a list: what choosing it gives, its name and one remark."""

    value: str
    name: str
    remark: str = ""


class Pick(Page):
    """A list to choose from; what is typed narrows it."""

    def __init__(self, title: str, choices: Sequence[Choice], empty: str, chosen: str = "") -> None:
        super().__init__(lambda look, scroll: self._lines(look), lambda look: 0)
        self._title = title
        self._choices = choices
        self._empty = empty
        self._filter = ""
        self._at = next((at for at, choice in enumerate(choices) if choice.value == chosen), 0)

    def takes(self, event: events.Key) -> bool:
        found = self._found()
        match event.key:
            case "escape":
                self.dismiss(None)
            case "enter":
                self.dismiss(found[self._at].value if found else None)
            case "up" | "down":
                self._at = (self._at + (1 if event.key == "down" else -1)) % max(len(found), 1)
            case "pageup" | "pagedown":
                by = max(self.size.height - 5, 1) * (1 if event.key == "pagedown" else -1)
                self._at = max(min(self._at + by, len(found) - 1), 0)
            case "backspace":
                self._filter, self._at = self._filter[:-1], 0
            case _ if event.is_printable and event.character:
                self._filter, self._at = self._filter + event.character, 0
            case _:
                pass
        if self.is_current:
            self.redraw()
        return True

    def on_mouse_scroll_up(self) -> None:
        self._at = max(self._at - 1, 0)
        self.redraw()

    def on_mouse_scroll_down(self) -> None:
        self._at = max(min(self._at + 1, len(self._found()) - 1), 0)
        self.redraw()

    def _found(self) -> list[Choice]:
        words = self._filter.lower().split()
        return [one for one in self._choices if all(word in f"{one.name} {one.remark}".lower() for word in words)]

    def _lines(self, look: Look) -> list[Drawn]:
        room = max(look.width - 1, 1)
        keys = hints(("Enter", "takes it"), ("Esc", "back"))
        title = drawn((self._title, "bold"), "   ", (one_line(self._filter) or "type to narrow", "$dim"))
        head = [BLANK, drawn(" " * _INDENT, fit(room - _INDENT, title, keys)), BLANK]
        found = self._found()
        if not found:
            return [*head, drawn(" " * _INDENT, (self._empty if not self._choices else "nothing fits", "$dim"))]
        height = max(look.height - len(head), 1)
        first = max(min(self._at - height // 2, len(found) - height), 0)
        column = min(max(len(one.name) for one in found), max(room // 2, 10)) + 3
        shown = found[first : first + height]
        return [*head, *(self._line(one, number == self._at, column, room) for number, one in enumerate(shown, first))]

    def _line(self, choice: Choice, chosen: bool, column: int, room: int) -> Drawn:
        sign = drawn(" ", (CHEVRON, "bold $run"), " ") if chosen else drawn("   ")
        name = fit(column - 3, drawn((one_line(choice.name), "bold" if chosen else "")))
        line = fit(room, drawn(sign, name, "   ", (one_line(choice.remark), "$dim")))
        return line.on("on $pick") if chosen else line
