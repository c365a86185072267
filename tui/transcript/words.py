"""What was said, as lines: by the person, by the model to itself, by the program. Answers are `rows.AnswerRow`."""

from __future__ import annotations

from tools.short import counted
from tui.render.glyphs import mark
from tui.render.lines import Drawn, Part, cut, drawn, wrap
from tui.render.look import Look
from tui.render.safe import one_line, safe
from tui.transcript.entries import Note, Thought, TurnEnd, Words
from tui.transcript.times import runs_for, thousands, took

INDENT, MARGIN = 3, 1
WIDEST_WORDS = 100
# Of a long message; verbose or opened it stands there whole.
MOST_LINES, KEPT_LINES = 10, 8
BAR, GROUND = "on $you", "on $block"
# In dollars; what would be shown as nothing is left out.
LEAST_COST = 0.005


def words_lines(words: Words, look: Look) -> list[Drawn]:
    width = max(look.width - INDENT - MARGIN, 1)
    text = f"! {words.text}" if words.shell else words.text
    lines = [part for line in safe(text.strip("\n")).split("\n") for part in wrap(drawn(line), width)]
    if len(lines) > MOST_LINES and not (look.verbose or words.opened):
        left_out = len(lines) - KEPT_LINES
        lines = [*lines[:KEPT_LINES], drawn((f"{counted(left_out, 'line')} more", "$dim"))]
    return [drawn((" ", BAR), "  ", line).on(GROUND) for line in lines]


def thought_lines(thought: Thought, look: Look) -> list[Drawn]:
    took_long = f" for {runs_for(thought.seconds)}" if thought.seconds >= 1 else ""
    lines = [_at_text((f"Thought{took_long}", "italic $dim"))]
    if (look.verbose or thought.opened) and thought.text.strip():
        width = max(look.width - INDENT - MARGIN, 1)
        for line in safe(thought.text.strip()).split("\n"):
            lines += [_at_text(part) for part in wrap(drawn((line, "italic $dim")), width)]
    return lines


def note_lines(note: Note, look: Look) -> list[Drawn]:
    width = max(look.width - INDENT - MARGIN, 1)
    sign = {"error": mark("failed"), "warning": mark("note"), "info": mark("none")}[note.level]
    style = {"error": "$foreground", "warning": "bold $ask", "info": "$dim"}[note.level]
    first, *rest = wrap(_told(one_line(note.text), style, note.level == "warning"), width)
    lines = [drawn(" ", sign, " ", first), *map(_at_text, rest)]
    for line in safe(note.detail).split("\n") if note.detail else ():
        lines += [_at_text(part) for part in wrap(drawn((line, "$dim")), width)]
    return lines


def _told(text: str, style: str, apart: bool) -> Drawn:
    """`apart`: what it is stands out from the particulars behind it."""
    what, colon, particulars = text.partition(": ")
    if not apart or not colon:
        return drawn((text, style))
    return drawn((what, style), "   ", (particulars, "$foreground"))


def turn_end_lines(end: TurnEnd, look: Look) -> list[Drawn]:
    parts = [_dim(f"turn {end.turn}"), _dim(took(end.seconds))]
    parts += [_dim(counted(end.calls, "call"))] if end.calls else []
    parts += [drawn((counted(end.files, "file"), "$dim"), *_plus_minus(end.added, end.removed))] if end.files else []
    parts += [_dim(_tokens(end))] if look.verbose and end.output_tokens else []
    parts += [_dim(f"${end.cost:.2f}")] if end.cost and end.cost >= LEAST_COST else []
    parts += [_dim("stopped by you")] if end.reason in ("interrupted", "stopped") else []
    line = _at_text(parts[0], *(drawn("   ", part) for part in parts[1:]))
    if not end.failed:
        return [cut(line, look.width - MARGIN)]
    broken = one_line(", ".join(end.failed))
    whole: list[Part] = [line, "   ", (f"{len(end.failed)} failed: {broken}", "$bad")]
    return [cut(drawn(*whole), look.width - MARGIN)]


def fault_lines(look: Look) -> list[Drawn]:
    """In the place of a row that could not be drawn."""
    told = "agent-tui failed to draw this; the call is not affected"
    return [cut(drawn(" ", mark("failed"), " ", (told, "$bad")), look.width)]


def _tokens(end: TurnEnd) -> str:
    cached = f", {round(100 * end.cache_read / end.input_tokens)}% cached" if end.input_tokens else ""
    return f"{thousands(end.input_tokens)} in, {thousands(end.output_tokens)} out{cached}"


def _plus_minus(added: int, removed: int) -> list[Part]:
    return [*([(f" +{added}", "$add")] if added else []), *([(f" -{removed}", "$del")] if removed else [])]


def _dim(words: str) -> Drawn:
    return drawn((words, "$dim"))


def _at_text(*parts: Part) -> Drawn:
    return drawn(" " * INDENT, *parts)
