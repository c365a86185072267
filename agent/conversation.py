"""One conversation with the model, the main one or a sub-agent's: its messages, its calls, its loop.

The history only grows, and what was sent once is sent again byte for byte. Every call in it has its answer in the next
message, whatever became of the call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, cast

from agent.context.reminders import OutsideEdit, outside_edits_note
from agent.events import (
    Event,
    ModelAsked,
    Notice,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from agent.hooks import PromptWord
from agent.model.base import CUT_SHORT, Model, Plain, Request
from agent.model.normalize import normalized
from agent.model.retry import with_retries
from agent.reply import ReplyReader
from agent.waiting import Waiting
from tools.context import Cancellation, Place, ToolContext, Workspace
from tools.contract import ContextChange
from tools.events import CallEvent, ToolInputReady, ToolInputStarted
from tools.executor import Executor, message_of
from tools.faults import unexpected
from tools.ledger.seen import Seen
from tools.pipeline import Answered, Pipeline, PipelineParts, ToolUse, progress_of

MAX_REQUESTS = 200
MAX_PAUSES = 5

CUT = (
    "Your last reply was cut at the output limit. A call that was cut was not executed. "
    "Go on from where it stopped, in smaller steps."
)
INTERRUPTED = TurnEnded("interrupted", "Interrupted. What was done stays.")
EMPTY = "Your last reply was empty. Go on with the task, or say in a sentence that it is done."


T = TypeVar("T")


class TurnHooks(Protocol):
    """What may speak before a message is sent and before the model stops (`agent.hooks.SessionHooks`)."""

    async def submitted(self, agent: str, prompt: str) -> PromptWord: ...

    async def stopping(self, agent: str, last: str, objections: int) -> str: ...


@dataclass(frozen=True, slots=True)
class ConversationParts:
    """What a conversation is made of; `assemble.py` puts it together."""

    agent: str
    model: Model
    # Model name, system prompt and tools: frozen. The messages are the conversation's own.
    request: Request
    pipeline: Callable[[Callable[[CallEvent], None], Callable[[ContextChange], None]], PipelineParts]
    emit: Callable[[Event], None]
    place: Place
    workspace: Workspace
    write_lock: Callable[[], AbstractAsyncContextManager[Any]]
    clock: Callable[[], float]
    # Called with each message as it joins the history.
    record: Callable[[Plain], None]
    # Called when a turn is over: the records are on disk after it, or it says why not.
    turn_over: Callable[[Seen], Awaitable[str]]
    hooks: TurnHooks
    # Called when only so many of the messages count from here on.
    keep: Callable[[int], None] = lambda _: None
    # Texts that go before the person's first words: instruction files, the date.
    opening: tuple[str, ...] = ()
    # What happened since the last message that the model has not heard of, such as the end of a task.
    news: Callable[[], Sequence[str]] = tuple
    max_requests: int = MAX_REQUESTS
    # Returns once what others did so far is told, so that the person's next words carry it.
    settled: Callable[[], Coroutine[Any, Any, None]] | None = None


class Conversation:
    def __init__(
        self, parts: ConversationParts, messages: Sequence[Plain] = (), seen: Seen | None = None, turns: int = 0
    ) -> None:
        self.agent = parts.agent
        self.messages: list[Plain] = list(messages)
        self.seen = seen or Seen()
        self.place = parts.place
        self.workspace = parts.workspace
        # Those of the runs before this one, too.
        self.turns = turns
        # How many replies there were: what tells the calls of one message from those of the next.
        self._replies = 0
        self._parts = parts
        self._pipeline = Pipeline(parts.pipeline(parts.emit, self._apply))
        # Of the reply that is worked on, and of what the person runs meanwhile.
        self._executors: list[Executor] = []
        self._opening = parts.opening
        # What the turn waits for and an interruption ends: a reply, or hooks.
        self._awaited: asyncio.Future[Any] | None = None
        self._interrupted = False
        self._waiting = Waiting(parts.emit, self._hear)
        self._remembered: list[str] = []
        self._outside: dict[str, OutsideEdit] = {}

    # -- commands

    def start(self, text: str) -> asyncio.Task[TurnEnded]:
        """Work on what the person wrote until the model is done, or somebody stops it, which they may do at once."""
        self._interrupted = False
        return asyncio.create_task(self._turns_from(text, len(self._waiting)))

    def queue(self, text: str) -> None:
        """A message while calls run: delivered after them."""
        self._waiting.add(text)
        for executor in self._executors:
            executor.message_arrived()

    def take_back(self) -> list[str]:
        """The messages that wait, back to the person who wrote them."""
        return self._waiting.take_back()

    def remember(self, text: str) -> None:
        """Something the model hears before the person's next words."""
        self._remembered.append(text)

    def open_with(self, opening: tuple[str, ...]) -> None:
        """Other texts before the person's first words; where those were spoken, they go before the next ones."""
        if self.messages:
            self._remembered += [text for text in opening if text not in self._opening]
        self._opening = opening

    def note_outside_edit(self, edit: OutsideEdit) -> None:
        """The model is told with its next message, where, never what; if that is not what it has seen by then."""
        self._outside[edit.path] = edit

    async def cut(self, count: int) -> list[Plain]:
        """Only the first messages count from here on; those that are gone. Files have to be read again."""
        gone = self.messages[count:]
        del self.messages[count:]
        self._remembered.clear()
        self.seen.forget()
        self._parts.keep(count)
        await self._parts.turn_over(self.seen)
        return gone

    async def put_back(self, messages: Sequence[Plain]) -> None:
        """What was cut off follows again."""
        for message in messages:
            self._append(message)
        await self._parts.turn_over(self.seen)

    def interrupt(self, reason: str = "interrupted by the person") -> None:
        """Stop reading the reply and end all its calls; each still gets its answer."""
        self._interrupted = True
        if self._awaited is not None:
            self._awaited.cancel()
        for executor in self._executors:
            executor.cancel_all(reason)

    def cancel(self, call_id: str, reason: str = "cancelled by the person") -> bool:
        return any(executor.cancel(call_id, reason) for executor in self._executors)

    # -- the loop

    async def _turns_from(self, text: str, before: int) -> TurnEnded:
        ended = await self._turn(text, before)
        while ended.reason == "done" and self._waiting:
            # It came while the records were saved, and found no turn to join.
            ended = await self._turn(self._waiting.take_first())
        return ended

    async def _turn(self, text: str, before: int = 0) -> TurnEnded:
        """`before` of the messages that wait, since a turn was stopped, were said before this one."""
        self.turns += 1
        self._parts.emit(TurnStarted(self.turns, len(self.messages)))
        try:
            waited = await self._waiting.take(before)
            self._parts.emit(UserMessage(text))
            ended = await self._begin(text, waited) or await self._work()
        except Exception as error:
            ended = TurnEnded("failed", unexpected("The turn", error))
        self._parts.emit(ended)
        if problem := await self._parts.turn_over(self.seen):
            self._parts.emit(Notice(problem, "warning"))
        return ended

    async def _begin(self, text: str, waited: Sequence[str]) -> TurnEnded | None:
        """Take the person's words into the history; or why they are not."""
        word = await self._hear(text)
        if waited and (word is None or word.refusal):
            self._append_user(waited)
        if word is None:
            return TurnEnded("interrupted", "Interrupted. The message was not sent.")
        if word.refusal:
            return TurnEnded("stopped", f"The message was not sent. {word.refusal}")
        if self._parts.settled is not None:
            await self._unless_interrupted(self._parts.settled())
        opening = () if self.messages else self._opening
        remembered, self._remembered = self._remembered, []
        self._append_user([*opening, *remembered, *waited, word.context, text])
        return None

    async def _work(self) -> TurnEnded:
        nudges = {CUT: 1, EMPTY: 1}
        pauses, objections = MAX_PAUSES, 0
        for _ in range(self._parts.max_requests):
            reader, answers = await self._one_reply()
            ended = self._end_of(reader, answers)
            if answers:
                blocks, extra = message_of(answers, self._pipeline.results)
                cut = [CUT] if reader.stop_reason in CUT_SHORT else []
                self._append_user([*blocks, *extra, *([] if ended else [*cut, *await self._waiting.take()])])
            if ended is not None:
                return ended
            if self._interrupted:
                return INTERRUPTED
            if answers:
                continue
            if queued := await self._waiting.take():
                self._append_user(queued)
                continue
            if reader.stop_reason == "pause_turn" and pauses > 0:
                pauses -= 1
                continue
            nudge = _nudge(reader)
            if nudge is None or nudges.pop(nudge, None) is None:
                ended = _last_word(reader)
                nudge = await self._objection(ended, reader, objections)
                if not nudge:
                    return ended
                objections += 1
            self._append_user([nudge])
        return TurnEnded("max_turns", f"The turn took {self._parts.max_requests} requests; say go on to continue.")

    async def _one_reply(self) -> tuple[ReplyReader, list[Answered]]:
        with self._executing() as executor:
            reader = ReplyReader(self._parts.emit, executor.add)
            request = replace(self._parts.request, messages=normalized(self.messages))
            self._parts.emit(ModelAsked())
            await self._unless_interrupted(reader.read(with_retries(self._parts.model, request)))
            if self._interrupted:
                executor.cancel_all("interrupted by the person")
            if reader.stop_reason == "refusal":
                self._discard_refused(reader, executor)
            if reader.blocks:
                # Before the calls are done: a crash while they run must not lose what the model said.
                self._append({"role": "assistant", "content": reader.blocks})
            kept = {block.get("id") for block in reader.blocks}
            return reader, [answer for answer in await executor.answers() if answer.use.id in kept]

    async def _hear(self, text: str) -> PromptWord | None:
        """What the hooks say of a message; None once the person has interrupted the turn."""
        return await self._unless_interrupted(self._parts.hooks.submitted(self.agent, text))

    async def _unless_interrupted(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What comes of it; None once the person has interrupted the turn."""
        if self._interrupted:
            work.close()
            return None
        self._awaited = awaited = asyncio.ensure_future(work)
        try:
            return await awaited
        except asyncio.CancelledError:
            if not self._interrupted:
                raise
            return None
        finally:
            self._awaited = None

    async def run_calls(self, uses: Sequence[ToolUse]) -> list[Answered]:
        """Calls that no model asked for, such as a script's or the person's own: the same way, the same ledger."""
        with self._executing() as executor:
            for use in uses:
                self._parts.emit(ToolInputStarted(use.id, use.name))
                raw: object = use.input
                given = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
                self._parts.emit(ToolInputReady(use.id, given))
                executor.add(use)
            return await executor.answers()

    @contextmanager
    def _executing(self) -> Generator[Executor]:
        """An executor for the calls of one message; whatever ends the work with it, none of them goes on alone."""
        self._replies += 1
        message = f"{self.agent}-{self._replies}"
        executor = Executor(self._pipeline, lambda use: self._context(use, message), self._parts.write_lock)
        self._executors.append(executor)
        try:
            yield executor
        finally:
            executor.cancel_all("the program ends")
            self._executors.remove(executor)

    def _discard_refused(self, reader: ReplyReader, executor: Executor) -> None:
        """A refused reply is not kept, and starts nothing more; calls that already ran stay, with their answers."""
        started = executor.cancel_unstarted("the model refused to go on")
        reader.blocks[:] = [block for block in reader.blocks if block.get("id") in started]

    async def _objection(self, ended: TurnEnded, reader: ReplyReader, objections: int) -> str | None:
        """Why hooks want the model to go on, now that it is done."""
        if ended.reason != "done":
            return None
        stopping = self._parts.hooks.stopping(self.agent, _said(reader), objections)
        return await self._unless_interrupted(stopping)

    def _end_of(self, reader: ReplyReader, answers: list[Answered]) -> TurnEnded | None:
        if self._interrupted:
            return INTERRUPTED
        if stopped := next((answer for answer in answers if answer.stop), None):
            by_person = stopped.stopped_by == "the person"
            return TurnEnded("stopped", "Denied, and the turn was stopped." if by_person else "A hook ended the turn.")
        if reader.stop_reason == "refusal":
            why = str(reader.stop_details.get("explanation") or reader.stop_details.get("category") or "")
            return TurnEnded("refused", f"The model refused to answer. {why}".strip())
        if reader.error is not None and not answers:
            return TurnEnded("failed", str(reader.error))
        if reader.error is not None:
            what = f"The reply broke off: {reader.error} The calls that were complete have run."
            self._parts.emit(Notice(what, "warning"))
        return None

    # -- messages

    def _append_user(self, parts: Sequence[str | Plain]) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts if part]
        content += [{"type": "text", "text": text} for text in self._parts.news()]
        outside = [edit for edit in self._outside.values() if self.seen.is_outdated(edit.path, edit.hash)]
        self._outside.clear()
        if outside:
            content.append({"type": "text", "text": outside_edits_note(outside)})
        if content:
            self._append({"role": "user", "content": content})

    def _append(self, message: Plain) -> None:
        self.messages.append(message)
        self._parts.record(message)

    # -- calls

    def _context(self, use: ToolUse, message: str) -> ToolContext:
        return ToolContext(
            call_id=use.id,
            agent=self.agent,
            parent_message=message,
            place=self.place,
            workspace=self.workspace,
            seen=self.seen,
            progress=progress_of(use, self._parts.emit),
            may_i=lambda tool, input: self._pipeline.permits(use, tool, input, self._context(use, message)),
            clock=self._parts.clock,
            cancellation=Cancellation(),
        )

    def _apply(self, change: ContextChange) -> None:
        if change.folder is not None:
            self.place = replace(self.place, folder=change.folder)


def _nudge(reader: ReplyReader) -> str | None:
    if reader.stop_reason in CUT_SHORT:
        return CUT
    return None if _said(reader) or reader.stop_reason == "stop_sequence" else EMPTY


def _said(reader: ReplyReader) -> str:
    return "\n".join(str(block.get("text", "")) for block in reader.blocks if block.get("type") == "text").strip()


def _last_word(reader: ReplyReader) -> TurnEnded:
    if reader.stop_reason in CUT_SHORT:
        return TurnEnded("cut", "The reply was cut at the output limit.")
    if reader.stop_reason == "tool_use":
        return TurnEnded("done", "The model announced a call and made none.")
    return TurnEnded("done")
