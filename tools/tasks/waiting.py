"""Waiting for something of a task: a look now and then, and its last lines for the person meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator

from tools.bash.output import GrowingFile
from tools.context import ToolContext
from tools.ports import Task, Tasks
from tools.tasks.view import TaskProgress
from tools.threads import in_thread


async def waited(tasks: Tasks, id: str, seconds: float, ctx: ToolContext, pause: float) -> AsyncIterator[Task]:
    """The task as it is, again and again, until it is over or the time is; at least once."""
    started = ctx.clock()
    task = await tasks.over(id, 0.0)
    output = GrowingFile(task.output)
    yield task
    while not task.over and (left := seconds - (ctx.clock() - started)) > 0:
        task = await tasks.over(id, min(pause, left))
        glimpse = await in_thread(output.look)
        ran = ctx.clock() - started
        ctx.progress(TaskProgress(lines=glimpse.lines, total_lines=glimpse.total_lines, seconds=round(ran, 1)))
        yield task
