"""Calls at once as one view: a header, then every call with its own mark, name and outcome, never behind a count.

Each line is drawn with the number of the part it belongs to: 0 is the header, 1 the first call, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from rich.cells import cell_len

from tools.blocks import Line
from tools.view import GroupedCall
from tui.render.blocks import line_of
from tui.render.glyphs import LANE, RAIL, Mark, mark
from tui.render.lines import BLANK, Drawn, Part, cut, drawn, fit, middle_cut
from tui.render.look import Look
from tui.transcript.bodies import MARGIN
from tui.transcript.calls import TAIL_FROM_SECONDS, Place, call_lines, input_of, subject_text
from tui.transcript.entries import Call
from tui.transcript.kinds import FOLD_TOOLS, Kinds
from tui.transcript.times import runs_for, took

Owned = tuple[Drawn, int]

# So many calls have a line of their own; further ones share lines, each with its mark and name.
OWN_LINES = 8
LANE_CELLS = 14
WIDEST_SUBJECT = 40
PACKED_NAME = 30
_INDENT = 2
_OUTCOMES: dict[str, Literal["queued", "asking", "running", "ok", "failed", "denied", "cancelled"]] = {
    "stream": "queued",
    "queued": "queued",
    "ask": "asking",
    "run": "running",
    "ok": "ok",
    "failed": "failed",
    "denied": "denied",
    "stopped": "cancelled",
}


def group_lines(members: Sequence[Call], kinds: Kinds, look: Look) -> list[Owned]:
    lines: list[Owned] = [(_header(members, kinds, look), 0)]
    column = _column(members[:OWN_LINES], kinds)
    lanes = _lanes(members) if look.wide and all(call.over for call in members) else None
    inner = Look(look.width - _INDENT, look.height, False, look.ascii, look.now)
    for number, call in enumerate(members[:OWN_LINES], start=1):
        lane = lanes[number - 1] if lanes is not None else BLANK
        for line in call_lines(call, kinds, inner, Place(True, column, lane)):
            lines.append((_behind_rail(line, members), number))
    return [*lines, *_packed(members, kinds, inner)]


def one_by_one(members: Sequence[Call], kinds: Kinds, look: Look) -> list[Owned]:
    """Each call in its place, as if it stood alone: how a group looks when everything is shown in full."""
    lines: list[Owned] = []
    for number, call in enumerate(members, start=1):
        drawing = call_lines(call, kinds, look)
        apart = [(BLANK, number)] if lines and (len(drawing) > 1 or lines[-1][0].text[1:2] == RAIL) else []
        lines += [*apart, *((line, number) for line in drawing)]
    return lines


# -- the header


def _header(members: Sequence[Call], kinds: Kinds, look: Look) -> Drawn:
    lives = any(not call.over for call in members)
    wrong = sum(call.failed for call in members)
    sign: Mark = "run" if lives else "failed" if wrong == len(members) else "ok"
    words = _words(members, kinds)
    style = "bold" if lives else "$dim"
    counts = _counts(members, wrong, lives)
    title = words if words is not None else drawn((f"{len(members)} at once", style))
    left = drawn(" ", mark(sign), " ", title, ("   " if counts else "", ""), (counts, "$dim"))
    time = _time(members, look)
    if not time:
        return cut(left, look.width - MARGIN)
    return fit(look.width, left, drawn((time, "$run" if lives else "$dim"), " " * MARGIN))


def _words(members: Sequence[Call], kinds: Kinds) -> Drawn | None:
    """What one tool says of all its calls; commands that look around count as that tool's."""
    fold = kinds.folds(members[0].name, input_of(members[0]))
    if fold is None or any(kinds.folds(call.name, input_of(call)) != fold for call in members):
        return None
    view = kinds.view(FOLD_TOOLS[fold])
    blocks = view.grouped([_as_grouped(call, kinds) for call in members], kinds.ctx)
    first = blocks[0] if blocks else None
    return line_of(first, "$dim") if isinstance(first, Line) else None


def _as_grouped(call: Call, kinds: Kinds) -> GroupedCall:
    data = kinds.output(call.name, call.data) if call.data is not None else None
    return GroupedCall(call.id, input_of(call), _OUTCOMES[call.phase], data, call.error)


def _counts(members: Sequence[Call], wrong: int, lives: bool) -> str:
    over = sum(call.over for call in members)
    done = sum(call.phase == "ok" and not call.failed for call in members)
    refused = sum(call.phase == "denied" for call in members)
    stopped = sum(call.phase == "stopped" for call in members)
    asks = sum(call.phase == "ask" for call in members)
    told = [f"{done} done"] if lives and over else []
    told += [f"{asks} asks you"] if asks else []
    told += [f"{wrong} failed"] if wrong else []
    told += [f"{refused} denied"] if refused else []
    told += [f"{stopped} stopped"] if stopped else []
    return ", ".join(told)


def _time(members: Sequence[Call], look: Look) -> str:
    began = [call.started_at for call in members if call.started_at]
    if not began:
        return ""
    if any(not call.over for call in members):
        seconds = look.now - min(began)
        return runs_for(seconds) if seconds >= TAIL_FROM_SECONDS else ""
    return took(max(call.ended_at for call in members) - min(began))


# -- the members


def _column(members: Sequence[Call], kinds: Kinds) -> int:
    """Where outcomes begin: below one another, unless a subject is too long for that."""
    widths = [min(cell_len(subject_text(call, kinds)), WIDEST_SUBJECT) for call in members]
    return max(widths, default=0)


def _behind_rail(line: Drawn, members: Sequence[Call]) -> Drawn:
    lit = any(call.phase == "run" for call in members)
    return drawn(" ", (RAIL, "bold $run" if lit else "$line"), line).on(line.ground)


def _packed(members: Sequence[Call], kinds: Kinds, look: Look) -> Iterator[Owned]:
    """The calls beyond the first lines, as many on a line as fit, every one with its name."""
    rest = members[OWN_LINES:]
    if not rest:
        return
    room = look.width - 2 - MARGIN
    line, first = BLANK, OWN_LINES + 1
    for number, call in enumerate(rest, start=OWN_LINES + 1):
        said = _short(call, kinds)
        if line.width and line.width + 2 + said.width > room:
            yield _behind_rail(drawn(" ", line), members), first
            line, first = BLANK, number
        line = drawn(line, "  ", said) if line.width else cut(said, room)
    yield _behind_rail(drawn(" ", line), members), first


def _short(call: Call, kinds: Kinds) -> Drawn:
    name = subject_text(call, kinds) or kinds.shown_name(call.name, input_of(call))
    lives = call.phase in ("stream", "ask", "run")
    faint = call.phase in ("queued", "denied", "stopped")
    style = "bold" if lives else "$dim" if faint else "$foreground"
    parts: list[Part] = [mark("failed" if call.failed else call.phase), " "]
    return drawn(*parts, (middle_cut(name, PACKED_NAME), style))


def _lanes(members: Sequence[Call]) -> list[Drawn]:
    """When each ran, over the life of all of them: what overlaps stands above one another."""
    ran = [call for call in members if call.started_at]
    if not ran:
        return [BLANK] * len(members)
    begin = min(call.started_at for call in ran)
    span = max(max(call.ended_at for call in ran) - begin, 0.001)
    return [_lane(call, begin, span) for call in members]


def _lane(call: Call, begin: float, span: float) -> Drawn:
    if not call.started_at:
        return drawn(" " * LANE_CELLS)
    first = min(int((call.started_at - begin) / span * LANE_CELLS), LANE_CELLS - 1)
    length = max(round((call.ended_at - call.started_at) / span * LANE_CELLS), 1)
    length = min(length, LANE_CELLS - first)
    return drawn(" " * first, (LANE * length, "$dim"), " " * (LANE_CELLS - first - length))
