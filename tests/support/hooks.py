"""Hooks as real processes: a runner with a launcher of its own, and settings files that name hooks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from agent.model.scripted import text, tool_use
from agent.session import Session
from tests.support.patience import PATIENCE
from tests.support.sessions import Recorder, play, session_in
from tools.bash.launcher import SessionLauncher
from tools.hooks.configured import Hook
from tools.hooks.runner import Around, HookRunner

T = TypeVar("T")
AROUND = Around(
    shell=lambda: "/bin/bash",
    env=lambda: {"PATH": "/usr/bin:/bin"},
    fields=lambda: {"session_id": "s1", "transcript_path": "/t", "permission_mode": "plan"},
)


class Told:
    """What reached the person."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._news = asyncio.Event()

    def __call__(self, text: str, level: str) -> None:
        self.texts.append(f"{level}: {text}")
        self._news.set()

    async def first(self) -> str:
        async with asyncio.timeout(PATIENCE):
            await self._news.wait()
        return self.texts[0]


def with_runner(hooks: list[Hook], work: Callable[[HookRunner, Told], Awaitable[T]]) -> T:
    """A runner of these hooks in which the work is done; nothing of it is left afterwards."""

    async def run() -> T:
        launcher, told = SessionLauncher(), Told()
        runner = HookRunner(launcher, AROUND, told)
        runner.use(hooks)
        try:
            async with asyncio.timeout(PATIENCE):
                return await work(runner, told)
        finally:
            await launcher.close()

    return asyncio.run(run())


def says(answer: dict[str, Any]) -> str:
    """A command that prints this answer."""
    return f"cat > /dev/null; cat <<'END'\n{json.dumps(answer)}\nEND"


def specific(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def settings_with(folder: Path, **hooks: Any) -> Path:
    """Write project settings: `PreToolUse="./check.sh"`, or a list of (matcher, command, ...) of an event."""
    file = folder / ".agent-tui" / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    groups = {event: _groups(given) for event, given in hooks.items()}
    file.write_text(json.dumps({"hooks": groups}, indent=1), encoding="utf-8")
    return file


END = [text("end")]
MAKE = tool_use("c1", "Bash", command="touch made")


def run(folder: Path, script: Any, body: Callable[[Session, Recorder], Awaitable[None]], **wanted: Any) -> None:
    """A session in the folder, with what its settings files say."""

    async def all_of_it() -> None:
        async with session_in(folder, script, **wanted) as (session, seen):
            await body(session, seen)

    play(all_of_it)


def got(file: Path) -> dict[str, Any]:
    """What a hook found on its stdin and kept."""
    return json.loads(file.read_text())


def told_model(session: Session) -> str:
    return json.dumps(session.main.messages, ensure_ascii=False)


def _groups(given: str | list[tuple[str, str]]) -> list[Any]:
    pairs = [("", given)] if isinstance(given, str) else given
    return [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]} for matcher, command in pairs]
