"""What the loop knows of a model: one request in, a stream of events out, and how it may fail.

A client yields the events of one reply in order. `BlockClosed` is the only event that anything may be run or kept
from; pieces are for the screen. A reply that breaks off raises after it has yielded what had closed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Plain = dict[str, Any]

# Stop reasons of a reply that would have gone on.
CUT_SHORT = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True, slots=True)
class Request:
    """Everything one reply depends on. `messages` are sent as they are: normalise them first."""

    model: str
    messages: Sequence[Plain]
    system: str | Sequence[Plain] = ""
    tools: Sequence[Plain] = ()
    max_tokens: int = 32_000
    effort: str | None = None
    thinking: bool = True


@dataclass(frozen=True, slots=True)
class BlockStarted:
    index: int
    block: Plain


@dataclass(frozen=True, slots=True)
class TextPiece:
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class InputPiece:
    index: int
    tool_id: str
    text: str


@dataclass(frozen=True, slots=True)
class BlockClosed:
    """A complete block, as it goes into the history. A call with a `problem` is answered with it and never run."""

    index: int
    block: Plain
    problem: str = ""


@dataclass(frozen=True, slots=True)
class UsageCounted:
    """Cumulative for this reply: the last one counts. A field the API did not send is None."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    stop_reason: str
    stop_details: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing comes at the moment. With `retry` above 0 the reply begins again: forget all its blocks so far."""

    reason: str
    retry: int = 0
    seconds: float = 0.0


ModelEvent = BlockStarted | TextPiece | ThinkingPiece | InputPiece | BlockClosed | UsageCounted | ReplyEnded | Waiting
Reply = AsyncGenerator[ModelEvent, None]


class Model(Protocol):
    def reply(self, request: Request) -> Reply:
        """An async generator; close it (`contextlib.aclosing`) to stop the reply."""
        ...

    async def prepare(self) -> None:
        """Load what the first request needs, so that it does not wait for that; asks nothing of anybody."""
        ...

    async def aclose(self) -> None:
        """Give back connections. The model may not be asked again."""
        ...


ErrorKind = Literal[
    "auth",
    "billing",
    "not_found",
    "network",
    "tls",
    "timeout",
    "rate",
    "overloaded",
    "server",
    "conflict",
    "too_long",
    "too_large",
    "thinking",
    "unpaired",
    "bad_request",
    "redirect",
    "protocol",
]


@dataclass(eq=False)
class ModelError(Exception):
    """A reply that did not come, as a sentence for the person. `retries` is how often asking again may help."""

    message: str
    kind: ErrorKind
    retries: int = 0
    retry_after: float | None = None

    @property
    def retryable(self) -> bool:
        return self.retries > 0

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class BrokenReply(ModelError):
    """A reply that broke off after it had begun. `partial` are the texts that were shown but never completed."""

    partial: tuple[str, ...] = field(default_factory=tuple[str, ...])
