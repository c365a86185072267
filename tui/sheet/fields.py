"""An input as `name  value` lines: for calls of servers and of tools that have no preview of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tui.render.lines import Drawn, cut, drawn, wrap
from tui.render.safe import one_line, safe

NAME_WIDTH = 8
# Values beyond this are not even written out for the short form.
LONGEST = 4_000


def field_lines(input: Mapping[str, Any], width: int, full: bool) -> list[Drawn]:
    names = [one_line(name) for name in input]
    column = min(max([NAME_WIDTH, *map(len, names)]), width // 3) + 2
    lines: list[Drawn] = []
    for name, value in zip(names, input.values(), strict=True):
        shown = list(_whole(value, width - column) if full else _short(value, width - column))
        for number, line in enumerate(shown):
            before = cut(drawn((name, "$dim")), column - 2) if number == 0 else drawn()
            lines.append(drawn(before, " " * (column - before.width), line))
    return lines


def _short(value: Any, room: int) -> Iterator[Drawn]:
    """One line, and where that is not all of it a second one that says how much there is."""
    text = json.dumps(value[:LONGEST] if isinstance(value, str) else value, ensure_ascii=False, default=str)
    line = drawn((one_line(text[:LONGEST]), _style(value)))
    yield cut(line, room)
    if line.width > room or len(text) > LONGEST:
        size = len(value) if isinstance(value, str) else len(text)
        yield drawn((f"{size:,}".replace(",", " ") + " characters, d shows all", "$dim"))


def _whole(value: Any, room: int) -> Iterator[Drawn]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    for line in safe(text).split("\n"):
        yield from wrap(drawn((line, _style(value))), room)


def _style(value: Any) -> str:
    return "$syn-str" if isinstance(value, str) else "$syn-num" if isinstance(value, int | float) else ""
