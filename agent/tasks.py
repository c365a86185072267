"""What goes on in the background of a session: commands that nobody waits for, until they end or are stopped.

Esc and the end of a turn leave them alone. They end with the session, and, because the launcher keeps them, with this
program, however it ends. Their output grows in a file; whoever shows it reads it there.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace

from agent.context.reminders import one_line
from agent.events import Event, Stamped, TaskChanged, UserMessage
from tools.bash.data import exit_text
from tools.bash.run import QUOTA_BYTES
from tools.contract import ToolError
from tools.ports import NewTask, RunningCommand, Task, TaskState
from tools.short import shortened
from tools.tasks.state import told_of
from tools.threads import in_thread

LOOK_SECONDS = 1.0
TITLE_CHARS = 120
WITH_THE_SESSION = "ended with the session"


@dataclass(slots=True)
class _Kept:
    """A task, what runs it, and whether its end is news to the model."""

    task: Task
    new: NewTask
    command: RunningCommand
    watching: asyncio.Task[None] | None = None
    told: bool = False
    # Set before it is stopped, so that its end is known for what it is.
    stopped_by: str = ""


class Tasks:
    """`tools.ports.Tasks`."""

    def __init__(
        self, emit: Callable[[Event, str], object], first: int = 1, clock: Callable[[], float] = time.time
    ) -> None:
        self._emit = emit
        self._next = first
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        self._movable: dict[str, asyncio.Event] = {}

    # -- the port

    def adopt(self, command: RunningCommand, new: NewTask) -> Task:
        title = shortened(new.title, TITLE_CHARS)
        started = self._clock() - new.ran
        task = Task(f"task-{self._next}", title, new.output, started, sandboxed=new.sandboxed)
        self._next += 1
        kept = self._kept[task.id] = _Kept(task, new, command)
        kept.watching = asyncio.ensure_future(self._watch(kept))
        self._changed(kept)
        return task

    def get(self, id: str) -> Task | None:
        return self._kept[id].task if id in self._kept else None

    def all(self) -> tuple[Task, ...]:
        return tuple(kept.task for kept in self._kept.values())

    def told(self, id: str) -> None:
        kept = self._kept.get(id)
        if kept is not None and kept.task.over:
            kept.told = True

    async def over(self, id: str, seconds: float) -> Task:
        kept = self._kept[id]
        if kept.watching is not None and seconds > 0:
            await asyncio.wait([kept.watching], timeout=seconds)
        return kept.task

    async def stop(self, id: str, why: str) -> Task:
        kept = self._kept[id]
        if not kept.task.over and kept.watching is not None:
            kept.stopped_by = why
            await kept.command.end()
            await asyncio.wait([kept.watching])
        return kept.task

    @contextmanager
    def movable(self, call_id: str) -> Generator[asyncio.Event]:
        leave = self._movable[call_id] = asyncio.Event()
        try:
            yield leave
        finally:
            self._movable.pop(call_id, None)

    # -- for the session

    def move(self, call_id: str) -> bool:
        """Send a running call to the background; False where there is no such call, or it cannot go there."""
        leave = self._movable.get(call_id)
        if leave is not None:
            leave.set()
        return leave is not None

    def news(self, agent: str) -> list[str]:
        """What a conversation has not heard of its tasks' ends; it hears of each once."""
        ended = [kept for kept in self._kept.values() if kept.task.over and not kept.told and kept.new.agent == agent]
        for kept in ended:
            kept.told = True
        return [ending_note(kept.task) for kept in ended]

    def running(self) -> list[Task]:
        return [kept.task for kept in self._kept.values() if not kept.task.over]

    async def close(self) -> None:
        """End all that still runs, politely, and all at once."""
        await asyncio.gather(*(self.stop(task.id, WITH_THE_SESSION) for task in self.running()))

    # -- inside

    async def _watch(self, kept: _Kept) -> None:
        """Until it ends: by itself, because somebody stopped it, or because it wrote too much."""
        ending = asyncio.ensure_future(kept.command.wait())
        try:
            while not ending.done():
                await asyncio.wait([ending], timeout=LOOK_SECONDS)
                if not ending.done() and await in_thread(_size, kept.new.output) > QUOTA_BYTES:
                    kept.stopped_by = f"it wrote more than {QUOTA_BYTES} bytes"
                    await kept.command.end()
                    await asyncio.wait([ending])
            self._over(kept, ending)
        finally:
            ending.cancel()
            kept.new.afterwards()

    def _over(self, kept: _Kept, ending: asyncio.Future[int]) -> None:
        state: TaskState = "stopped" if kept.stopped_by else "ended"
        code, why = None, kept.stopped_by
        if ending.done() and not ending.cancelled():
            try:
                code = ending.result()
            except ToolError as error:
                state, why = ("stopped", why) if kept.stopped_by else ("failed", error.message)
        elif not kept.stopped_by:
            state, why = "failed", "it was lost"
        # Where the sandbox has a process space of its own, what we still see of it is chance.
        left = kept.command.leftovers if state == "ended" and not kept.new.sandboxed else ()
        kept.task = replace(kept.task, state=state, ended=self._clock(), exit_code=code, why=why, left=left)
        self._changed(kept)

    def _changed(self, kept: _Kept) -> None:
        task = kept.task
        self._emit(
            TaskChanged(
                task=task.id,
                state=task.state,
                detail=task.why,
                kind=task.kind,
                title=task.title,
                output=task.output,
                started=task.started,
                ended=task.ended,
                exit_code=task.exit_code,
                call=kept.new.call,
            ),
            kept.new.agent,
        )


def ending_note(task: Task) -> str:
    """What the model is told: the end, and where the output is; never the output itself."""
    if task.state == "ended":
        code = task.exit_code or 0
        how = f"ended with exit code {code}" if code >= 0 else f"was e{exit_text(code)[1:]}"
    else:
        how = f"{'was stopped' if task.state == 'stopped' else 'failed'}: {one_line(task.why)}"
    where = f"Its output is in {one_line(task.output)}.{one_line(told_of(task.left))}"
    return f"The background task {task.id} (`{one_line(task.title)}`) {how}. {where}"


def numbered_before(past: Iterable[Stamped]) -> int:
    """How many tasks an earlier run of the session had: new ones are numbered on."""
    return len({one.event.task for one in past if isinstance(one.event, TaskChanged)})


def bury(past: Iterable[Stamped], emit: Callable[[Event, str], object]) -> list[str]:
    """The tasks that ended with an earlier run of the session, as notes for the model. Those of which nobody has told
    yet that they ended, because the program was killed, are told to be over."""
    lost: dict[str, tuple[TaskChanged, str]] = {}
    for stamped in past:
        event = stamped.event
        if isinstance(event, TaskChanged):
            lost.pop(event.task, None)
            if event.state == "running" or event.detail == WITH_THE_SESSION:
                lost[event.task] = event, stamped.agent
        elif isinstance(event, UserMessage):
            # Whoever has spoken since then did so in a run that told the model of it.
            lost = {id: (task, agent) for id, (task, agent) in lost.items() if task.state == "running"}
    for task, agent in lost.values():
        if task.state == "running":
            emit(replace(task, state="stopped", detail=WITH_THE_SESSION), agent)
    return [
        f"The background task {task.task} (`{one_line(task.title)}`) {WITH_THE_SESSION}." for task, _ in lost.values()
    ]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:  # somebody removed it; then nothing fills the disk
        return 0
