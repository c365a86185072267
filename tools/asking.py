"""Step 7: the decision on a call, and the conversation with the person when it has to be asked.

A question stays true while it is open: when a file under it or the rules change, the call is checked again and the
question gets a new revision, or is withdrawn because it is no longer needed or no longer allowed.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tools.classify import Seat
from tools.context import Place
from tools.contract import ToolError, Validation, Verdict
from tools.events import PermissionRequest
from tools.flight import Flight
from tools.hooks import SILENT_BEFORE, BeforeWord
from tools.permissions.decide import STRICTNESS, Call, World, decide
from tools.permissions.decision import Decision
from tools.permissions.explain import raw_input
from tools.permissions.gate import Answer, Gate, Pending, Recheck
from tools.permissions.past import PastCall


class Policy(Protocol):
    """The session's rules, mode and trust, as they are now. `version` changes whenever one of them does."""

    @property
    def version(self) -> int: ...

    @property
    def mode(self) -> str: ...

    def world(self, place: Place, hook: Verdict | None = None) -> World: ...

    def denial(self, call: Call, place: Place) -> Validation | None:
        """A deny rule's word, before any file is looked at; None where no deny rule speaks."""
        ...

    def suggestions(self, call: Call, place: Place) -> tuple[tuple[str, ...], ...]:
        """Rules that, once saved, allow this very call, from narrow to wide; none where "always" is not offered."""
        ...

    async def grant(self, answer: Answer, suggested: tuple[str, ...]) -> None:
        """Take an answer for the turn or for always into the rules. Raises ValueError where it cannot be saved."""
        ...

    def decided(self, past: PastCall) -> None:
        """Remember how a call was decided."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the gate ended. `refusal` is the sentence for the model; None means the call may run.

    `decision` is None where nothing was decided, because the call had failed before.
    """

    decision: Decision | None
    refusal: str | None = None
    code: str = ""
    by_person: bool = False
    stop: bool = False
    request_id: str = ""

    @property
    def denied(self) -> bool:
        return self.by_person or self.code == "denied"


@dataclass(frozen=True, slots=True)
class Asker:
    gate: Gate
    policy: Policy
    agent: str
    # Runs step 4 again on a waiting call.
    recheck: Callable[[Flight], Awaitable[None]]
    # Steps 3 to 6 on another input than the model's; raises ToolError where it cannot be parsed.
    change_input: Callable[[Flight, Mapping[str, Any]], Awaitable[None]]
    # What PermissionRequest hooks say before a person is asked.
    hooks_on_question: Callable[[Flight], Awaitable[BeforeWord]]

    async def decide(self, flight: Flight, seat: Seat) -> Outcome:
        await self._hear(flight, seat)
        decision = self._decision(flight)
        if decision.kind != "ask":
            return _settled(flight, decision)
        if flight.approved:
            return Outcome(decision, by_person=True)
        word = await self.hooks_on_question(flight)
        if word is not SILENT_BEFORE:
            await self._take(flight, word)
            decision = self._decision(flight)
            if decision.kind != "ask":
                return replace(_settled(flight, decision), stop=word.stop)
        return await self._ask(flight, decision)

    def wants_advice(self, flight: Flight) -> bool:
        """Whether a classifier's advice may still decide: in auto mode, and where rules and hooks have not."""
        return self.policy.mode == "auto" and not flight.approved and self._decision(flight).by_default

    def targets(self, flight: Flight) -> tuple[str, ...]:
        """Where the call's paths lead now."""
        return self.policy.world(flight.ctx.place).targets(flight.call) if flight.call is not None else ()

    async def _hear(self, flight: Flight, seat: Seat) -> None:
        """Wait for the advice, but no longer than it may still decide."""
        while seat.busy and self.wants_advice(flight):
            with self.gate.next_change() as change:
                await seat.heard_or(change)
        flight.advice = seat.advice

    async def _take(self, flight: Flight, word: BeforeWord) -> None:
        """What hooks said of the question itself: for the model, and perhaps another input, judged again."""
        flight.note(word.context)
        if word.updated_input is not None and not (word.verdict and word.verdict.kind == "deny"):
            before = flight.input
            refused = await self._change(flight, word.updated_input)
            if refused:
                await self.recheck(flight)
                flight.note(f"A hook's change of the input was not used: {refused}")
            elif flight.input != before:
                flight.note(changed_input("A hook changed the input", word.updated_input))
        flight.hook = _stricter(flight.hook, word.verdict)

    def _decision(self, flight: Flight) -> Decision:
        assert flight.call is not None, "step 4 comes before the gate"
        return decide(flight.call, replace(self.policy.world(flight.ctx.place, flight.hook), advice=flight.advice))

    async def _ask(self, flight: Flight, decision: Decision) -> Outcome:
        pending = self.gate.ask(self._request(flight, decision), self.agent, flight.preview.ground)
        try:
            if not pending.answered:
                flight.on_question()
            while True:
                match await pending.next_word():
                    case Recheck(why):
                        outcome = await self._look_again(flight, pending, why)
                    case Answer() as answer if answer.allows:
                        outcome = await self._allowed(flight, pending, answer)
                    case Answer() as answer:
                        outcome = self._refused(flight, pending, answer)
                if outcome is not None:
                    return outcome
        except BaseException:
            self.gate.withdraw(pending, "the call was cancelled")
            raise

    async def _look_again(self, flight: Flight, pending: Pending, why: str, *, anew: bool = False) -> Outcome | None:
        """The ground or the rules changed: go on, refuse, ask anew, or leave the question as it stands.

        `anew`: ask again in any case, because an answer was given that could not be taken.
        """
        await self.recheck(flight)
        decision, request_id = self._decision(flight), pending.request.id
        if decision.kind != "ask":
            now = f"allowed now: {decision.reason}" if decision.kind == "allow" else decision.reason
            self.gate.withdraw(pending, now)
            return replace(_settled(flight, decision), request_id=request_id)
        request = self._request(flight, decision)
        if anew or (request, flight.preview.ground) != (pending.request, pending.ground):
            self.gate.update(pending, request, flight.preview.ground, why)
        return None

    async def _allowed(self, flight: Flight, pending: Pending, answer: Answer) -> Outcome | None:
        """A yes to what was shown. What is something else by now is shown first."""
        always = pending.request.always
        if self.targets(flight) != flight.targets:
            return await self._look_again(flight, pending, "a link now leads elsewhere", anew=True)
        if answer.input is not None:
            before = flight.input
            refused = await self._change(flight, answer.input)
            if refused:
                return await self._look_again(flight, pending, f"the changed input: {refused}", anew=True)
            flight.changed_by_person = flight.changed_by_person or flight.input != before
            request = self._request(flight, self._decision(flight))
            always = request.always
            changed_again = flight.input != flight.tool.parse_input(dict(answer.input))
            if changed_again or _demands_more(request, pending.request):
                why = "a hook changed it once more" if changed_again else "changed like this it asks for another reason"
                self.gate.update(pending, request, flight.preview.ground, why)
                return None
        decision = self._decision(flight)
        if decision.kind == "deny":
            # The rules have changed since the question was shown.
            return await self._look_again(flight, pending, decision.reason, anew=True)
        try:
            await self.policy.grant(answer, always)
        except (OSError, ValueError) as error:
            unsaved = replace(pending.request, always=(), stops=())
            self.gate.update(pending, unsaved, pending.ground, f"the rule could not be saved: {error}")
            return None
        self._approve(flight, answer)
        self.gate.close(pending)
        return Outcome(decision, by_person=True, request_id=pending.request.id)

    def _approve(self, flight: Flight, answer: Answer) -> None:
        flight.approve()
        if flight.changed_by_person:
            flight.note(changed_input("The person changed the input before it ran", raw_input(flight.input)))
        if answer.comment:
            flight.note(f"The person said: {answer.comment}")

    async def _change(self, flight: Flight, changed: Mapping[str, Any]) -> str:
        """Put what somebody else wrote in place of the input; or why that cannot be."""
        before = flight.input, flight.hook, flight.advice
        # It was about what the model wrote.
        flight.advice = None
        try:
            await self.change_input(flight, changed)
            decision = self._decision(flight)
            refused = decision.reason if decision.kind == "deny" else flight.problem.message
        except ToolError as error:
            refused = error.message
        if refused:
            flight.input, flight.hook, flight.advice = before
        return refused

    def _refused(self, flight: Flight, pending: Pending, answer: Answer) -> Outcome:
        request = pending.request
        self.gate.close(pending)
        code = "ground_changed" if answer.kind == "tell_model" else "denied"
        refusal = _refusal(flight, answer, request)
        return Outcome(request.decision, refusal, code, True, answer.kind == "stop", request.id)

    def _request(self, flight: Flight, decision: Decision) -> PermissionRequest:
        assert flight.call is not None, "step 4 comes before the gate"
        tool, ctx = flight.tool, flight.ctx
        stops = self.policy.suggestions(flight.call, ctx.place)
        return PermissionRequest(
            id=f"ask-{flight.use.id}",
            call_id=flight.use.id,
            tool=tool.name,
            input=tool.observable_input(flight.input, ctx.place),
            summary=tool.summary(flight.input),
            decision=decision,
            preview=flight.preview.blocks,
            destructive=flight.call.destructive,
            always=stops[0] if stops else (),
            stops=stops,
            problem=flight.problem.message,
            folder=ctx.folder,
            leads=self.policy.world(ctx.place).leads(flight.call),
        )


def _demands_more(changed: PermissionRequest, shown: PermissionRequest) -> bool:
    """Whether the changed call asks for a reason that the person has not seen yet."""
    return bool(_demands(changed.decision) - _demands(shown.decision)) or changed.destructive > shown.destructive


def _demands(decision: Decision) -> set[tuple[str, str]]:
    asking = (step for step in decision.trace if step.verdict == "ask")
    return {(step.source, step.reason) for step in asking if step.source not in ("default", "classifier")}


def changed_input(how: str, changed: Mapping[str, Any]) -> str:
    """The word for the model when something else ran than it wrote."""
    return f"{how}; what ran: {json.dumps(dict(changed), ensure_ascii=False)}"


def _settled(flight: Flight, decision: Decision) -> Outcome:
    """The end without a question; a call that is allowed may still have become impossible."""
    if decision.kind == "deny":
        return Outcome(decision, _denied(flight, decision.reason), "denied")
    problem = flight.problem
    return Outcome(decision) if problem.ok else Outcome(decision, problem.message, problem.code)


def _stricter(first: Verdict | None, second: Verdict | None) -> Verdict | None:
    said = [verdict for verdict in (first, second) if verdict is not None]
    return max(said, key=lambda verdict: STRICTNESS[verdict.kind], default=None)


def _denied(flight: Flight, reason: str) -> str:
    return f"{flight.tool.name} was denied: {reason}"


def _refusal(flight: Flight, answer: Answer, request: PermissionRequest) -> str:
    name = flight.tool.name
    match answer.kind:
        case "tell_model":
            return request.problem or f"{name} was not run: the file has changed since. Read it again."
        case "stop":
            return f"The person denied {name} and stopped the turn. {answer.comment}".strip()
        case _ if answer.comment:
            return f"The person denied {name} and said: {answer.comment}"
        case _ if not answer.nobody:
            return f"The person denied {name}. Do it another way or ask what to do instead."
        case _:
            reason = request.decision.reason
            return f"{name} was denied: nobody allowed it ({reason}). Do it another way or ask what to do instead."
