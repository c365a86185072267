"""What stands on the screen before anything is said: where we are, with what, what is broken, and how to begin.

Pure drawing; `tui.facts` gathers what is drawn here. Only commands that exist are offered.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from tui.commands.catalog import COMMANDS
from tui.first_paint import MODE_REMARKS, MODE_WORDS
from tui.glance import shown_model
from tui.render.glyphs import CHEVRON, mark
from tui.render.lines import BLANK, Drawn, Part, cut, drawn, wrap
from tui.render.look import Look
from tui.render.safe import one_line

NO_MODEL = "The built-in tour answers. Set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL for a real model."
_INDENT, _LABEL, _VALUE = 3, 14, 50
# Where there is little room.
_FEW_FACTS, _FEW_EXAMPLES, _FEW_NOTICES, _MOST_NOTICES = 4, 1, 2, 5


@dataclass(frozen=True, slots=True)
class InstructionFact:
    path: str
    lines: int


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """Rules that are in force, and how many files they come from."""

    allow: int = 0
    ask: int = 0
    deny: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True)
class WelcomeNotice:
    """Something broken: what, where, which part of it, and what follows from it."""

    title: str
    where: str = ""
    detail: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Latest:
    """The session this folder was worked in last."""

    id: str
    title: str
    last_used: float


@dataclass(frozen=True, slots=True)
class Welcome:
    """`folder` as a person says it. Empty strings, zeros and None are what is not there or not known."""

    version: str
    folder: str
    model: str
    mode: str
    # False: no model answers, the tour does.
    connected: bool = True
    context_tokens: int | None = None
    branch: str = ""
    changed_files: int | None = None
    instructions: tuple[InstructionFact, ...] = ()
    rules: RuleCounts = RuleCounts()
    watch_trouble: str = ""
    notices: tuple[WelcomeNotice, ...] = ()
    latest: Latest | None = None
    examples: tuple[str, ...] = ()


def welcome_lines(facts: Welcome, look: Look) -> list[Drawn]:
    parts = [_title(facts), _facts(facts, look), *_notices(facts, look), _go_on(facts, look), _start(facts, look)]
    lines = [line for part in parts if part for line in (BLANK, *part)]
    return [cut(line, max(look.width - 1, 1)) for line in lines]


def ago(then: float, now: float) -> str:
    """How long ago in words; from a week on the day."""
    seconds = max(now - then, 0)
    for unit, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        count = int(seconds // unit)
        if count == 1 and name == "day":
            return "yesterday"
        if count >= 7 and name == "day":
            return _day(then, now)
        if count:
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now"


def _day(then: float, now: float) -> str:
    day, today = time.localtime(then), time.localtime(now)
    year = f" {day.tm_year}" if day.tm_year != today.tm_year else ""
    return f"{day.tm_mday} {time.strftime('%b', day)}{year}"


def _title(facts: Welcome) -> list[Drawn]:
    place = ", ".join(part for part in (one_line(facts.branch), _changed(facts.changed_files)) if part)
    return [
        _at_text(("agent-tui", "bold"), (f" {one_line(facts.version)}", "$dim")),
        _at_text(one_line(facts.folder), ("   " if place else "", ""), (place, "$dim")),
    ]


def _changed(files: int | None) -> str:
    if files is None:
        return ""
    return f"{files or 'no'} file{'' if files == 1 else 's'} changed"


def _facts(facts: Welcome, look: Look) -> list[Drawn]:
    most = None if look.roomy else _FEW_FACTS
    return [line for lines in [*_each_fact(facts, look)][:most] for line in lines]


def _each_fact(facts: Welcome, look: Look) -> Iterator[list[Drawn]]:
    if facts.connected:
        context = f", {_tokens(facts.context_tokens)} context" if facts.context_tokens else ""
        yield [_fact("Model", [f"{one_line(shown_model(facts.model))}{context}"], "/model", look)]
    else:
        room = max(look.width - 1 - _INDENT - _LABEL, 20)
        first, *rest = wrap(drawn(NO_MODEL), room)
        yield [_fact("Model", [first], "", look), *(drawn(" " * (_INDENT + _LABEL), line) for line in rest)]
    mode = MODE_WORDS.get(facts.mode, one_line(facts.mode))
    yield [_fact("Mode", [mode, (f" {MODE_REMARKS.get(facts.mode, '')}", "$dim")], "Shift+Tab", look)]
    if facts.instructions:
        yield [_fact("Instructions", _instructions(facts.instructions), "/memory", look)]
    if facts.rules != RuleCounts():
        yield [_fact("Rules", _rules(facts.rules), "/permissions", look)]
    if facts.watch_trouble:
        yield [_fact("Watcher", [(one_line(facts.watch_trouble), "$ask")], "/health", look)]
    else:
        yield [_fact("Watcher", ["ready", (" edits by others show up here at once", "$dim")], "/health", look)]


def _fact(label: str, value: list[Part], command: str, look: Look) -> Drawn:
    """The command that changes it stands behind it, if there is one and there is room."""
    told = drawn(*value)
    offered = command if _exists(command) else ""
    if offered and look.width > _INDENT + _LABEL + _VALUE + len(offered):
        told = cut(told, _VALUE - 2)
        return _at_text((label.ljust(_LABEL), "$dim"), told, " " * (_VALUE - told.width), (offered, "$dim"))
    return _at_text((label.ljust(_LABEL), "$dim"), told)


def _exists(command: str) -> bool:
    return not command.startswith("/") or any(command[1:] == known.name for known in COMMANDS)


def _tokens(count: int) -> str:
    return f"{count // 1_000_000}M" if count % 1_000_000 == 0 else f"{count // 1_000}k"


def _instructions(files: tuple[InstructionFact, ...]) -> list[Part]:
    """The word stands once: `AGENTS.md 42 lines, docs/AGENTS.md 12`."""
    parts: list[Part] = []
    for number, file in enumerate(files):
        word = "" if number else " line" if file.lines == 1 else " lines"
        parts += [(", " if number else "", "$dim"), one_line(file.path), (f" {file.lines}{word}", "$dim")]
    return parts


def _rules(rules: RuleCounts) -> list[Part]:
    counts = ((rules.allow, "allow"), (rules.ask, "ask"), (rules.deny, "deny"))
    said = ", ".join(f"{count} {kind}" for count, kind in counts if count)
    files = f" from {rules.files} file{'' if rules.files == 1 else 's'}" if rules.files else ""
    return [said, (files, "$dim")]


def _notices(facts: Welcome, look: Look) -> Iterator[list[Drawn]]:
    most = _MOST_NOTICES if look.roomy else _FEW_NOTICES
    for notice in facts.notices[:most]:
        yield _notice(notice, look)
    more = len(facts.notices) - most
    if more > 0:
        yield [_at_text((f"and {more} more problem{'' if more == 1 else 's'}", "$dim"))]


def _notice(notice: WelcomeNotice, look: Look) -> list[Drawn]:
    room = max(look.width - 1 - _INDENT, 10)
    title = drawn((one_line(notice.title), "bold $ask"))
    if notice.where:
        title = drawn(title, f"   {one_line(notice.where)}")
    whole = drawn(title, f"  {one_line(notice.detail)}") if notice.detail else title
    # Where there is no room beside it, the part that is broken stands below.
    beside = whole.width <= room
    first, *rest = wrap(whole if beside else title, room)
    below = "" if beside else notice.detail
    told = [one_line(text) for text in (below, notice.advice) if text]
    quiet = [line for text in told for line in wrap(drawn((text, "$dim")), room)]
    return [drawn(" ", mark("note", look.ascii), " ", first), *map(_at_text, (*rest, *quiet))]


def _go_on(facts: Welcome, look: Look) -> list[Drawn]:
    if facts.latest is None:
        return []
    ways = ["/resume" if _exists("/resume") else "agent-tui --continue"]
    said = ", ".join([ago(facts.latest.last_used, look.now), *ways])
    title = drawn(one_line(facts.latest.title) or facts.latest.id)
    title = cut(title, max(look.width - 1 - _INDENT - 5 - len(said), 10))
    return [_at_text(("Go on", "bold")), _offer(look, title, (f"   {said}", "$dim"))]


def _start(facts: Welcome, look: Look) -> list[Drawn]:
    examples = facts.examples if look.roomy else facts.examples[:_FEW_EXAMPLES]
    if not examples:
        return []
    title = "Or start" if facts.latest is not None else "Start"
    return [_at_text((title, "bold")), *(_offer(look, one_line(example)) for example in examples)]


def _offer(look: Look, *parts: Part) -> Drawn:
    return _at_text((">" if look.ascii else CHEVRON, "bold $run"), " ", *parts)


def _at_text(*parts: Part) -> Drawn:
    return drawn(" " * _INDENT, *parts)
