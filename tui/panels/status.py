"""The status line: mode, model and place at the left, files, context and cost at the right. Pure drawing.

Before anything but mode, model and folder is known it is what `tui.first_paint` has painted, cell for cell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tui.first_paint import MODE_WORDS
from tui.glance import MODES, shown_model
from tui.render.glyphs import LANE
from tui.render.lines import Drawn, Part, cut, drawn
from tui.render.look import Look
from tui.render.safe import one_line

# From this many percent on the meter wants the person.
_NEARLY_FULL = 80
_METER, _SHORT_METER = 10, 5
_LONGEST_BRANCH = 24


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """`folder` is a path or a name; empty strings and None are what is not known yet, and are not shown.

    `watching` counts the files looked after, `outside` those of them that somebody else changed. `watch_trouble` and
    `trouble` are a few words each: the first says what is wrong with watching, the second what else is.
    """

    mode: str
    model: str
    folder: str = ""
    branch: str = ""
    changed_files: int = 0
    verbose: bool = False
    watching: int = 0
    outside: int = 0
    watch_trouble: str = ""
    context_percent: int | None = None
    cost: float | None = None
    trouble: str = ""


def status_line(facts: StatusFacts, look: Look) -> Drawn:
    """One line with a free cell at either edge. What has no room goes in a fixed order; mode and percent stay."""
    room = max(look.width - 2, 1)
    shown = _Shown() if look.wide else _NARROW
    left, right = _left(facts, shown), _right(facts, shown)
    for fewer in _fewer(shown):
        if left.width + 2 + right.width <= room:
            break
        left, right = _left(facts, fewer), _right(facts, fewer)
    if not right.width:
        return drawn(" ", cut(left, room))
    right = cut(right, room)
    left = cut(left, max(room - right.width - 2, 0))
    return drawn(" ", left, " " * (room - left.width - right.width), right)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the line has room for."""

    keys: bool = True
    folder: bool = True
    branch: bool = True
    watcher: bool = True
    context: str = "context "
    meter: int = _METER
    cost: bool = True
    verbose: str = "verbose Ctrl+O"


_NARROW = _Shown(
    keys=False, folder=False, branch=False, watcher=False, context="ctx ", meter=_SHORT_METER, verbose="verbose"
)


def _fewer(shown: _Shown) -> Iterator[_Shown]:
    """The same with one thing less each time, in the order in which things can be missed."""
    for missed in (
        {"keys": False},
        {"verbose": "verbose"},
        {"folder": False},
        {"branch": False},
        {"watcher": False},
        {"context": "ctx "},
        {"meter": min(shown.meter, _SHORT_METER)},
        {"meter": 0},
        {"cost": False},
        {"verbose": ""},
        {"context": ""},
    ):
        shown = replace(shown, **missed)
        yield shown


def _left(facts: StatusFacts, shown: _Shown) -> Drawn:
    mode = MODE_WORDS.get(facts.mode, one_line(facts.mode))
    parts: list[Part] = [(mode, f"bold $mode-{MODES.get(facts.mode, 'default')}")]
    words = [one_line(shown_model(facts.model))]
    if shown.folder:
        words.append(one_line(os.path.basename(facts.folder)))
    if shown.branch:
        words.append(_branch(facts))
    parts += [(f"  {word}", "$dim") for word in words if word]
    if facts.verbose and shown.verbose:
        word, blank, key = shown.verbose.partition(" ")
        parts += ["  ", (word, "bold"), (blank + key, "$dim")]
    return drawn(*parts)


def _branch(facts: StatusFacts) -> str:
    if not facts.branch:
        return ""
    name = cut(drawn(one_line(facts.branch)), _LONGEST_BRANCH).text
    return f"{name} +{facts.changed_files}" if facts.changed_files else name


def _right(facts: StatusFacts, shown: _Shown) -> Drawn:
    items = [
        *_troubles(facts),
        _watcher(facts) if shown.watcher and not facts.watch_trouble and not facts.trouble else drawn(),
        _context(facts, shown),
        drawn((f"${facts.cost:.2f}", "$dim")) if facts.cost is not None and shown.cost else drawn(),
        drawn(("? keys", "$dim")) if shown.keys else drawn(),
    ]
    return _apart([item for item in items if item.width])


def _troubles(facts: StatusFacts) -> list[Drawn]:
    return [drawn((one_line(facts.trouble), "$bad")), drawn((one_line(facts.watch_trouble), "$ask"))]


def _watcher(facts: StatusFacts) -> Drawn:
    if not facts.watching:
        return drawn(("watcher ready", "$dim"))
    changed = f", {facts.outside} changed" if facts.outside else ""
    return drawn((f"watching {facts.watching}{changed}", "$dim"))


def _context(facts: StatusFacts, shown: _Shown) -> Drawn:
    percent = facts.context_percent
    if percent is None:
        return drawn()
    full = percent >= _NEARLY_FULL
    used = min(max(round(shown.meter * percent / 100), 0), shown.meter)
    lit, rest = ("$ask", "$ask") if full else ("$foreground", "$dim")
    # A blank before the number is part of its fixed width, so that the line does not move from 9 to 10 percent.
    number = f"{percent}%".rjust(4 if shown.meter else 3)
    return drawn(
        (shown.context, rest),
        (LANE * used, lit),
        (LANE * (shown.meter - used), "$line"),
        (number, rest),
    )


def _apart(items: list[Drawn]) -> Drawn:
    parts: list[Part] = []
    for number, item in enumerate(items):
        parts += ["  ", item] if number else [item]
    return drawn(*parts)
