"""The rules, mode and trust of a session as they are now: what every decision of its gate is made from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.settings.locations import settings_files
from agent.settings.merge import Settings, rules_in
from agent.settings.rule_files import NotChanged, add_rules, remove_rule, rule_file
from tools.context import Place
from tools.contract import Validation, Verdict
from tools.permissions.decide import Call, World, denied_by_rule, reason_of
from tools.permissions.gate import Answer, SavingScope
from tools.permissions.modes import Mode
from tools.permissions.past import PastCall, PastCalls
from tools.permissions.rules import FROM_THE_FOLDER, Kind, Rule, RuleSet, Source, parse_rule
from tools.permissions.suggest import suggest_stops
from tools.threads import in_thread


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the session stands; it never changes."""

    root: str
    home: str
    read_only: bool
    # Whether git's configuration in a folder lets reads run nothing else.
    git_safe: Callable[[str], bool]


class RuleChange(NamedTuple):
    """What somebody else made of the rules in a file."""

    path: str
    added: tuple[Rule, ...]
    gone: tuple[Rule, ...]


class SessionPolicy:
    def __init__(self, settings: Settings, ground: Ground, readable: Callable[[], frozenset[str]]) -> None:
        self._settings = settings
        self._ground = ground
        self._readable = readable
        self._mode: Mode = settings.mode
        self._rules = settings.rules
        self._turn_rules: RuleSet = RuleSet()
        self._version = 1
        # A file is written and read again as one step, or a rule of ours would be taken for somebody else's.
        self._writing = asyncio.Lock()
        # What is wrong with the settings now, and the files that could not be read when they were last looked at.
        self.problems = tuple(settings.problems)
        self.unreadable: frozenset[str] = frozenset()
        self.past = PastCalls()

    @property
    def version(self) -> int:
        return self._version

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def bypass_allowed(self) -> bool:
        return self._settings.bypass_allowed

    @property
    def rules(self) -> RuleSet:
        return self._rules.plus(*self._turn_rules.rules)

    def set_mode(self, mode: Mode) -> bool:
        """False where the mode may not be chosen: bypassPermissions only if the program was started with it."""
        if mode == "bypassPermissions" and not self._settings.bypass_allowed:
            return False
        self._mode = mode
        self._version += 1
        return True

    @property
    def settings(self) -> Settings:
        return self._settings

    def take(self, settings: Settings) -> None:
        """Other settings from now on, because the folder is trusted; what the person said in this session stays."""
        said = [rule for rule in self._rules.rules if rule.source.scope == "session"]
        if self._mode == self._settings.mode:
            self._mode = settings.mode
        self._settings, self._rules = settings, settings.rules.plus(*said)
        self.problems = tuple(settings.problems)
        self._version += 1

    def turn_ended(self) -> None:
        if self._turn_rules.rules:
            self._turn_rules = RuleSet()
            self._version += 1

    @property
    def ground(self) -> Ground:
        return self._ground

    @property
    def trusted(self) -> bool:
        return self._settings.trusted

    # -- what the gate asks

    def world(self, place: Place, hook: Verdict | None = None) -> World:
        return World(
            folder=place.folder,
            home=place.home,
            workspace_roots=(self._ground.root,),
            additional_directories=self._settings.additional_directories,
            rules=self.rules,
            mode=self._mode,
            hook=hook,
            trusted=self._settings.trusted,
            read_only_flag=self._ground.read_only,
            bypass_allowed=self._settings.bypass_allowed,
            git_safe=lambda: self._ground.git_safe(place.folder),
            readable_files=self._readable(),
        )

    def denial(self, call: Call, place: Place) -> Validation | None:
        word = denied_by_rule(call, self.world(place))
        return None if word is None else Validation(f"{call.tool} was denied: {reason_of(word)}", "denied")

    def suggestions(self, call: Call, place: Place) -> tuple[tuple[str, ...], ...]:
        """As rules of this session: whether a file's would count in the next one is said where it is chosen."""
        return suggest_stops(call, self.world(place), "session")

    async def grant(self, answer: Answer, suggested: tuple[str, ...]) -> None:
        """A yes for the turn or for always becomes rules; a yes for once leaves nothing behind."""
        texts = answer.rules or suggested
        if answer.kind == "once" or not texts:
            return
        if answer.kind == "turn":
            rules = [parse_rule(text, "allow", Source("session", self._ground.root)) for text in texts]
            self._turn_rules = self._turn_rules.plus(*rules)
            self._version += 1
        else:
            await self.add_rules("allow", texts, answer.scope)

    def decided(self, past: PastCall) -> None:
        self.past.remember(past)

    # -- what the person says about rules

    async def add_rules(self, kind: Kind, texts: Sequence[str], scope: SavingScope) -> None:
        """From now on, and in all sessions that read the scope's file. Raises ValueError; then nothing is changed."""
        rules = [parse_rule(text, kind, Source("session", self._ground.root)) for text in texts]
        for rule in rules:
            if rule.problem:
                raise NotChanged(f"The rule `{rule.text}` cannot work: {rule.problem}.")
        if scope != "session":
            path = rule_file(scope, self._ground.root, self._ground.home)
            async with self._writing:
                await in_thread(add_rules, path, kind, texts)
                await self._take_over(path)
        if scope == "session" or not self._counts_from(scope, kind):
            # The person's own word counts in this session, also where the folder's files do not.
            self._rules = self._rules.plus(*(rule for rule in rules if rule not in self._rules.rules))
            self._version += 1

    async def remove_rule(self, rule: Rule) -> None:
        """Take a rule out of where it is written. Raises ValueError where that cannot be."""
        if rule.source.scope == "flag":
            raise NotChanged(f"`{rule.text}` was given on the command line; start without it.")
        if rule.source.file:
            async with self._writing:
                await in_thread(remove_rule, rule.source.file, rule.kind, rule.text)
                await self._take_over(rule.source.file)
        # What was said of it for this session, because its file does not count in it, goes with it.
        copied = not self._counts_from(rule.source.scope, rule.kind)
        copy = ("session", rule.kind, rule.text) if copied else None
        kept = [one for one in self._rules.rules if one != rule and (one.source.scope, one.kind, one.text) != copy]
        self._rules = RuleSet(tuple(kept))
        self._turn_rules = RuleSet(tuple(one for one in self._turn_rules.rules if one != rule))
        self._version += 1

    def _counts_from(self, scope: str, kind: Kind) -> bool:
        """Whether a rule of that scope's file is used here; what restricts always is."""
        return scope not in FROM_THE_FOLDER or kind != "allow" or self._settings.trusted

    async def reread(self, path: str) -> RuleChange | None:
        """Take over the rules of a settings file as it is now; None where they are no others than before."""
        async with self._writing:
            return await self._take_over(path)

    async def _take_over(self, path: str) -> RuleChange | None:
        files = settings_files(self._ground.root, self._ground.home)
        file = next((file for file in files if file.path == path), None)
        now = await in_thread(rules_in, file) if file is not None else None
        before = tuple(rule for rule in self._rules.rules if rule.source.file == path)
        self.unreadable = self.unreadable | {path} if now is None else self.unreadable - {path}
        if now is None or now == before:
            return None
        others = tuple(rule for rule in self._rules.rules if rule.source.file != path)
        self._rules = RuleSet((*others, *now))
        self._version += 1
        return RuleChange(path, _without(now, before), _without(before, now))


def _without(rules: Sequence[Rule], others: Sequence[Rule]) -> tuple[Rule, ...]:
    """Those that are not among the others, wherever they stand in the file."""
    there = {(rule.kind, rule.text) for rule in others}
    return tuple(rule for rule in rules if (rule.kind, rule.text) not in there)
