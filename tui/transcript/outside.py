"""Files that somebody else changed: what, by whom as far as that is known, and what follows from it."""

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
from tui.transcript.entries import Outside, Together
from tui.transcript.times import clock

NAME = "Outside"
MOST_LINES = 8
LEAST_PATH = 12
# Of many files so many are named before the row is opened; and so much of their changes is shown once it is.
NAMED = 3
MOST_CHANGES = 400


def outside_lines(outside: Outside, ctx: ViewContext, look: Look) -> list[Drawn]:
    body = _body(outside, look)
    if not (look.verbose or outside.opened):
        body = kept_high(body, outside.tallest, [])
        outside.tallest = len(body)
    return [_head(outside, ctx, look), *behind_rail([*body, *_last_lines(outside, look)], RAIL_OTHER)]


def together_lines(many: Together, ctx: ViewContext, look: Look) -> list[Drawn]:
    members = list(many.members.values())
    if look.verbose or many.opened:
        body = _all_of(members, ctx, look)
    else:
        more = len(members) - NAMED
        body = [_named(one, ctx, look) for one in members[:NAMED]]
        body += (
            [cut(drawn((f"{_spaced(more)} more, Enter shows all", "$dim")), room_of(look.width))] if more > 0 else []
        )
    return [_head_of_many(many, look), *behind_rail([*body, *_last_lines(many, look)], RAIL_OTHER)]


def said_of_many(many: Together) -> str:
    """`git checkout main: 5 000 files, 12 of them known to the model`."""
    known = "all" if len(many.members) == many.files else _spaced(len(many.members))
    return f"{one_line(many.attribution)}: {_spaced(many.files)} files, {known} of them known to the model"


def _head_of_many(many: Together, look: Look) -> Drawn:
    first = drawn(" ", mark("outside"), " ", (NAME, "bold $other"), " ")
    when = drawn(("  " + clock(many.time), "$other"))
    room = max(look.width - MARGIN - first.width - when.width, LEAST_PATH)
    said = said_of_many(many)
    if drawn(said).width > room:
        said = said.removesuffix(" to the model")
    return cut(drawn(first, (cut(drawn(said), room).text, "$other"), when), look.width - MARGIN)


def _all_of(members: list[Outside], ctx: ViewContext, look: Look) -> list[Drawn]:
    """Each with its changes; where those are too much to read, the list of the files alone."""
    sizes = sum(diff_size(one.diff, 0) for one in members if one.diff is not None)
    lines: list[Drawn] = []
    for one in members:
        lines.append(_named(one, ctx, look))
        if one.diff is not None and one.kind != "deleted" and sizes <= MOST_CHANGES:
            lines += block_lines((one.diff,), look, room_of(look.width), context=0)
    return lines


def _named(one: Outside, ctx: ViewContext, look: Look) -> Drawn:
    changed = _how_much(one)
    room = max(room_of(look.width) - changed.width - 2, LEAST_PATH)
    return cut(
        drawn((middle_cut(one_line(ctx.short(one.path)), room), "$foreground"), "  ", changed), room_of(look.width)
    )


def _how_much(outside: Outside) -> Drawn:
    if outside.kind == "deleted":
        return drawn(("gone", "$dim"))
    return counts(outside.diff) if outside.diff is not None else BLANK


def _last_lines(outside: Outside | Together, look: Look) -> list[Drawn]:
    """What says whose it was, once somebody wants to know; and what follows."""
    evidence = one_line(outside.evidence) if look.verbose or outside.opened else ""
    return [cut(drawn((words, "$dim")), room_of(look.width)) for words in (evidence, _what_follows(outside)) if words]


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _head(outside: Outside, ctx: ViewContext, look: Look) -> Drawn:
    changed = _how_much(outside)
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


def _what_follows(outside: Outside | Together) -> str:
    if isinstance(outside, Outside) and outside.as_seen:
        return "it is again as the model saw it"
    gone = isinstance(outside, Outside) and outside.kind == "deleted"
    what = "that it is gone" if gone else "which lines changed"
    if outside.told:
        return f"the model was told {what}"
    hears = f"the model hears {what} with its next message"
    return f"an open question is now out of date, {hears}" if outside.outdates else hears
