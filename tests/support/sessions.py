"""A real session in a temporary folder: real tools, gate, watcher and records, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from agent.assemble import Wanted, open_session
from agent.conversation import Conversation
from agent.events import Stamped, TurnEnded
from agent.model.scripted import ScriptedModel
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.patience import PATIENCE
from tools.permissions.gate import Answer, Answerer, nobody

E = TypeVar("E")


class Recorder:
    """Everything the bus said, and a way to wait for something of it."""

    def __init__(self, session: Session) -> None:
        self.stamped: list[Stamped] = []
        self._news = asyncio.Event()
        session.bus.listen(self._take)

    def _take(self, stamped: Stamped) -> None:
        self.stamped.append(stamped)
        self._news.set()

    def all(self, kind: type[E]) -> list[E]:
        return [one.event for one in self.stamped if isinstance(one.event, kind)]

    async def first(self, kind: type[E], where: Callable[[E], bool] = lambda _: True, seconds: float = PATIENCE) -> E:
        async with asyncio.timeout(seconds):
            while True:
                found = next((event for event in self.all(kind) if where(event)), None)
                if found is not None:
                    return found
                self._news.clear()
                await self._news.wait()


class HeldAfter:
    """The pause of a scripted model: after so many pieces of its reply it waits until `go` is set."""

    def __init__(self, pieces: int) -> None:
        self.go = asyncio.Event()
        self._pieces = pieces

    async def __call__(self, _delay: float) -> None:
        self._pieces -= 1
        if self._pieces < 0:
            await self.go.wait()


@asynccontextmanager
async def session_in(folder: Path, script: Any, answerer: Answerer = nobody, **wanted: Any):
    flags = wanted.pop("flags", Flags(trusted=True))
    model = script if hasattr(script, "reply") else ScriptedModel(script)
    opened = await open_session(Wanted(folder=str(folder), flags=flags, model=model, answerer=answerer, **wanted))
    async with opened as session:
        yield session, Recorder(session)


def play(work: Callable[[], Awaitable[Any]], seconds: float = 5 * PATIENCE) -> Any:
    """Run an async test body with an end to it."""

    async def bounded() -> Any:
        async with asyncio.timeout(seconds):
            return await work()

    return asyncio.run(bounded())


async def turn(session: Session, text: str = "go") -> TurnEnded:
    session.submit(text)
    ended = await session.turn_ended()
    assert ended is not None
    return ended


def results_of(messages: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tool_result blocks of a history, by the id of their call."""
    found: dict[str, dict[str, Any]] = {}
    for message in messages:
        if message["role"] == "user":
            for block in message["content"]:
                if block["type"] == "tool_result":
                    assert block["tool_use_id"] not in found, "answered twice"
                    found[block["tool_use_id"]] = block
    return found


def yes(_: Any) -> Answer:
    return Answer("once")


def second_conversation(session: Session, model: ScriptedModel) -> Conversation:
    """A sub-agent's, beside the main one."""
    parts = session.main._parts  # the second conversation is the first with another model and name
    pipeline = parts.pipeline
    second = Conversation(
        replace(
            parts,
            agent="agent-2",
            model=model,
            emit=lambda event: session.bus.emit(event, "agent-2"),
            pipeline=lambda emit, apply: replace(pipeline(emit, apply), agent="agent-2"),
            record=lambda _: None,
        )
    )
    session.add(second)
    return second
