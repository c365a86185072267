"""The sheet above the prompt: question, subject, trace, answers, further keys, queue, in this order and nothing else.

At most seven tenths of the height. The answers stand on the same lines from the bottom whatever is asked; where there
is too much to show, the subject scrolls, or the trace when it is looked at in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tools.view import ViewContext
from tui.first_paint import MODE_REMARKS, MODE_WORDS
from tui.render.diff import diff_lines
from tui.render.glyphs import mark
from tui.render.lines import Drawn, Part, cut, drawn, fit, middle_cut, wrap
from tui.render.look import Look
from tui.render.safe import one_line
from tui.sheet.answers import always_off, answer_lines, first_sentence, saved_in, would_have
from tui.sheet.slider import chosen
from tui.sheet.subject import folder_of, path_of, subject_lines, title
from tui.sheet.trace import full_trace, short_trace
from tui.sheet.unseen import unseen_in
from tui.sheet.view import SheetView, danger, is_grave, runs_a_command, shown_name

GROUND = "on $sheet"
BAR, FOREIGN_BAR = "on $ask-fill", "on $other"
# The bar, the mark, a space; and one free cell at the right edge.
LEFT_CELLS, RIGHT_CELLS = 3, 1
# Fewer lines for subject and trace than this, and the empty lines go.
CRAMPED = 4
# What is kept of the subject where the trace needs the room.
KEPT = 3


def sheet_lines(view: SheetView, look: Look) -> list[Drawn]:
    frame = _frame(view, look)
    room = _room(frame, look)
    return [*frame.head, *_body(view, look, room).shown(room, view.scroll), *frame.tail]


def too_low_lines(view: SheetView, look: Look, missing: int) -> list[Drawn]:
    """In place of a sheet that has no room for its answers: what asks, and what it lacks."""
    words = f"{missing} {'line' if missing == 1 else 'lines'} too low to answer, Esc is no"
    return [_title_line(view, look), _at_text(cut(drawn((words, "$dim")), _text_width(look)))]


def most_scroll(view: SheetView, look: Look) -> int:
    """How far the subject, or the trace in full, can be scrolled; what lies below has not been in sight before."""
    room = _room(_frame(view, look), look)
    return _body(view, look, room).overflow(room)


@dataclass(frozen=True, slots=True)
class _Frame:
    head: list[Drawn]
    tail: list[Drawn]


@dataclass(frozen=True, slots=True)
class _Body:
    """Two parts that share the room: the one that is looked into scrolls."""

    subject: list[Drawn]
    trace: list[Drawn]
    trace_scrolls: bool

    def rooms(self, room: int) -> tuple[int, int]:
        """Lines for the subject and for the trace."""
        subject, trace = len(self.subject), len(self.trace)
        if subject + trace <= room:
            return subject, trace
        if self.trace_scrolls:
            kept = min(subject, KEPT)
            return kept, room - kept
        kept = min(trace, room - 1)
        return room - kept, kept

    def overflow(self, room: int) -> int:
        subject, trace = self.rooms(room)
        over = len(self.trace) - trace if self.trace_scrolls else len(self.subject) - subject
        # The line that says how much there is takes one more.
        return over + 1 if over > 0 else 0

    def shown(self, room: int, scroll: int) -> list[Drawn]:
        subject, trace = self.rooms(room)
        return [
            *_window(self.subject, subject, 0 if self.trace_scrolls else scroll),
            *_window(self.trace, trace, scroll if self.trace_scrolls else 0),
        ]


def _most(look: Look) -> int:
    return round(look.height * 0.7)


def _room(frame: _Frame, look: Look) -> int:
    """Lines for subject and trace."""
    return max(_most(look) - len(frame.head) - len(frame.tail), 2)


def _text_width(look: Look) -> int:
    return look.width - LEFT_CELLS - RIGHT_CELLS


def _frame(view: SheetView, look: Look) -> _Frame:
    width = _text_width(look)
    answers = [_at_text(line) for line in answer_lines(view, look, width)]
    warning = danger(view.request) if is_grave(view.request) else ""
    told = [_at_text(line) for line in wrap(drawn((one_line(warning), "$bad")), width)] if warning else []
    rule = [drawn(("-" * look.width, "$dim"))] if look.ascii else []
    if _most(look) - len(answers) - len(told) - 3 < CRAMPED:
        return _Frame([*rule, _title_line(view, look)], [*told, *answers])
    below = [_barred(), _then(view, width), _barred()] if look.roomy else []
    head = [*rule, *([_barred()] if look.roomy else []), _title_line(view, look), _barred()]
    apart = [_barred()] if told and look.roomy else []
    return _Frame(head, [_barred(), *told, *apart, *answers, *below])


def _title_line(view: SheetView, look: Look) -> Drawn:
    room = look.width - 1 - RIGHT_CELLS
    position = drawn((f"{view.number} of {view.total}" if view.total > 1 else "", "$dim"))
    left = drawn(mark("ask"), " ", title(view, look.width))
    folder = _folder(view, look)
    right = drawn(folder, "   " if folder.width and position.width else "", position)
    if left.width + right.width + 2 > room and folder_of(view) == view.ctx.folder:
        # The words for what is asked are worth more than where the session stands anyway.
        right = position
    return _barred(fit(room, left, right))


def _folder(view: SheetView, look: Look) -> Drawn:
    """Where a command would run; raised where that is not the folder the session stands in."""
    if not runs_a_command(view.request):
        return drawn()
    folder = folder_of(view)
    named = middle_cut(one_line(ViewContext("", view.ctx.home).short(folder)), look.width // 3)
    return drawn(("in ", "$dim"), (named, "$dim" if folder == view.ctx.folder else "bold"))


def _then(view: SheetView, width: int) -> Drawn:
    """The queue's line. It is kept free where nothing waits, so that the answers do not move when something does."""
    if not view.then:
        return _barred()
    parts: list[Part] = [("then  ", "$dim")]
    for number, request in enumerate(view.then):
        named = view.ctx.short(path_of(request)) or (request.summary if request.summary != request.tool else "")
        parts += ["   " if number else "", one_line(shown_name(request.tool)), (f" {one_line(named)}", "$dim")]
    return _at_text(cut(drawn(*parts), width))


def _body(view: SheetView, look: Look, room: int) -> _Body:
    width = _text_width(look)
    subject = [*_changed(view, width), *_told(unseen_in(view), width)]
    subject += (_at_text(line) for line in subject_lines(view, look, width))
    apart = [_barred()] if room > CRAMPED else []
    if view.why:
        trace = _whole_trace(view, width)
    else:
        most = room - len(apart) - min(len(subject), KEPT)
        # What cannot be applied any more is not a matter of rules.
        trace = [] if view.request.problem else short_trace(view.request, view.ctx, width, max(most, 1))
    return _Body(subject, [*apart, *(_at_text(line) for line in trace)] if trace else [], view.why)


def _whole_trace(view: SheetView, width: int) -> list[Drawn]:
    """Everything that was said, and everything that "always" would save, however long that is."""
    lines = [*full_trace(view.request, view.ctx, width), *_silent(view)]
    if not view.request.problem and not always_off(view):
        rules = chosen(view.request, view.ctx, view.stop)
        lines.append(drawn((f"a saves {saved_in(view)}:", "$dim")))
        lines += [line for rule in rules for line in wrap(drawn("  ", one_line(rule)), width, indent=4)]
        lines += [line for line in wrap(drawn((would_have(view, whole=True), "$dim")), width) if line.width]
    return lines


def _silent(view: SheetView) -> Iterable[Drawn]:
    """The mode, and who was heard and had nothing to say."""
    spoke = {step.source for step in view.request.decision.trace}
    if view.mode:
        words = MODE_WORDS.get(view.mode, view.mode)
        yield drawn("  ", (f"mode {words}: {MODE_REMARKS.get(view.mode, '')}", "$dim"))
    if "hook" not in spoke:
        yield drawn("  ", ("no hook decided", "$dim"))
    if view.mode == "auto" and "classifier" not in spoke:
        yield drawn("  ", ("the classifier was not heard, or not in time", "$dim"))


def _changed(view: SheetView, width: int) -> list[Drawn]:
    """What somebody else did to the file meanwhile, and what that means for this call."""
    problem, changed = view.request.problem, view.changed
    if changed is None:
        if not problem:
            return []
        here = one_line(view.ctx.folder).rstrip("/") + "/"
        return _told([drawn(f"{first_sentence(problem).replace(here, '')}.")], width)
    ago = f"{int(changed.seconds)} s ago" if changed.seconds >= 1 else "just now"
    what = f" Changed by someone else {ago}"
    meets = ", in the lines this edit replaces. The model has not seen it:" if problem else ", apart from this edit"
    sentence = cut(drawn((what, "bold $other"), meets), width + 1)
    lines = [_barred(mark("outside"), sentence, bar=FOREIGN_BAR)]
    if problem and changed.diff is not None:
        theirs = diff_lines(changed.diff, width, context=0)
        lines += [_barred("  ", line, bar=FOREIGN_BAR) for line in theirs]
    lines.append(_barred())
    if problem:
        lines.append(_at_text(drawn(("The edit it asked for, made for the older file:", "$dim"))))
    return lines


def _told(sentences: Iterable[Drawn], width: int) -> list[Drawn]:
    """What has to be known of it first, each with its mark, and an empty line below."""
    lines: list[Drawn] = []
    for sentence in sentences:
        first, *rest = wrap(sentence, width)
        lines += [_barred(mark("note"), " ", first), *(_at_text(line) for line in rest)]
    return [*lines, _barred()] if lines else []


def _window(lines: list[Drawn], room: int, scroll: int) -> list[Drawn]:
    """As many lines as there is room for; the last one says what is not shown."""
    if len(lines) <= room:
        return lines
    if room <= 0:
        return []
    first = max(min(scroll, len(lines) - room + 1), 0)
    below = len(lines) - first - (room - 1)
    said = [
        f"{below} {'line' if below == 1 else 'lines'} more, PgDn" if below else "",
        f"{first} above, PgUp" if first else "",
    ]
    rest = _at_text(drawn((", ".join(part for part in said if part), "$dim")))
    return [*lines[first : first + room - 1], rest]


def _at_text(line: Drawn) -> Drawn:
    return _barred("  ", line)


def _barred(*parts: Part, bar: str = BAR) -> Drawn:
    return drawn((" ", bar), *parts).on(GROUND)
