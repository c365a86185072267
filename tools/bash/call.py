"""The work of one call: start the command, wait for it or leave it to the background, and say what came of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass

from tools.bash.data import BashOutput, BashProgress, changed_text, leftovers_text
from tools.bash.environment import find_program, for_command, for_reading
from tools.bash.exits import meaning_of
from tools.bash.folder import Stand, may_move, stand_after, telling
from tools.bash.inside import layers
from tools.bash.output import Glimpse, GrowingFile, Output
from tools.bash.parse import parse
from tools.bash.readonly import only_reads
from tools.bash.run import LONG_SECONDS, Bounds, Ending, run
from tools.bash.shell import Shell, window_for
from tools.bash.shown_file import remember_shown
from tools.context import ToolContext
from tools.contract import ContextChange, ToolError, ToolResult
from tools.ports import ChangedFile, Confined, NewTask, RunningCommand, Sandbox
from tools.threads import in_thread


@dataclass(frozen=True, slots=True)
class Wish:
    """What the model wants, with its timeout within bounds."""

    command: str
    timeout: float
    in_background: bool = False
    in_sandbox: bool = True


@dataclass(frozen=True, slots=True)
class _Beside:
    """What is there for one command only. `told`: where the shell tells its last folder, empty where it cannot have
    moved."""

    told: str = ""
    confined: Confined | None = None
    sandbox: Sandbox | None = None

    def tidy(self) -> None:
        """Quick, so that it can be done while a call is being cancelled. The output stays."""
        if self.told:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.told)
        if self.confined is not None and self.sandbox is not None:
            self.sandbox.release(self.confined)


@dataclass(frozen=True, slots=True)
class _Started:
    wish: Wish
    command: RunningCommand
    beside: _Beside
    growing: GrowingFile
    # By the clock of the call.
    begun: float

    @property
    def output(self) -> str:
        return self.growing.path

    @property
    def confined(self) -> Confined | None:
        return self.beside.confined

    def stand(self, ctx: ToolContext) -> Stand:
        told = self.beside.told
        return stand_after(told, ctx.folder, ctx.workspace.roots) if told else Stand(ctx.folder)


async def run_call(wish: Wish, ctx: ToolContext, shell: Shell) -> ToolResult[BashOutput]:
    if wish.in_background:
        return ToolResult(await _left(await _start(wish, ctx, shell), ctx, shell, ""))
    # Before anything waits: it may be sent to the background from the moment it is seen to run.
    with shell.tasks.movable(ctx.call_id) if shell.tasks is not None else contextlib.nullcontext() as leave:
        return await _run_here(wish, ctx, shell, leave)


async def _run_here(wish: Wish, ctx: ToolContext, shell: Shell, leave: asyncio.Event | None) -> ToolResult[BashOutput]:
    reads = only_reads(parse(wish.command))
    left: BashOutput | None = None
    async with window_for(shell, ctx.call_id, ctx.agent, wish.command, reads) as window:
        started = await _start(wish, ctx, shell)
        with contextlib.ExitStack() as tidying:
            tidying.callback(started.beside.tidy)
            ending = await _wait(started, ctx, shell, leave)
            if ending.why == "left":
                tidying.pop_all()
                left = await _left(started, ctx, shell, _who_sent_it(ending))
            stand = started.stand(ctx) if left is None else Stand(ctx.folder)
    if left is not None:
        return ToolResult(left.model_copy(update={"changed": window.changed}))
    return await _ended(started, ending, stand, window.changed, shell, ctx)


async def _start(wish: Wish, ctx: ToolContext, shell: Shell) -> _Started:
    output = await in_thread(shell.outputs.new_output, ctx.call_id)
    argv = (find_program("bash", os.environ, ctx.workspace.roots) or "/bin/sh", "-c", wish.command)
    beside = await in_thread(_beside, wish, argv, ctx, shell, output)
    env = _environment(ctx, shell, wish.command)
    env = telling(env, beside.told) if beside.told else env
    try:
        command = await shell.launcher.start(argv, ctx.folder, env, output, beside.confined)
    except BaseException:
        beside.tidy()
        raise
    return _Started(wish, command, beside, GrowingFile(output), ctx.clock())


def _beside(wish: Wish, argv: tuple[str, ...], ctx: ToolContext, shell: Shell, output: str) -> _Beside:
    # Telling costs the shell a millisecond or two, so only those do that may have moved, and whom somebody waits for.
    told = f"{output}.folder" if not wish.in_background and may_move(parse(wish.command)) else ""
    sandbox = shell.sandbox
    if not wish.in_sandbox or sandbox is None or not sandbox.state.active:
        return _Beside(told)
    if told:
        # What may be written inside must be there before.
        os.close(os.open(told, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    confined = sandbox.confine(argv, ctx.workspace.roots, (output, told) if told else (output,))
    return _Beside(told, confined, sandbox)


async def _wait(started: _Started, ctx: ToolContext, shell: Shell, leave: asyncio.Event | None) -> Ending:
    wish = started.wish

    def show(glimpse: Glimpse, ran: float) -> None:
        ctx.progress(_progress(glimpse, ran, may_leave=shell.tasks is not None and ran >= LONG_SECONDS))

    bounds = Bounds(wish.timeout, shell.settings().auto_background)
    return await run(started.command, started.growing, bounds, leave, show)


def _environment(ctx: ToolContext, shell: Shell, command: str) -> dict[str, str]:
    settings = shell.settings()
    inherited = {**os.environ, **settings.variables}
    inherited = {name: value for name, value in inherited.items() if name not in settings.hidden_variables}
    script = parse(command)
    if only_reads(script):
        programs = {words[0].text for one in script.commands for words in layers(one.words)}
        env = for_reading(inherited, ctx.workspace.roots, programs)
    else:
        env = for_command(inherited)
    return env | {"PWD": ctx.folder}


def _progress(glimpse: Glimpse, ran: float, *, may_leave: bool) -> BashProgress:
    return BashProgress(
        lines=glimpse.lines,
        total_lines=glimpse.total_lines,
        total_bytes=glimpse.total_bytes,
        seconds=round(ran, 1),
        may_leave=may_leave,
    )


# -- what came of it


def _who_sent_it(ending: Ending) -> str:
    who = "The person sent it to the background" if ending.was_sent else "It went to the background by itself"
    return f"{who} after {ending.seconds:.0f} s. "


async def _left(started: _Started, ctx: ToolContext, shell: Shell, how: str) -> BashOutput:
    assert shell.tasks is not None, "what cannot go to the background is refused before"
    new = NewTask(
        title=started.wish.command,
        output=started.output,
        agent=ctx.agent,
        call=ctx.call_id,
        sandboxed=started.confined is not None,
        ran=ctx.clock() - started.begun,
        afterwards=started.beside.tidy,
    )
    task = shell.tasks.adopt(started.command, new)
    read = await in_thread(started.growing.read)
    note = (
        f"{how}It runs in the background as {task.id} until it ends, or this session does; you are told when it ends. "
        f"TaskOutput shows its output, which is in {task.output}, and TaskStop ends it."
    )
    return _data(started, read, ctx.folder).model_copy(update={"task": task.id, "note": note})


async def _ended(
    started: _Started,
    ending: Ending,
    stand: Stand,
    changed: tuple[ChangedFile, ...],
    shell: Shell,
    ctx: ToolContext,
) -> ToolResult[BashOutput]:
    read = await in_thread(started.growing.read)
    _raise_unless_ended_by_itself(ending, read, started.wish.timeout, changed_text(changed))
    if ending.exit_code == 0 and not read.truncated:
        await in_thread(remember_shown, started.wish.command, read.text, ctx)
    meaning = meaning_of(started.wish.command, ending.exit_code, read.text)
    blamed = started.confined is not None and shell.sandbox is not None and ending.exit_code != 0 and not meaning
    found = {
        "exit_code": ending.exit_code,
        "note": "\n".join(part for part in (stand.note, _left_running(_seen_leftovers(started, ending))) if part),
        "meaning": meaning,
        "changed": changed,
        "blocked": shell.sandbox.blame(read.text) if blamed and shell.sandbox is not None else "",
    }
    return ToolResult(
        _data(started, read, stand.folder).model_copy(update=found),
        context_change=ContextChange(folder=stand.folder) if stand.changed else None,
        stored_at=started.output if read.truncated else None,
    )


def _data(started: _Started, read: Output, folder: str) -> BashOutput:
    """As it is while it still runs."""
    return BashOutput(
        output=read.text,
        exit_code=None,
        total_bytes=read.total_bytes,
        total_lines=read.total_lines,
        truncated=read.truncated,
        stored=started.output,
        folder=folder,
        sandboxed=started.confined is not None,
    )


def _seen_leftovers(started: _Started, ending: Ending) -> tuple[str, ...]:
    """Where the sandbox has a process space of its own it ends what is left in it; what we still see is chance."""
    alone = started.confined is not None and started.confined.rules is None
    return () if alone else ending.leftovers


def _left_running(leftovers: tuple[str, ...]) -> str:
    return f"{leftovers_text(leftovers)} What is to go on needs `run_in_background`." if leftovers else ""


def _raise_unless_ended_by_itself(ending: Ending, read: Output, timeout: float, changed: str) -> None:
    so_far = read.text.rstrip("\n") or "(no output)"
    if ending.why == "timed_out":
        advice = (f"The command was ended after {timeout:g} s. Give a longer `timeout`, or run less at once.", changed)
        raise ToolError(f"{' '.join(filter(None, advice))} Its output so far:\n{so_far}", "timed_out")
    if ending.why == "too_much_output":
        ended = (f"The command was ended: it wrote {read.total_bytes} bytes.", changed)
        raise ToolError(f"{' '.join(filter(None, ended))} Its output:\n{so_far}", "too_large")
