"""The hooks of a session besides those around calls: at its start and end, around turns, and beside it all.

What nobody waits for (that a question waits for the person, that a file changed) runs in the background, one after the
other; the rest is waited for. Esc ends either.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.events import MAIN
from agent.settings.merge import Settings
from tools.bash.environment import for_command
from tools.events import PermissionRequest
from tools.hooks.calls import CallHooks, contexts, stop_of
from tools.hooks.configured import Hook
from tools.hooks.runner import HookRunner, Listed, Occasion, sentence

# After so long without a word of the person's they are told that the session waits for them.
IDLE_SECONDS = 60.0
# Whoever quits does not wait for long.
END_TIMEOUT_SECONDS = 5.0
# How often in a turn hooks may keep the model from stopping.
MOST_OBJECTIONS = 8


@dataclass(frozen=True, slots=True)
class PromptWord:
    """What hooks said of a message. `refusal`: why it is not sent; `context`: what the model hears before it."""

    refusal: str = ""
    context: str = ""


class SessionHooks:
    """`folder_of` gives the folder a conversation stands in.

    `source`: how the session came about; empty where it only runs calls, and neither starts nor ends for hooks.
    """

    def __init__(self, runner: HookRunner, folder_of: Callable[[str], str], source: str) -> None:
        self._runner = runner
        self._folder_of = folder_of
        self._source = source
        self._started: frozenset[Hook] = frozenset()
        self._starting: asyncio.Task[str] | None = None
        self._notices, self._changes = _OneByOne(), _OneByOne()
        self._idle: asyncio.TimerHandle | None = None

    def for_calls(self, agent: str) -> CallHooks:
        return CallHooks(self._runner, lambda: self._folder_of(agent))

    def use(self, hooks: tuple[Hook, ...]) -> None:
        """These from now on. Those of SessionStart that have not run yet do so before the next message."""
        self._runner.use(hooks)

    def listed(self) -> tuple[Listed, ...]:
        """Every hook: when it runs or why not, and what it last said."""
        return self._runner.listed()

    # -- around turns

    def start(self) -> None:
        """Run what is to run when a session starts; the first message waits for it."""
        if self._source and self._starting is None and self._runner.listening("SessionStart", self._source):
            self._starting = asyncio.ensure_future(self._start())

    async def submitted(self, agent: str, prompt: str) -> PromptWord:
        """A message is about to be sent. A sub-agent's are its model's own and no person's."""
        if agent != MAIN:
            return PromptWord()
        self._stop_waiting()
        opening = await self._opening()
        said = await self._runner.fire(self._occasion("UserPromptSubmit", agent, {"prompt": prompt}))
        refusals = [sentence(one, "keeps it back", one.word.blocked) for one in said if one.word.blocked is not None]
        context = "\n".join(filter(None, (opening, contexts(said))))
        return PromptWord(" ".join(filter(None, (*refusals, stop_of(said)))), context)

    async def stopping(self, agent: str, last: str, objections: int) -> str:
        """The model is done: why it shall go on all the same, in words for it; empty when it may stop.

        `objections`: how often that was so already in this turn.
        """
        fields: dict[str, Any] = {"stop_hook_active": objections > 0, "last_assistant_message": last}
        if agent == MAIN:
            occasion = self._occasion("Stop", agent, fields)
        else:
            occasion = self._occasion("SubagentStop", agent, fields | {"agent_id": agent}, agent)
        said = await self._runner.fire(occasion)
        if stop_of(said) or objections >= MOST_OBJECTIONS:
            return ""
        return "\n".join(sentence(one, "objects", one.word.blocked) for one in said if one.word.blocked is not None)

    def turn_ended(self) -> None:
        """The session waits for the person from here on."""
        self._stop_waiting()
        told = ("agent-tui waits for your input.", "idle_prompt")
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._notify, *told)

    # -- beside it all

    def question_waits(self, request: PermissionRequest) -> None:
        self._notify(f"agent-tui asks for your permission: {request.tool} {request.summary}", "permission_prompt")

    def file_changed(self, path: str, kind: str) -> None:
        """Somebody else changed a file. Of several changes of one file that wait, only the last is told."""
        name = os.path.basename(path)
        fields = {"file_path": path, "event": "unlink" if kind == "deleted" else "change"}
        if self._runner.listening("FileChanged", name):
            occasion = self._occasion("FileChanged", MAIN, fields, name)
            self._changes.add(path, lambda: self._runner.fire(replace(occasion, waited_for=False)))

    def interrupt(self) -> None:
        """End what runs beside, and what the first message waits for."""
        self._notices.cancel()
        self._changes.cancel()
        if self._starting is not None:
            self._starting.cancel()

    async def end(self) -> None:
        """The session is over: the last hooks run, and none after them."""
        self._stop_waiting()
        self.interrupt()
        await self._notices.gone()
        await self._changes.gone()
        if self._starting is not None:
            await asyncio.wait([self._starting])
        if self._source:
            occasion = self._occasion("SessionEnd", MAIN, {"reason": "other"}, "other")
            await self._runner.fire(replace(occasion, timeout=END_TIMEOUT_SECONDS))
        self._runner.use(())

    # -- inside

    async def _opening(self) -> str:
        """What the hooks of SessionStart want the model to know, once each has run."""
        told = ""
        if (starting := self._starting) is not None:
            await asyncio.wait([starting])
            self._starting = None
            # Ended by Esc before there was a message, they have nothing to say.
            told = "" if starting.cancelled() else starting.result()
        return "\n".join(filter(None, (told, await self._start())))

    async def _start(self) -> str:
        before = self._started
        self._started = before | frozenset(self._runner.listening("SessionStart", self._source))
        occasion = self._occasion("SessionStart", MAIN, {"source": self._source}, self._source)
        return contexts(await self._runner.fire(occasion, without=before))

    def _notify(self, message: str, kind: str) -> None:
        if self._runner.listening("Notification", kind):
            fields = {"message": message, "notification_type": kind}
            occasion = self._occasion("Notification", MAIN, fields, kind)
            self._notices.add(kind, lambda: self._runner.fire(replace(occasion, waited_for=False)))

    def _stop_waiting(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _occasion(self, event: str, agent: str, fields: Mapping[str, Any], subject: str | None = None) -> Occasion:
        return Occasion(event, self._folder_of(agent), fields, subject)


def hook_environment(settings: Settings, folder: str) -> dict[str, str]:
    """A command's environment: without our credentials and whatever else the person hides."""
    env = for_command({**os.environ, **settings.env})
    hidden = settings.values.get("bash.hideEnvironment", ())
    # Hooks that were written for others find the project by this name.
    return {name: value for name, value in env.items() if name not in hidden} | {"CLAUDE_PROJECT_DIR": folder}


class _OneByOne:
    """Work nobody waits for, one after the other. Of what waits under the same key only the last is done."""

    def __init__(self) -> None:
        self._waiting: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {}
        self._worker: asyncio.Task[None] | None = None

    def add(self, key: str, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._waiting[key] = work
        if self._worker is None or self._worker.done():
            self._worker = asyncio.ensure_future(self._work())

    def cancel(self) -> None:
        self._waiting.clear()
        if self._worker is not None:
            self._worker.cancel()

    async def gone(self) -> None:
        if self._worker is not None:
            await asyncio.wait([self._worker])

    async def _work(self) -> None:
        while self._waiting:
            await self._waiting.pop(next(iter(self._waiting)))()
