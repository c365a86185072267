"""The end of a transcript, taken off it."""

from __future__ import annotations

from dataclasses import dataclass

from tui.transcript.entries import Entry
from tui.transcript.rows import Row


@dataclass(frozen=True, slots=True)
class Cut:
    entries: tuple[Entry, ...]
    rows: tuple[Row, ...]
