"""What a text in markdown consists of once it is read: parts that know their place and no width yet.

And the leaves from which they are made while they are still open: a paragraph, a fence, a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tui.render.code import highlight, highlight_line
from tui.render.glyphs import RAIL
from tui.render.grid import Cells, widths_of
from tui.render.inline import Pieces, inline
from tui.render.lines import Drawn, drawn

# A longer line or paragraph comes in parts, a longer fence is coloured line by line, and below so many rows a table is
# aligned anew: whatever is open stays small.
LONGEST = 1_200
LARGEST_FENCE = 4_000
MOST_ROWS = 40
LIST_INDENT = 2
_CELL_END = re.compile(r"(?<!\\)\|")
_MARK = re.compile(r"`+|(?<! )\*+|\*+(?! )|(?<!\w)_+|_+(?!\w)|~~|[\[\]]")
_MARK_OR_BLANK = re.compile(_MARK.pattern + r"|[ \n]+")


@dataclass(frozen=True, slots=True)
class Flow:
    """Words to be wrapped. `more`: they go on where the part before ended."""

    first: Drawn
    rest: Drawn
    pieces: Pieces
    more: bool = False


@dataclass(frozen=True, slots=True)
class CodeLine:
    prefix: Drawn
    pieces: Pieces
    label: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of a table; without `first` they go on below earlier ones."""

    prefix: Drawn
    header: Cells
    rows: tuple[Cells, ...]
    widths: tuple[int, ...]
    aligns: str
    first: bool = True


Part = Flow | CodeLine | Grid | Drawn


@dataclass(slots=True)
class Container:
    """A quote (no mark), or an item of a list: its mark, where that stands, where its text begins."""

    mark: str = ""
    at: int = 0
    indent: int = 0
    number: int = 0
    shown: bool = False

    @property
    def label(self) -> str:
        return f"{self.number}." if self.mark[0].isdigit() else "-"


def prefix_of(containers: list[Container], with_marks: bool = False) -> Drawn:
    """What stands before a line inside of these."""
    parts: list[tuple[str, str]] = []
    indent = LIST_INDENT
    for each in containers:
        if not each.mark:
            parts.append((f"{RAIL} ", "$line"))
            continue
        label = each.label if with_marks and not each.shown else " " * len(each.label)
        parts.append((f"{' ' * indent}{label} ", ""))
        indent = 0
    return drawn(*parts)


@dataclass(slots=True)
class Paragraph:
    """`going_on`: its beginning is already a part. `glued`: that ended inside a word."""

    text: str = ""
    going_on: bool = False
    glued: bool = False

    def pieces(self) -> Pieces:
        pieces = inline(self.text.strip(" \n"))
        return ((" ", ""), *pieces) if self.going_on and not self.glued and pieces else pieces

    def split_off(self) -> Iterator[tuple[Pieces, bool]]:
        """The beginning of what has become too long, up to where no markup is open."""
        while len(self.text) > LONGEST:
            at = _quiet_place(self.text)
            head = Paragraph(self.text[:at], self.going_on, self.glued)
            yield head.pieces(), self.going_on
            self.glued = self.text[at] not in " \n"
            self.text = self.text[at:].lstrip(" \n")
            self.going_on = True

    def settled(self) -> None:
        """Closes for now what the writer has opened and not yet closed."""
        marks = [mark for mark in _open_marks(self.text) if mark == "**" or mark[0] == "`"]
        for mark in reversed(marks):
            bare = self.text.removesuffix(mark)
            self.text = bare if bare != self.text else self.text.rstrip(" \n") + mark


@dataclass(slots=True)
class Fence:
    mark: str
    language: str
    indent: int
    lines: list[str] = field(default_factory=list[str])
    size: int = 0
    begun: bool = False

    def is_end(self, text: str) -> bool:
        bare = text.strip(" ")
        return len(bare) >= len(self.mark) and not bare.strip(self.mark[0]) and not text.startswith("    ")

    def take(self, text: str) -> bool:
        """True when it has become too large to wait for its end."""
        blanks = len(text) - len(text.lstrip(" "))
        self.lines.append(text[min(blanks, self.indent) :])
        self.size += len(text) + 1
        return self.size > LARGEST_FENCE

    def parts(self, prefix: Drawn, whole: bool) -> Iterator[CodeLine]:
        """What has come since the last time. `whole`: worth being read in one, with strings over many lines."""
        if whole and self.size <= 2 * LARGEST_FENCE and not self.begun:
            code = highlight("\n".join(self.lines), self.language)
        else:
            code = [highlight_line(line, self.language) for line in self.lines]
        if not self.begun and not self.lines:
            code = [()]
        for pieces in code:
            yield CodeLine(prefix, pieces, "" if self.begun else self.language)
            self.begun = True
        self.lines = []


@dataclass(slots=True)
class TableRows:
    header: Cells
    aligns: str
    rows: list[Cells] = field(default_factory=list[Cells])
    widths: tuple[int, ...] = ()
    begun: bool = False

    def take(self, text: str) -> bool:
        """True when there are enough rows to be aligned for good."""
        cells = cells_of(text)[: len(self.header)]
        missing = len(self.header) - len(cells)
        self.rows.append(tuple(inline(cell) for cell in (*cells, *[""] * missing)))
        return len(self.rows) >= MOST_ROWS

    def part(self, prefix: Drawn) -> Grid | None:
        if self.begun and not self.rows:
            return None
        self.widths = widths_of([self.header, *self.rows], self.widths)
        grid = Grid(prefix, self.header, tuple(self.rows), self.widths, self.aligns, not self.begun)
        self.rows, self.begun = [], True
        return grid


def cells_of(text: str) -> list[str]:
    text = text.strip(" ").removeprefix("|")
    cells = _CELL_END.split(text)
    if len(cells) > 1 and not cells[-1].strip(" "):
        cells.pop()
    return [cell.strip(" ").replace("\\|", "|") for cell in cells]


def align_of(mark: str) -> str:
    return "c" if mark[0] == mark[-1] == ":" else "r" if mark[-1] == ":" else "l"


def _open_marks(text: str) -> list[str]:
    marks: list[str] = []
    for found in _MARK.finditer(text):
        _turn(marks, found.group())
    return marks


def _quiet_place(text: str) -> int:
    """The last blank at which no markup is open, or the last blank at all, or just the end."""
    marks: list[str] = []
    quiet = last = 0
    for found in _MARK_OR_BLANK.finditer(text, 0, LONGEST):
        if found.group()[0] in " \n":
            last = found.start()
            quiet = quiet if marks else last
        else:
            _turn(marks, found.group())
    return quiet or last or LONGEST


def _turn(marks: list[str], mark: str) -> None:
    """A mark closes its like, or opens; what was opened after its like was no markup."""
    opener = "[" if mark == "]" else mark
    if marks and marks[-1][0] == "`" and mark != marks[-1]:
        return
    if opener in marks and mark != "[":
        del marks[marks.index(opener) :]
    elif mark != "]":
        marks.append(mark)
