"""Many calls: they start while the model still streams, run in the model's order, and answer in it.

The rules of order:
- a call that is not concurrency-safe runs alone: after all earlier calls, before all later ones;
- safe calls run together, ten at most, and have no order among themselves;
- a safe call may overtake one that waits for a person, only if the paths of both are known and apart;
- a call waits before the gate while an earlier open call may still change the very files it is about, so that the
  person is asked about what will be there;
- one write lock per worktree keeps the conversations of a session from writing at the same time.

A failed or denied call cancels no other. Every call gets exactly one answer, whatever happens to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.context import ToolContext
from tools.events import ToolQueued
from tools.footprint import Footprint, footprint_of
from tools.pipeline import Answered, Flight, GroundChanged, Pipeline, ToolUse
from tools.results import BatchItem, ResultStore, fit_batch

SLOTS = 10
# How often a call goes back to the gate because what it rests on has changed.
GROUND_RETURNS = 3
ANYTHING = Footprint((), known=False, writes=True)

State = Literal["preparing", "waiting", "asking", "queued", "running", "done"]


@dataclass(slots=True, eq=False)
class OpenCall:
    """A call the executor knows and its state."""

    index: int
    use: ToolUse
    ctx: ToolContext
    flight: Flight | None = None
    state: State = "preparing"
    footprint: Footprint = ANYTHING
    safe: bool = False
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    answered: Answered | None = None
    # Its task has taken its first step; before that, cancelling the task would leave no one to answer.
    begun: bool = False
    cancelled: bool = False

    @property
    def started(self) -> bool:
        """Whether any of its work may have been done."""
        return self.flight is not None and self.flight.started is not None


class Executor:
    """The calls of one reply. Make a new one for each."""

    def __init__(
        self,
        pipeline: Pipeline,
        make_context: Callable[[ToolUse], ToolContext],
        write_lock: Callable[[], AbstractAsyncContextManager[Any]],
        slots: int = SLOTS,
    ) -> None:
        self._pipeline = pipeline
        self._make_context = make_context
        self._write_lock = write_lock
        self._slots = slots
        self._calls: list[OpenCall] = []
        # In the model's order; what is finished leaves, so that a look at it stays short.
        self._open: dict[int, OpenCall] = {}
        self._running = 0
        self._one_ended = asyncio.Event()
        # Why nothing more may start.
        self._over: str | None = None

    # -- in

    def add(self, use: ToolUse) -> None:
        """A block is complete: prepare it at once. Nothing here waits."""
        call = OpenCall(len(self._calls), use, self._make_context(use))
        self._calls.append(call)
        if self._over is not None:
            call.ctx.cancellation.request(self._over)
        opened = self._pipeline.open(use, call.ctx)
        if isinstance(opened, Flight):
            try:
                _measure(call, opened)
            except Exception as error:
                opened = self._pipeline.answer_crash(use, error)
        if isinstance(opened, Answered):
            call.answered, call.state = opened, "done"
            return
        call.flight = opened
        self._open[call.index] = call
        call.task = asyncio.create_task(self._drive(call, opened))

    def cancel(self, call_id: str, reason: str) -> bool:
        """Cancel one call in whatever state it is. False when it is already answered or not known."""
        for call in self._open.values():
            if call.use.id == call_id:
                _cancel(call, reason)
                return True
        return False

    def cancel_all(self, reason: str) -> None:
        """Cancel every call, also those the model has not finished writing."""
        self._over = self._over or reason
        for call in self._open.values():
            _cancel(call, reason)

    def cancel_unstarted(self, reason: str) -> set[str]:
        """Cancel what has not started to run, also what is still to come; the ids of what has."""
        self._over = self._over or reason
        for call in self._open.values():
            if not call.started:
                _cancel(call, reason)
        return {call.use.id for call in self._calls if call.started}

    def message_arrived(self) -> None:
        """A new message of the person ends only the calls that are made to be ended by one."""
        for call in self._open.values():
            if call.flight is not None and call.flight.tool.interrupt_behavior == "cancel":
                _cancel(call, "a new message arrived")

    @property
    def states(self) -> dict[str, State]:
        return {call.use.id: call.state for call in self._calls}

    @property
    def empty(self) -> bool:
        return not self._calls

    # -- out

    async def answers(self) -> list[Answered]:
        """All answers, in the model's order, once every call has one."""
        tasks = [call.task for call in self._calls if call.task is not None]
        if tasks:
            await asyncio.gather(*tasks)
        return [call.answered for call in self._calls if call.answered is not None]

    # -- one call's way

    async def _drive(self, call: OpenCall, flight: Flight) -> None:
        call.begun = True
        try:
            if call.cancelled:
                call.answered = self._pipeline.answer_cancelled(call.use, call.ctx)
            else:
                call.answered = await self._to_the_end(call, flight)
        except asyncio.CancelledError:
            call.ctx.cancellation.request("the turn ended")
            call.answered = self._pipeline.answer_cancelled(call.use, call.ctx, flight.started)
        except Exception as error:
            call.answered = self._pipeline.answer_crash(call.use, error)
        finally:
            call.state = "done"
            del self._open[call.index]
            ended, self._one_ended = self._one_ended, asyncio.Event()
            ended.set()
            self._pump()
        if call.answered.stop:
            self.cancel_all(f"{call.answered.stopped_by} stopped the turn")

    async def _to_the_end(self, call: OpenCall, flight: Flight) -> Answered:
        for _ in range(GROUND_RETURNS + 1):
            refused = await self._through_the_gate(call, flight)
            if refused is not None:
                return refused
            outcome = await self._in_turn(call, flight)
            if isinstance(outcome, Answered):
                return outcome
        message = "The files or the rules kept changing while this waited; not run. Look again before you retry."
        return self._pipeline.answer_error(call.use, "failed", message, "ground_changed")

    async def _through_the_gate(self, call: OpenCall, flight: Flight) -> Answered | None:
        """Check and clear the call, after earlier ones that may still change what it is about."""
        call.state = "preparing"
        self._follow_folder(call, flight)
        await self._pipeline.check(flight)
        while self._must_wait_for_ground(call, flight):
            if call.state != "waiting":
                call.state = "waiting"
                self._pipeline.emit(ToolQueued(call.use.id, "waits for an earlier call about the same files"))
            await self._one_ended.wait()
            if not self._must_wait_for_ground(call, flight):
                self._follow_folder(call, flight)
                await self._pipeline.check(flight)
        call.state = "preparing"
        flight.on_question = lambda: self._now_asks(call, flight)
        judged = flight.input
        refused = await self._pipeline.clear(flight)
        if flight.input is not judged:
            _measure(call, flight)
        return refused

    def _now_asks(self, call: OpenCall, flight: Flight) -> None:
        """The call waits for a person: others may overtake it, judged by the input that a hook may have changed."""
        _measure(call, flight)
        call.state = "asking"
        self._pump()

    def _must_wait_for_ground(self, call: OpenCall, flight: Flight) -> bool:
        """Whether an earlier call may still make another file of what this one is about, or mend what is wrong."""
        doubtful = not flight.problem.ok and flight.problem.code != "denied"
        for earlier in self._open.values():
            if earlier.index >= call.index:
                return False
            if earlier.footprint.surely_apart(call.footprint):
                continue
            # A look mends too: what it shows may then be edited.
            if doubtful or (earlier.footprint.writes and earlier.footprint.known and call.footprint.known):
                return True
        return False

    async def _in_turn(self, call: OpenCall, flight: Flight) -> Answered | GroundChanged:
        """Run the call when the order lets it."""
        call.state = "queued"
        self._pump()
        try:
            if not call.turn.is_set():
                self._pipeline.emit(ToolQueued(call.use.id, self._why_queued(call)))
                await call.turn.wait()
            async with self._lock_for(call):
                return GroundChanged() if self._follow_folder(call, flight) else await self._pipeline.run(flight)
        finally:
            self._leave_slot(call)

    def _follow_folder(self, call: OpenCall, flight: Flight) -> bool:
        """Take over the working folder that an earlier call has changed; whether it has."""
        place = self._make_context(call.use).place
        if place == call.ctx.place:
            return False
        call.ctx.place = place
        _measure(call, flight)
        return True

    def _lock_for(self, call: OpenCall) -> AbstractAsyncContextManager[Any]:
        return self._write_lock() if call.footprint.writes and not call.safe else nullcontext()

    # -- order

    def _pump(self) -> None:
        """Give their turn to the calls that may start now, in the model's order."""
        earlier_open = False
        asking: list[Footprint] = []
        for call in self._open.values():
            if self._running >= self._slots:
                return
            if call.state == "queued" and not call.turn.is_set():
                if call.safe and all(call.footprint.surely_apart(other) for other in asking):
                    self._start(call)
                elif not call.safe and not earlier_open and self._running == 0:
                    self._start(call)
                    return
            if not call.safe:
                if call.state != "asking":
                    return
                asking.append(call.footprint)
            earlier_open = True

    def _start(self, call: OpenCall) -> None:
        self._running += 1
        call.state = "running"
        call.turn.set()

    def _leave_slot(self, call: OpenCall) -> None:
        if call.turn.is_set():
            call.turn.clear()
            self._running -= 1
            self._pump()

    def _why_queued(self, call: OpenCall) -> str:
        first = next(iter(self._open.values()))
        if self._running >= self._slots:
            return f"{self._slots} calls are running"
        if first is call:
            return "waits for the calls that overtook it"
        if first.state == "asking":
            return "an earlier call waits for your answer"
        return "an earlier call is not done"


def _measure(call: OpenCall, flight: Flight) -> None:
    """What the order rests on, from the input as it is now."""
    call.safe = flight.safe
    call.footprint = footprint_of(flight.tool, flight.input, flight.ctx.place)


def _cancel(call: OpenCall, reason: str) -> None:
    """Once: a second time would cut short the cleaning up after the first."""
    if call.cancelled or call.task is None:
        return
    call.cancelled = True
    call.ctx.cancellation.request(reason)
    if call.begun:
        call.task.cancel()


def message_of(answers: list[Answered], store: ResultStore) -> tuple[list[dict[str, Any]], list[str]]:
    """The result blocks of one message, within the budget of the batch, and the texts that go after them."""
    items = [BatchItem(answer.use.id, answer.fitted, answer.exempt) for answer in answers]
    fitted = fit_batch(items, store)
    blocks = [answer.result_block(one.content) for answer, one in zip(answers, fitted, strict=True)]
    return blocks, [text for answer in answers for text in answer.extra_messages]
