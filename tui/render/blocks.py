"""What views return, as lines: the one place where blocks get their look.

Condensed, long lines are cut; verbose, they are wrapped.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from tools.blocks import Block, Blocks, Code, Diff, Line, Markdown, Meter, Role, Table, Tail
from tui.render.code import GUTTER, code_lines
from tui.render.diff import diff_lines
from tui.render.glyphs import LANE
from tui.render.grid import grid_lines, widths_of
from tui.render.lines import Drawn, Piece, cut, drawn, wrap
from tui.render.look import SIDE_BY_SIDE, WIDE, Look
from tui.render.markdown import markdown_lines
from tui.render.safe import one_line, safe, safe_output

# An empty style is that of the line's surroundings.
ROLE_STYLES: dict[Role, str] = {
    "plain": "",
    "path": "$foreground",
    "number": "",
    "good": "$ok",
    "bad": "$bad",
    "quiet": "$dim",
    "warning": "$ask",
    "strong": "bold",
    "code": "$syn-num",
    "added": "$add",
    "removed": "$del",
}
METER_CELLS = 10
WIDEST_PROSE = 100


def block_lines(
    blocks: Blocks | None,
    look: Look,
    width: int,
    *,
    base: str = "",
    live: bool = False,
    last: int | None = None,
    limit: int | None = None,
    context: int | None = None,
) -> list[Drawn]:
    """`base`: the style of words without a role. `live`: code is still growing. `last`: only the end of code and
    output. `limit`: only the beginning of a diff; `context`: lines around its changes, else what the look has room for.
    """
    lines: list[Drawn] = []
    for block in blocks or ():
        match block:
            case Line():
                lines += _fitting(line_pieces(block, base), look, width)
            case Code(text, lexer, first_line):
                drawing = code_lines(text, lexer, first_line, live=live, last=last)
                lines += _fitting(drawing, look, width, GUTTER if first_line is not None else 0)
            case Diff():
                lines += _diff(block, look, width, limit, context)
            case Tail(texts, _):
                kept = texts[-last:] if last else texts
                plain = [drawn((text, "$foreground")) for text in safe_output("\n".join(kept)).split("\n")]
                lines += _fitting(plain, look, width) if kept else []
            case _:
                lines += _figure(block, width)
    return lines


def line_of(line: Line, base: str = "") -> Drawn:
    """A line of roles as one line, whatever is in it."""
    return drawn(*((one_line(span.text), ROLE_STYLES[span.role] or base) for span in line.spans))


def line_pieces(line: Line, base: str = "") -> list[Drawn]:
    """The same, where a line break in it begins a new line."""
    pieces: list[Piece] = []
    for span in line.spans:
        style = ROLE_STYLES[span.role] or base
        first, *others = safe(span.text).split("\n")
        pieces += [(first, style), *(each for text in others for each in (("\n", ""), (text, style)))]
    groups = groupby(pieces, key=lambda piece: piece == ("\n", ""))
    return [drawn(*group) for is_break, group in groups if not is_break]


def meter(done: int, total: int, cells: int = METER_CELLS) -> Drawn:
    """`╍╍╍╍╍╍╍╍╍╍`, the done part lit."""
    used = min(max(round(cells * done / total), 0), cells) if total > 0 else 0
    return drawn((LANE * used, "$foreground"), (LANE * (cells - used), "$line"))


def _figure(block: Block, width: int) -> list[Drawn]:
    match block:
        case Table(headers, rows):
            header = tuple(((one_line(text), ""),) if text else () for text in headers)
            cells = [tuple(((one_line(text), ""),) if text else () for text in row) for row in rows]
            return grid_lines(header, cells, width, widths_of([header, *cells]))
        case Markdown(text):
            return [*_markdown(text, min(width, WIDEST_PROSE))]
        case Meter(done, total, label):
            named = f"{one_line(label)} " if label else ""
            return [cut(drawn(named, meter(done, total), (f" {done} of {total}", "$dim")), width)]
        case _:
            return []


def _diff(diff: Diff, look: Look, width: int, limit: int | None, context: int | None) -> list[Drawn]:
    around = context if context is not None or look.verbose else (1 if look.width >= WIDE else 0)
    return diff_lines(diff, width, around, side_by_side=width >= SIDE_BY_SIDE, wrap_long=look.verbose, limit=limit)


def _fitting(lines: list[Drawn], look: Look, width: int, indent: int = 0) -> list[Drawn]:
    if look.verbose:
        return [part for line in lines for part in wrap(line, width, indent)]
    return [cut(line, width) for line in lines]


@lru_cache(maxsize=64)
def _markdown(text: str, width: int) -> tuple[Drawn, ...]:
    return tuple(markdown_lines(text, width))
