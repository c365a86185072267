"""The decision on a call: a join, not a ladder. One pure function over data.

Every source says its word on each subject of the call (a command, a path, a domain, a name). For one subject the
strictest word counts: deny, then ask, then allow, and where nobody spoke the default, which is to ask. The call gets
the verdict of its strictest subject, so an allow counts only for what it covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal, NamedTuple

from tools.permissions.decision import Decision, TraceStep
from tools.permissions.matching import near_misses
from tools.permissions.subjects import Subject
from tools.permissions.voices import DEFAULT, OF_COMMAND, STRICTNESS, label, rule_words, say, words_on
from tools.permissions.world import Call, World

__all__ = ["STRICTNESS", "Call", "World", "decide", "denied_by_rule", "would_allow"]

Kind = Literal["allow", "ask", "deny"]
NEAR_MISSES_SHOWN = 5


class Judged(NamedTuple):
    """One subject with every word said of it; the first is the one that counts."""

    subject: Subject | None
    words: tuple[TraceStep, ...]

    @property
    def deciding(self) -> TraceStep:
        return self.words[0]


def decide(call: Call, world: World) -> Decision:
    judged = _judge_all(call, world)
    strictest = _strictest(judged)
    word = strictest.deciding
    others = tuple(one.deciding for one in judged if one is not strictest and one.deciding.source != OF_COMMAND)
    misses = (
        miss for one in judged if one.deciding.verdict != "allow" for miss in _near_misses(one.subject, call, world)
    )
    trace = tuple(dict.fromkeys((*strictest.words, *others, *misses)))
    if word.verdict == "ask" and world.mode == "dontAsk":
        reason = f"The mode dontAsk denies what would ask: {word.reason}"
        return Decision("deny", reason, (say("mode", "deny", word.subject, "dontAsk denies what would ask."), *trace))
    by_default = word.verdict == "ask" and word.source == DEFAULT
    return _advised(Decision(_kind(word), reason_of(word), trace, by_default), world)


def would_allow(call: Call, world: World) -> bool:
    """Whether the call is allowed, for who has no use for the reasons."""
    return _strictest(_judge_all(call, world)).deciding.verdict == "allow"


def _judge_all(call: Call, world: World) -> list[Judged]:
    return [Judged(subject, words_on(subject, call, world)) for subject in call.subjects or (None,)]


def _strictest(judged: list[Judged]) -> Judged:
    return max(judged, key=lambda one: (STRICTNESS[one.deciding.verdict], one.deciding.source != DEFAULT))


def _advised(decision: Decision, world: World) -> Decision:
    """In auto mode an ask that nobody demanded is turned by advice; any other stays, and so does every deny."""
    advice = world.advice
    if world.mode != "auto" or advice is None or not decision.by_default:
        return decision
    what = decision.trace[0].subject
    if not advice.harmless:
        step = say("classifier", "ask", what, advice.reason)
        return replace(decision, trace=(decision.trace[0], step, *decision.trace[1:]))
    step = say("classifier", "allow", what, f"The classifier found it harmless: {advice.reason}")
    return Decision("allow", reason_of(step), (step, *decision.trace))


def denied_by_rule(call: Call, world: World) -> TraceStep | None:
    """A deny rule's word on the call, without looking at anything else."""
    for subject in call.subjects or (None,):
        for word in rule_words(subject, call, world):
            if word.verdict == "deny":
                return word
    return None


def _near_misses(subject: Subject | None, call: Call, world: World) -> Iterator[TraceStep]:
    what = label(subject, call)
    for rule, why in islice(near_misses(subject, call, world), NEAR_MISSES_SHOWN):
        yield say("near miss", "none", what, f"`{rule.text}`: {why}.", rule)


def _kind(word: TraceStep) -> Kind:
    return "deny" if word.verdict == "deny" else "ask" if word.verdict == "ask" else "allow"


def reason_of(word: TraceStep) -> str:
    """One sentence: what was said, of what, and where it is written."""
    where = f" ({word.where})" if word.where else ""
    return (
        f"{word.subject}: {word.reason[:-1]}{where}."
        if word.reason.endswith(".")
        else f"{word.subject}: {word.reason}{where}"
    )
