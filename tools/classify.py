"""The classifier's seat: in auto mode a call is judged while the hooks run, and the gate gets advice with a reason.

The analysis of the call goes first and at once: what nobody gets back or nobody can read is never put to a model, and
is left to the person. Empty text is never put to anybody. What the advice may do is the decision's affair.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from tools.flight import Flight
from tools.permissions.decision import Advice
from tools.permissions.subjects import CommandSubject
from tools.permissions.world import Call


@dataclass(frozen=True, slots=True)
class Question:
    """A call as a classifier sees it: the tool's own text for it, and the folder it would happen in."""

    tool: str
    text: str
    folder: str


class Classifier(Protocol):
    async def advise(self, question: Question) -> Advice | None:
        """Whether the call is harmless, and why; None where there is nobody to ask."""
        ...


class NoClassifier:
    async def advise(self, question: Question) -> Advice | None:
        return None


class Seat:
    """One call before the classifier; close it when the call has been decided."""

    def __init__(self, advice: Advice | None = None, task: asyncio.Task[Advice | None] | None = None) -> None:
        self._advice = advice
        self._task = task

    @property
    def busy(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def advice(self) -> Advice | None:
        """What was said so far."""
        if self._task is None or self.busy:
            return self._advice
        return self._task.result()

    async def heard_or(self, other: asyncio.Future[None]) -> None:
        """Wait until the advice is there, or something else has happened."""
        if self._task is not None:
            await asyncio.wait({self._task, other}, return_when=asyncio.FIRST_COMPLETED)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})


def take_seat(classifier: Classifier, flight: Flight) -> Seat:
    """Begin to judge the call, beside whatever else is going on."""
    text = flight.tool.classifier_text(flight.input)
    if not text or flight.call is None:
        return Seat()
    risk = risk_of(flight.call)
    if risk:
        return Seat(Advice(harmless=False, reason=risk))
    question = Question(flight.tool.name, text, flight.ctx.place.folder)
    return Seat(task=asyncio.create_task(_ask(classifier, question)))


def risk_of(call: Call) -> str:
    """Why only a person may let this call through, as far as an analysis can tell; empty where it cannot."""
    for subject in call.subjects:
        if not isinstance(subject, CommandSubject):
            continue
        if subject.destructive:
            return f"`{subject.text}` does what nobody gets back."
        if not subject.understood:
            return subject.why or f"What `{subject.text}` does is known only when it runs."
        if subject.hides_commands:
            return f"`{subject.text}` runs commands that cannot be read beforehand."
    return f"This {call.tool} call does what nobody gets back." if call.destructive else ""


async def _ask(classifier: Classifier, question: Question) -> Advice | None:
    try:
        return await classifier.advise(question)
    except Exception as error:
        # Whatever is wrong with it, the person can still be asked.
        return Advice(harmless=False, reason=f"The classifier failed: {type(error).__name__}: {error}.")
