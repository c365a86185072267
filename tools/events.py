"""What happens to a call, as frozen dataclasses of plain data, so that a saved session replays into the same screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tools.blocks import Blocks
from tools.permissions.decision import Decision
from tools.permissions.subjects import Lead

Outcome = Literal["ok", "failed", "denied", "cancelled"]


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A question to the person. `problem` is set when the call can no longer be applied as it stands."""

    id: str
    call_id: str
    tool: str
    input: Mapping[str, Any]
    summary: str
    decision: Decision
    preview: Blocks
    destructive: bool = False
    # Rules that would allow this very call if saved; empty when "always" is not offered.
    always: tuple[str, ...] = ()
    # The same and its wider alternatives, from narrow to wide; each would allow this very call.
    stops: tuple[tuple[str, ...], ...] = ()
    problem: str = ""
    # The working folder, and those of the call's paths that lead elsewhere than they say.
    folder: str = ""
    leads: tuple[Lead, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolInputStarted:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolInputDelta:
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolInputReady:
    id: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolQueued:
    id: str
    why: str


@dataclass(frozen=True, slots=True)
class PermissionRequested:
    request: PermissionRequest
    revision: int


@dataclass(frozen=True, slots=True)
class PermissionUpdated:
    request: PermissionRequest
    revision: int
    why: str


@dataclass(frozen=True, slots=True)
class PermissionWithdrawn:
    request_id: str
    why: str


@dataclass(frozen=True, slots=True)
class PermissionDecided:
    """The end of the gate for a call, also when nobody was asked."""

    call_id: str
    decision: Decision
    answered: bool
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    id: str


@dataclass(frozen=True, slots=True)
class ToolProgress:
    id: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """`data` is the tool's Output as plain data when ok, else `error` says what happened.

    `stored` is the file that holds the whole result when the model got only a preview of it.
    """

    id: str
    outcome: Outcome
    code: str = ""
    data: Mapping[str, Any] | None = None
    error: str = ""
    stored: str | None = None
    duration: float = 0.0


CallEvent = (
    ToolInputStarted
    | ToolInputDelta
    | ToolInputReady
    | ToolQueued
    | PermissionRequested
    | PermissionUpdated
    | PermissionWithdrawn
    | PermissionDecided
    | ToolStarted
    | ToolProgress
    | ToolFinished
)
