"""An answer in markdown as lines, while it streams in.

What is settled is drawn once per width; each call of `lines` draws only what came since, and the open end anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import overload

from tui.render.code import COMMON
from tui.render.grid import grid_lines
from tui.render.inline import BREAK, Pieces
from tui.render.lines import BLANK, Drawn, Piece, cut, drawn, fit, grounded, wrap
from tui.render.parts import LONGEST, CodeLine, Flow, Grid, Part
from tui.render.prose import Prose

CODE_INDENT = "  "
# The beginning of a line that may still become a mark, a fence or a row is not shown as words meanwhile.
_UNDECIDED = re.compile(r" *(?:[-*+#>`~|=_ ]+|\d{1,9}[.)]?|\|.*)$")
_UNDECIDED_CODE = re.compile(r" *[`~]+$")


def warm() -> None:
    """Loads what most answers need, for a thread to do before anybody waits for it."""
    for language in COMMON:
        markdown_lines(f"*What* `most` need:\n```{language}\nx = 1\n```", 80)


def markdown_lines(text: str, width: int) -> list[Drawn]:
    """A text that is complete."""
    markdown = MarkdownLines()
    markdown.feed(text)
    markdown.finish()
    return markdown.lines(width)


class MarkdownLines:
    def __init__(self) -> None:
        self._reset()

    def feed(self, text: str) -> None:
        """More of the text. Costs nothing until lines are asked for."""
        self._fed.append(text)
        self._unread.append(text)

    def replace(self, text: str) -> None:
        """The whole text as it is now; nothing is done again if it only grew."""
        known = "".join(self._fed)
        if not text.startswith(known):
            self._reset()
            known = ""
        if len(text) > len(known):
            self._unread.append(text[len(known) :])
        self._fed = [text]

    def finish(self) -> None:
        """No more will come."""
        self._finished = True

    def read(self) -> None:
        """What was fed becomes parts, which no width changes any more. `so_far` does it where nobody did."""
        *lines, rest = (self._rest + "".join(self._unread)).split("\n")
        self._unread = []
        for line in lines:
            self._prose.line(line)
        while len(rest) > LONGEST:
            self._prose.part_of_line(rest[:LONGEST])
            rest = rest[LONGEST:]
        self._rest = rest
        if self._finished:
            self._rest = ""
            if rest:
                self._prose.line(rest)
            self._prose.end()

    def lines(self, width: int) -> list[Drawn]:
        return [*self.so_far(width)]

    def so_far(self, width: int) -> SoFar:
        """The same without a copy: what is settled is shared, so this costs no more for a long text than for a short
        one. It holds until the next call."""
        self.read()
        if self._drawing.width != width:
            self._drawing = Drawing(width)
            self._drawn = 0
        for part in self._prose.parts[self._drawn :]:
            self._drawing.add(part)
        self._drawn = len(self._prose.parts)
        if self._finished:
            return SoFar(self._drawing.lines, len(self._drawing.lines))
        undecided = (_UNDECIDED_CODE if self._prose.in_fence else _UNDECIDED).match(self._rest)
        ahead = self._drawing.ahead()
        for part in self._prose.preview("" if undecided else self._rest):
            ahead.add(part)
        return SoFar(self._drawing.lines, max(len(self._drawing.lines) - 1, 0), ahead.lines)

    @property
    def settled(self) -> int:
        """So many of the lines drawn last will never change at that width."""
        count = len(self._drawing.lines)
        return count if self._finished else max(count - 1, 0)

    def _reset(self) -> None:
        self._prose = Prose()
        self._drawing = Drawing(0)
        self._drawn = 0
        self._fed: list[str] = []
        self._unread: list[str] = []
        self._rest = ""
        self._finished = False


class SoFar(Sequence[Drawn]):
    """Settled lines, of which so many count, and the open end."""

    def __init__(self, settled: list[Drawn], count: int, end: Sequence[Drawn] = ()) -> None:
        self._settled = settled
        self._count = count
        self._end = end

    def __len__(self) -> int:
        return self._count + len(self._end)

    @overload
    def __getitem__(self, at: int) -> Drawn: ...
    @overload
    def __getitem__(self, at: slice) -> list[Drawn]: ...
    def __getitem__(self, at: int | slice) -> Drawn | list[Drawn]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        index = range(len(self))[at]
        return self._settled[index] if index < self._count else self._end[index - self._count]


class Drawing:
    """Parts as lines of one width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[Drawn] = []
        # The last line of the last words, without what stands before it: they may go on there.
        self._prefix = BLANK
        self._words: Pieces = ()

    def ahead(self) -> Drawing:
        """A drawing that goes on with the last line of this one, and leaves this one as it is."""
        ahead = Drawing(self.width)
        ahead.lines = self.lines[-1:]
        ahead._prefix, ahead._words = self._prefix, self._words
        return ahead

    def add(self, part: Part) -> None:
        match part:
            case Drawn():
                self.lines.append(part)
            case Flow():
                self._flow(part)
            case CodeLine():
                self._code(part)
            case Grid(prefix, header, rows, widths, aligns, first):
                room = max(self.width - prefix.width, 1)
                self.lines += [drawn(prefix, line) for line in grid_lines(header, rows, room, widths, aligns, first)]

    def _flow(self, part: Flow) -> None:
        prefix, pieces = part.first, part.pieces
        if part.more and self.lines:
            self.lines.pop()
            prefix, pieces = self._prefix, (*self._words, *pieces)
        room = max(self.width - part.rest.width, 1)
        for piece_run in _between_breaks(pieces):
            for line in wrap(Drawn(piece_run), room):
                self.lines.append(drawn(prefix, line))
                self._prefix, self._words = prefix, line.pieces
                prefix = part.rest

    def _code(self, part: CodeLine) -> None:
        room = max(self.width - part.prefix.width - len(CODE_INDENT), 1)
        first, *others = wrap(Drawn(part.pieces), room)
        label = drawn((part.label, "$dim"))
        if part.label and first.width + label.width + 2 <= room:
            first = fit(room, first, label)
        for line in (first, *others):
            self.lines.append(drawn(part.prefix, CODE_INDENT, grounded(cut(line, room), room, "$block")))


def _between_breaks(pieces: Pieces) -> list[tuple[Piece, ...]]:
    if BREAK not in pieces:
        return [pieces]
    runs: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece == BREAK:
            runs.append([])
        else:
            runs[-1].append(piece)
    return [tuple(run) for run in runs]
