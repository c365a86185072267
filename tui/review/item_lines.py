"""One hunk of the review as lines: what became of it, who made it and for what, and the change itself.

A hunk of thousands of lines comes in portions, so that only the one in sight is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.review.lines import Lines
from agent.review.review import Item
from tools.blocks import Diff, DiffLine, Hunk
from tools.diffs import NO_NEWLINE
from tools.short import counted
from tui.render.diff import diff_lines
from tui.render.glyphs import Mark, mark
from tui.render.lines import BLANK, Drawn, cut, drawn, wrap
from tui.render.look import SIDE_BY_SIDE, Look
from tui.render.safe import one_line
from tui.review.looked import LookedFile
from tui.transcript.bodies import RAIL_LIT, RAIL_OTHER, RAIL_QUIET, behind_rail, room_of

# Lines of a hunk that are drawn at once.
PORTION_LINES = 200
CONTEXT, MORE_CONTEXT = 1, 3
_COMMENT_LINES = 4

_STATES: dict[str, tuple[Mark, str, str]] = {
    "kept": ("ok", "kept", "$ok"),
    "undone": ("stopped", "undone", "$dim"),
    "others": ("outside", "not mine", "bold $other"),
    "mixed": ("outside", "not only mine", "bold $other"),
    "open": ("queued", "open", "$dim"),
}
_HERE: tuple[Mark, str, str] = ("run", "here", "bold $run")


def state_of(item: Item) -> str:
    return (
        item.hunk.whose if item.hunk.whose != "ours" else "undone" if item.undone else "kept" if item.kept else "open"
    )


def portions_of(file: LookedFile, item: Item, here: bool) -> int:
    """In how many blocks it comes."""
    lines = len(item.hunk.removed) + len(item.hunk.added) if _is_drawn(file, item, here) else 0
    return max(-(-lines // PORTION_LINES), 1)


def item_lines(file: LookedFile, item: Item, made: str, name: str, here: bool, portion: int, look: Look) -> list[Drawn]:
    """One portion of it, the first with the title. `name`: of the file, where it does not stand above."""
    room = room_of(look.width)
    lines = [] if portion else [_title(file, item, made, name, here, look)]
    body = [] if portion or not item.comment else _comment(item.comment, room)
    body += _body(file, item, here, portion, room, look)
    rail = RAIL_OTHER if item.hunk.whose != "ours" else RAIL_LIT if here else RAIL_QUIET
    end = [BLANK] if portion == portions_of(file, item, here) - 1 else []
    return [*lines, *behind_rail(body, rail), *end]


def _title(file: LookedFile, item: Item, made: str, name: str, here: bool, look: Look) -> Drawn:
    state = state_of(item)
    sign, word, style = _HERE if here else _STATES[state]
    also = drawn("   ", _STATES[state][1:]) if here and state != "open" else BLANK
    which = f"{name} hunk {file.number(item)}".strip()
    off = "   undo is off for it" if item.hunk.whose != "ours" else ""
    words = (f"   {one_line(which)}   {one_line(made)}{off}", "$dim")
    return cut(drawn(" ", mark(sign, look.ascii), " ", (word, style), also, words), look.width - 1)


def _comment(comment: str, room: int) -> list[Drawn]:
    said = drawn(("your comment: ", "bold"), one_line(" ".join(comment.split())))
    lines = wrap(said, room)
    return lines if len(lines) <= _COMMENT_LINES else [*lines[: _COMMENT_LINES - 1], drawn(("more of it", "$dim"))]


def _is_drawn(file: LookedFile, item: Item, here: bool) -> bool:
    """What was taken back and what others made shows its lines only where one looks."""
    return not file.changes.unread and (here or state_of(item) in ("kept", "open"))


def _body(file: LookedFile, item: Item, here: bool, portion: int, room: int, look: Look) -> list[Drawn]:
    hunk = item.hunk
    if file.changes.unread:
        return [cut(drawn((f"{one_line(file.changes.unread)}: it has no lines to show", "$dim")), room)]
    if not _is_drawn(file, item, here):
        return []
    if not hunk.removed and not hunk.added:
        return [drawn(("a file without lines", "$dim"))]
    if hunk.whole and not hunk.added and file.changes.now is None and not look.verbose:
        return [drawn((f"{counted(len(hunk.removed), 'line')} gone", "$dim"))] if not portion else []
    context = MORE_CONTEXT if look.verbose else CONTEXT if look.wide else 0
    diff = Diff(file.path, (_portion(file, item, portion, context),))
    side = room >= SIDE_BY_SIDE and portions_of(file, item, here) == 1
    ground = not (hunk.whole and not hunk.removed)
    return diff_lines(diff, room, None, side, wrap_long=look.verbose, ground=ground)


def _portion(file: LookedFile, item: Item, portion: int, context: int) -> Hunk:
    hunk = item.hunk
    removed = portion * PORTION_LINES, (portion + 1) * PORTION_LINES
    gone = hunk.removed[slice(*removed)]
    left = max(removed[0] - len(hunk.removed), 0), max(removed[1] - len(hunk.removed), 0)
    come = hunk.added[slice(*left)]
    before, after = file.around(item, context)
    before = before if not portion else ()
    after = after if left[1] >= len(hunk.added) else ()
    unended = _unended(hunk.removed) != _unended(hunk.added)
    lines = (
        *_shown("same", before, False),
        *_shown("removed", gone, unended),
        *_shown("added", come, unended),
        *_shown("same", after, False),
    )
    old, new = hunk.was + removed[0] + 1, hunk.at + left[0] + 1
    return Hunk(min(old, hunk.was + len(hunk.removed) + 1) - len(before), new - len(before), lines)


def _shown(kind: str, lines: Sequence[bytes], unended: bool) -> list[DiffLine]:
    """As text; a last line without an end is marked where that is part of the change."""
    return [
        DiffLine(kind, line.removesuffix(b"\n").decode(errors="replace") + _no_end(line, unended))  # pyright: ignore[reportArgumentType] (one of the kinds)
        for line in lines
    ]


def _no_end(line: bytes, told: bool) -> str:
    return NO_NEWLINE if told and not line.endswith(b"\n") else ""


def _unended(lines: Lines) -> bool:
    return bool(lines) and not lines[-1].endswith(b"\n")
