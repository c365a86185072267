"""All rules, where each stands and how often it decided; one can be tried on this session, added, taken out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from textual import events

from agent.rulebook import Rulebook, RuleEntry, SavingPlace, Trial
from tools.permissions.rules import Kind
from tools.short import counted
from tui.render.glyphs import CHEVRON, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, Part, cut, drawn, fit, wrap
from tui.render.look import Look
from tui.render.safe import one_line
from tui.screens.page import Page
from tui.work import begin

KINDS: tuple[Kind, ...] = get_args(Kind)
_INDENT, _KIND = 3, 7
# Calls a rule would decide otherwise that are named.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Writing:
    """A rule being written: its text, what it does, and the place it would be saved in."""

    text: str = ""
    kind: Kind = "allow"
    place: int = 0


class RulesPage(Page):
    """`short` turns a path into the one a person would say."""

    def __init__(self, book: Rulebook, short: Callable[[str], str]) -> None:
        super().__init__(self._lines, lambda look: 0)
        self._book = book
        self._short = short
        self._entries: Sequence[RuleEntry] = book.entries()
        self._at = 0
        self._writing: Writing | None = None
        # What became of the last change.
        self._told = ""

    def takes(self, event: events.Key) -> bool:
        if self._writing is not None:
            self._write(self._writing, event)
        else:
            self._choose(event)
        if self.is_current:
            self.redraw()
        return True

    # -- keys

    def _choose(self, event: events.Key) -> None:
        match event.character if event.is_printable else event.key:
            case "escape" | "q":
                self.dismiss(None)
            case "up" | "k" | "down" | "j" | "pageup" | "pagedown":
                step = 10 if event.key.startswith("page") else 1
                by = step if event.key in ("down", "j", "pagedown") else -step
                self._at = max(min(self._at + by, len(self._entries) - 1), 0)
            case "a" | "+":
                self._writing = Writing()
            case "x" | "delete" if self._entries:
                begin(self, "taking the rule out", self._remove(self._entries[self._at]))
            case _:
                pass

    def _write(self, writing: Writing, event: events.Key) -> None:
        places = self._book.places()
        match event.key:
            case "escape":
                self._writing = None
            case "enter" if writing.text.strip():
                begin(self, "adding the rule", self._add(writing, places[writing.place]))
            case "tab":
                self._writing = replace(writing, kind=KINDS[(KINDS.index(writing.kind) + 1) % len(KINDS)])
            case "left" | "right":
                by = 1 if event.key == "right" else -1
                self._writing = replace(writing, place=(writing.place + by) % len(places))
            case "backspace":
                self._writing = replace(writing, text=writing.text[:-1])
            case _ if event.is_printable and event.character:
                self._writing = replace(writing, text=writing.text + event.character)
            case _:
                pass

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._writing is not None:
            self._writing = replace(self._writing, text=self._writing.text + " ".join(event.text.split()))
            self.redraw()

    async def _add(self, writing: Writing, place: SavingPlace) -> None:
        try:
            await self._book.add(writing.text, writing.kind, place.scope)
        except ValueError as problem:
            self._told = str(problem)
        else:
            self._writing = None
            self._told = f"{writing.kind} {writing.text.strip()} is in force"
        self._look_again((writing.kind, writing.text.strip()))

    async def _remove(self, entry: RuleEntry) -> None:
        try:
            await self._book.remove(entry.rule)
            self._told = f"{entry.rule.kind} {entry.rule.text} was taken out"
        except ValueError as problem:
            self._told = str(problem)
        self._look_again()

    def _look_again(self, chosen: tuple[str, str] = ("", "")) -> None:
        self._entries = self._book.entries()
        known = [(entry.rule.kind, entry.rule.text) for entry in self._entries]
        self._at = known.index(chosen) if chosen in known else max(min(self._at, len(known) - 1), 0)
        self.redraw()

    # -- lines

    def _lines(self, look: Look, scroll: int) -> list[Drawn]:
        room = max(look.width - 1, 1)
        keys = hints(("a", "add"), ("x", "take out"), ("Esc", "back"))
        title = drawn(("Rules", "bold"), "   ", (one_line(self._told) or self._counts(), "$dim"))
        head = [BLANK, drawn(" " * _INDENT, fit(room - _INDENT, title, keys)), BLANK]
        field = self._field(room) if self._writing is not None else []
        chosen = self._entries[self._at] if self._entries else None
        why = _why_idle(chosen, room) if chosen is not None else []
        height = max(look.height - len(head) - len(field) - len(why), 1)
        first = max(min(self._at - height // 2, len(self._entries) - height), 0)
        shown = self._entries[first : first + height]
        if not shown:
            return [*head, *field, drawn(" " * _INDENT, ("There are none yet; a adds one.", "$dim"))]
        lines = [self._entry(entry, number == self._at, room) for number, entry in enumerate(shown, first)]
        below = self._at - first + 1
        return [*head, *field, *lines[:below], *why, *lines[below:]]

    def _counts(self) -> str:
        return ", ".join(
            f"{number} {kind}" for kind in KINDS if (number := sum(entry.rule.kind == kind for entry in self._entries))
        )

    def _entry(self, entry: RuleEntry, here: bool, room: int) -> Drawn:
        rule = entry.rule
        sign = drawn((CHEVRON, "bold $run")) if here else drawn(mark("note" if entry.idle else "none"))
        decided = f"decided {entry.decided}" if entry.decided else ""
        where = one_line(self._short(rule.source.file) or rule.source.scope) + (f":{rule.line}" if rule.line else "")
        right = drawn((f"{decided}   " if decided else "", "$foreground"), (where, "$dim"))
        # The chosen one's is told in full below it.
        idle = drawn("   ", (one_line(entry.idle), "$dim")) if entry.idle and not here else BLANK
        words = drawn((rule.kind.ljust(_KIND), "$dim"), (one_line(rule.text), "bold" if here else ""), idle)
        line = fit(room, drawn(" ", sign, " ", words), right)
        return line.on("on $pick") if here else line

    def _field(self, room: int) -> list[Drawn]:
        """The rule being written, and what it would have changed so far."""
        assert self._writing is not None
        writing, place = self._writing, self._book.places()[self._writing.place]
        keys = hints(("Tab", "kind"), ("Left Right", "where"), ("Enter", "adds it"), ("Esc", "closes"))
        text = drawn(" " * _INDENT, (writing.kind.ljust(_KIND), "bold $ask"), one_line(writing.text), (" ", "on $run"))
        where = one_line(self._short(place.path)) if place.path else place.scope
        told = ", ".join(part for part in (where, place.note) if part)
        lines = [text, _below((f"saved in {told}", "$dim")), *self._trial(writing, place), _below(keys)]
        return [*(cut(line, room) for line in lines), BLANK]

    def _trial(self, writing: Writing, place: SavingPlace) -> list[Drawn]:
        if not writing.text.strip():
            return [_below(("a rule such as Bash(npm test *) or Edit(src/**)", "$dim"))]
        trial = self._book.try_rule(writing.text, writing.kind, place.scope)
        return [_below((line, "$dim")) for line in _in_words(trial)]


def _below(*parts: Part) -> Drawn:
    """Under the rule's text."""
    return drawn(" " * (_INDENT + _KIND), *parts)


def _why_idle(entry: RuleEntry, room: int) -> list[Drawn]:
    told = wrap(drawn((one_line(entry.idle), "$dim")), max(room - _INDENT - _KIND, 1)) if entry.idle else []
    return [_below(line).on("on $pick") for line in told]


def _in_words(trial: Trial) -> list[str]:
    if trial.rule.problem:
        return [one_line(f"it cannot work: {trial.rule.problem}")]
    if not trial.changed:
        return ["it would have changed nothing this session did"]
    shown = [
        one_line(f"  {one.before.kind} becomes {one.after.kind}   {one.tool} {one.summary}")
        for one in trial.changed[:_NAMED]
    ]
    more = len(trial.changed) - len(shown)
    return [
        f"it would have decided {counted(len(trial.changed), 'call')} of this session otherwise",
        *shown,
        *([f"  and {more} more"] if more > 0 else []),
    ]
