"""A file that somebody else changed: what, by whom as far as that is known, and what follows from it."""

from __future__ import annotations

from tools.short import counted
from tools.view import ViewContext
from tui.render.blocks import block_lines
from tui.render.diff import counts, diff_size
from tui.render.glyphs import mark
from tui.render.lines import BLANK, Drawn, cut, drawn, middle_cut
from tui.render.look import Look
from tui.render.safe import one_line
from tui.transcript.bodies import MARGIN, RAIL_OTHER, behind_rail, kept_high, room_of
from tui.transcript.entries import Outside
from tui.transcript.times import clock

NAME = "Outside"
MOST_LINES = 8
LEAST_PATH = 12


def outside_lines(outside: Outside, ctx: ViewContext, look: Look) -> list[Drawn]:
    body = _body(outside, look)
    if not (look.verbose or outside.opened):
        body = kept_high(body, outside.tallest, [])
        outside.tallest = len(body)
    body.append(cut(drawn((_what_follows(outside), "$dim")), room_of(look.width)))
    return [_head(outside, ctx, look), *behind_rail(body, RAIL_OTHER)]


def _head(outside: Outside, ctx: ViewContext, look: Look) -> Drawn:
    gone = drawn(("gone", "$dim"))
    changed = gone if outside.kind == "deleted" else counts(outside.diff) if outside.diff is not None else BLANK
    who = drawn((f"{one_line(outside.attribution)}, {clock(outside.time)}", "$other"))
    first = drawn(" ", mark("outside"), " ", (NAME, "bold $other"), " ")
    room = look.width - MARGIN - first.width - who.width - changed.width - 4
    path = middle_cut(one_line(ctx.short(outside.path)), max(room, LEAST_PATH))
    sizes = drawn("  ", changed) if changed.width else BLANK
    return cut(drawn(first, (path, "$foreground"), sizes, "  ", who), look.width - MARGIN)


def _body(outside: Outside, look: Look) -> list[Drawn]:
    diff = outside.diff
    if diff is None or outside.kind == "deleted":
        return []
    full = look.verbose or outside.opened
    if not full and diff_size(diff, 0) > MOST_LINES:
        said = f"{counted(len(diff.hunks), 'hunk')}, Enter shows {_them(len(diff.hunks))}"
        return [cut(drawn((said, "$dim")), room_of(look.width))]
    return block_lines((diff,), look, room_of(look.width), context=None if full else 0)


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _what_follows(outside: Outside) -> str:
    if outside.told:
        return "the model was told which lines changed"
    hears = "the model hears which lines changed with its next message"
    return f"an open question is now out of date, {hears}" if outside.outdates else hears
