"""What a turn came to: its calls, the files it changed, what is still broken, and what the model counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.events import Usage
from agent.model.prices import cost_of
from tools.blocks import Diff
from tui.transcript.entries import Call, TurnEnd


@dataclass(frozen=True, slots=True)
class Tokens:
    """Sums over replies. `context` is what the last reply had before it, and what it added."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    context: int = 0

    def plus(self, usage: Usage) -> Tokens:
        asked = (usage.input_tokens or 0) + (usage.cache_read or 0) + (usage.cache_write or 0)
        return Tokens(
            self.input + (usage.input_tokens or 0),
            self.output + (usage.output_tokens or 0),
            self.cache_read + (usage.cache_read or 0),
            self.cache_write + (usage.cache_write or 0),
            asked + (usage.output_tokens or 0),
        )

    def since(self, before: Tokens) -> Tokens:
        return Tokens(
            self.input - before.input,
            self.output - before.output,
            self.cache_read - before.cache_read,
            self.cache_write - before.cache_write,
            self.context,
        )


class Tally:
    """Counts one turn after the other; `tokens` go on over all of them."""

    def __init__(self) -> None:
        self.turn = 0
        self.started = 0.0
        self._calls = 0
        self._changes: dict[str, tuple[int, int]] = {}
        # The last call of a tool about a subject decides: a test that passes in the end is not broken.
        self._broken: dict[str, bool] = {}
        self._counted = Tokens()
        self._reply: Usage | None = None
        self._at_start = Tokens()
        # What other models were asked beside the conversation, by their names.
        self.beside: dict[str, Tokens] = {}
        self._beside_at_start: dict[str, Tokens] = {}

    @property
    def tokens(self) -> Tokens:
        return self._counted.plus(self._reply) if self._reply is not None else self._counted

    @property
    def of_turn(self) -> Tokens:
        return self.tokens.since(self._at_start)

    def cost(self, model: str) -> float | None:
        """Of all so far, in dollars, where `model` answers; None where a price is not known."""
        return _cost(model, self.tokens, self.beside)

    def cost_of_turn(self, model: str) -> float | None:
        nothing = Tokens()
        beside = {name: all.since(self._beside_at_start.get(name, nothing)) for name, all in self.beside.items()}
        return _cost(model, self.of_turn, beside)

    def turn_started(self, turn: int, time: float) -> None:
        self.turn, self.started = turn, time
        self._calls = 0
        self._changes.clear()
        self._broken.clear()
        self._at_start = self.tokens
        self._beside_at_start = dict(self.beside)

    def forget_tokens(self) -> None:
        """Those of an earlier run are paid for; only how full the context is still counts."""
        self._counted, self._reply = Tokens(context=self.tokens.context), None
        self.beside.clear()

    def reply_started(self) -> None:
        self._counted, self._reply = self.tokens, None

    def usage(self, usage: Usage) -> None:
        """Cumulative for one reply: a later one counts instead of those before, field by field."""
        if usage.model:
            self.beside[usage.model] = self.beside.get(usage.model, Tokens()).plus(usage)
            return
        before = self._reply or Usage()
        fields = ("input_tokens", "output_tokens", "cache_read", "cache_write")
        merged = {name: _later(getattr(before, name), getattr(usage, name)) for name in fields}
        self._reply = Usage(**merged)

    def call_ended(self, call: Call, label: str, went_wrong: bool, diff: Diff | None) -> None:
        """`label` names the call in few words; `went_wrong` also where the tool itself came to its end."""
        self._calls += 1
        # Denied and stopped calls are the person's own doing.
        self._broken[label] = went_wrong and call.phase in ("ok", "failed")
        if diff is not None and call.phase == "ok":
            added, removed = self._changes.get(diff.path, (0, 0))
            self._changes[diff.path] = (added + diff.added, removed + diff.removed)

    def ended(self, time: float, reason: str) -> TurnEnd:
        tokens = self.of_turn
        return TurnEnd(
            turn=self.turn,
            seconds=max(time - self.started, 0.0),
            calls=self._calls,
            files=len(self._changes),
            added=sum(added for added, _ in self._changes.values()),
            removed=sum(removed for _, removed in self._changes.values()),
            reason=reason,
            failed=tuple(label for label, broken in self._broken.items() if broken),
            input_tokens=tokens.input + tokens.cache_read + tokens.cache_write,
            output_tokens=tokens.output,
            cache_read=tokens.cache_read,
            time=time,
        )


def _cost(model: str, tokens: Tokens, beside: Mapping[str, Tokens]) -> float | None:
    costs = [cost_of(model, tokens), *(cost_of(name, counted) for name, counted in beside.items())]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _later(before: Any, now: Any) -> Any:
    return now if now is not None else before


@dataclass(slots=True)
class Queue:
    """Messages that wait for the current calls."""

    texts: list[str] = field(default_factory=list[str])

    def add(self, text: str) -> None:
        self.texts.append(text)

    def gone(self, text: str) -> None:
        if text in self.texts:
            self.texts.remove(text)
