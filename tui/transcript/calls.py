"""One call as lines, in every phase: mark, name, subject, outcome and time, and what belongs to it below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import jiter
from rich.cells import cell_len

from tools.blocks import Blocks, Code, Diff, Line, line
from tools.inputs import ToolOutput
from tools.view import Style, outcome_and_body
from tui.render.blocks import line_of
from tui.render.glyphs import Mark, mark
from tui.render.lines import BLANK, Drawn, cut, drawn, fit, middle_cut
from tui.render.look import Look
from tui.render.safe import one_line
from tui.transcript import bodies
from tui.transcript.entries import Call
from tui.transcript.kinds import Kinds, LooseOutput
from tui.transcript.reasons import why_allowed
from tui.transcript.times import runs_for, took

NAME_CELLS = 7
LONGEST_NAME = 24
TIME_CELLS = 7
# The clock and the tail of a running call are not worth a glance before.
TAIL_FROM_SECONDS = 2.0
# A subject is cut before its outcome, down to this; then the outcome is.
LEAST_SUBJECT = 12
LEAST_PATH = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call stands. In a group: the width of its subjects, and its lane once all have ended."""

    in_group: bool = False
    column: int = 0
    lane: Drawn = BLANK


ALONE = Place()


def call_lines(call: Call, kinds: Kinds, look: Look, place: Place = ALONE) -> list[Drawn]:
    input = input_of(call)
    full = look.verbose or call.opened
    style: Style = "verbose" if full else "condensed"
    outcome, blocks = outcome_and_body(blocks_of(call, kinds, input, output_of(call, kinds), style))
    sign: Mark = "failed" if call.failed else call.phase
    head = _head(call, kinds, input, outcome, sign, look, place)
    body = _full_body(call, kinds, blocks, look) if full else _short_body(call, kinds, input, blocks, look, place)
    lit = call.phase in ("stream", "run")
    return [head, *bodies.behind_rail(body, bodies.RAIL_LIT if lit else bodies.RAIL_QUIET)]


def input_of(call: Call) -> Mapping[str, Any]:
    """What can be read of the input so far. Costs what has come of it, so it is for drawing only."""
    if call.ready or not call.raw:
        return call.input
    try:
        value = jiter.from_json(bytes(call.raw), partial_mode="trailing-strings")
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def subject_of(call: Call, kinds: Kinds) -> Line:
    return kinds.subject(call.name, input_of(call))


def subject_text(call: Call, kinds: Kinds) -> str:
    return one_line(subject_of(call, kinds).text)


def fitting(subject: Line, width: int, style: str) -> Drawn:
    """The subject in so many cells; a path in it keeps its beginning and its name."""
    texts = [one_line(span.text) for span in subject.spans]
    over = sum(map(cell_len, texts)) - width
    for index, span in enumerate(subject.spans):
        if over > 0 and span.role == "path":
            size = cell_len(texts[index])
            texts[index] = middle_cut(texts[index], max(size - over, min(size, LEAST_PATH)))
            over -= size - cell_len(texts[index])
    return cut(drawn(("".join(texts), style)), max(width, 0))


# -- the call's own line


def _head(
    call: Call, kinds: Kinds, input: Mapping[str, Any], outcome: Line | None, sign: Mark, look: Look, place: Place
) -> Drawn:
    lives = call.phase in ("stream", "ask", "run")
    faint = call.phase in ("queued", "denied", "stopped")
    name = cut(drawn((one_line(kinds.shown_name(call.name, input)), "bold" if lives else "$dim")), LONGEST_NAME)
    first = drawn(" ", mark(sign), " ", name, " " * max(NAME_CELLS - name.width, 0), " ")
    right = _right(call, look, place)
    room = look.width - first.width - (right.width + 2 if right.width else bodies.MARGIN)
    subject = kinds.view(call.name).use(input, kinds.ctx)
    told = line_of(outcome, "$dim") if outcome is not None else BLANK
    rest = _subject_and_outcome(subject, told, room, "$dim" if faint else "$foreground", place.column)
    left = drawn(first, rest)
    return fit(look.width, left, right) if right.width else cut(left, look.width - bodies.MARGIN)


def _subject_and_outcome(subject: Line, outcome: Drawn, room: int, style: str, column: int) -> Drawn:
    if not outcome.width:
        return fitting(subject, room, style)
    wanted = cell_len(one_line(subject.text))
    if not wanted:
        return cut(outcome, max(room, 0))
    outcome = cut(outcome, max(room - 2 - min(wanted, LEAST_SUBJECT), 1))
    left = fitting(subject, room - 2 - outcome.width, style)
    free = room - left.width - outcome.width
    return drawn(left, " " * max(min(column - left.width, free - 2), 0), "  ", outcome)


def _right(call: Call, look: Look, place: Place) -> Drawn:
    time = _time(call, look)
    if place.lane.width:
        return drawn(place.lane, (f"{time:>{TIME_CELLS}}", "$dim"), " " * bodies.MARGIN)
    style = "$run" if call.phase == "run" else "$dim"
    return drawn((time, style), " " * bodies.MARGIN) if time else BLANK


def _time(call: Call, look: Look) -> str:
    match call.phase:
        case "run" if ran_for(call, look) >= TAIL_FROM_SECONDS:
            return runs_for(ran_for(call, look))
        case "ok" | "failed":
            return took(call.seconds)
        case "stopped" if call.started_at:
            return runs_for(call.seconds or call.ended_at - call.started_at)
        case _:
            return ""


def ran_for(call: Call, look: Look) -> float:
    return look.now - call.started_at if call.started_at else 0.0


# -- what it shows


def output_of(call: Call, kinds: Kinds) -> ToolOutput | None:
    if call.phase != "ok" or call.data is None:
        return None
    return kinds.output(call.name, call.data) or LooseOutput.model_validate(dict(call.data))


def blocks_of(
    call: Call, kinds: Kinds, input: Mapping[str, Any], output: ToolOutput | None, style: Style
) -> Blocks | None:
    """What its tool makes of the call in the phase it is in."""
    view, ctx = kinds.view(call.name), kinds.ctx
    match call.phase:
        case "stream":
            return view.writing(input, ctx)
        case "queued":
            return view.queued(call.why, ctx)
        case "ask":
            return (line(("waiting for you", "quiet")),)
        case "run":
            progress = kinds.progress(call.name, call.progress)
            return view.progress([progress], ctx) if progress is not None else None
        case "ok":
            return view.result(output, (), style, ctx) if output is not None else (line(("done", "quiet")),)
        case "failed":
            return view.failed(call.error, ctx, style)
        case "denied" | "stopped":
            return view.rejected(call.error or call.why, ctx)


def _short_body(
    call: Call, kinds: Kinds, input: Mapping[str, Any], blocks: Blocks, look: Look, place: Place
) -> list[Drawn]:
    if place.in_group and not call.tallest:
        return []
    room = bodies.room_of(look.width)
    match call.phase:
        case "stream":
            lines = bodies.growing_lines(blocks, look, room) if blocks else []
        case "run" if ran_for(call, look) < TAIL_FROM_SECONDS:
            lines = []
        case "run":
            lines = bodies.tail_lines(blocks, look, room)
        case _:
            lines = bodies.short_lines(blocks, look, room, call.tallest)
    if call.phase == "stopped":
        lines += bodies.dimmed(_so_far(call, kinds, look, room))
    if len(lines) < call.tallest:
        lines = bodies.kept_high(lines, call.tallest, _written(call, kinds, input, look, room))
    call.tallest = len(lines)
    return lines


def _so_far(call: Call, kinds: Kinds, look: Look, room: int) -> list[Drawn]:
    """What a call that was stopped had said by then."""
    progress = kinds.progress(call.name, call.progress)
    blocks = kinds.view(call.name).progress([progress], kinds.ctx) if progress is not None else None
    return bodies.tail_lines(outcome_and_body(blocks)[1], look, room)


def _written(call: Call, kinds: Kinds, input: Mapping[str, Any], look: Look, room: int) -> list[Drawn]:
    """The end of what the call was given, as it stood there while it was written. Where in the file that will be is
    known once the person is asked."""
    preview = call.request.preview if call.request is not None else ()
    blocks = tuple(block for block in preview if isinstance(block, Diff))
    if not blocks:
        _, blocks = outcome_and_body(kinds.view(call.name).writing(input, kinds.ctx))
    return bodies.dimmed(bodies.growing_lines(blocks, look, room)) if blocks else []


def _full_body(call: Call, kinds: Kinds, blocks: Blocks, look: Look) -> list[Drawn]:
    room = bodies.room_of(look.width)
    look = replace(look, verbose=True)
    why = why_allowed(call, kinds.ctx)
    lines = [cut(why, room)] if why is not None else []
    if call.phase == "stream":
        return [*lines, *bodies.growing_lines(blocks, look, room)] if blocks else lines
    if not blocks and not call.over:
        blocks = _given(call, kinds)
    shown, hidden = bodies.full_lines(blocks, look, room)
    lines += shown
    if call.phase == "stopped":
        lines += bodies.dimmed(_so_far(call, kinds, look, room))
    return [*lines, *(cut(each, room) for each in bodies.closing(hidden, len(shown), call.stored, kinds.ctx))]


def _given(call: Call, kinds: Kinds) -> Blocks:
    """What a call that has no result yet was given: a whole command, the change it asks for."""
    if call.request is not None:
        return tuple(block for block in call.request.preview if isinstance(block, Code | Diff))
    return outcome_and_body(kinds.view(call.name).writing(call.input, kinds.ctx))[1]
