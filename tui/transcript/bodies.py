"""What stands below a call's own line: a few lines that tell the essential, or all of it where that was asked for.

A body keeps its height: what was shown while a call was written or ran gives way to its result, never to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from tools.blocks import Block, Blocks, Code, Diff, Table, Tail
from tools.short import counted
from tools.view import ViewContext
from tui.render.blocks import block_lines
from tui.render.diff import diff_size, is_new_file
from tui.render.glyphs import RAIL
from tui.render.lines import BLANK, Drawn, cut, drawn
from tui.render.look import SIDE_BY_SIDE, WIDE, Look
from tui.render.safe import one_line

TAIL_LINES = 5
TAIL_LINES_LOW = 4
DIFF_LINES = 20
NEW_FILE_LINES = 8
FULL_LINES = 200
MOST_CONTEXT = 3
# Behind bar, rail and a blank on the left; one free cell on the right.
INDENT = 3
MARGIN = 1
# Larger changes are not drawn whole to be counted.
LARGEST_COUNTED = 400

RAIL_QUIET, RAIL_LIT, RAIL_OTHER = "$line", "bold $run", "$other"


def behind_rail(lines: Iterable[Drawn], style: str = RAIL_QUIET) -> list[Drawn]:
    return [drawn(" ", (RAIL, style), " ", line) if line.pieces else drawn(" ", (RAIL, style)) for line in lines]


def room_of(width: int) -> int:
    """What a body has of a row's width."""
    return max(width - INDENT - MARGIN, 1)


def tail_height(look: Look) -> int:
    return TAIL_LINES if look.roomy else TAIL_LINES_LOW


def growing_lines(blocks: Blocks, look: Look, width: int) -> list[Drawn]:
    """The end of what is being written, with a cursor behind the last letter."""
    most = tail_height(look)
    lines = block_lines(blocks, look, width, live=True, last=most)[-most:]
    if lines and isinstance(blocks[-1], Code):
        lines[-1] = drawn(cut(lines[-1], width - 1), (" ", "on $run"))
    return lines


def tail_lines(blocks: Blocks, look: Look, width: int) -> list[Drawn]:
    """The end of what a running call has said so far."""
    return block_lines(blocks, look, width, last=tail_height(look))[-tail_height(look) :]


def short_lines(blocks: Blocks, look: Look, width: int, at_least: int = 0) -> list[Drawn]:
    """The essential of a result. `at_least`: so many lines were there before; a diff fills them with its context."""
    lines: list[Drawn] = []
    for block in blocks:
        match block:
            case Tail(texts, total):
                shown = block_lines((block,), look, width, last=TAIL_LINES)
                lines += [*shown, *more(total - min(len(texts), TAIL_LINES))]
            case Diff():
                lines += _short_diff(block, look, width, at_least)
            case _:
                shown = block_lines((block,), look, width)
                lines += [*shown[:DIFF_LINES], *more(len(shown) - DIFF_LINES)]
    return lines


def full_lines(blocks: Blocks, look: Look, width: int) -> tuple[list[Drawn], int]:
    """Everything, up to a bound, and how many lines are beyond it."""
    lines: list[Drawn] = []
    hidden = 0
    for block in blocks:
        room = FULL_LINES - len(lines)
        if room <= 0:
            hidden += size_of(block)
            continue
        shown, left_out = _bounded(block, room)
        drawing = block_lines((shown,), look, width, limit=room if isinstance(block, Diff) else None)
        if left_out and _is_output(block):
            lines.append(drawn((f"{counted(left_out, 'line')} before these", "$dim")))
            drawing = drawing[1 - room :]
        else:
            hidden += left_out
        lines += drawing[:room]
    return lines, hidden


def closing(hidden: int, shown: int, stored: str | None, ctx: ViewContext) -> list[Drawn]:
    """What a body ends with when it is not all there is: how much, and where the whole is."""
    parts = [f"{hidden + shown} lines in all, {shown} shown"] if hidden else []
    parts += [f"full output in {one_line(ctx.short(stored))}"] if stored else []
    return [drawn(("   ".join(parts), "$dim"))] if parts else []


def more(count: int) -> list[Drawn]:
    said = f"{counted(count, 'line')} more, Enter shows {'it' if count == 1 else 'them'}"
    return [drawn((said, "$dim"))] if count > 0 else []


def dimmed(lines: Iterable[Drawn]) -> list[Drawn]:
    """What was there, without anything that lives in it."""
    return [drawn((line.text.rstrip(), "$dim")) for line in lines]


def kept_high(lines: list[Drawn], tallest: int, before: list[Drawn]) -> list[Drawn]:
    """No fewer lines than there were; `before` is what stood there, the end of which fills the place."""
    missing = tallest - len(lines)
    if missing <= 0:
        return lines
    filling = before[-missing:]
    return [*lines, *filling, *[BLANK] * (missing - len(filling))]


def size_of(block: Block) -> int:
    """How many lines a block has, without drawing it."""
    match block:
        case Code(text):
            return text.count("\n") + 1
        case Tail(lines):
            return len(lines)
        case Table(_, rows):
            return len(rows) + 1
        case Diff():
            return diff_size(block)
        case _:
            return 1


def _short_diff(diff: Diff, look: Look, width: int, at_least: int) -> list[Drawn]:
    most = NEW_FILE_LINES if is_new_file(diff) else DIFF_LINES
    around = 1 if look.width >= WIDE else 0
    while around < MOST_CONTEXT and diff_size(diff, around) < at_least:
        around += 1
    size = diff_size(diff, around)
    if width >= SIDE_BY_SIDE and size <= LARGEST_COUNTED:
        lines = block_lines((diff,), look, width, context=around)
        size = len(lines)
    else:
        lines = block_lines((diff,), look, width, context=around, limit=most)
    return [*lines[:most], *more(size - most)]


def _bounded(block: Block, room: int) -> tuple[Block, int]:
    """The block with so many lines at most, and how many it lost; of output the end is kept."""
    size = size_of(block)
    if size <= room:
        return block, 0
    match block:
        case Code(text, lexer, first_line) if _is_output(block):
            kept = text.rsplit("\n", room - 1)[1:]
            return Code("\n".join(kept), lexer, first_line), size - len(kept)
        case Code(text, lexer, first_line):
            return Code("\n".join(text.split("\n", room)[:room]), lexer, first_line), size - room
        case Tail(lines, total):
            return Tail(lines[-room:], total), size - room
        case Table(headers, rows):
            return Table(headers, rows[: room - 1]), size - room
        case _:
            return block, size - room


def _is_output(block: Block) -> bool:
    """What a command wrote: its end says how it went."""
    match block:
        case Tail():
            return True
        case Code(_, lexer, first_line):
            return lexer == "text" and first_line is None
        case _:
            return False
