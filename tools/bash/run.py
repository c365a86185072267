"""Waiting for one command: watch its output grow, end it when its time or its quota is over, or let it go on alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tools.bash.output import Glimpse, GrowingFile
from tools.ports import RunningCommand
from tools.threads import in_thread

QUOTA_BYTES = 5 * 1000**3
PROGRESS_AFTER_SECONDS = 2.0
# The first look is early, each next one later, up to this.
LOOK_SECONDS = 0.2
FIRST_LOOK_SECONDS = 0.01
# After so long the person is told that it can go to the background, or it goes by itself where the settings say so.
LONG_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """`leaves_by_itself`: what takes long goes to the background unasked."""

    timeout: float
    leaves_by_itself: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How the wait ended: by itself, by its timeout, because it wrote too much, or because it is to go on alone."""

    why: Literal["exited", "timed_out", "too_much_output", "left"]
    seconds: float
    exit_code: int = 0
    leftovers: tuple[str, ...] = ()
    # It left because somebody said so, not because it took long.
    was_sent: bool = False


Show = Callable[[Glimpse, float], None]


async def run(
    command: RunningCommand, output: GrowingFile, bounds: Bounds, leave: asyncio.Event | None, show: Show
) -> Ending:
    """Cancelling ends the command and everything it started, shows what it had said by then, and goes on."""
    started = asyncio.get_running_loop().time()
    try:
        return await _watch(command, output, bounds, leave, show)
    except asyncio.CancelledError:
        await asyncio.shield(_end(command, output, show, started))
        raise


async def _end(command: RunningCommand, output: GrowingFile, show: Show, started: float) -> None:
    await command.end()
    if output.size():
        show(await in_thread(output.look), asyncio.get_running_loop().time() - started)


async def _watch(
    command: RunningCommand, output: GrowingFile, bounds: Bounds, leave: asyncio.Event | None, show: Show
) -> Ending:
    loop = asyncio.get_running_loop()
    started = loop.time()
    step = pause = FIRST_LOOK_SECONDS
    shown = 0.0
    waiting = asyncio.ensure_future(command.wait())
    leaving = asyncio.ensure_future(leave.wait() if leave is not None else asyncio.Event().wait())
    try:
        while True:
            left = max(0.0, bounds.timeout - (loop.time() - started))
            await asyncio.wait([waiting, leaving], timeout=min(pause, left), return_when=asyncio.FIRST_COMPLETED)
            ran = loop.time() - started
            if waiting.done():
                return Ending("exited", ran, waiting.result(), command.leftovers)
            if leaving.done() or (leave is not None and bounds.leaves_by_itself and ran >= LONG_SECONDS):
                return Ending("left", ran, was_sent=leaving.done())
            if ran >= bounds.timeout:
                await command.end()
                return Ending("timed_out", ran)
            size = await in_thread(output.size)
            if size > QUOTA_BYTES:
                await command.end()
                return Ending("too_much_output", ran)
            await in_thread(output.count_on)
            # A flood is counted as fast as it comes.
            step = min(step * 2, LOOK_SECONDS)
            pause = 0.0 if output.is_behind(size) else step
            if ran >= max(PROGRESS_AFTER_SECONDS, shown + LOOK_SECONDS):
                shown = ran
                show(await in_thread(output.look), ran)
    finally:
        waiting.cancel()
        leaving.cancel()
