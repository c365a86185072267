"""How often and how long the one retry layer waits."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from agent.model.base import BlockClosed, ModelError, ModelEvent, Request, Waiting
from agent.model.failures import error_of_status, error_of_type
from agent.model.retry import with_retries
from agent.model.scripted import ScriptedModel, ScriptedReply, text

ASK = Request("m", [{"role": "user", "content": "hi"}])
DOWN = ScriptedReply((), error=ModelError("Down.", "server", 5))
FINE = ScriptedReply((text("hello"),))


def asked(*replies: ScriptedReply, chance: float = 0.0) -> tuple[list[ModelEvent], list[float], ModelError | None]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def run() -> tuple[list[ModelEvent], ModelError | None]:
        came: list[ModelEvent] = []
        try:
            async for event in with_retries(ScriptedModel(replies), ASK, sleep, lambda: chance):
                came.append(event)
        except ModelError as error:
            return came, error
        return came, None

    came, error = asyncio.run(run())
    return came, slept, error


def test_H3_waits_double_from_half_a_second_to_eight() -> None:
    came, slept, error = asked(*[DOWN] * 9)
    assert slept == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert [event.seconds for event in came if isinstance(event, Waiting)] == slept
    assert error is not None


def test_H3_jitter_only_shortens_and_never_below_three_quarters() -> None:
    assert asked(*[DOWN] * 9, chance=1.0)[1] == [0.375, 0.75, 1.5, 3.0, 6.0]


def test_H3_a_try_that_works_ends_the_retries() -> None:
    came, slept, error = asked(DOWN, DOWN, FINE)
    assert error is None
    assert len(slept) == 2
    assert [event.block for event in came if isinstance(event, BlockClosed)] == [text("hello")]


def test_S9_a_broken_protocol_is_asked_again_once() -> None:
    odd = ScriptedReply((), error=ModelError("Odd.", "protocol", 1))
    assert len(asked(odd, odd, FINE)[1]) == 1
    assert asked(odd, FINE)[2] is None


def test_S1_a_text_that_had_closed_is_never_asked_for_again() -> None:
    came, slept, error = asked(ScriptedReply((text("hello"), text("world")), cut_after=5), FINE)
    assert error is not None
    assert slept == []
    assert [event.block for event in came if isinstance(event, BlockClosed)] == [text("hello")]


def test_H1_esc_ends_the_wait() -> None:
    async def run() -> None:
        begun = asyncio.Event()

        async def sleep(_: float) -> None:
            begun.set()
            await asyncio.Event().wait()

        async def read() -> None:
            async with contextlib.aclosing(with_retries(ScriptedModel([DOWN]), ASK, sleep)) as events:
                async for _ in events:
                    pass

        task = asyncio.create_task(read())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_H1_the_time_to_wait_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    error = error_of_status(429, "rate_limit_error", "slow", headers, now=lambda: 10.0)
    assert error.retry_after == seconds
    assert error.retryable == (seconds is not None)


@pytest.mark.parametrize(
    ("error_type", "kind", "retryable"),
    [
        ("overloaded_error", "overloaded", True),
        ("api_error", "server", True),
        ("rate_limit_error", "rate", True),
        ("authentication_error", "auth", False),
        ("invalid_request_error", "bad_request", False),
        ("something_new", "server", True),
    ],
)
def test_S5_an_error_event_is_judged_by_its_type(error_type: str, kind: str, retryable: bool) -> None:
    error = error_of_type(error_type, "words")
    assert (error.kind, error.retryable) == (kind, retryable)
    assert "words" in error.message
