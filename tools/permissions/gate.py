"""The gate: it holds every question that waits for a person, of all conversations of a session.

It does not decide (that is `decide`) and it does not look at files (that is the pipeline). It keeps the open requests
with their revisions, gives an answer to the call that waits for it, and wakes the waiting calls when their ground or
the rules have changed, so that they update or withdraw their question themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.contract import Ground
from tools.events import CallEvent, PermissionRequest, PermissionRequested, PermissionUpdated, PermissionWithdrawn

AnswerKind = Literal["once", "turn", "always", "no", "stop", "tell_model"]
# Where "always" is kept; only for this session in no file at all.
SavingScope = Literal["session", "local", "project", "user"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said. `input` is what they changed the call to; `comment` goes to the model.

    `nobody`: there is no person, and what would ask them is denied."""

    kind: AnswerKind
    rules: tuple[str, ...] = ()
    scope: SavingScope = "local"
    comment: str = ""
    input: Mapping[str, Any] | None = None
    nobody: bool = False

    @property
    def allows(self) -> bool:
        return self.kind in ("once", "turn", "always")


@dataclass(frozen=True, slots=True)
class Recheck:
    """No answer, but something the question rests on has changed."""

    why: str


@dataclass(slots=True)
class Pending:
    """One open question."""

    request: PermissionRequest
    agent: str
    ground: tuple[Ground, ...]
    revision: int = 1
    answered: bool = False
    _words: asyncio.Queue[tuple[int, Answer | Recheck]] = field(
        default_factory=asyncio.Queue[tuple[int, Answer | Recheck]]
    )

    async def next_word(self) -> Answer | Recheck:
        """The answer, or a word that the ground has changed; an answer to an older revision is void."""
        while True:
            revision, word = await self._words.get()
            if isinstance(word, Recheck) or revision == self.revision:
                return word

    def tell(self, word: Answer | Recheck) -> None:
        self._words.put_nowait((self.revision, word))


# Answers at once, without a person: headless use says no, `--yes` says yes. None leaves it to a person.
Answerer = Callable[[PermissionRequest], Answer | None]
Emit = Callable[[CallEvent, str], None]


def nobody(_: PermissionRequest) -> Answer | None:
    return None


class Gate:
    def __init__(self, emit: Emit, answerer: Answerer = nobody) -> None:
        self._emit = emit
        self._answerer = answerer
        self._open: dict[str, Pending] = {}
        # A call that comes back asks under the same id; numbering on keeps a late answer to the first question void.
        self._revisions: dict[str, int] = {}
        self._watching: set[asyncio.Future[None]] = set()

    @property
    def waiting(self) -> tuple[Pending, ...]:
        """The open questions, oldest first."""
        return tuple(self._open.values())

    def ask(self, request: PermissionRequest, agent: str, ground: tuple[Ground, ...]) -> Pending:
        pending = Pending(request, agent, ground, self._next_revision(request.id))
        self._open[request.id] = pending
        self._emit(PermissionRequested(request, pending.revision), agent)
        self._let_answerer_speak(pending)
        return pending

    def update(self, pending: Pending, request: PermissionRequest, ground: tuple[Ground, ...], why: str) -> None:
        """A new revision: what the person is asked about has changed. Answers to the old one are void."""
        pending.request, pending.ground = request, ground
        pending.revision = self._next_revision(request.id)
        pending.answered = False
        self._emit(PermissionUpdated(request, pending.revision, why), pending.agent)
        self._let_answerer_speak(pending)

    def withdraw(self, pending: Pending, why: str) -> None:
        if self._open.pop(pending.request.id, None) is not None:
            self._emit(PermissionWithdrawn(pending.request.id, why), pending.agent)

    def close(self, pending: Pending) -> None:
        """The question was answered and the answer taken; the others are looked at again, for it may cover them."""
        self._open.pop(pending.request.id, None)
        self.rules_changed("another question was answered")

    def answer(self, request_id: str, revision: int, answer: Answer) -> bool:
        """Whether the answer counts: not one to an old revision, not a second one, not one to a closed question."""
        pending = self._open.get(request_id)
        if pending is None or pending.revision != revision or pending.answered:
            return False
        if pending.request.problem and answer.allows:
            return False
        pending.answered = True
        pending.tell(answer)
        return True

    def file_changed(self, path: str, why: str) -> None:
        """Wake the questions that rest on this file."""
        for pending in self._open.values():
            if any(ground.path == path for ground in pending.ground):
                pending.tell(Recheck(why))

    def rests_on(self, path: str) -> bool:
        """Whether an open question rests on this file."""
        return any(ground.path == path for pending in self._open.values() for ground in pending.ground)

    def rules_changed(self, why: str) -> None:
        """Wake all questions: rules, mode or trust have changed."""
        for pending in self._open.values():
            pending.tell(Recheck(why))
        for watching in self._watching:
            if not watching.done():
                watching.set_result(None)

    @contextlib.contextmanager
    def next_change(self) -> Generator[asyncio.Future[None]]:
        """For a call that does not ask yet: done as soon as rules, mode or trust have changed."""
        change: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watching.add(change)
        try:
            yield change
        finally:
            self._watching.discard(change)

    def _let_answerer_speak(self, pending: Pending) -> None:
        answer = self._answerer(pending.request)
        if answer is None:
            return
        if answer.allows and pending.request.problem:
            # Its yes cannot count, and nobody else will ever answer.
            answer = Answer("tell_model")
        self.answer(pending.request.id, pending.revision, answer)

    def _next_revision(self, request_id: str) -> int:
        self._revisions[request_id] = self._revisions.get(request_id, 0) + 1
        return self._revisions[request_id]
