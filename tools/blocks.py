"""What a view may return: plain data that any front end can draw.

A block says what is shown, never how: roles are words that a theme gives colours to, and widths, wrapping and safety
against control characters are the renderer's affair. `None` in place of blocks means: draw nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["plain", "path", "number", "good", "bad", "quiet", "warning", "strong", "code", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    role: Role = "plain"


@dataclass(frozen=True, slots=True)
class Line:
    """One logical line of text in roles."""

    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    lexer: str = "text"
    first_line: int | None = None


@dataclass(frozen=True, slots=True)
class DiffLine:
    kind: Literal["same", "added", "removed"]
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with what stands around it. Line numbers count from 1."""

    old_start: int
    new_start: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    path: str
    hunks: tuple[Hunk, ...]

    @property
    def added(self) -> int:
        return sum(line.kind == "added" for hunk in self.hunks for line in hunk.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "removed" for hunk in self.hunks for line in hunk.lines)


@dataclass(frozen=True, slots=True)
class Tail:
    """The last lines of something longer, and how long that is."""

    lines: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Table:
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Markdown:
    text: str


@dataclass(frozen=True, slots=True)
class Meter:
    done: int
    total: int
    label: str = ""


Block = Line | Code | Diff | Tail | Table | Markdown | Meter
Blocks = tuple[Block, ...]


def line(*parts: str | tuple[str, Role]) -> Line:
    """`line("Read ", ("a.py", "path"))`: the short way to write a Line."""
    return Line(tuple(Span(part) if isinstance(part, str) else Span(*part) for part in parts))
