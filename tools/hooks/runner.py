"""All hooks of an event: run at once, heard in the order of the settings, and what each last said is remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tools.hooks.configured import Hook, matches
from tools.hooks.run import SLOW_SECONDS, TIMEOUT_SECONDS, Job, Ran, run_hook
from tools.hooks.wire import BLOCKS, CANNOT_BLOCK, Word, first_line, input_text, read_word
from tools.ports import Launcher

Level = Literal["info", "warning"]
Tell = Callable[[str, Level], None]


@dataclass(frozen=True, slots=True)
class Occasion:
    """An event as it happens: what is told of it, in which folder, and what the matchers are held against."""

    event: str
    folder: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    subject: str | None = None
    timeout: float = TIMEOUT_SECONDS
    # Nothing goes on before its hooks are done.
    waited_for: bool = True


@dataclass(frozen=True, slots=True)
class Around:
    """What all hooks of a session are given: a shell, an environment, and the fields that every input has."""

    shell: Callable[[], str]
    env: Callable[[], Mapping[str, str]]
    fields: Callable[[], Mapping[str, Any]]


class Said(NamedTuple):
    """A hook's word, and whose it is."""

    hook: Hook
    word: Word


class LastRun(NamedTuple):
    """What a hook last said. `exit_code` is None where it did not end by itself; the line then says why."""

    exit_code: int | None
    line: str
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return self.exit_code not in (0, BLOCKS)


class Listed(NamedTuple):
    """A hook as a list of them shows it. `last` is None while it has not run, `running` how often it does now."""

    hook: Hook
    last: LastRun | None
    running: int = 0


class HookRunner:
    """`tell` reaches the person: whatever goes wrong with a hook, or is said to them by one."""

    def __init__(self, launcher: Launcher, around: Around, tell: Tell) -> None:
        self._launcher = launcher
        self._around = around
        self._tell = tell
        self._hooks: tuple[Hook, ...] = ()
        self._last: dict[Hook, LastRun] = {}
        self._running: dict[Hook, int] = {}
        # What the person was told last of each that does not work; told again only when it is something else.
        self._troubles: dict[Hook, tuple[str, ...]] = {}

    def use(self, hooks: Iterable[Hook]) -> None:
        """These are the hooks from now on; what runs already goes on."""
        self._hooks = tuple(hooks)

    def listed(self) -> tuple[Listed, ...]:
        return tuple(Listed(hook, self._last.get(hook), self._running.get(hook, 0)) for hook in self._hooks)

    def listening(self, event: str, subject: str | None = None) -> tuple[Hook, ...]:
        """The hooks that would run."""
        return tuple(hook for hook in self._hooks if hook.event == event and not hook.idle and matches(hook, subject))

    async def fire(self, occasion: Occasion, without: frozenset[Hook] = frozenset()) -> tuple[Said, ...]:
        """Cancelling ends them all."""
        hooks = [hook for hook in self.listening(occasion.event, occasion.subject) if hook not in without]
        if not hooks:
            return ()
        # A group, because it waits for the end of all of them also when it is cancelled.
        async with asyncio.TaskGroup() as group:
            heard = [group.create_task(self._heard(hook, occasion)) for hook in hooks]
        return tuple(Said(hook, one.result()) for hook, one in zip(hooks, heard, strict=True))

    async def _heard(self, hook: Hook, occasion: Occasion) -> Word:
        self._running[hook] = self._running.get(hook, 0) + 1
        try:
            ran = await run_hook(self._launcher, self._job(hook, occasion), lambda: self._slow(hook, occasion))
        except asyncio.CancelledError:
            self._last[hook] = LastRun(None, "it was interrupted.")
            raise
        finally:
            self._running[hook] -= 1
        word = _word_of(hook, ran)
        self._last[hook] = _last_run(ran)
        known, self._troubles[hook] = self._troubles.get(hook), word.problems
        for text in _for_the_person(Said(hook, word), told_already=known == word.problems):
            self._tell(text, "warning")
        return word

    def _job(self, hook: Hook, occasion: Occasion) -> Job:
        text = input_text(hook.event, self._around.fields(), {"cwd": occasion.folder}, occasion.fields)
        env = {**self._around.env(), "PWD": occasion.folder}
        return Job(self._around.shell(), hook.command, text, occasion.folder, env, hook.timeout or occasion.timeout)

    def _slow(self, hook: Hook, occasion: Occasion) -> None:
        how = "and is waited for; Esc ends it" if occasion.waited_for else "beside everything else"
        self._tell(f"The hook {hook.name} for {hook.event} has run for {SLOW_SECONDS:g} s {how}.", "info")


def sentence(said: Said, verb: str, words: str) -> str:
    return f"The hook {said.hook.name} {verb}: {words}" if words else f"The hook {said.hook.name} {verb}."


def _for_the_person(said: Said, told_already: bool) -> Iterator[str]:
    hook, word = said
    for problem in word.problems if not told_already else ():
        yield f"The hook {hook.name} for {hook.event}: {problem}"
    if word.message:
        yield sentence(said, "says", word.message)
    if word.stop is not None:
        yield sentence(said, "ends the turn", word.stop)
    # Where nothing can be blocked the person alone hears of it.
    if word.blocked is not None and hook.event in CANNOT_BLOCK:
        yield sentence(said, "objects", word.blocked)


def _word_of(hook: Hook, ran: Ran) -> Word:
    if ran.exit_code is None:
        return Word(problems=(ran.trouble,))
    return read_word(hook.event, ran.exit_code, ran.out, ran.err)


def _last_run(ran: Ran) -> LastRun:
    if ran.exit_code is None:
        return LastRun(None, ran.trouble, ran.seconds)
    said = first_line(ran.err if ran.exit_code == BLOCKS else ran.out) or first_line(ran.err or ran.out)
    return LastRun(ran.exit_code, said, ran.seconds)
