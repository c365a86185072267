"""Lines of text in styles: what everything on the screen is drawn as, before Textual sees it.

A style is Textual's own words with the theme's variables ("bold $ask", "on $add-bg"), never a colour. Text in a line is
safe and measured: what comes from files, commands and models went through `tui.render.safe` first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rich.cells import cell_len, chop_cells

Piece = tuple[str, str]
CUT = "⋯"
_WORD = re.compile("[^ ]+ *| +")
_WIDE = "[\u2e80-\u2fff\u3040-\u9fff\uac00-\ud7a3\uf900-\ufaff]"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One line of the screen. `ground` lies under all of it, to the end of the line."""

    pieces: tuple[Piece, ...] = ()
    ground: str = ""

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)

    @property
    def width(self) -> int:
        return sum(cell_len(text) for text, _ in self.pieces)

    def on(self, ground: str) -> Drawn:
        return replace(self, ground=ground)


Part = str | Piece | Drawn
BLANK = Drawn()


def drawn(*parts: Part) -> Drawn:
    """`drawn("  ", ("y", "bold $ask"), other)`: the short way to write a line."""
    return Drawn(tuple(piece for part in parts for piece in _pieces(part) if piece[0]))


def cut(line: Drawn, width: int) -> Drawn:
    """At most this wide; what was cut off leaves its mark."""
    if line.width <= width:
        return line
    return drawn(*_first_cells(line.pieces, width - 1), (CUT, "$dim")).on(line.ground) if width > 0 else BLANK


def fit(width: int, left: Drawn, right: Drawn = BLANK) -> Drawn:
    """Left text, cut if it must be, and right text at the right edge."""
    taken = right.width
    left = cut(left, width - (taken + 2 if taken else 0))
    return drawn(left, " " * (width - left.width - taken), right).on(left.ground)


def grounded(line: Drawn, width: int, ground: str) -> Drawn:
    """The line on a ground of its own, exactly this wide, whatever it will stand beside; `ground` is a variable."""
    pieces = tuple(
        (text, style if " on " in style else f"{style or '$foreground'} on {ground}")
        for text, style in line.pieces
        if text
    )
    rest = width - line.width
    return Drawn((*pieces, (" " * rest, f"$foreground on {ground}")) if rest > 0 else pieces)


def wrap(line: Drawn, width: int, indent: int = 0) -> list[Drawn]:
    """The line broken at spaces, at most `width` cells each; lines after the first begin with `indent` spaces."""
    if line.width <= width:
        return [line]
    if not indent and (ends := _ends_of_lines(line.text, width)):
        return [Drawn(tuple(_without_end_spaces(pieces)), line.ground) for pieces in _apart(line.pieces, ends)]
    lines: list[list[Piece]] = [[]]
    used = 0
    for word in _words(line.pieces, max(width - indent, 1)):
        size = sum(cell_len(text) for text, _ in word)
        if used + size - _blanks_at_end(word) > width and used > (indent if len(lines) > 1 else 0):
            lines.append([(" " * indent, "")] if indent else [])
            used = indent
        for text, style in word:
            _join(lines[-1], text, style)
        used += size
    return [Drawn(tuple(_without_end_spaces(pieces)), line.ground) for pieces in lines]


def _ends_of_lines(text: str, width: int) -> list[int]:
    """Where each line ends: the short way for plain words with single blanks, which most text is, and which is wrapped
    anew for every frame while it streams in. Nothing where it takes more than counting letters."""
    if not text.isascii() or text[0] == " " or "  " in text:
        return []
    ends: list[int] = []
    start, size = 0, len(text.rstrip(" "))
    while size - start > width:
        start = text.rfind(" ", start, start + width + 1) + 1
        if start <= (ends[-1] if ends else 0):
            # A word longer than a line.
            return []
        ends.append(start)
    return [*ends, len(text)]


def _apart(pieces: tuple[Piece, ...], ends: list[int]) -> list[list[Piece]]:
    """The pieces of each line."""
    lines: list[list[Piece]] = [[]]
    at = 0
    for text, style in pieces:
        first = 0
        while first < len(text):
            part = text[first : first + ends[len(lines) - 1] - at]
            _join(lines[-1], part, style)
            first, at = first + len(part), at + len(part)
            if at == ends[len(lines) - 1] < ends[-1]:
                lines.append([])
    return lines


def middle_cut(text: str, width: int) -> str:
    """A path that keeps its beginning and its name: `tidewatch/⋯/cache.py`."""
    if cell_len(text) <= width or width < 5:
        return text if cell_len(text) <= width else next(iter(chop_cells(text, max(width, 1))), "")
    folder, slash, name = text.rpartition("/")
    room = width - cell_len(name) - 3
    if slash and room > 0:
        return f"{chop_cells(folder, room)[0].rstrip('/')}/{CUT}/{name}"
    return CUT + chop_cells(text[::-1], width - 1)[0][::-1]


def _pieces(part: Part) -> Iterable[Piece]:
    if isinstance(part, Drawn):
        return part.pieces
    return ((part, ""),) if isinstance(part, str) else (part,)


def _first_cells(pieces: tuple[Piece, ...], room: int) -> Iterator[Piece]:
    for text, style in pieces:
        size = cell_len(text)
        if size <= room:
            yield text, style
            room -= size
            continue
        if room > 0 and cell_len(text[:1]) <= room:
            # No more is measured than may be shown: a letter has at most four marks.
            yield chop_cells(text[: 5 * room + 5], room)[0], style
        return


def _words(pieces: tuple[Piece, ...], longest: int) -> Iterator[list[Piece]]:
    """Words with the spaces after them, in whatever styles their parts are; one longer than a line comes in parts."""
    word: list[Piece] = []
    for text, style in pieces:
        for part in (_WORD if text.isascii() else _words_of_any_script()).findall(text):
            if (
                word
                and (word[-1][0][-1] == " " or _may_break(word[-1][0][-1]) or _may_break(part[0]))
                and part[0] != " "
            ):
                yield from _in_parts(word, longest)
                word = []
            word.append((part, style))
    if word:
        yield from _in_parts(word, longest)


def _in_parts(word: list[Piece], longest: int) -> Iterator[list[Piece]]:
    if sum(cell_len(text) for text, _ in word) - _blanks_at_end(word) <= longest:
        yield word
        return
    for text, style in word:
        yield from ([(part, style)] for part in (chop_cells(text, longest) if cell_len(text) > longest else (text,)))


def _blanks_at_end(word: list[Piece]) -> int:
    return len(word[-1][0]) - len(word[-1][0].rstrip(" "))


def _may_break(char: str) -> bool:
    """Between the signs of scripts that are written without spaces."""
    return char >= "\u2e80" and re.match(_WIDE, char) is not None


@lru_cache(maxsize=1)
def _words_of_any_script() -> re.Pattern[str]:
    """Made when it is first needed: that takes longer than everything else of the first frame in this room."""
    return re.compile(f"{_WIDE} *|(?:(?!{_WIDE})[^ ])+ *| +")


def _join(line: list[Piece], text: str, style: str) -> None:
    if line and line[-1][1] == style:
        line[-1] = (line[-1][0] + text, style)
    else:
        line.append((text, style))


def _without_end_spaces(pieces: list[Piece]) -> Iterator[Piece]:
    last = len(pieces) - 1
    for number, (text, style) in enumerate(pieces):
        kept = text.rstrip(" ") if number == last else text
        # A line of nothing but blanks is somebody's indent.
        kept = kept or ("" if number else text)
        if kept:
            yield kept, style
