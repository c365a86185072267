"""Settings files that somebody writes while the session runs: their rules count at once, and that is said.

A file that cannot be read keeps the rules it had, and what is wrong with it is shown until it is mended. All else in
the settings, the trust in the folder too, stays as it was when the session began.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from agent.events import Event, Notice
from agent.policy import RuleChange, SessionPolicy
from agent.rulebook import Rulebook
from agent.settings.locations import settings_files
from agent.settings.merge import Flags, Settings, load_settings
from agent.watch import Watcher
from tools.permissions.rules import FROM_THE_FOLDER, Rule
from tools.threads import in_thread

# Rules that are named in a notice, of those that came and of those that went.
NAMED = 4
# How long a file that cannot be read is given before that is said.
WRITING_SECONDS = 0.2


class Rereading:
    """`emit` tells the person. Close it with the session."""

    def __init__(self, policy: SessionPolicy, book: Rulebook, flags: Flags, emit: Callable[[Event], None]) -> None:
        self._policy = policy
        self._book = book
        self._flags = flags
        self._emit = emit
        self._loaded = policy.settings
        self._one_at_a_time = asyncio.Lock()
        self._looks: set[asyncio.Task[None]] = set()

    def follow(self, watcher: Watcher) -> None:
        ground = self._policy.ground
        watcher.follow_settings([file.path for file in settings_files(ground.root, ground.home)], self._heard)

    async def close(self) -> None:
        for look in self._looks:
            look.cancel()
        await asyncio.gather(*self._looks, return_exceptions=True)

    async def look(self) -> None:
        """Take over what the files say now."""
        async with self._one_at_a_time:
            changes = await self._book.reread()
            if self._policy.unreadable:
                # Perhaps it is just being written.
                await asyncio.sleep(WRITING_SECONDS)
                changes += await self._book.reread()
            ground, known = self._policy.ground, self._policy.problems
            flags = replace(self._flags, trusted=self._policy.trusted)
            loaded = await in_thread(load_settings, ground.root, ground.home, flags)
            self._policy.problems = tuple(loaded.problems)
            for change in changes:
                self._emit(Notice(self._in_words(change), "warning"))
            self._tell_problems(known, loaded.problems)
            if not self._policy.unreadable:
                self._tell_of_the_rest(loaded)

    def _heard(self, _: tuple[str, ...]) -> None:
        look = asyncio.ensure_future(self.look())
        self._looks.add(look)
        look.add_done_callback(self._looked)

    def _looked(self, look: asyncio.Task[None]) -> None:
        self._looks.discard(look)
        if not look.cancelled() and (error := look.exception()) is not None:
            said = f"The settings could not be looked at again ({error!r}). What they said before stays in force."
            self._emit(Notice(said, "error"))

    # -- in words

    def _in_words(self, change: RuleChange) -> str:
        said = [f"added {_named(change.added)}"] if change.added else []
        said += [f"taken out {_named(change.gone)}"] if change.gone else []
        idle = not self._policy.trusted and any(
            not rule.restricts and rule.source.scope in FROM_THE_FOLDER for rule in change.added
        )
        more = " Its allow rules do not count: the folder is not trusted." if idle else ""
        return f"{change.path}: the rules were changed, {', '.join(said)}. They are in force.{more}"

    def _tell_problems(self, known: Sequence[str], now: Sequence[str]) -> None:
        for problem in now:
            if problem not in known:
                broken = any(problem.startswith(f"{path}:") for path in self._policy.unreadable)
                kept = " The rules it had stay in force until it is mended." if broken else ""
                self._emit(Notice(problem + kept, "warning"))
        for file in settings_files(self._policy.ground.root, self._policy.ground.home):
            if _of(file.path, known) and not _of(file.path, now):
                self._emit(Notice(f"{file.path}: it is in order again."))

    def _tell_of_the_rest(self, loaded: Settings) -> None:
        before, self._loaded = self._loaded, loaded
        if before.trusted == loaded.trusted and _rest(before) != _rest(loaded):
            self._emit(Notice("The settings have changed. What is no rule in them counts from the next session on."))


def _named(rules: Sequence[Rule]) -> str:
    names = [f"{rule.kind} {rule.text}" for rule in rules[:NAMED]]
    more = len(rules) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])])


def _of(path: str, problems: Iterable[str]) -> bool:
    return any(problem.startswith(f"{path}:") for problem in problems)


def _rest(settings: Settings) -> tuple[Any, ...]:
    """All that is no rule; of hooks not where they stand, for a line more above them is no change."""
    hooks = [hook._replace(line=0) for hook in settings.hooks]
    return (hooks, settings.env, settings.features, settings.additional_directories, settings.values, settings.mode)
