"""The gate's word on a call, as plain data: for events, for the person, for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One thing that spoke in a decision: who said what of which subject, and where it is written."""

    source: str
    verdict: str
    subject: str
    reason: str
    where: str = ""
    # The rule that spoke, as it is written.
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a classifier thinks of a call, and why. It decides nothing: only the default ask of auto mode listens."""

    harmless: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The gate's word on a call, and how it came to it."""

    kind: Literal["allow", "ask", "deny"]
    reason: str
    trace: tuple[TraceStep, ...] = ()
    # An ask that nobody demanded: nothing spoke for or against. Only this one may a classifier turn into an allow.
    by_default: bool = False

    @property
    def rules(self) -> frozenset[tuple[str, str]]:
        """The rules that decided, each by where it is written and its text; none where something else did."""
        kinds = {"ask"} if self.kind == "deny" and not self._spoke({"deny"}) else {self.kind}
        return self._spoke(kinds)

    def _spoke(self, verdicts: set[str]) -> frozenset[tuple[str, str]]:
        return frozenset((step.where, step.rule) for step in self.trace if step.rule and step.verdict in verdicts)
