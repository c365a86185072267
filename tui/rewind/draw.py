"""The screen for going back: the messages, and what going back to before the chosen one would do. Pure drawing."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from agent.checkpoints.points import Point
from agent.checkpoints.rewind import FilePlan, Plan
from agent.checkpoints.rewinds import Choice, Undoable
from tui.render.glyphs import CHEVRON, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, cut, drawn, fit, middle_cut, wrap
from tui.render.look import Look
from tui.render.safe import one_line, safe
from tui.rewind.words import Fact, beyond, facts_of, file_facts, made_in_words, taken_back
from tui.transcript.times import minute

INDENT = 3
# Messages in sight: so many, or this part of a tall screen.
LEAST_LISTED, LISTED_SHARE = 6, 3
NOTHING = "There is nothing to go back to yet: the messages you send will stand here."
LOOKING = "Looking at what would change."
NO_FILES = "No file would change."
NO_CONVERSATION = "The conversation cannot be cut there any more; files alone can go back."
_TIME, _PATH_AT, _LEAST_PATH, _WORDS_ROOM = 9, 7, 12, 50
_STYLES = {"gone": "$del", "back": "$add", "changed": "$foreground", "theirs": "bold $other", "stays": "$ask"}

Entry = Undoable | Point


@dataclass(frozen=True, slots=True)
class Layout:
    """What is the same for a plan however it is drawn (`layout_of`): how wide its longest name is, and of which file,
    and which of its facts, each line is."""

    longest: int = 0
    rows: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What is on the screen. `plan` is of the chosen entry; None while it is made. `file`: the chosen one, if the files
    have the keys. `made`: what each turn changed, as far as it was counted."""

    entries: Sequence[Entry]
    at: int
    plan: Plan | None
    short: Callable[[str], str]
    file: int | None = None
    scroll: int = 0
    choices: Mapping[str, Choice] = field(default_factory=dict[str, Choice])
    made: Mapping[int, tuple[int, int, int]] = field(default_factory=dict[int, tuple[int, int, int]])
    told: str = ""
    # Whether the keys that do something count already.
    lit: bool = True
    layout: Layout = field(default_factory=Layout)

    @property
    def here(self) -> Entry | None:
        return self.entries[self.at] if self.entries else None


def rewind_lines(shown: Shown, look: Look, status: Drawn) -> list[Drawn]:
    room = max(look.width - 1, 1)
    above = [BLANK, _title(shown, room), BLANK, *_list(shown, look)]
    foot = [BLANK, *_foot(shown, look)] if shown.entries else []
    body, at = _body(shown, look)
    height = max(look.height - len(above) - len(foot) - 2, 1)
    first = _first_in_sight(shown, at, len(body), height)
    below = [body.line(number) for number in range(first, min(first + height, len(body)))]
    lines = [*above, BLANK, *below, *foot]
    return [*lines, *[BLANK] * (look.height - 1 - len(lines)), status]


def most_scroll(shown: Shown, look: Look) -> int:
    return max(len(_body(shown, look)[0]) - 1, 0)


def _title(shown: Shown, room: int) -> Drawn:
    keys = hints(("Enter", "choose" if shown.file is None else "shows its lines"), ("Esc", "back"))
    keys = keys if shown.entries else hints(("Esc", "back"))
    return drawn(" " * INDENT, fit(room - INDENT, drawn(("Rewind", "bold"), "   ", (_purpose(shown), "$dim")), keys))


def _purpose(shown: Shown) -> str:
    return "to before one of your messages" if shown.entries else ""


# -- the messages


def _list(shown: Shown, look: Look) -> list[Drawn]:
    room, count = max(look.width - 1, 1), len(shown.entries)
    if not count:
        return [drawn(" " * INDENT, line) for line in wrap(drawn((NOTHING, "$dim")), room - INDENT)]
    most = max(LEAST_LISTED, look.height // LISTED_SHARE) if look.roomy else LEAST_LISTED
    first = max(min(shown.at - most // 2, count - most), 0)
    rows = range(first, min(first + most, count))
    return [_entry(shown, number, room, look.now) for number in rows]


def _entry(shown: Shown, number: int, room: int, now: float) -> Drawn:
    entry, here = shown.entries[number], number == shown.at
    sign = drawn(" ", (CHEVRON, "bold $run"), " ") if here and shown.file is None else drawn("   ")
    if isinstance(entry, Undoable):
        when, words, right = "undo", drawn("the last rewind, to before: ", (_first_line(entry.text), "$dim")), ""
    else:
        when, words = _moment(entry.time, now), drawn(_first_line(entry.text))
        right = made_in_words(shown.made.get(entry.turn, (0, 0, 0)))
    begin = drawn(sign, (when.ljust(_TIME), "$dim"))
    line = fit(room, drawn(begin, words), drawn((right, "$dim")))
    return line.on("on $pick") if here else line


def _moment(moment: float, now: float) -> str:
    """The time of day, or for what was said earlier the day."""
    days = (time.localtime(one)[:3] for one in (moment, now))
    return minute(moment) if len(set(days)) == 1 else time.strftime("%d %b", time.localtime(moment))


def _first_line(text: str) -> str:
    return one_line(next((line for line in text.split("\n") if line.strip()), "").strip())


# -- what it would do


# Of thousands of files those in sight are drawn.
Line = Callable[[], Drawn]


class _Body:
    """What stands above the lines about files, those, and what stands below."""

    def __init__(self, above: Sequence[Drawn], files: int, file: Callable[[int], Drawn], below: Sequence[Line]) -> None:
        self._above, self._files, self._file, self._below = above, files, file, below

    def __len__(self) -> int:
        return len(self._above) + self._files + len(self._below)

    def line(self, number: int) -> Drawn:
        if number < len(self._above):
            return self._above[number]
        number -= len(self._above)
        return self._file(number) if number < self._files else self._below[number - self._files]()


def _only(*lines: Drawn) -> _Body:
    return _Body(lines, 0, lambda _: BLANK, ())


def _body(shown: Shown, look: Look) -> tuple[_Body, int]:
    """All lines of it, and which one the chosen file begins with."""
    plan, here = shown.plan, shown.here
    room = max(look.width - 1, 1)
    if here is None:
        return _only(), 0
    if plan is None:
        return _only(drawn(" " * INDENT, (LOOKING, "$dim"))), 0
    verb = "Brings back" if plan.undoes else "Takes back"
    above = [drawn(" " * INDENT, (verb, "bold"), "   ", (taken_back(plan), "$dim"))]
    if not plan.files:
        above.append(drawn(" " * _PATH_AT, (NO_FILES, "$dim")))
    rows = shown.layout.rows
    at = len(above) + bisect_left(rows, (shown.file, 0)) if shown.file is not None else 0
    column = min(shown.layout.longest, max(room - _PATH_AT - 3 - _WORDS_ROOM, _LEAST_PATH))

    def file(row: int) -> Drawn:
        number, place = rows[row]
        return _file(shown, plan.files[number], place, number == shown.file, column, room, look)

    below: list[Line] = [partial(_stays, what, why, shown, column, room) for what, why in beyond(plan)]
    if not plan.conversation:
        why = wrap(drawn((NO_CONVERSATION, "$dim")), room - INDENT)
        below += [_as_is(drawn(" " * INDENT, line)) for line in why]
    return _Body(above, len(rows), file, below), at


def _as_is(line: Drawn) -> Line:
    return lambda: line


def layout_of(plan: Plan, short: Callable[[str], str]) -> Layout:
    names = [*(short(file.path) for file in plan.files), *(short(what) for what, _ in beyond(plan))]
    longest = max((drawn(one_line(name)).width for name in names), default=0)
    rows = ((number, place) for number, file in enumerate(plan.files) for place in range(facts_of(file)))
    return Layout(longest, tuple(rows))


def _file(shown: Shown, file: FilePlan, place: int, here: bool, column: int, room: int, look: Look) -> Drawn:
    """One of the lines about a file."""
    undoes = bool(shown.plan and shown.plan.undoes)
    fact = file_facts(file, shown.choices.get(file.path, "theirs"), undoes)[place]
    path = middle_cut(one_line(shown.short(file.path)), column)
    line = _fact(fact, path, here and not place, column, room, look)
    return line.on("on $pick") if here else line


def _fact(fact: Fact, path: str, chevron: bool, column: int, room: int, look: Look) -> Drawn:
    theirs = fact.kind == "theirs"
    # The chosen line's sign stands where somebody else's would: those come second.
    sign = mark("outside", look.ascii) if theirs else (CHEVRON if chevron else " ", "bold $run")
    begin = drawn(" ", sign, "  ", (fact.mark, _STYLES[fact.kind]), "  ")
    gap = " " * (max(column - drawn(path).width, 0) + 3)
    words = (one_line(fact.words), "$other" if theirs else "$dim")
    return fit(room, drawn(begin, path, gap, words))


def _stays(what: str, why: str, shown: Shown, column: int, room: int) -> Drawn:
    name = middle_cut(one_line(shown.short(what)), column)
    gap = " " * (max(column - drawn(name).width, 0) + 3)
    return cut(drawn("    ", ("!", "$ask"), "  ", (f"{name}{gap}{why}", "$dim")), room)


def _first_in_sight(shown: Shown, at: int, count: int, height: int) -> int:
    most = max(count - height, 0)
    if shown.file is None:
        return min(shown.scroll, most)
    return max(min(at - height // 2, most), 0)


# -- what can be done


def _foot(shown: Shown, look: Look) -> list[Drawn]:
    room = max(look.width - 1 - INDENT, 1)
    if shown.told:
        wrapped = [line for text in safe(shown.told).split("\n") for line in wrap(drawn(text), room)]
        return [drawn(" " * INDENT, line) for line in wrapped[:LEAST_LISTED]]
    keys = hints(*_offers(shown, look))
    if not shown.lit:
        keys = Drawn(tuple((text, "$dim") for text, _ in keys.pieces))
    return [drawn(" " * INDENT, cut(keys, room))]


def _offers(shown: Shown, look: Look) -> list[tuple[str, str]]:
    plan = shown.plan
    leave = ("Esc", "leave all as it is" if look.wide else "leave") if shown.file is None else ("Esc", "messages")
    if plan is None:
        return [leave]
    offers = []
    if shown.file is not None and plan.files[shown.file].met:
        offers = [("m", "mine"), ("t", "theirs")]
    if isinstance(shown.here, Undoable):
        return [*offers, ("u", "bring it all back"), leave]
    both, files = ("files and conversation", "files only") if look.wide else ("both", "files")
    if plan.conversation:
        offers += [("b", both), ("f", files), ("c", "conversation only" if look.wide else "conversation")]
    else:
        offers += [("f", files)]
    if shown.file is None and isinstance(shown.entries[0], Undoable):
        offers.append(("u", "undo the last rewind" if look.wide else "undo"))
    return [*offers, leave]
