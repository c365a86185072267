"""The calls a session has decided: how often a rule decided, and what another rule would have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tools.context import Place
from tools.contract import Verdict
from tools.permissions.decision import Decision
from tools.permissions.rules import Rule
from tools.permissions.world import Call

MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call as it came to the gate, and the gate's word on it."""

    id: str
    call: Call
    place: Place
    summary: str
    decision: Decision
    hook: Verdict | None = None


class PastCalls:
    """The last of them; how often each rule decided is counted over all."""

    def __init__(self) -> None:
        self._calls: dict[str, PastCall] = {}
        self._times: Counter[tuple[str, str]] = Counter()

    def remember(self, past: PastCall) -> None:
        """A call that comes to the gate again is the same call."""
        before = self._calls.pop(past.id, None)
        self._times.update(past.decision.rules - (before.decision.rules if before else frozenset()))
        self._calls[past.id] = past
        if len(self._calls) > MOST_KEPT:
            del self._calls[next(iter(self._calls))]

    def times(self, rule: Rule) -> int:
        return self._times[(rule.where, rule.text)]

    def __iter__(self) -> Iterator[PastCall]:
        """The newest first."""
        return reversed(tuple(self._calls.values()))
