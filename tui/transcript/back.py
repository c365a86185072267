"""Going back to before a message: what is shown no longer, and shown again where that is undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.events import Rewound
from tools.short import counted, shortened
from tui.transcript.cut import Cut
from tui.transcript.entries import Call, Entry, Words

if TYPE_CHECKING:
    from tui.transcript.arrangement import Arrangement

NAMED_CHARS = 40
_UNDO = "/rewind undoes it."


class GoneBack:
    def __init__(self, rows: Arrangement) -> None:
        self._rows = rows
        # Where in the entries each turn begins.
        self._turns: dict[int, int] = {}
        self._cut: dict[int, Cut] = {}

    def turn_starts(self, turn: int) -> None:
        self._turns[turn] = len(self._rows.entries)

    def take(self, event: Rewound) -> tuple[str, str]:
        """What the person is told of it, in a line and a further one."""
        if event.undone:
            return self._undone(event)
        # A turn from before all that is shown: then none of it is left.
        place = self._turns.get(event.to_turn, 0)
        words = _words(self._rows.entries[place:])
        if not event.conversation:
            return f"Files went back to before {words}", f"{_files(event)}; the conversation stays. {_UNDO}"
        gone = self._cut[event.number] = self._rows.cut(place)
        messages = counted(sum(isinstance(entry, Words) and not entry.shell for entry in gone.entries), "message")
        calls = counted(sum(isinstance(entry, Call) for entry in gone.entries), "call")
        return f"Went back to before {words}", f"{messages} and {calls} are taken back, {_files(event)}. {_UNDO}"

    def _undone(self, event: Rewound) -> tuple[str, str]:
        gone = self._cut.pop(event.number, None)
        if event.conversation and gone is not None:
            since = self._rows.cut(self._turns.get(event.to_turn, 0))
            self._rows.put_back(gone)
            # What was told of it is first, and goes with it.
            self._rows.put_back(Cut(since.entries[1:], since.rows[1:]))
        return "Going back was undone", f"{_files(event)}."


def _words(entries: list[Entry]) -> str:
    text = next((entry.text for entry in entries if isinstance(entry, Words) and not entry.shell), "")
    return f"\u201c{shortened(' '.join(text.split()), NAMED_CHARS)}\u201d" if text else "that message"


def _files(event: Rewound) -> str:
    if not event.files:
        return "no file was changed"
    return f"{counted(event.files, 'file')} {'is' if event.files == 1 else 'are'} as before"
