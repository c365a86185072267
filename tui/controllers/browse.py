"""The transcript by keyboard: choosing rows, opening, copying, stopping and searching them.

Keys that mean nothing here are typing and go to the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from textual import events

from tui.panels.files import dicts
from tui.transcript.entries import Call, Entry, Note, Outside, Together, TurnEnd
from tui.transcript.rows import Row
from tui.transcript.view import Pick, TranscriptView


@dataclass(frozen=True, slots=True)
class Actions:
    """What the app does for a chosen row, and where the keys go back to."""

    cancel: Callable[[str], bool]
    copy: Callable[[str], None]
    edit: Callable[[str, int | None], None]
    say: Callable[[str], None]
    leave: Callable[[], None]
    # Words about the search, until it ends.
    tell: Callable[[str], None]


class Browse:
    def __init__(self, view: TranscriptView, actions: Actions) -> None:
        self._view = view
        self._do = actions
        self._words: str | None = None
        self._searched = ""
        # What rows say, by their id and version: made once while the keys are here, not with every letter.
        self._texts: dict[int, tuple[int, str]] = {}

    # -- coming and going

    def enter(self) -> None:
        """Choose what stands last in sight."""
        rows = self._rows
        if not rows:
            self._do.say("nothing to choose yet")
            self._do.leave()
            return
        self._view.focus()
        last = next((at for at in range(len(rows) - 1, -1, -1) if self._counts(at)), len(rows) - 1)
        self._choose(Pick(last))

    def left(self) -> None:
        """The keys are somewhere else now."""
        self._words = None
        self._texts.clear()
        self._do.tell("")
        self._view.picked = None
        self._view.update(self._view.now)

    def leave(self) -> None:
        self._do.leave()

    def takes(self, event: events.Key) -> bool:
        """False for typing, which is the prompt's."""
        if self._words is not None:
            return self._type(event)
        match event.key:
            case "down" | "j" | "up" | "k":
                self._step(1 if event.key in ("down", "j") else -1)
            case "enter":
                self.open_picked()
            case "escape" | "tab" | "shift+tab":
                self._do.leave()
            case "slash":
                self._words = ""
                self._tell()
            case "right_square_bracket" | "left_square_bracket":
                self._next_to_look_at(1 if event.key.startswith("right") else -1)
            case _:
                return self._on_row(event.character or "")
        return True

    def _on_row(self, character: str) -> bool:
        match character:
            case "n" | "N":
                self._find(1 if character == "n" else -1)
            case "x" | "c" | "e":
                self._on_entry(character)
            case _:
                return False
        return True

    def open_picked(self, pick: Pick | None = None) -> None:
        """Show this one in full, or as short as the others; its first line stays in place."""
        pick = pick or self._view.picked
        if pick is None or pick.row >= len(self._rows):
            return
        found = self._rows[pick.row].part(pick.part)
        entries = [found] if found is not None else self._rows[pick.row].entries

        def change() -> None:
            opened = not all(entry.opened for entry in entries)
            for entry in entries:
                entry.opened = opened
                entry.touch()

        self._view.in_place(pick, change)

    # -- how it is done

    @property
    def _rows(self) -> list[Row]:
        # The window asks less of a row than the keys do; these are the same rows.
        return cast("list[Row]", self._view.rows)

    def _choose(self, pick: Pick) -> None:
        self._view.show_pick(pick)

    def _counts(self, at: int) -> bool:
        return not isinstance(self._rows[at].entries[0], TurnEnd) if self._rows[at].entries else False

    def _step(self, by: int) -> None:
        now = self._view.picked or Pick(len(self._rows))
        places = list(self._around(now, by))
        if places:
            self._choose(places[0])

    def _around(self, now: Pick, by: int) -> Iterator[Pick]:
        """The places after this one in a direction."""
        rows = self._rows
        if now.row < len(rows) and 0 <= now.part + by < rows[now.row].parts:
            yield Pick(now.row, now.part + by)
        at = now.row + by
        while 0 <= at < len(rows):
            if self._counts(at):
                yield Pick(at, 0 if by > 0 else rows[at].parts - 1)
            at += by

    def _entry(self) -> Entry | None:
        pick = self._view.picked
        return self._rows[pick.row].part(pick.part) if pick is not None and pick.row < len(self._rows) else None

    def _on_entry(self, key: str) -> None:
        entry, pick = self._entry(), self._view.picked
        if pick is None:
            return
        match key, entry:
            case "c", _:
                self._do.copy(self._rows[pick.row].text)
            case "x", Call() if not entry.over and self._do.cancel(entry.id):
                self._do.say("stopped")
            case "x", _:
                self._do.say("nothing runs here")
            case "e", Call():
                self._edit(entry)
            case "e", Outside():
                self._do.edit(entry.path, _first_line(entry.diff))
            case "e", Together():
                self._do.say("many files: Enter lists them")
            case _:
                self._do.say("no file to open here")

    def _edit(self, call: Call) -> None:
        path = call.input.get("file_path") or call.input.get("path")
        if not isinstance(path, str):
            self._do.say("no file to open here")
            return
        line = call.input.get("offset")
        if call.data is not None and (hunks := dicts(call.data.get("diff"), "hunks")):
            line = _line_of(hunks[0].get("new_start"), [one.get("kind") for one in dicts(hunks[0], "lines")])
        self._do.edit(path, line if isinstance(line, int) and line > 0 else None)

    def _next_to_look_at(self, by: int) -> None:
        """Failures, changes by others, questions."""
        for place in self._around(self._view.picked or Pick(len(self._rows) if by < 0 else -1), by):
            if any(_wants_a_look(entry) for entry in self._rows[place.row].entries):
                self._choose(Pick(place.row))
                return
        self._do.say("nothing more to look at")

    # -- searching

    def _type(self, event: events.Key) -> bool:
        words = self._words or ""
        if event.key == "escape":
            self._words = None
            self._do.tell("")
            return True
        if event.key == "enter":
            self._words, self._searched = None, words
            self._do.tell("")
            self._find(-1)
            return True
        if event.key == "backspace":
            words = words[:-1]
        elif event.is_printable and event.character:
            words += event.character
        self._words = words
        self._tell()
        return True

    def _tell(self) -> None:
        count = sum(self._holds(row, self._words or "") for row in self._rows) if self._words else 0
        found = f"   {count} {'row' if count == 1 else 'rows'}" if self._words else ""
        self._do.tell(f"search: {self._words}{found}   Enter finds, Esc ends")

    def _find(self, by: int) -> None:
        if not self._searched:
            self._do.say("nothing was searched for, / searches")
            return
        start = self._view.picked or Pick(len(self._rows))
        around = [place for place in self._around(start, by) if place.row != start.row]
        for place in around:
            if self._holds(self._rows[place.row], self._searched):
                self._choose(Pick(place.row))
                return
        here = start.row < len(self._rows) and self._holds(self._rows[start.row], self._searched)
        self._do.say("no further match" if here else f"{self._searched!r} is not in that direction")

    def _holds(self, row: Row, words: str) -> bool:
        version, text = self._texts.get(id(row), (-1, ""))
        if version != row.version:
            text = row.text.lower()
            self._texts[id(row)] = (row.version, text)
        return words.lower() in text


def _wants_a_look(entry: Entry) -> bool:
    match entry:
        case Call() as call:
            return call.failed or call.phase in ("ask", "denied")
        case Outside() | Together():
            return True
        case Note(level=level):
            return level != "info"
        case _:
            return False


def _first_line(diff: object) -> int | None:
    hunks = getattr(diff, "hunks", ())
    return _line_of(hunks[0].new_start, [line.kind for line in hunks[0].lines]) if hunks else None


def _line_of(start: object, kinds: Sequence[object]) -> int | None:
    """The first line that was changed; a hunk begins with those around it."""
    same = next((at for at, kind in enumerate(kinds) if kind != "same"), 0)
    return start + same if isinstance(start, int) else None
