"""Tables as aligned columns without lines; one that is too wide for that turns into blocks of `name: value`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from tui.render.inline import BREAK, Pieces
from tui.render.lines import BLANK, Drawn, drawn, wrap

Cells = tuple[Pieces, ...]
BETWEEN = 2


def widths_of(rows: Sequence[Cells], at_least: tuple[int, ...] = ()) -> tuple[int, ...]:
    """How wide each column wants to be."""
    columns = max((len(row) for row in rows), default=0)
    widths = [*at_least, *[0] * (columns - len(at_least))]
    for row in rows:
        for index, cell in enumerate(row):
            widths[index] = max(widths[index], sum(cell_len(text) for text, _ in cell))
    return tuple(widths)


def grid_lines(
    header: Cells,
    rows: Sequence[Cells],
    width: int,
    widths: tuple[int, ...],
    aligns: str = "",
    with_header: bool = True,
) -> list[Drawn]:
    """`aligns`: a letter per column, `l`, `r` or `c`. Without its header drawn, the rows go on below earlier ones."""
    if sum(widths) + BETWEEN * (len(widths) - 1) > width:
        return _blocks(header, rows, width, first=with_header)
    bold = tuple(_in_bold(cell) for cell in header)
    shown = [bold, *rows] if with_header and any(header) else rows
    return [_row(row, widths, aligns) for row in shown]


def _row(row: Cells, widths: tuple[int, ...], aligns: str) -> Drawn:
    parts: list[Drawn | str] = []
    for index, width in enumerate(widths):
        cell = Drawn(tuple(piece for piece in row[index] if piece != BREAK) if index < len(row) else ())
        free = width - cell.width
        before = {"r": free, "c": free // 2}.get(aligns[index : index + 1], 0)
        parts += [" " * before, cell, " " * (free - before), " " * BETWEEN]
    line = drawn(*parts)
    last = len(line.pieces)
    while last and not line.pieces[last - 1][0].strip(" "):
        last -= 1
    return Drawn(line.pieces[:last])


def _blocks(header: Cells, rows: Sequence[Cells], width: int, first: bool) -> list[Drawn]:
    lines: list[Drawn] = []
    for row in rows:
        lines += [] if first and not lines else [BLANK]
        for index, cell in enumerate(row):
            name = _in_bold(header[index]) if index < len(header) else ()
            named = (Drawn(name), ": ") if name else ()
            lines += wrap(drawn(*named, Drawn(cell)), width, 2)
    return lines


def _in_bold(cell: Pieces) -> Pieces:
    return tuple((text, style if "bold" in style else f"bold {style}".strip()) for text, style in cell)
