"""The rules of a session for whoever looks after them: which there are, how often each decided, what another would do.

Everything is answered from the calls this session has decided; nothing is run and no question is asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from agent.policy import RuleChange, SessionPolicy
from agent.settings.locations import settings_files
from agent.settings.rule_files import rule_file
from tools.context import Place
from tools.permissions.decide import decide, would_allow
from tools.permissions.decision import Decision
from tools.permissions.gate import SavingScope
from tools.permissions.past import PastCall
from tools.permissions.rules import FROM_THE_FOLDER, Kind, Rule, Source, parse_rule
from tools.permissions.world import Call, World

# The widest first: the order in which a list of them reads.
SCOPES: tuple[SavingScope, ...] = ("user", "project", "local", "session")


class RuleEntry(NamedTuple):
    """A rule, how often it decided in this session, and why it does not count if it does not."""

    rule: Rule
    decided: int
    idle: str = ""


class SavingPlace(NamedTuple):
    """Where a rule can be kept. `note` says what to know of it before it is chosen."""

    scope: SavingScope
    path: str = ""
    note: str = ""


class Reach(NamedTuple):
    """Calls of this session that were not allowed by themselves, and would be by these rules: how many, and which."""

    calls: int = 0
    # Each summary once, the newest first.
    names: tuple[str, ...] = ()


class Changed(NamedTuple):
    """A call of this session that a rule would have decided otherwise."""

    summary: str
    tool: str
    before: Decision
    after: Decision


class Trial(NamedTuple):
    """What a rule would do. A rule with a problem does nothing but say so."""

    rule: Rule
    changed: tuple[Changed, ...] = ()


class Rulebook:
    def __init__(self, policy: SessionPolicy, tell: Callable[[str], None]) -> None:
        self._policy = policy
        # Tells the gate that rules have changed, and why.
        self._tell = tell

    # -- what there is

    @property
    def mode(self) -> str:
        return self._policy.mode

    def entries(self) -> tuple[RuleEntry, ...]:
        times = self._policy.past.times
        return tuple(RuleEntry(rule, times(rule), self._idle(rule)) for rule in self._policy.rules.rules)

    def places(self) -> tuple[SavingPlace, ...]:
        return tuple(self._place(scope) for scope in SCOPES)

    # -- what would be

    def reach(self, rules: Sequence[str]) -> Reach:
        """What these allow rules would have allowed: for each stop of what "always" would save."""
        added = [self._parsed(text, "allow") for text in rules]
        allowed = [past.summary for past in self._not_allowed() if self._is_due_to(past, added)]
        return Reach(len(allowed), tuple(dict.fromkeys(allowed)))

    def try_rule(self, text: str, kind: Kind, scope: SavingScope = "session") -> Trial:
        """What a rule would have changed in this session."""
        rule = self._parsed(text, kind, scope)
        if rule.problem:
            return Trial(rule)
        changed: list[Changed] = []
        for past in self._policy.past:
            before, after = self._decided(past), self._decided(past, [rule])
            if before.kind != after.kind:
                changed.append(Changed(past.summary, past.call.tool, before, after))
        return Trial(rule, tuple(changed))

    def try_on(self, call: Call, place: Place, text: str = "", kind: Kind = "allow") -> tuple[Decision, Decision]:
        """How a call would be decided here, without the rule and with it."""
        world = self._policy.world(place)
        added = [self._parsed(text, kind)] if text else []
        return decide(call, world), decide(call, replace(world, rules=world.rules.plus(*added)))

    # -- what is to be

    async def add(self, text: str, kind: Kind, scope: SavingScope) -> None:
        """Raises ValueError with a sentence for the person; then nothing is changed."""
        await self._policy.add_rules(kind, [text.strip()], scope)
        self._tell(f"the {kind} rule {text.strip()} was added")

    async def remove(self, rule: Rule) -> None:
        """Raises ValueError with a sentence for the person; then nothing is changed."""
        await self._policy.remove_rule(rule)
        self._tell(f"the {rule.kind} rule {rule.text} was taken out")

    async def reread(self) -> tuple[RuleChange, ...]:
        """Somebody else may have written a settings file; what that changed, each file that has other rules now."""
        ground = self._policy.ground
        looked = [await self._policy.reread(file.path) for file in settings_files(ground.root, ground.home)]
        changes = tuple(change for change in looked if change is not None)
        if changes:
            self._tell(f"the rules in {', '.join(change.path for change in changes)} have changed")
        return tuple(change for change in changes if change.added or change.gone)

    # -- how

    def _idle(self, rule: Rule) -> str:
        if rule.problem:
            return f"it cannot work: {rule.problem}"
        if not rule.restricts and rule.source.scope in FROM_THE_FOLDER and not self._policy.trusted:
            return "the folder that brings it is not trusted"
        return ""

    def _place(self, scope: SavingScope) -> SavingPlace:
        if scope == "session":
            return SavingPlace(scope, note="until you quit")
        ground = self._policy.ground
        untrusted = scope in FROM_THE_FOLDER and not self._policy.trusted
        note = "counts in later sessions once the folder is trusted" if untrusted else ""
        return SavingPlace(scope, rule_file(scope, ground.root, ground.home), note)

    def _parsed(self, text: str, kind: Kind, scope: SavingScope = "session") -> Rule:
        """As a rule of this session, with a leading `/` that means what it would mean in the scope's file."""
        ground = self._policy.ground
        root = os.path.dirname(rule_file("user", ground.root, ground.home)) if scope == "user" else ground.root
        return parse_rule(text.strip(), kind, Source("session", root))

    def _not_allowed(self) -> list[PastCall]:
        return [past for past in self._policy.past if past.decision.kind != "allow"]

    def _is_due_to(self, past: PastCall, added: Sequence[Rule]) -> bool:
        """What other rules allow by now is not these ones' doing."""
        with_them = would_allow(past.call, self._world(past, added))
        return with_them and not would_allow(past.call, self._world(past, ()))

    def _decided(self, past: PastCall, added: Sequence[Rule] = ()) -> Decision:
        return decide(past.call, self._world(past, added))

    def _world(self, past: PastCall, added: Sequence[Rule]) -> World:
        world = self._policy.world(past.place, past.hook)
        return replace(world, rules=world.rules.plus(*added))
