"""A real session whose tools are called without a model, for what goes on in its background."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agent.events import TaskChanged
from agent.session import Session
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder, play, session_in, yes
from tools.pipeline import Answered, ToolUse

_numbers = itertools.count(1)
# Runs until somebody makes the file `go` in the working folder.
UNTIL_GO = "while [ ! -e go ]; do sleep 0.01; done"


async def call(session: Session, tool: str, **input: Any) -> Answered:
    """One call through the whole pipeline, allowed by whoever answers the session's questions."""
    return (await session.main.run_calls([ToolUse(f"call-{next(_numbers)}", tool, input)]))[0]


async def told(session: Session, tool: str, **input: Any) -> str:
    """What the model is told by a call that went well."""
    answered = await call(session, tool, **input)
    assert answered.outcome == "ok", text_of(answered)
    return text_of(answered)


async def started(session: Session, command: str) -> str:
    """A command sent to the background: the name of its task."""
    await told(session, "Bash", command=command, run_in_background=True)
    return session.tasks.all()[-1].id


def with_session(folder: Path, work: Callable[[Session, Recorder], Awaitable[None]], **wanted: Any) -> None:
    async def body() -> None:
        async with session_in(folder, [], yes, **wanted) as (session, seen):
            await work(session, seen)

    play(body)


def is_over(task: str) -> Callable[[TaskChanged], bool]:
    return lambda event: event.task == task and event.state != "running"
