"""The transcript on the screen: a window over the rows, drawn line by line.

Only what is in sight is ever drawn, so a long session costs what a short one does. The window is anchored to a row: it
follows at the end, and where the person has scrolled up it stays on what they read, whatever happens above or below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Protocol

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tui.painted import paint_of, screen_height
from tui.render.lines import BLANK, Drawn
from tui.render.look import Look
from tui.transcript.reading import Held, held, line_of
from tui.transcript.selected import selected

# Rows whose lines are kept: a few screens full.
KEPT_ROWS = 300
WHEEL_LINES = 3
# Rows that are drawn to be counted; what lies beyond them is guessed.
COUNTED_ROWS = 100
GUESSED_HEIGHT = 3
# Lines of the window from which on what stands last has a blank line behind it, as before.
ROOM_FOR_A_BLANK = 10


class Row(Protocol):
    """What the window needs of a row. `stacks`: single lines of this kind follow one another without a blank.

    A row has one part or several that can be chosen; `owner` tells whose a line is, of those drawn last.
    """

    @property
    def version(self) -> int: ...
    @property
    def live(self) -> bool: ...
    @property
    def stacks(self) -> bool: ...
    @property
    def parts(self) -> int: ...
    def owner(self, line: int) -> int: ...
    def lines(self, look: Look) -> Sequence[Drawn]: ...


class Pick(NamedTuple):
    """A part of a row."""

    row: int
    part: int = 0


class TranscriptView(Widget, can_focus=True):
    ALLOW_SELECT = True
    DEFAULT_CSS: ClassVar[str] = "TranscriptView { width: 1fr; height: 1fr; }"

    class Chosen(Message):
        """A click on a part of a row."""

        def __init__(self, pick: Pick) -> None:
            super().__init__()
            self.pick = pick

    class Moved(Message):
        """The person scrolled, or following began or ended."""

    def __init__(self, rows: Sequence[Row], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = rows
        self.verbose = False
        self.following = True
        # What the person has chosen with the keyboard.
        self.picked: Pick | None = None
        self.now = 0.0
        self._top = (0, 0)
        # What was drawn for the row at the top, how wide, and where in it the reader was when they last moved.
        self._top_lines: Sequence[Drawn] = ()
        self._width = 0
        self._read: tuple[tuple[int, int], Held] | None = None
        # The end of what has been in sight, and how high its row was then.
        self._seen = (0, 0)
        self._seen_height = 0
        self._places: list[tuple[int, int]] = []
        self._shown: list[Drawn] = []
        self._before: list[Drawn] = []
        self._drawn: dict[int, tuple[tuple[object, ...], Sequence[Drawn]]] = {}
        # The number of the line at the top, counted from an arbitrary one: what a text selection is measured in.
        self._origin = 0

    # -- what changes it

    def update(self, now: float) -> None:
        """Something in the rows may have changed: draw again what is in sight, repaint what differs."""
        self.now = now
        self._arrange()
        self._repaint()

    def forget(self) -> None:
        """Rows were replaced: nothing drawn before holds."""
        self._drawn.clear()
        self.follow()

    def show_with_more_before(self, rows: Sequence[Row]) -> None:
        """The same rows, and others before them: what is in sight stays where it is."""
        more = len(rows) - len(self.rows)
        self.rows = rows
        self._drawn.clear()
        self._seen = (self._seen[0] + more, self._seen[1])
        if not self.following:
            self._top = (self._top[0] + more, self._top[1])
        if self.picked is not None:
            self.picked = Pick(self.picked.row + more, self.picked.part)
        self.update(self.now)

    def set_verbose(self, verbose: bool) -> None:
        """The first row that begins in sight keeps its place; one that fills the window, if it stays as it is."""
        y, first = next(
            ((y, index) for y, (index, line) in enumerate(self._places) if line == self._gap(index)), (0, None)
        )
        index, read = self._top
        before = self._slice(index, 0, read + 1) if first is None and self._places else []
        self.verbose = verbose
        if not self.following and first is not None:
            self._top = self._walk((first, self._gap(first)), -y)
        elif not self.following and before != self._slice(index, 0, read + 1):
            self._top = (index, 0)
        self.update(self.now)

    def follow(self) -> None:
        self.following = True
        self.update(self.now)
        self.post_message(self.Moved())

    def scroll_lines(self, count: int) -> None:
        """Down for a positive count. Scrolling up stops following, reaching the end resumes it."""
        before = self._top
        at = self._end_top()
        self._top = self._walk(self._top, count)
        self.following = self._top >= at
        if self.following:
            self._top = at
        self._origin += self._between(before, self._top)
        self.update(self.now)
        self.post_message(self.Moved())

    def scroll_pages(self, count: int) -> None:
        self.scroll_lines(count * max(self.size.height - 2, 1))

    def to_start(self) -> None:
        self.following = False
        self._top = (0, 0)
        self.following = self._end_top() == (0, 0)
        self.update(self.now)
        self.post_message(self.Moved())

    def show_pick(self, pick: Pick) -> None:
        """Choose it and bring it into sight, moving as little as possible."""
        self.picked = pick
        start, end = self._extent(pick)
        first, last = (pick.row, start), (pick.row, end)
        if first < self._top:
            self._top = first
        elif last > self._walk(self._top, self.size.height - 1):
            self._top = min(self._walk(last, 1 - self.size.height), first)
        self.following = self._top >= self._end_top()
        self.update(self.now)
        self.post_message(self.Moved())

    def in_place(self, pick: Pick, change: Callable[[], None]) -> None:
        """Do what changes a part's height; its first line stays where it is."""
        start, _ = self._extent(pick)
        y = next((y for y, place in enumerate(self._places) if place == (pick.row, start)), None)
        change()
        if y is not None:
            start, _ = self._extent(pick)
            self._top = self._walk((pick.row, start), -y)
            self.following = self._top >= self._end_top()
        self.update(self.now)
        self.post_message(self.Moved())

    @property
    def lines_below(self) -> int:
        """How many lines wait below what is in sight."""
        if self.following:
            return 0
        return self._between(self._top, self._end_top())

    @property
    def new_below(self) -> int:
        """How many of them have not been in sight yet."""
        if self.following or self._seen >= (end := (len(self.rows), 0)):
            return 0
        return min(self._between(self._seen, end), self.lines_below)

    def pick_at(self, y: int) -> Pick | None:
        if not 0 <= y < len(self._places):
            return None
        index, line = self._places[y]
        return Pick(index, self.rows[index].owner(line - self._gap(index)))

    @property
    def lives(self) -> bool:
        """Whether something in sight has a running clock."""
        return any(self.rows[index].live for index in {place[0] for place in self._places} if index < len(self.rows))

    # -- arranging

    @property
    def look(self) -> Look:
        return Look(self.size.width, screen_height(self), self.verbose, paint_of(self).ascii, self.now)

    def _arrange(self) -> None:
        if self.following:
            end = self._end_top()
            self._origin += self._between(self._top, end)
            self._top = end
        elif self._width != self.size.width:
            self._top = self._same_words()
            self._seen = (self._seen[0], self._same_share(*self._seen))
        index, line = min(self._top, (max(len(self.rows) - 1, 0), 0)) if self._top[0] >= len(self.rows) else self._top
        self._places.clear()
        shown: list[Drawn] = []
        while len(shown) < self.size.height and index < len(self.rows):
            taken = self._slice(index, line, self.size.height - len(shown))
            self._places.extend((index, number) for number in range(line, line + len(taken)))
            shown.extend(self._marked(index, line, taken))
            index, line = index + 1, 0
        self._before, self._shown = self._shown, shown
        self._note_read()
        self._drop_far_rows(index)

    def _note_read(self) -> None:
        """What stands at the top, and how far down anything has been in sight: all there is, while it follows."""
        self._width = self.size.width
        if not self.rows or not self._places:
            return
        self._top_lines = self._lines_of(self._places[0][0])
        last = len(self.rows) - 1
        index, line = (last, self._height(last) - 1) if self.following else self._places[-1]
        if self.following or (index, line + 1) > self._seen:
            self._seen, self._seen_height = (index, line + 1), self._height(index)

    def _same_share(self, index: int, line: int) -> int:
        """How far down a row was seen, now that it is higher or lower."""
        height = self._height(index) if index < len(self.rows) else 0
        share, self._seen_height = line / max(self._seen_height, 1), height
        return math.ceil(share * height)

    def _same_words(self) -> tuple[int, int]:
        """The top of a window of another width, at the words that were there when the reader last moved."""
        index, line = self._top
        if index >= len(self.rows):
            return self._top
        gap = self._gap(index)
        if self._read is None or self._read[0] != self._top:
            self._read = (self._top, held(self._top_lines, line - gap))
        place = self._read[1]
        self._top = (index, line_of(place, self._lines_of(index)) + gap)
        self._read = (self._top, place)
        return self._top

    def _slice(self, index: int, start: int, most: int) -> list[Drawn]:
        """Lines of a row and of the blank before it, from the start-th on."""
        lines = self._lines_of(index)
        gap = self._gap(index) if lines else 0
        blank = [BLANK] * max(min(gap - start, most), 0)
        first = max(start - gap, 0)
        return [*blank, *lines[first : first + most - len(blank)]]

    def _marked(self, index: int, start: int, lines: list[Drawn]) -> list[Drawn]:
        if self.picked is None or index != self.picked.row:
            return lines
        first, last = self._extent(self.picked)
        return [line.on("on $pick") if first <= number <= last else line for number, line in enumerate(lines, start)]

    def _extent(self, pick: Pick) -> tuple[int, int]:
        """The first and the last line of a part, counted in its row with the blank before it."""
        row, gap, count = self.rows[pick.row], self._gap(pick.row), len(self._lines_of(pick.row))
        mine = [number for number in range(count) if row.owner(number) == pick.part] if row.parts > 1 else range(count)
        return (gap + mine[0], gap + mine[-1]) if mine else (gap, gap)

    def _repaint(self) -> None:
        before, width = self._before, self.size.width
        for y in range(self.size.height):
            old = before[y] if y < len(before) else BLANK
            new = self._shown[y] if y < len(self._shown) else BLANK
            if old is not new and old != new:
                self.refresh(Region(0, y, width, 1))

    def _lines_of(self, index: int) -> Sequence[Drawn]:
        row, look = self.rows[index], self.look
        key = (row.version, look.width, look.roomy, look.verbose, int(look.now) if row.live else 0, id(row))
        found = self._drawn.get(index)
        if found is None or found[0] != key:
            found = self._drawn[index] = (key, row.lines(look))
        return found[1]

    def _gap(self, index: int) -> int:
        """One blank line between things, none between single lines that follow one another."""
        row, before = self.rows[index], self.rows[index - 1] if index else None
        if before is None or not (row.stacks and before.stacks):
            return 1
        return int(len(self._lines_of(index)) > 1 or len(self._lines_of(index - 1)) > 1)

    def _height(self, index: int) -> int:
        lines = len(self._lines_of(index))
        return self._gap(index) + lines if lines else 0

    def _end_top(self) -> tuple[int, int]:
        """Where the window begins when it stands at the end, with a blank line behind it where there is room."""
        room = self.size.height - (self.size.height >= ROOM_FOR_A_BLANK)
        index = len(self.rows)
        while index > 0:
            index -= 1
            height = self._height(index)
            if height >= room:
                return (index, height - room)
            room -= height
        return (0, 0)

    def _walk(self, place: tuple[int, int], count: int) -> tuple[int, int]:
        index, line = place
        line += count
        while line < 0 and index > 0:
            index -= 1
            line += self._height(index)
        while index < len(self.rows) and line >= self._height(index):
            line -= self._height(index)
            index += 1
        if index >= len(self.rows):
            return self._end_top()
        return (index, max(line, 0))

    def _between(self, one: tuple[int, int], other: tuple[int, int]) -> int:
        """How many lines lie between two places; below zero when the second comes first. Far apart it is a guess."""
        if one > other:
            return -self._between(other, one)
        last = min(other[0], len(self.rows))
        near = min(last, one[0] + COUNTED_ROWS)
        counted = sum(self._height(index) for index in range(one[0], near))
        return counted + (last - near) * GUESSED_HEIGHT + other[1] - one[1]

    def _drop_far_rows(self, below: int) -> None:
        if len(self._drawn) > KEPT_ROWS:
            first = self._top[0]
            near = range(first - KEPT_ROWS // 4, below + KEPT_ROWS // 4)
            self._drawn = {index: found for index, found in self._drawn.items() if index in near}

    # -- Textual

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return container.height

    def on_resize(self) -> None:
        self._arrange()
        if not self.following and self._top >= self._end_top():
            self.following = True
            self._arrange()
        self.refresh()
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        line = self._shown[y] if y < len(self._shown) else BLANK
        number = self._origin + y
        if (selection := self.text_selection) and (span := selection.get_span(number)):
            line = selected(line, *span)
        return paint_of(self).strip(line, self.size.width, self.visual_style).apply_offsets(0, number)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-WHEEL_LINES)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(WHEEL_LINES)

    def on_click(self, event: events.Click) -> None:
        if (pick := self.pick_at(event.y)) is not None and not self.screen.get_selected_text():
            self.post_message(self.Chosen(pick))

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is in sight of the selected lines, as text."""
        lines: list[str] = []
        for y, line in enumerate(self._shown):
            if (span := selection.get_span(self._origin + y)) is not None:
                start, end = span
                lines.append(line.text[start : None if end == -1 else end].rstrip())
        return "\n".join(lines), "\n"
