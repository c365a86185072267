"""A notebook's text with its cells in their places, and how it is written: what is put in looks like what is there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tools.notebook_edit.spans import Members, Span, items, members

_ESCAPED = re.compile(r"\\u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])", re.IGNORECASE)
CELL_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Style:
    """`unit` is one step of the indent; None where all stands in one line."""

    unit: str | None
    colon: str
    comma: str
    ascii_only: bool

    def written(self, value: Any, depth: int) -> str:
        text = json.dumps(value, indent=self.unit, ensure_ascii=self.ascii_only, separators=(self.comma, self.colon))
        return text if self.unit is None else text.replace("\n", "\n" + self.unit * depth)

    def new_line(self, depth: int) -> str:
        """What stands between a bracket and the first thing in it."""
        return "" if self.unit is None else "\n" + self.unit * depth

    @property
    def between_cells(self) -> str:
        return self.comma + self.new_line(CELL_DEPTH)


@dataclass(frozen=True, slots=True)
class Layout:
    text: str
    # The array of cells with its brackets, and the cells in it.
    array: Span
    cells: tuple[Span, ...]
    style: Style

    def members_of(self, cell: Span) -> Members:
        return members(self.text, cell.start)

    def raw(self, cell: Span) -> str:
        return self.text[cell.start : cell.end]


def layout_of(text: str) -> Layout:
    """Of a text that was parsed as a notebook before."""
    whole = members(text, text.index("{"))
    array = whole.values["cells"]
    cells = items(text, array.start)
    return Layout(text, array, tuple(cells), _style(text, whole, cells))


def _style(text: str, whole: Members, cells: list[Span]) -> Style:
    _, line_end, unit = whole.before_key.rpartition("\n")
    between = text[cells[0].end : cells[1].start] if len(cells) > 1 else ", "
    return Style(
        unit=unit if line_end else None,
        colon=whole.before_value,
        # With an indent the line end stands for the blank.
        comma="," if line_end or between == "," else ", ",
        ascii_only=text.isascii() and _ESCAPED.search(text) is not None,
    )
