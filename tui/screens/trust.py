"""The question of the first start in a folder that brings something of its own: exactly what, and whether to use it.

Drawn like every question: one key answers, and the answers are in sight however much there is to list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tui.render.glyphs import mark
from tui.render.lines import Drawn, Part, cut, drawn, wrap
from tui.render.look import Look
from tui.render.safe import one_line

GROUND, BAR = "on $sheet", "on $ask-fill"
WHY = "It brings what can run code, allow calls or speak to the model:"
# Bar, mark and a blank before the text; one free cell after it.
_EDGES = 4
_WIDEST_PLACE = 40


@dataclass(frozen=True, slots=True)
class Brought:
    """One thing a folder brings: what it is ("hook", "allow rule"), the file and line, and what it says."""

    what: str
    where: str
    detail: str = ""


def trust_lines(folder: str, brought: Sequence[Brought], look: Look, scroll: int = 0, kept: bool = True) -> list[Drawn]:
    """`folder` as a person says it; `kept` False: the answer holds for this run only. At most the look's height."""
    head, tail = _head(folder, look), _tail(look, kept)
    listed = _listed(brought, look)
    return [*head, *_window(listed, _room(head, tail, look), scroll), *tail]


def most_scroll(folder: str, brought: Sequence[Brought], look: Look) -> int:
    """How far the list can be scrolled."""
    room = _room(_head(folder, look), _tail(look, True), look)
    over = len(_listed(brought, look)) - room
    return over + 1 if over > 0 else 0


def _room(head: list[Drawn], tail: list[Drawn], look: Look) -> int:
    return max(look.height - len(head) - len(tail), 2)


def _head(folder: str, look: Look) -> list[Drawn]:
    width = _text_width(look)
    rule = [drawn(("-" * look.width, "$dim"))] if look.ascii else []
    name = cut(drawn(("Trust this folder?", "bold"), f"  {one_line(folder)}"), width)
    title = _barred(mark("ask", look.ascii), " ", name)
    above = [_barred()] if look.roomy else []
    return [*rule, *above, title, _barred(), *_at_text(drawn((WHY, "$dim")), width), _barred()]


def _tail(look: Look, kept: bool) -> list[Drawn]:
    width = _text_width(look)
    answers = (
        ("y", "trust this folder", "" if kept else "for this run only"),
        ("n", "go on without", "deny and ask rules still work"),
        ("Esc", "quit", ""),
    )
    lines = [_barred()]
    for key, words, remark in answers:
        answer = drawn((key.ljust(5), "bold $ask"), words, (f"   {remark}" if remark else "", "$dim"))
        lines.append(_barred("  ", cut(answer, width)))
    return [*lines, _barred()] if look.roomy else lines


def _listed(brought: Sequence[Brought], look: Look) -> list[Drawn]:
    """In columns where there is room; what a thing says is never cut, because the answer rests on it."""
    width = _text_width(look)
    shown = [(one_line(one.what), one_line(one.where), one_line(one.detail)) for one in brought]
    what = max((cell_len(one[0]) for one in shown), default=0) + 2
    where = min(max((cell_len(one[1]) for one in shown), default=0), _WIDEST_PLACE) + 2
    lines: list[Drawn] = []
    for name, place, detail in shown:
        if what + where + _WIDEST_PLACE // 2 > width or cell_len(place) + 2 > where:
            head = drawn(name, "  ", (place, "$dim"))
            lines += _at_text(head, width) + (_at_text(drawn("  ", detail), width, indent=2) if detail else [])
            continue
        gap = " " * (what - cell_len(name))
        line = drawn(name, gap, (place, "$dim"), " " * (where - cell_len(place)), detail)
        lines += _at_text(line, width, indent=what + where)
    return lines


def _window(lines: list[Drawn], room: int, scroll: int) -> list[Drawn]:
    if len(lines) <= room:
        return lines
    first = max(min(scroll, len(lines) - room + 1), 0)
    below = len(lines) - first - (room - 1)
    said = [f"{below} more, PgDn" if below else "", f"{first} above, PgUp" if first else ""]
    return [*lines[first : first + room - 1], _barred("  ", (", ".join(part for part in said if part), "$ask"))]


def _at_text(line: Drawn, width: int, indent: int = 0) -> list[Drawn]:
    return [_barred("  ", part) for part in wrap(line, width, indent)]


def _barred(*parts: Part) -> Drawn:
    return drawn((" ", BAR), *parts).on(GROUND)


def _text_width(look: Look) -> int:
    return max(look.width - _EDGES, 1)
