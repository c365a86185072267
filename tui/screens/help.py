"""All keys on one screen, in columns, and what the marks mean. Pure drawing from the groups it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tui.render.glyphs import Mark, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, Part, cut, drawn, fit, wrap
from tui.render.look import Look
from tui.render.safe import one_line

_MARKS: tuple[tuple[Mark, str], ...] = (
    ("stream", "being written"),
    ("queued", "queued"),
    ("ask", "asks you"),
    ("run", "runs"),
    ("ok", "done"),
    ("failed", "failed"),
    ("denied", "not allowed"),
    ("stopped", "stopped"),
    ("outside", "changed by someone else"),
)
_INDENT, _KEY = 3, 11
_FOUR_COLUMNS, _THREE_COLUMNS, _TWO_COLUMNS = 116, 90, 60


@dataclass(frozen=True, slots=True)
class KeyGroup:
    title: str
    keys: tuple[tuple[str, str], ...]


def help_lines(groups: Sequence[KeyGroup], look: Look, scroll: int = 0) -> list[Drawn]:
    """At most the look's height: the title stays, the rest scrolls below it."""
    room = max(look.width - 1, 1)
    title = fit(room - _INDENT, drawn(("Keys", "bold")), hints(("Esc", "back")))
    head = [BLANK, _at_text(title), BLANK]
    body = _body(groups, look)
    shown = _window(body, max(look.height - len(head), 1), scroll)
    return [cut(line, room) for line in (*head, *shown)]


def most_scroll(groups: Sequence[KeyGroup], look: Look) -> int:
    over = len(_body(groups, look)) - max(look.height - 3, 1)
    return over + 1 if over > 0 else 0


def _body(groups: Sequence[KeyGroup], look: Look) -> list[Drawn]:
    number = 1 + sum(look.width >= least for least in (_TWO_COLUMNS, _THREE_COLUMNS, _FOUR_COLUMNS))
    width = (max(look.width, 20) - _INDENT) // number
    columns = _columns(groups, number, width)
    height = max((len(column) for column in columns), default=0)
    lines: list[Drawn] = []
    for row in range(height):
        cells = [column[row] if row < len(column) else BLANK for column in columns]
        lines.append(_at_text(*(part for cell in cells for part in (cell, " " * (width - cell.width)))))
    return [*lines, BLANK, _at_text(("Marks", "bold $run")), *_marks(look)]


def _columns(groups: Sequence[KeyGroup], number: int, width: int) -> list[list[Drawn]]:
    """The first groups side by side; each further one under the shortest column."""
    columns: list[list[Drawn]] = [[] for _ in range(number)]
    for group in groups:
        column = min(columns, key=len)
        column += [BLANK] if column else []
        column.append(drawn((one_line(group.title), "bold $run")))
        for key, words in group.keys:
            column += _key(one_line(key), one_line(words), width)
    return columns


def _key(key: str, words: str, width: int) -> list[Drawn]:
    """Words too long for the column go on below themselves."""
    shown = key.ljust(_KEY) if cell_len(key) < _KEY else f"{key} "
    line = drawn((shown, "bold"), (words, "$dim"))
    return [cut(part, width - 1) for part in wrap(line, width - 1, indent=min(_KEY, width // 2))]


def _marks(look: Look) -> list[Drawn]:
    room = max(look.width - 1 - _INDENT, 1)
    lines: list[Drawn] = []
    line = drawn()
    for name, words in _MARKS:
        said = drawn(mark(name, look.ascii), (f" {words}", "$dim"))
        if line.width and line.width + 3 + said.width > room:
            lines.append(_at_text(line))
            line = drawn()
        line = drawn(line, "   ", said) if line.width else said
    return [*lines, _at_text(line)]


def _window(lines: list[Drawn], room: int, scroll: int) -> list[Drawn]:
    if len(lines) <= room:
        return lines
    first = max(min(scroll, len(lines) - room + 1), 0)
    below = len(lines) - first - (room - 1)
    said = [f"{below} lines more, PgDn" if below else "", f"{first} above, PgUp" if first else ""]
    return [*lines[first : first + room - 1], _at_text((", ".join(part for part in said if part), "$dim"))]


def _at_text(*parts: Part) -> Drawn:
    return drawn(" " * _INDENT, *parts)
