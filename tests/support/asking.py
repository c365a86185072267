"""Asking a real client on the loopback, and keeping all that came back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.model.anthropic import AnthropicModel, Endpoint
from agent.model.base import BlockClosed, Model, ModelError, ModelEvent, ReplyEnded, Request, Waiting
from agent.model.retry import with_retries
from tests.support.loopback import Answer, Loopback, Received

KEY = "sk-test-secret"
ASK = Request(model="claude-test", messages=[{"role": "user", "content": "hi"}], system="Be brief.", max_tokens=100)


@dataclass
class Came:
    events: list[ModelEvent] = field(default_factory=list)
    error: ModelError | None = None
    requests: list[Received] = field(default_factory=list)

    @property
    def closed(self) -> list[dict[str, Any]]:
        return [event.block for event in self.events if isinstance(event, BlockClosed)]

    @property
    def ended(self) -> list[ReplyEnded]:
        return [event for event in self.events if isinstance(event, ReplyEnded)]

    @property
    def waits(self) -> list[Waiting]:
        return [event for event in self.events if isinstance(event, Waiting)]

    @property
    def last_try(self) -> list[dict[str, Any]]:
        """The closed blocks that count: a Waiting with a retry voids what came before."""
        last = max(
            (at for at, event in enumerate(self.events) if isinstance(event, Waiting) and event.retry), default=-1
        )
        return [event.block for event in self.events[last + 1 :] if isinstance(event, BlockClosed)]


def ask(*answers: Answer, **how: Any) -> Came:
    """One reply of the real client against a server that gives `answers`; with `retries` through the retry layer."""
    return ask_each([answers], **how)[0]


def ask_each(
    rounds: Sequence[Sequence[Answer]], request: Request = ASK, retries: bool = False, key: str = KEY, **options: Any
) -> list[Came]:
    """Replies of one client, each against its own answers."""

    async def all_of_it() -> list[Came]:
        async with Loopback() as server:
            model = AnthropicModel(Endpoint(key, "", server.url), **options)
            try:
                return [await _one(model, server, answers, request, retries) for answers in rounds]
            finally:
                await model.aclose()

    return asyncio.run(all_of_it())


async def _one(model: Model, server: Loopback, answers: Sequence[Answer], request: Request, retries: bool) -> Came:
    server.answer_next(*answers)
    came = Came(requests=server.requests)
    reply = with_retries(model, request, _no_sleep, lambda: 0.0) if retries else model.reply(request)
    try:
        async with contextlib.aclosing(reply):
            async for event in reply:
                came.events.append(event)
    except ModelError as error:
        came.error = error
    return came


async def _no_sleep(_seconds: float) -> None:
    await asyncio.sleep(0)
