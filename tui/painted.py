"""The widget behind every quiet part of the screen: it shows lines, and repaints only those that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.render.lines import BLANK, Drawn

if TYPE_CHECKING:
    from tui.render.paint import Paint


def screen_height(widget: Widget) -> int:
    return widget.screen.size.height


def paint_of(widget: Widget) -> Paint:
    """The app's painter; whoever shows lines is part of an app that has one."""
    return cast("Paint", widget.app.paint)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


class Painted(Widget):
    """As high as its lines; not there at all without any, unless `always` keeps its place."""

    DEFAULT_CSS: ClassVar[str] = "Painted { width: 1fr; height: auto; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None, always: bool = False) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: list[Drawn] = []
        self._always = always
        self.display = always

    @property
    def lines(self) -> Sequence[Drawn]:
        return self._lines

    def show(self, lines: Sequence[Drawn]) -> None:
        before, self._lines = self._lines, list(lines)
        if len(before) != len(self._lines):
            self.display = self._always or bool(self._lines)
            self.refresh(layout=True)
            return
        changed = [y for y, (old, new) in enumerate(zip(before, self._lines, strict=True)) if old != new]
        if changed:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self._lines), int(self._always))

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else BLANK
        return paint_of(self).strip(line, self.size.width, self.visual_style)


class PaintedPanel(Painted, can_focus=True):
    """The same where the keyboard can be."""
