"""How everything is: what is broken first, then what wants a look, then all that is well; each with what to do.

Pure drawing; `tui.checkup` gathers the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from tui.render.glyphs import Mark, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, cut, drawn, fit, wrap
from tui.render.look import Look
from tui.render.safe import one_line

State = Literal["broken", "look", "well"]
_SIGNS: dict[State, Mark] = {"broken": "failed", "look": "note", "well": "ok"}
_ORDER: tuple[State, ...] = ("broken", "look", "well")
_INDENT, _NAME = 3, 14


@dataclass(frozen=True, slots=True)
class Item:
    """`what` is how it is, `advice` what can be done about it."""

    state: State
    name: str
    what: str
    advice: str = ""


def health_lines(items: Sequence[Item], look: Look, scroll: int = 0) -> list[Drawn]:
    room = max(look.width - 1, 1)
    keys = hints(("r", "check again"), ("c", "copy as text" if look.wide else "copy"), ("Esc", "back"))
    title = drawn(("Health", "bold"), "   ", (_in_words(items), "$dim"))
    head = [BLANK, drawn(" " * _INDENT, fit(room - _INDENT, title, keys)), BLANK]
    body = _body(items, look, room)
    return [cut(line, room) for line in (*head, *body[scroll : scroll + max(look.height - len(head), 1)])]


def most_scroll(items: Sequence[Item], look: Look) -> int:
    return max(len(_body(items, look, max(look.width - 1, 1))) - max(look.height - 3, 1), 0)


def as_text(items: Sequence[Item]) -> str:
    """For a report: one line an item."""
    rows = (item for state in _ORDER for item in items if item.state == state)
    return "\n".join(
        f"{item.state:7}{item.name:12}{'  '.join(filter(None, (item.what, item.advice)))}" for item in rows
    )


def _in_words(items: Sequence[Item]) -> str:
    broken = sum(item.state == "broken" for item in items)
    look = sum(item.state == "look" for item in items)
    told = [("one thing is" if broken == 1 else f"{broken} things are") + " broken"] if broken else []
    things = "" if told else " thing" if look == 1 else " things"
    told += [(f"one{things} wants" if look == 1 else f"{look}{things} want") + " a look"] if look else []
    return ", ".join(told) or "all is well"


def _body(items: Sequence[Item], look: Look, room: int) -> list[Drawn]:
    lines: list[Drawn] = []
    for state in _ORDER:
        mine = [item for item in items if item.state == state]
        if lines and mine and state == "well":
            lines.append(BLANK)
        lines += [line for item in mine for line in _item(item, look, room)]
    return lines


def _item(item: Item, look: Look, room: int) -> list[Drawn]:
    """The remark stands behind where there is room, else below."""
    name = one_line(item.name)
    first = drawn(" ", mark(_SIGNS[item.state], look.ascii), " ", (name, "bold" if item.state != "well" else ""))
    first = drawn(first, " " * max(_NAME - cell_len(name), 2))
    what, advice = one_line(item.what), one_line(item.advice)
    told = (what, "$dim" if item.state == "well" else "")
    whole = drawn(told, ("   " if advice else "", ""), (advice, "$dim"))
    indent = " " * (_NAME + _INDENT)
    lines = (
        wrap(whole, max(room - first.width, 20))
        if first.width + whole.width <= room
        else [
            *wrap(drawn(told), max(room - first.width, 20)),
            *(wrap(drawn((advice, "$dim")), max(room - first.width, 20)) if advice else ()),
        ]
    )
    return [drawn(first, lines[0]), *(drawn(indent, line) for line in lines[1:])]
