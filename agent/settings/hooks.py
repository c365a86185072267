"""The hooks of a settings file, each with its line; one that cannot run says why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agent.settings.locations import SettingsFile
from agent.settings.schema import ParsedSettings
from tools.hooks.configured import NOT_YET, Hook, problem_of

UNTRUSTED = "this folder is not trusted"


def hooks_of(file: SettingsFile, parsed: ParsedSettings, usable: bool) -> Iterator[Hook]:
    """In the order they are written. `usable` False: they lie in a folder that is not trusted, and only are named."""
    for event, groups in parsed.values.hooks.items():
        for number, group in enumerate(groups):
            for place, entry in enumerate(group.hooks):
                line = parsed.lines.get(("hooks", event, number, "hooks", place), 0)
                timeout = None if entry.timeout is None else float(entry.timeout)
                hook = Hook(event, entry.command, _matcher(group.matcher), timeout, file.scope, file.path, line)
                yield _judged(hook, group.matcher, entry.type) if usable else hook._replace(idle=UNTRUSTED)


def each_once(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """The same command for the same event and matcher in several files runs once."""
    first: dict[tuple[str, str, str], Hook] = {}
    found: list[Hook] = []
    for hook in hooks:
        twin = first.get(key := (hook.event, hook.matcher, hook.command))
        if twin is None and not hook.idle:
            first[key] = hook
        same = twin is not None and not hook.idle
        found.append(hook._replace(idle=f"it is the same as {twin.where}") if twin is not None and same else hook)
    return tuple(found)


def hook_problems(hooks: Iterable[Hook]) -> Iterator[str]:
    """A sentence for each hook that was meant to run and is broken."""
    return (f"{one.where}: the hook for {one.event} cannot work: {one.idle}." for one in hooks if one.broken)


def _matcher(raw: Any) -> str:
    return raw if isinstance(raw, str) else ""


def _judged(hook: Hook, matcher: Any, kind: str) -> Hook:
    """The hook with what keeps it from running. Never run with a matcher that was left out: it would match all."""
    wrong = matcher is not None and not isinstance(matcher, str)
    problem = "its matcher must be a text" if wrong else problem_of(hook, kind)
    if not problem and hook.event in NOT_YET:
        return hook._replace(idle=f"{hook.event} does not happen yet")
    return hook._replace(idle=problem, broken=bool(problem))
