"""Blocking work off the event loop. asyncio is imported late: `explain` loads every tool and needs none of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    import asyncio

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    import asyncio

    return await asyncio.to_thread(work, *args, **kwargs)


async def in_own_thread(work: Callable[[], T], seconds: float) -> T:
    """Work on a disk that may never answer: nobody waits longer than this, not even the end of the program.

    Raises TimeoutError. The work itself cannot be stopped; its thread is left to itself and takes no one's place.
    """
    import asyncio
    import threading

    result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    threading.Thread(target=lambda: _answer(result, work), name="disk", daemon=True).start()
    async with asyncio.timeout(seconds):
        return await result


async def to_the_end(work: Callable[[], T]) -> T:
    """Work that must not be left half told: a cancelled caller still waits until it is done, then is cancelled."""
    import asyncio

    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with suppress(asyncio.CancelledError):  # asking again does not make it faster
                await asyncio.wait([running])
        if running.exception() is None:
            # It is done: the answer is what happened, not that somebody wished it had not.
            return running.result()
        raise


def _answer(result: asyncio.Future[T], work: Callable[[], T]) -> None:
    done: T | None = None
    failure: BaseException | None = None
    try:
        done = work()
    except BaseException as error:
        failure = error

    def tell() -> None:
        if result.done():  # nobody waits any more
            return
        if failure is not None:
            result.set_exception(failure)
        else:
            result.set_result(done)  # pyright: ignore[reportArgumentType] (what `work` gave)

    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        result.get_loop().call_soon_threadsafe(tell)
