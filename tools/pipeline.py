"""One call, from the model's block to its answer: thirteen steps in three parts.

    prepare   1 find the tool  2 cancelled already?  3 parse the input  4 check it, list its subjects, preview it
    gate      5 hooks and classifier  6 the hooks' word  7 decide, and ask if need be
    run       8 look again at what the gate saw  9 call  10 hooks  11 result block  12 size budget  13 finish

A failure in any step is data: an answer the model can act on. Only cancellation leaves as an exception, and the
executor answers that. Who waits for whom is the executor's affair; nothing here knows of other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import ValidationError

from tools.asking import Asker, Policy, changed_input
from tools.asking import Outcome as Passage
from tools.classify import Classifier, Seat, take_seat
from tools.context import ToolContext
from tools.contract import AnyTool, ContextChange, ResultContent, ToolError, ToolResult, Validation
from tools.events import CallEvent, Outcome, PermissionDecided, ToolFinished, ToolProgress, ToolStarted
from tools.faults import unexpected
from tools.files import hash_file
from tools.flight import Answered, Flight, GroundChanged, ToolUse, TurnStopped
from tools.hooks import BeforeWord, HookedCall, Hooks
from tools.inputs import ToolOutput
from tools.parse import parse
from tools.permissions.decision import Decision
from tools.permissions.explain import call_of
from tools.permissions.gate import Gate
from tools.permissions.past import PastCall
from tools.results import Fitted, ResultStore, fit, is_over, preview_of, readable, sendable, with_note
from tools.threads import in_thread

HOOK_CHANGES = 3
EFFECTIVE_ERROR_CHARS = 30_000
NOTES_CHARS = 10_000
# The tool that loads the schemas of deferred tools.
LOADER = "ToolSearch"
A_HOOK = "a hook"


class ToolFinder(Protocol):
    """The pool, as far as a call needs it."""

    def find(self, name: str) -> AnyTool | None: ...

    def names(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class PipelineParts:
    """What the calls of one conversation go through."""

    tools: ToolFinder
    policy: Policy
    gate: Gate
    agent: str
    hooks: Hooks
    classifier: Classifier
    results: ResultStore
    emit: Callable[[CallEvent], None]
    apply_change: Callable[[ContextChange], None]
    clock: Callable[[], float]


class Pipeline:
    def __init__(self, parts: PipelineParts) -> None:
        self.tools = parts.tools
        self.policy = parts.policy
        self.hooks = parts.hooks
        self.classifier = parts.classifier
        self.results = parts.results
        self.emit = parts.emit
        self.apply_change = parts.apply_change
        self.clock = parts.clock
        self.asker = Asker(parts.gate, parts.policy, parts.agent, self.check, self._change_input, self._on_question)
        self._parts_asked = 0

    # -- prepare

    def open(self, use: ToolUse, ctx: ToolContext) -> Flight | Answered:
        """Steps 1 to 3, at once and without waiting."""
        try:
            tool = self._find(use)
            if ctx.cancellation.requested:
                return self.answer_cancelled(use, ctx)
            return Flight(use, tool, self._parse(tool, use.input), ctx)
        except ToolError as error:
            return self.answer_error(use, "failed", error.message, error.code)
        except Exception as error:
            return self.answer_crash(use, error)

    def _find(self, use: ToolUse) -> AnyTool:
        """Step 1: by its name, then by another of its names, never by a similar one."""
        if not use.refusal.ok:
            raise ToolError(use.refusal.message, use.refusal.code)
        tool = self.tools.find(use.name)
        if tool is None:
            available = ", ".join(self.tools.names())
            raise ToolError(f"There is no tool named {use.name}. Available: {available}.", "no_such_tool")
        return tool

    def _parse(self, tool: AnyTool, raw: Any) -> Any:
        """Step 3. Whose schema the model has not been sent yet, it may have guessed: it is told how to get it."""
        try:
            return parse(tool, raw)
        except ToolError as error:
            if not tool.should_defer or self.tools.find(LOADER) is None:
                raise
            hint = f"If you have not loaded {tool.name}, load it first with {LOADER}: its fields are not known before."
            raise ToolError(f"{error.message} {hint}", error.code) from None

    async def check(self, flight: Flight) -> None:
        """Step 4. Its finding may be preliminary: it is run again when an earlier call may have changed the files."""
        tool, ctx = flight.tool, flight.ctx
        try:
            flight.call = call_of(tool, flight.input, ctx.place)
            flight.targets = self.asker.targets(flight)
            flight.problem = self.policy.denial(flight.call, ctx.place) or await tool.validate_input(flight.input, ctx)
            if flight.problem.ok:
                flight.preview = await tool.preview(flight.input, ctx)
        except ToolError as error:
            flight.problem = Validation(error.message, error.code)
        except Exception as error:
            flight.problem = Validation(_crashed(tool.name, error), "internal_error")

    # -- gate

    async def clear(self, flight: Flight) -> Answered | None:
        """Steps 5 to 7. None means: go on."""
        outcome = await self._pass_gate(flight)
        if outcome.refusal is None:
            return None
        how: Outcome = "denied" if outcome.denied else "failed"
        refused = self.answer_error(flight.use, how, outcome.refusal, outcome.code, notes=flight.notes)
        return replace(refused, stop=outcome.stop, stopped_by="the person" if outcome.by_person else A_HOOK)

    async def permits(self, use: ToolUse, tool: str, raw: Mapping[str, Any], ctx: ToolContext) -> bool:
        """Whether a sub-operation of a running call may go on: the same steps up to the gate, asked like any call."""
        self._parts_asked += 1
        part = ToolUse(f"{use.id}.{self._parts_asked}", tool, dict(raw))
        try:
            found = self._find(part)
            flight = Flight(part, found, self._parse(found, part.input), ctx)
        except ToolError:
            return False
        await self.check(flight)
        outcome = await self._pass_gate(flight)
        if outcome.stop:
            raise TurnStopped(outcome.refusal or "", outcome.code)
        return outcome.refusal is None

    async def _pass_gate(self, flight: Flight) -> Passage:
        try:
            outcome = await self._hooked_and_decided(flight)
        except ToolError as error:
            outcome = Passage(None, error.message, error.code)
        except Exception as error:
            outcome = Passage(None, _crashed(flight.tool.name, error), "internal_error")
        if outcome.decision is not None:
            self.emit(PermissionDecided(flight.use.id, outcome.decision, outcome.by_person, outcome.request_id))
            self._remember(flight, outcome.decision)
        flight.cleared_version = self.policy.version
        return outcome

    def _remember(self, flight: Flight, decision: Decision) -> None:
        if flight.call is not None:
            summary = flight.tool.summary(flight.input)
            self.policy.decided(PastCall(flight.use.id, flight.call, flight.ctx.place, summary, decision, flight.hook))

    async def _hooked_and_decided(self, flight: Flight) -> Passage:
        for _ in range(HOOK_CHANGES + 1):
            if not flight.problem.ok:
                return Passage(None, flight.problem.message, flight.problem.code)
            seat = self._seat(flight)
            try:
                if await self._hear_hooks(flight):
                    outcome = await self.asker.decide(flight, seat)
                    return replace(outcome, stop=outcome.stop or flight.stopped_by_hook)
            finally:
                await seat.close()
        return Passage(None, "Hooks kept changing the input; not run.", "ground_changed")

    def _seat(self, flight: Flight) -> Seat:
        """Step 5: the classifier begins together with the hooks, unless rules or mode have decided already."""
        flight.hook = flight.advice = None
        return take_seat(self.classifier, flight) if self.asker.wants_advice(flight) else Seat()

    async def _hear_hooks(self, flight: Flight) -> bool:
        """Whether the input is as it was; where they changed it, they are to be heard again."""
        word = await self.hooks.before(hooked(flight))
        flight.hook = word.verdict
        flight.stopped_by_hook = flight.stopped_by_hook or word.stop
        flight.note(word.context)
        return not await self._changed_by_hook(flight, word)

    async def _changed_by_hook(self, flight: Flight, word: BeforeWord) -> bool:
        """Step 6: a changed input begins again at step 3. What is denied anyway is not changed before."""
        if word.updated_input is None or (word.verdict is not None and word.verdict.kind == "deny"):
            return False
        try:
            changed = self._parse(flight.tool, dict(word.updated_input))
        except ToolError as error:
            raise ToolError(f"A hook changed the input to one that is not valid. {error.message}", error.code) from None
        if changed == flight.input:
            return False
        flight.input = changed
        await self.check(flight)
        flight.note(changed_input("A hook changed the input", word.updated_input))
        return True

    async def _on_question(self, flight: Flight) -> BeforeWord:
        return await self.hooks.on_question(hooked(flight))

    async def _change_input(self, flight: Flight, changed: Mapping[str, Any]) -> None:
        """What the person wrote is parsed, checked and put to the hooks like any other input."""
        flight.input = self._parse(flight.tool, dict(changed))
        await self.check(flight)
        for _ in range(HOOK_CHANGES + 1):
            if not flight.problem.ok or await self._hear_hooks(flight):
                return
        raise ToolError("Hooks kept changing the input; not run.", "ground_changed")

    # -- run

    async def run(self, flight: Flight) -> Answered | GroundChanged:
        """Steps 8 to 13, in the call's slot."""
        use, tool = flight.use, flight.tool
        try:
            if await self._ground_changed(flight):
                return GroundChanged()
            flight.started = self.clock()
            self.emit(ToolStarted(use.id))
            result = await tool.call(flight.input, flight.ctx)
            data, plain = await self._after_hooks(flight, result.data)
            content = sendable(tool.to_result_block(data))
            return await self._finish(flight, result, plain, content)
        except TurnStopped as stopped:
            refused = self.answer_error(use, "denied", stopped.message, stopped.code, duration=self._duration(flight))
            return replace(refused, stop=True)
        except ToolError as error:
            return await self._failed(flight, error.message, error.code)
        except Exception as error:
            return await self._failed(flight, _crashed(tool.name, error), "internal_error")

    async def _ground_changed(self, flight: Flight) -> bool:
        """Step 8: the files' hashes, where links lead, the rules and the mode."""
        if flight.cleared_version != self.policy.version:
            return True
        if self.asker.targets(flight) != flight.targets:
            return True
        for ground in flight.preview.ground:
            if await in_thread(hash_file, ground.path) != ground.hash:
                return True
        return False

    async def _after_hooks(self, flight: Flight, data: ToolOutput) -> tuple[ToolOutput, Mapping[str, Any]]:
        """Step 10: before the result is mapped and stored, so that a hook can change it. The output, also as data."""
        plain = data.model_dump(mode="json")
        word = await self.hooks.after(hooked(flight), plain)
        flight.take(word)
        if word.updated_output is None:
            return data, plain
        try:
            changed = flight.tool.Output.model_validate(dict(word.updated_output))
        except ValidationError:
            flight.note("A hook's change of the output was not used: it has not the form of the output.")
            return data, plain
        return changed, changed.model_dump(mode="json")

    async def _finish(
        self, flight: Flight, result: ToolResult[Any], plain: Mapping[str, Any], content: ResultContent
    ) -> Answered:
        """Steps 12 and 13."""
        use, limit = flight.use, flight.tool.max_result_chars
        if is_over(content, limit):
            fitted = await in_thread(fit, content, limit, self.results, result.stored_at)
        else:
            fitted = Fitted(content, result.stored_at)
        fitted = with_note(fitted, _joined(flight.notes))
        if result.context_change is not None and not flight.safe:
            self.apply_change(result.context_change)
        self.emit(ToolFinished(use.id, "ok", data=plain, stored=fitted.stored, duration=self._duration(flight)))
        answered = Answered(use, "ok", fitted, exempt=limit is None, extra_messages=result.extra_messages)
        return replace(answered, stop=flight.stop, stopped_by=A_HOOK)

    async def _failed(self, flight: Flight, message: str, code: str) -> Answered:
        try:
            flight.take(await self.hooks.after_failure(hooked(flight), message))
        except Exception as error:
            flight.note(_crashed("A hook after the failure", error))
        duration = self._duration(flight)
        answered = self.answer_error(flight.use, "failed", message, code, notes=flight.notes, duration=duration)
        return replace(answered, stop=flight.stop, stopped_by=A_HOOK)

    def _duration(self, flight: Flight) -> float:
        return self.clock() - flight.started if flight.started is not None else 0.0

    # -- answers

    def answer_error(
        self,
        use: ToolUse,
        outcome: Outcome,
        message: str,
        code: str,
        *,
        notes: Sequence[str] = (),
        duration: float = 0.0,
    ) -> Answered:
        message = readable(message)
        fitted = with_note(fit(message, EFFECTIVE_ERROR_CHARS, self.results), _joined(notes))
        self.emit(ToolFinished(use.id, outcome, code=code, error=message, stored=fitted.stored, duration=duration))
        return Answered(use, outcome, fitted, code)

    def answer_crash(self, use: ToolUse, error: Exception) -> Answered:
        return self.answer_error(use, "failed", _crashed(use.name, error), "internal_error")

    def answer_cancelled(self, use: ToolUse, ctx: ToolContext, started: float | None = None) -> Answered:
        reason = ctx.cancellation.reason or "interrupted"
        done = "It was not executed." if started is None else "It had started; what it did so far stays."
        duration = 0.0 if started is None else self.clock() - started
        return self.answer_error(use, "cancelled", f"Cancelled: {reason}. {done}", "cancelled", duration=duration)


def progress_of(use: ToolUse, emit: Callable[[CallEvent], None]) -> Callable[[ToolOutput], None]:
    return lambda data: emit(ToolProgress(use.id, data.model_dump(mode="json")))


def hooked(flight: Flight) -> HookedCall:
    observable: Mapping[str, Any] = flight.tool.observable_input(flight.input, flight.ctx.place)
    return HookedCall(flight.use.id, flight.tool.name, observable)


def _joined(notes: Sequence[str]) -> str:
    return preview_of(readable("\n".join(notes)), NOTES_CHARS)


def _crashed(name: str, error: Exception) -> str:
    return f"{unexpected(name, error)} Try another way."
