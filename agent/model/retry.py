"""The one retry layer: asks again where that is safe, says so, and gives up in bounded time.

Safe means that no text and no call of the reply had closed (`ReplyBuilder.broken` judges it): what has closed may have
been run. A history the API does not accept is mended once and sent again; a history that is too long is not, because
shortening it is the conversation's decision.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agent.model.base import Model, ModelError, Reply, Request, Waiting
from agent.model.normalize import normalized, without_old_thinking
from tools.faults import unexpected

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
LONGEST_RETRY_AFTER_SECONDS = 300.0

Sleep = Callable[[float], Awaitable[None]]


async def with_retries(
    model: Model, request: Request, sleep: Sleep | None = None, chance: Callable[[], float] | None = None
) -> Reply:
    """The reply, asked for as often as its failures allow. Each new try is announced by a Waiting."""
    failed = 0
    mended = False
    while True:
        try:
            async with contextlib.aclosing(model.reply(request)) as events:
                async for event in events:
                    yield event
            return
        except ModelError as error:
            repaired = None if mended else _repaired(request, error)
            if repaired is None and (failed >= error.retries or _too_long_a_wait(error)):
                raise
            mended = mended or repaired is not None
            request = repaired or request
            failed += 1
            seconds = 0.0 if repaired else _seconds(error, failed, chance)
            reason = "; ".join(filter(None, (error.message.rstrip("."), repaired and "the history was mended")))
        except Exception as error:
            # Of the client or of an endpoint as nobody foresaw it: what has closed of the reply is still the reply.
            raise ModelError(unexpected("The reply", error), "protocol") from error
        yield Waiting(reason, failed, seconds)
        await (sleep or _sleep)(seconds)


def _repaired(request: Request, error: ModelError) -> Request | None:
    """The request with a history that avoids this very error, or None where there is nothing to mend."""
    match error.kind:
        case "thinking":
            messages = without_old_thinking(request.messages)
        case "unpaired":
            messages = normalized(request.messages)
        case _:
            return None
    return None if messages == list(request.messages) else replace(request, messages=messages)


def _too_long_a_wait(error: ModelError) -> bool:
    return error.retry_after is not None and error.retry_after > LONGEST_RETRY_AFTER_SECONDS


def _seconds(error: ModelError, failed: int, chance: Callable[[], float] | None) -> float:
    if error.retry_after is not None:
        return error.retry_after
    import random

    longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (failed - 1))
    # Jitter takes up to a quarter off, so that many clients do not come back in step.
    return longest * (1 - 0.25 * (chance or random.random)())


async def _sleep(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)
