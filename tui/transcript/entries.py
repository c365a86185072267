"""What the transcript is made of: one record per thing that was said or done, filled in as its events arrive.

Records are data. They know nothing of widths, colours or widgets; `version` grows with every change, so that whoever
has drawn one can tell whether to draw it again.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.blocks import Diff, Hunk
from tools.events import PermissionRequest
from tools.permissions.decision import Decision

Phase = Literal["stream", "queued", "ask", "run", "ok", "failed", "denied", "stopped"]


@dataclass(slots=True, kw_only=True)
class Entry:
    """`opened`: the person wants this one in full, whatever the others show."""

    time: float = 0.0
    agent: str = "main"
    version: int = 0
    opened: bool = False

    def touch(self) -> None:
        self.version += 1


@dataclass(slots=True)
class Words(Entry):
    """What the person said. `shell`: a `!` line."""

    text: str
    shell: bool = False


@dataclass(slots=True)
class Answer(Entry):
    """What the model said, growing until `done`."""

    text: str = ""
    done: bool = False


@dataclass(slots=True)
class Thought(Entry):
    text: str = ""
    seconds: float = 0.0
    done: bool = False


@dataclass(slots=True)
class Call(Entry):
    """One tool call through all its phases."""

    id: str
    name: str
    phase: Phase = "stream"
    # As it streams in; `input` is what can be read of it so far, and all of it once ready.
    raw: bytearray = field(default_factory=bytearray)
    input: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ready: bool = False
    # Behind what it waits, why it asks, or how it was refused.
    why: str = ""
    request: PermissionRequest | None = None
    decision: Decision | None = None
    # A person answered; else rules, mode or the tool decided.
    answered: bool = False
    asked_at: float = 0.0
    answered_at: float = 0.0
    started_at: float = 0.0
    ended_at: float = 0.0
    progress: Mapping[str, Any] | None = None
    code: str = ""
    data: Mapping[str, Any] | None = None
    error: str = ""
    # It came to its end, but what it did went wrong: a command that ended with an error.
    wrong: bool = False
    stored: str | None = None
    seconds: float = 0.0
    # The most body lines it has had: a row does not shrink.
    tallest: int = 0
    # Calls with the same number came in one reply of the model.
    reply: int = 0
    # Whether it may run beside others; None until that is known.
    beside: bool | None = None

    @property
    def failed(self) -> bool:
        return self.phase == "failed" or self.wrong

    @property
    def over(self) -> bool:
        return self.phase in ("ok", "failed", "denied", "stopped")


@dataclass(slots=True)
class Outside(Entry):
    """Somebody else changed a file. `told`: the model has heard of it."""

    path: str
    diff: Diff | None
    attribution: str
    kind: Literal["changed", "deleted"] = "changed"
    told: bool = False
    # An open question rests on the file.
    outdates: bool = False
    # What says that it was who is named.
    evidence: str = ""
    # It is again as the models saw it: none is told.
    as_seen: bool = False
    # The most body lines it has had: a row does not shrink.
    tallest: int = 0

    def goes_on(self, edit: Outside) -> None:
        """The same file was changed once more: this stays one thing, and its earlier changes stay in it."""
        if self.diff is None or edit.diff is None:
            self.diff = None
        else:
            # From the top of the file down, whichever was saved first.
            hunks = sorted((*self.diff.hunks, *edit.diff.hunks), key=_first_change)
            self.diff = Diff(edit.path, tuple(hunks))
        self.attribution, self.evidence, self.kind, self.time = edit.attribution, edit.evidence, edit.kind, edit.time
        self.outdates, self.as_seen = self.outdates or edit.outdates, edit.as_seen


def _first_change(hunk: Hunk) -> int:
    """Which line it is, as the file then was."""
    unchanged = itertools.takewhile(lambda line: line.kind == "same", hunk.lines)
    return hunk.new_start + sum(1 for _ in unchanged)


@dataclass(slots=True)
class Together(Entry):
    """Many files that one hand changed at once. `members` are those of them that the session knows, by path."""

    burst: int
    attribution: str
    files: int = 0
    members: dict[str, Outside] = field(default_factory=dict[str, Outside])
    told: bool = False
    evidence: str = ""

    @property
    def outdates(self) -> bool:
        return any(one.outdates for one in self.members.values())

    def take(self, edit: Outside, files: int) -> None:
        """`files`: how many there are by now, known or not."""
        if edit.path in self.members:
            self.members[edit.path].goes_on(edit)
        else:
            self.members[edit.path] = edit
        self.attribution, self.evidence = edit.attribution, edit.evidence
        self.files = max(self.files, files, len(self.members))


@dataclass(slots=True)
class Note(Entry):
    """A notice, or what stopped the turn."""

    text: str
    level: Literal["info", "warning", "error"] = "info"
    detail: str = ""


@dataclass(slots=True)
class TurnEnd(Entry):
    """The line that ends a turn, with what it came to."""

    turn: int
    seconds: float
    calls: int
    files: int = 0
    added: int = 0
    removed: int = 0
    reason: str = "done"
    # What was still broken: "Bash pytest".
    failed: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read: int = 0
    # In dollars, where the model's prices are known.
    cost: float | None = None
