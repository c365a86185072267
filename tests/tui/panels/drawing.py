"""What every drawing must keep to, and how its styles are looked at."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category

from tui.render.lines import Drawn

# What a file, a branch, a model or a person may be called.
NASTY = "a\x1b[31mb\tc\r\nd\u202ee\u0085f日本\x9b2J"


def style_of(lines: Drawn | Iterable[Drawn], text: str) -> str:
    found = [lines] if isinstance(lines, Drawn) else lines
    return next(style for line in found for piece, style in line.pieces if piece.strip() == text)


def assert_fits(lines: Drawn | Iterable[Drawn], width: int) -> None:
    """No line is wider than it may be, and nothing in it steers a terminal."""
    for line in [lines] if isinstance(lines, Drawn) else lines:
        assert line.width <= width, line.text
        assert not [char for char in line.text if category(char) in ("Cc", "Cf", "Zl", "Zp")], line.text
