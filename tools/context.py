"""What one call may touch. Small on purpose: what only some tools need comes to them as ports, when they are built."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tools.inputs import ToolOutput


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call stands: what relative paths and `~` mean."""

    folder: str
    home: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders the person opened for work. The first is the project's root."""

    roots: tuple[str, ...]


class Cancellation:
    """Whether this call has been cancelled, and why. A running `call` is also cancelled as a task."""

    def __init__(self) -> None:
        self.reason: str | None = None

    @property
    def requested(self) -> bool:
        return self.reason is not None

    def request(self, reason: str) -> None:
        if self.reason is None:
            self.reason = reason


class SeenFiles(Protocol):
    """What this conversation was shown of each file (`tools.ledger.seen.Seen`)."""

    def knows(self, path: str) -> bool: ...


Progress = Callable[[ToolOutput], None]
MayI = Callable[[str, Mapping[str, Any]], Awaitable[bool]]


@dataclass(slots=True)
class ToolContext:
    call_id: str
    agent: str
    parent_message: str
    place: Place
    workspace: Workspace
    seen: Any
    progress: Progress
    may_i: MayI
    clock: Callable[[], float]
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def folder(self) -> str:
        return self.place.folder
