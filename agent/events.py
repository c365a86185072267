"""What a session tells its screens, besides what happens to calls (`tools/events.py`).

Frozen dataclasses of plain data. `Stamped` is how they travel: with their number, their time and whose they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tools.blocks import Diff
from tools.events import CallEvent

MAIN = "main"


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str


@dataclass(frozen=True, slots=True)
class MessageQueued:
    text: str


@dataclass(frozen=True, slots=True)
class MessageTakenBack:
    """A queued message that the person wants to write anew."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """`messages`: how many the conversation held before; below zero where that is not known."""

    turn: int
    messages: int = -1


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A request goes to the model, with all that happened so far. What follows until the next one is one reply."""


@dataclass(frozen=True, slots=True)
class ModelWaiting:
    """The model has not answered yet; `retry` counts the tries that failed, `seconds` is the wait before the next."""

    reason: str
    retry: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class TextDone:
    text: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDone:
    text: str


@dataclass(frozen=True, slots=True)
class Burst:
    """Many files that one hand changed at once: so many by now, and so many of them this session knows."""

    id: int
    files: int
    known: int


@dataclass(frozen=True, slots=True)
class ExternalEdit:
    """Somebody else changed a file this session knows. `diff` is None where the text before is not known.

    It comes once more, with a diff of nothing, where it is known better whose it was.
    """

    path: str
    diff: Diff | None
    attribution: str
    kind: Literal["changed", "deleted"] = "changed"
    # The command it is credited to, where one was running: the id of its call.
    call: str = ""
    # What says that it was who `attribution` names.
    evidence: str = ""
    # Where it came with many others: each has an event, and all of them say so.
    burst: Burst | None = None
    # It is again as every model that knows it saw it, so that none hears of it.
    as_seen: bool = False


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """A task of the background began or is over. Its output grows in the file `output`, to be read there.

    `state` is running, ended, stopped or failed; `detail` says who stopped it or why it failed.
    """

    task: str
    state: str
    detail: str = ""
    kind: str = "shell"
    title: str = ""
    output: str = ""
    # In seconds since the epoch.
    started: float = 0.0
    ended: float | None = None
    exit_code: int | None = None
    # The call that sent it there.
    call: str = ""


@dataclass(frozen=True, slots=True)
class ServerChanged:
    server: str
    state: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TodosChanged:
    todos: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class ModeChanged:
    mode: str


@dataclass(frozen=True, slots=True)
class Rewound:
    """The person went back to before the message of a turn: with the `conversation`, which then ends there, with
    files, or with both. `undone`: this took rewind `number` back again."""

    to_turn: int
    number: int = 0
    conversation: bool = True
    files: int = 0
    undone: bool = False


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    before_tokens: int
    after_tokens: int


@dataclass(frozen=True, slots=True)
class Usage:
    """As the API counted it, cumulative for one reply; a field it did not send is None.

    `model` is set where another one was asked beside the conversation, as by auto mode: then this is all of that reply.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know: what it is and what to do about it."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


@dataclass(frozen=True, slots=True)
class TurnEnded:
    reason: Literal["done", "interrupted", "stopped", "failed", "max_turns", "refused", "cut"]
    detail: str = ""


SessionEvent = (
    UserMessage
    | MessageQueued
    | MessageTakenBack
    | TurnStarted
    | ModelAsked
    | ModelWaiting
    | TextDelta
    | TextDone
    | ThinkingDelta
    | ThinkingDone
    | ExternalEdit
    | TaskChanged
    | ServerChanged
    | TodosChanged
    | ModeChanged
    | Rewound
    | ContextCompacted
    | Usage
    | Notice
    | TurnEnded
)
Event = CallEvent | SessionEvent


@dataclass(frozen=True, slots=True)
class Stamped:
    """An event with its place in the session's one stream."""

    seq: int
    time: float
    agent: str
    event: Event


PlainData = Mapping[str, Any]
