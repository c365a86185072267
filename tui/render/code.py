"""Source code in colours: five kinds of words and no more, each named after a variable of the theme.

A finished text is read as a whole, so that strings and comments over many lines are seen as such. Text that still
streams in is read line by line, and every finished line once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from tui.render.lines import Drawn, Piece, drawn
from tui.render.safe import safe

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Pieces = tuple[Piece, ...]

# Above these, colours cost more than they tell.
LARGEST_TEXT = 200_000
LONGEST_LINE = 1_000
NUMBER_CELLS = 4
# A number, a blank, and the place where a diff has its sign.
GUTTER = NUMBER_CELLS + 3
PLAIN = frozenset(("text", "plain", "plaintext", "txt", ".txt", "output"))
# What most texts are written in.
COMMON = ("python", "bash", "json", "diff", "javascript", "typescript", "html", "css", "yaml", "toml", "markdown")

# The first that fits, by how pygments names what it found.
KINDS = (
    ("Token.Comment.Preproc", "$syn-key"),
    ("Token.Comment", "$syn-note"),
    ("Token.Keyword", "$syn-key"),
    ("Token.Operator.Word", "$syn-key"),
    ("Token.Name.Tag", "$syn-key"),
    ("Token.Literal.String", "$syn-str"),
    ("Token.Literal.Number", "$syn-num"),
    ("Token.Name.Builtin.Pseudo", "$syn-num"),
    ("Token.Name.Function", "$syn-def"),
    ("Token.Name.Class", "$syn-def"),
    ("Token.Name.Decorator", "$syn-def"),
    ("Token.Name.Attribute", "$syn-def"),
    ("Token.Generic.Inserted", "$add"),
    ("Token.Generic.Deleted", "$del"),
    ("Token.Generic.Heading", "bold"),
    ("Token.Generic.Subheading", "$syn-def"),
)


def code_lines(
    text: str, lexer_name: str, first_line: int | None = None, *, live: bool = False, last: int | None = None
) -> list[Drawn]:
    """The lines of the text, with numbers if the first has one. `live`: the text still grows. `last`: only so many."""
    lines = safe(text).removesuffix("\n").split("\n")
    skipped = max(len(lines) - last, 0) if last is not None else 0
    pieces = [highlight_line(line, lexer_name) for line in lines[skipped:]] if live else []
    pieces = pieces or highlight("\n".join(lines), lexer_name)[skipped:]
    if first_line is None:
        return [Drawn(each) for each in pieces]
    return [drawn(number(first_line + skipped + index), "  ", Drawn(each)) for index, each in enumerate(pieces)]


def number(value: int) -> Piece:
    return f"{value:>{NUMBER_CELLS}} ", "$dim"


@lru_cache(maxsize=64)
def highlight(text: str, lexer_name: str) -> list[Pieces]:
    """Every line of a safe text as pieces; a list to read, not to change."""
    lexer = lexer_for(lexer_name) if len(text) <= LARGEST_TEXT else None
    lines = text.split("\n")
    if lexer is None or max(map(len, lines)) > LONGEST_LINE:
        return [_plain(line) for line in lines]
    return _by_line(lexer.get_tokens(text), len(lines))


@lru_cache(maxsize=8192)
def highlight_line(line: str, lexer_name: str) -> Pieces:
    """One line by itself: what streams in is never read twice."""
    lexer = lexer_for(lexer_name) if len(line) <= LONGEST_LINE else None
    return _plain(line) if lexer is None else _by_line(lexer.get_tokens(line), 1)[0]


def lexer_for(name: str) -> Lexer | None:
    """By its name or alias, a file's name or path, or an extension; None for plain text and whatever is unknown."""
    return _lexer(os.path.basename(name.strip()).lower())


@lru_cache(maxsize=256)
def _lexer(name: str) -> Lexer | None:
    from pygments.lexers import find_lexer_class_by_name, find_lexer_class_for_filename
    from pygments.util import ClassNotFound

    if not name or name in PLAIN:
        return None
    try:
        found = find_lexer_class_by_name(name)
    except ClassNotFound:
        by_name = find_lexer_class_for_filename(name)
        found = by_name or find_lexer_class_for_filename(f"x.{name.lstrip('.')}")
    return found(stripnl=False, ensurenl=False) if found is not None else None


def _by_line(tokens: Iterable[tuple[object, str]], count: int) -> list[Pieces]:
    lines: list[list[Piece]] = [[]]
    for kind, value in tokens:
        style = _style(kind)
        first, *others = value.split("\n")
        _add(lines[-1], first, style)
        for part in others:
            lines.append([])
            _add(lines[-1], part, style)
    # A lexer that loses or invents a line end must not shift what stands beside it.
    lines = (lines + [[] for _ in range(count)])[:count]
    return [tuple(line) for line in lines]


def _add(line: list[Piece], text: str, style: str) -> None:
    if text and line and line[-1][1] == style:
        line[-1] = (line[-1][0] + text, style)
    elif text:
        line.append((text, style))


@lru_cache(maxsize=512)
def _style(kind: object) -> str:
    name = str(kind)
    return next((style for start, style in KINDS if name == start or name.startswith(start + ".")), "")


def _plain(line: str) -> Pieces:
    return ((line, ""),) if line else ()
