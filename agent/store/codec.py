"""Events as JSON and back: for saved sessions and for the stream-json output, one event a line.

Everything that may come back is listed here by name. A saved session is foreign text: what does not fit its class is
unknown, never guessed at, and nothing in it grants anything.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from agent import events as session_events
from agent.events import Event, Stamped
from tools import blocks
from tools import events as call_events
from tools.blocks import Block

EVENTS: tuple[type[Any], ...] = (
    call_events.ToolInputStarted,
    call_events.ToolInputDelta,
    call_events.ToolInputReady,
    call_events.ToolQueued,
    call_events.PermissionRequested,
    call_events.PermissionUpdated,
    call_events.PermissionWithdrawn,
    call_events.PermissionDecided,
    call_events.ToolStarted,
    call_events.ToolProgress,
    call_events.ToolFinished,
    session_events.UserMessage,
    session_events.MessageQueued,
    session_events.MessageTakenBack,
    session_events.TurnStarted,
    session_events.ModelAsked,
    session_events.ModelWaiting,
    session_events.TextDelta,
    session_events.TextDone,
    session_events.ThinkingDelta,
    session_events.ThinkingDone,
    session_events.ExternalEdit,
    session_events.TaskChanged,
    session_events.ServerChanged,
    session_events.TodosChanged,
    session_events.ModeChanged,
    session_events.Rewound,
    session_events.ContextCompacted,
    session_events.Usage,
    session_events.Notice,
    session_events.TurnEnded,
)
BLOCKS: tuple[type[Any], ...] = (
    blocks.Line,
    blocks.Code,
    blocks.Diff,
    blocks.Tail,
    blocks.Table,
    blocks.Markdown,
    blocks.Meter,
)
# Raw pieces for a live screen; what they add up to is in the event that ends them.
DELTAS = (session_events.TextDelta, session_events.ThinkingDelta, call_events.ToolInputDelta)

_AS_THEY_ARE = (str, int, bool)
_NAMED = {kind.__name__: kind for kind in (*EVENTS, *BLOCKS)}


def to_plain(stamped: Stamped) -> dict[str, Any]:
    return {"seq": stamped.seq, "time": stamped.time, "agent": stamped.agent, "event": _plain(stamped.event)}


def to_line(stamped: Stamped) -> str:
    """One line of JSON without its line end. ASCII only, so that any text, also one that is no Unicode, survives."""
    return json.dumps(to_plain(stamped), separators=(",", ":"))


def from_plain(data: Mapping[str, Any]) -> Stamped | None:
    """The event as it was, or None where this program does not know it in this form."""
    match data:
        case {
            "seq": int(seq),
            "time": float() | int() as time,
            "agent": str(agent),
            "event": {"type": str(name), **given},
        }:
            event = _event(name, cast("dict[str, Any]", given))
            return Stamped(seq, float(time), agent, event) if event is not None else None
        case _:
            return None


def _plain(value: Any) -> Any:
    if value is None or type(value) in _AS_THEY_ARE:  # nearly all there is, so it is asked first
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = {part.name: _plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
        name = type(value).__name__
        return {"type": name, **plain} if name in _NAMED else plain
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in cast("tuple[Any, ...]", value)]
    # JSON has no word for these.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _event(name: str, given: dict[str, Any]) -> Event | None:
    kind = _NAMED.get(name)
    if kind not in EVENTS:
        return None
    try:
        if "request" in given:
            given = {**given, "request": _with_blocks(given["request"])}
        return cast("Event", _reader(kind).validate_python(given))
    except (ValidationError, TypeError, ValueError, KeyError, RecursionError):
        return None


def _with_blocks(request: dict[str, Any]) -> dict[str, Any]:
    """A request's preview as blocks: which kind each is, only its name tells."""
    return {**request, "preview": tuple(_block(block) for block in request["preview"])}


def _block(data: dict[str, Any]) -> Block:
    kind = _NAMED[data["type"]]
    if kind not in BLOCKS:
        raise TypeError(f"{data['type']} is no block")
    return _reader(kind).validate_python({key: value for key, value in data.items() if key != "type"})


@functools.cache
def _reader(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
