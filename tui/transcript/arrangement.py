"""Which entries make which rows: one each, but calls that run beside one another share one.

Calls are joined when they came in one reply of the model, follow one another, and may overlap. For some tools that is
known as soon as a call begins to stream in, for others, such as a command, only from its whole input.
"""

from __future__ import annotations

from tui.transcript.cut import Cut
from tui.transcript.entries import Answer, Call, Entry
from tui.transcript.kinds import Kinds
from tui.transcript.rows import AnswerRow, Faults, GroupRow, Row, row_of

# A call becomes ready soon after it began: its row is among the last.
NEAR_THE_END = 64


class Arrangement:
    """`entries` in the order they came; `rows` is what the window shows, always the same list."""

    def __init__(self, kinds: Kinds, faults: Faults) -> None:
        self.entries: list[Entry] = []
        self.rows: list[Row] = []
        self._kinds = kinds
        self._faults = faults

    def add(self, entry: Entry) -> None:
        if not self.entries:
            # What greeted the person gives way to what is said.
            self.rows.clear()
        self.entries.append(entry)
        self.rows.append(row_of(entry, self._kinds, self._faults))
        if isinstance(entry, Call) and self._kinds.always_beside_others(entry.name):
            entry.beside = True
            self._join(len(self.rows) - 1)

    def cut(self, count: int) -> Cut:
        """Only the first entries stay; the others, for `put_back`."""
        entries = self.entries[count:]
        row = next((at for at, row in enumerate(self.rows) if entries and _begins(row, entries[0])), len(self.rows))
        gone = Cut(tuple(entries), tuple(self.rows[row:]))
        del self.entries[count:], self.rows[row:]
        return gone

    def put_back(self, gone: Cut) -> None:
        self.entries += gone.entries
        self.rows += gone.rows

    def changed(self, entry: Entry) -> None:
        if isinstance(entry, Answer) and not entry.done:
            self._read_on(entry)
        if not isinstance(entry, Call) or not entry.ready or entry.beside is not None:
            return
        entry.beside = self._kinds.runs_beside_others(entry.name, entry.input)
        at = self._find(entry)
        if entry.beside and at is not None:
            self._join(at)

    def _read_on(self, answer: Answer) -> None:
        at = self._find(answer)
        row = self.rows[at] if at is not None else None
        if isinstance(row, AnswerRow):
            row.read_on()

    def _find(self, entry: Entry) -> int | None:
        last = len(self.rows) - 1
        for at in range(last, max(last - NEAR_THE_END, -1), -1):
            if any(one is entry for one in self.rows[at].entries):
                return at
        return None

    def _join(self, at: int) -> None:
        """Into one row with the one before, if both may run at once."""
        call, before = self.rows[at].entries[0], self.rows[at - 1] if at else None
        if before is None or not isinstance(call, Call):
            return
        last = before.entries[-1]
        if not isinstance(last, Call) or not last.beside or last.reply != call.reply or last.agent != call.agent:
            return
        if isinstance(before, GroupRow):
            before.members.append(call)
        else:
            self.rows[at - 1] = GroupRow(last, call, self._kinds, self._faults)
        del self.rows[at]


def _begins(row: Row, entry: Entry) -> bool:
    return row.entries[0] is entry
