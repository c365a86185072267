"""The rows of the transcript: each draws one entry, or several calls at once, and knows its version.

A row that cannot be drawn says so and harms nobody; what went wrong goes to `faults`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, overload

from tui.render.lines import Drawn, drawn
from tui.render.look import Look
from tui.render.markdown import MarkdownLines, SoFar
from tui.transcript import view
from tui.transcript.calls import call_lines
from tui.transcript.entries import Answer, Call, Entry, Note, Outside, Thought, Together, TurnEnd, Words
from tui.transcript.groups import group_lines, one_by_one
from tui.transcript.kinds import Kinds
from tui.transcript.outside import outside_lines, together_lines
from tui.transcript.texts import text_of
from tui.transcript.words import (
    INDENT,
    MARGIN,
    WIDEST_WORDS,
    fault_lines,
    note_lines,
    thought_lines,
    turn_end_lines,
    words_lines,
)

Faults = Callable[[Exception], object]
# An answer longer than this stays read once it is complete.
KEPT_CHARS = 10_000


class EntryRow:
    """One entry on its own. `stacks`: one-line rows of this kind stand below one another without a blank."""

    parts = 1

    def __init__(self, entry: Entry, kinds: Kinds, faults: Faults) -> None:
        self.entry = entry
        self._kinds = kinds
        self._faults = faults

    @property
    def version(self) -> int:
        return self.entry.version

    @property
    def live(self) -> bool:
        return isinstance(self.entry, Call) and self.entry.phase == "run"

    @property
    def stacks(self) -> bool:
        return isinstance(self.entry, Call)

    @property
    def entries(self) -> Sequence[Entry]:
        return (self.entry,)

    def part(self, number: int) -> Entry:
        return self.entry

    def owner(self, line: int) -> int:
        return 0

    def lines(self, look: Look) -> Sequence[Drawn]:
        try:
            return self._drawn(look)
        except Exception as fault:  # whatever it is: one row may not end the program
            self._faults(fault)
            return fault_lines(look)

    @property
    def text(self) -> str:
        """What a search looks through, and what is copied."""
        return _text_of([self.entry], self._kinds, self._faults)

    def _drawn(self, look: Look) -> Sequence[Drawn]:
        match self.entry:
            case Words() as words:
                return words_lines(words, look)
            case Thought() as thought:
                return thought_lines(thought, look)
            case Call() as call:
                return call_lines(call, self._kinds, look)
            case Outside() as outside:
                return outside_lines(outside, self._kinds.ctx, look)
            case Together() as many:
                return together_lines(many, self._kinds.ctx, look)
            case Note() as note:
                return note_lines(note, look)
            case TurnEnd() as end:
                return turn_end_lines(end, look)
            case _:
                return ()


class AnswerRow(EntryRow):
    """The model's words, drawn as they grow: only what is new costs anything."""

    def __init__(self, answer: Answer, kinds: Kinds, faults: Faults) -> None:
        super().__init__(answer, kinds, faults)
        self.answer = answer
        self._markdown: MarkdownLines | None = None

    def read_on(self) -> MarkdownLines:
        """Take in what has come, so that the next drawing has less to do."""
        markdown = self._markdown = self._markdown or MarkdownLines()
        markdown.replace(self.answer.text)
        if self.answer.done:
            markdown.finish()
        markdown.read()
        return markdown

    def _drawn(self, look: Look) -> Sequence[Drawn]:
        width = max(min(look.width - INDENT - MARGIN, WIDEST_WORDS), 1)
        lines = self.read_on().so_far(width)
        if self.answer.done and len(self.answer.text) <= KEPT_CHARS:
            # A short text is soon read again; of a long one that would be felt.
            self._markdown = None
        return Indented(lines)


class Indented(Sequence[Drawn]):
    """Lines moved to where text begins, each when it is looked at."""

    def __init__(self, lines: SoFar) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> Drawn: ...
    @overload
    def __getitem__(self, at: slice) -> list[Drawn]: ...
    def __getitem__(self, at: int | slice) -> Drawn | list[Drawn]:
        if isinstance(at, slice):
            return [_at_text(line) for line in self._lines[at]]
        return _at_text(self._lines[at])


class GroupRow:
    """Calls at once. Its parts are the header and then the calls."""

    stacks = False

    def __init__(self, first: Call, second: Call, kinds: Kinds, faults: Faults) -> None:
        self.members = [first, second]
        self._kinds = kinds
        self._faults = faults
        self._owners: list[int] = []

    @property
    def version(self) -> int:
        return len(self.members) + sum(call.version for call in self.members)

    @property
    def live(self) -> bool:
        return any(call.phase == "run" for call in self.members)

    @property
    def parts(self) -> int:
        return len(self.members) + 1

    @property
    def entries(self) -> Sequence[Entry]:
        return self.members

    def part(self, number: int) -> Entry | None:
        """The call, or nothing for the header."""
        return self.members[number - 1] if 0 < number <= len(self.members) else None

    def owner(self, line: int) -> int:
        return self._owners[line] if 0 <= line < len(self._owners) else 0

    def lines(self, look: Look) -> Sequence[Drawn]:
        try:
            draw = one_by_one if look.verbose else group_lines
            owned = draw(self.members, self._kinds, look)
        except Exception as fault:  # whatever it is: one row may not end the program
            self._faults(fault)
            return fault_lines(look)
        self._owners = [owner for _, owner in owned]
        return [line for line, _ in owned]

    @property
    def text(self) -> str:
        return _text_of(self.members, self._kinds, self._faults)


class Row(view.Row, Protocol):
    """What the transcript's keys need of a row besides what the window does."""

    @property
    def entries(self) -> Sequence[Entry]: ...
    @property
    def text(self) -> str: ...
    def part(self, number: int) -> Entry | None: ...


def row_of(entry: Entry, kinds: Kinds, faults: Faults) -> EntryRow:
    return AnswerRow(entry, kinds, faults) if isinstance(entry, Answer) else EntryRow(entry, kinds, faults)


def _text_of(entries: Sequence[Entry], kinds: Kinds, faults: Faults) -> str:
    try:
        return "\n\n".join(text_of(entry, kinds) for entry in entries)
    except Exception as fault:  # as where it is drawn
        faults(fault)
        return ""


def _at_text(line: Drawn) -> Drawn:
    return drawn(" " * INDENT, line).on(line.ground) if line.pieces else line
