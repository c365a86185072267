"""What the person sent before: a file of one JSON object a line, a walk through it with Up and Down, and a search.

The file is only ever appended to, by every session at once, and is the person's alone. Up and Down walk through what
was sent from this folder; the search looks at everything.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.threads import in_thread
from tui.prompt.completion import Candidate, Completion
from tui.prompt.pastes import plain

MOST_ENTRIES = 1_000
# As much of the file's end is read.
MOST_BYTES = 4 << 20
# A longer message is remembered as long as the program runs.
LONGEST_KEPT = 100_000


class Entry(NamedTuple):
    text: str
    folder: str
    time: float = 0.0


def history_file() -> Path:
    """Where the history lies. Makes the state folder if need be."""
    from agent.settings.locations import state_folder

    return state_folder() / "prompts.jsonl"


class History:
    """The sent messages, oldest first. Without a file it lasts as long as the program runs.

    `problem` says why nothing is kept, when that is so.
    """

    def __init__(self, file: Path | None = None, folder: str = "", clock: Callable[[], float] = time.time) -> None:
        self.entries: list[Entry] = []
        self.problem = ""
        self._file = file
        self._folder = folder
        self._clock = clock
        # While walking: the texts, the draft that was left last, and where we are.
        self._walk: list[str] = []
        self._at = 0

    async def load(self) -> None:
        """Read the file. What was added meanwhile stays the newest."""
        if self._file is None:
            return
        try:
            earlier = await in_thread(_read, self._file)
        except OSError as error:
            self.problem = _problem(self._file, error)
            return
        self.entries = list(_without_repeats((*earlier, *self.entries)))[-MOST_ENTRIES:]

    def go_on_from(self, before: History) -> None:
        """Take over what was sent before the file was known, and where Up had come to."""
        for entry in before.entries:
            self.add(entry.text)
        self._walk, self._at = before._walk, before._at

    def add(self, text: str) -> None:
        """Remember a message, unless it is the one before."""
        self.stop_walking()
        entry = Entry(text, self._folder, self._clock())
        if not text.strip() or (self.entries and _is_same(self.entries[-1], entry)):
            return
        self.entries.append(entry)
        if self._file is not None and len(text) <= LONGEST_KEPT:
            try:
                _append(self._file, entry)
            except OSError as error:
                self.problem = _problem(self._file, error)

    def older(self, draft: str) -> str | None:
        """One step back, or None at the oldest. The draft it begins with waits at the other end."""
        self._note(draft)
        if not self._walk:
            mine = [entry for entry in self.entries if entry.folder == self._folder]
            self._walk = [*(entry.text for entry in _without_repeats(mine)), draft]
            self._at = len(self._walk) - 1
        if self._at == 0:
            return None
        self._at -= 1
        return self._walk[self._at]

    def newer(self, draft: str) -> str | None:
        """One step forward, at last to the draft; None when not walking."""
        if not self._walk:
            return None
        self._note(draft)
        self._at += 1
        text = self._walk[self._at]
        if self._at == len(self._walk) - 1:
            self.stop_walking()
        return text

    def _note(self, draft: str) -> None:
        """What was changed on the way stays changed while the walk lasts."""
        if self._walk:
            self._walk[self._at] = draft

    def stop_walking(self) -> None:
        self._walk = []

    def search(self) -> HistorySearch:
        newest_first = dict[str, Entry]()
        for entry in reversed(self.entries):
            newest_first.setdefault(entry.text, entry)
        return HistorySearch(tuple(newest_first.values()), self._folder)


class HistorySearch(NamedTuple):
    """Everything that was sent, the newest first and each text once."""

    entries: tuple[Entry, ...]
    folder: str = ""

    def menu(self, query: str) -> Completion:
        """The messages that hold every word of the query."""
        words = query.lower().split()
        found = (entry for entry in self.entries if all(word in entry.text.lower() for word in words))
        return Completion("history", 0, query, tuple(self._candidate(entry, words) for entry in found))

    def _candidate(self, entry: Entry, words: list[str]) -> Candidate:
        lines = [line.strip() for line in entry.text.split("\n") if line.strip()]
        shown = next((line for line in lines if any(word in line.lower() for word in words)), lines[0])
        remarks = [os.path.basename(entry.folder)] if entry.folder != self.folder else []
        if len(lines) > 1:
            remarks.append(f"{len(lines)} lines")
        return Candidate(entry.text, shown, ("  ".join(remarks), "$dim"))


# -- the file


def _read(file: Path) -> list[Entry]:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    with open(descriptor, "rb") as opened:
        start = max(0, os.fstat(descriptor).st_size - MOST_BYTES)
        opened.seek(start)
        lines = opened.read(MOST_BYTES).split(b"\n")
    whole = lines[1:] if start else lines
    return [entry for line in whole if (entry := _entry(line))][-MOST_ENTRIES:]


def _entry(line: bytes) -> Entry | None:
    """None for a line that is broken, such as one whose end was never written."""
    import json

    try:
        found: Any = json.loads(line)
        text, folder, when = found["text"], found["folder"], found["time"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (isinstance(text, str) and isinstance(folder, str) and isinstance(when, int | float)):
        return None
    text = plain(text)
    return Entry(text, folder, float(when)) if text.strip() else None


def _append(file: Path, entry: Entry) -> None:
    import json

    line = json.dumps({"time": round(entry.time, 3), "folder": entry.folder, "text": entry.text}) + "\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(file, flags, 0o600)
    try:
        # One write, so that the lines of two sessions never mix.
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def _without_repeats(entries: Iterable[Entry]) -> Iterator[Entry]:
    last: Entry | None = None
    for entry in entries:
        if last is None or not _is_same(last, entry):
            yield entry
        last = entry


def _is_same(one: Entry, other: Entry) -> bool:
    return one.text == other.text and one.folder == other.folder


def _problem(file: Path, error: OSError) -> str:
    return f"What you send is not remembered after this session: {file} cannot be used ({error.strerror})."
