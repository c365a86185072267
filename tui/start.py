"""Starts the screen and sees it to its end: what it is given, who ends it from outside, what is left on the terminal.

Nothing of the agent is imported here before the screen stands: what a session is to be is made when it is asked for.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tui.arguments import Screen
from tui.first_frame import FirstFrame, Terminal, has_terminal, leave_when_told
from tui.glance import is_connected, speaks_utf8
from tui.loading import loading

if TYPE_CHECKING:
    from textual.app import App

    from agent.assemble import Wanted
    from agent.scripts.options import Options

LEAST_COLUMNS, LEAST_ROWS = 20, 5
# Who was told to end and has not ended after so long is ended.
PATIENCE_SECONDS = 10.0
STEPS_A_SECOND = 1000
# What comes so soon after somebody else had the terminal was meant for them.
OVERHEARD_SECONDS = 0.5


@dataclass(frozen=True)
class Start:
    """What the app is started with.

    `wanted` builds the session's parts and imports the agent: call it once, after the first frame, in a thread.
    `typed` is the text typed before; what is typed after it was called comes as keys, so call it as late as possible.
    """

    wanted: Callable[[], Wanted]
    typed: Callable[[], str] = str
    # The folder worked in; that of the tour is a copy that ends with it.
    folder: str = ""
    tour: bool = False
    theme: str | None = None
    ascii: bool = False
    first_task: str = ""
    resumed: bool = False


class NoScreen(Exception):
    """The screen cannot be shown here; the sentence says why and what works instead."""

    def __init__(self, sentence: str, has_terminal: bool = True) -> None:
        super().__init__(sentence)
        self.has_terminal = has_terminal


class ScreenFault(Exception):
    """A fault of ours for which there is no more than the text Textual made of it."""


def run_screen(asked: Screen, first: FirstFrame | None = None) -> int:
    """The exit code. What the app returns stays on the terminal. Raises NoScreen, and whatever fault ended the app."""
    _check_terminal()
    terminal = first.terminal if first is not None else Terminal()
    leave_when_told()
    try:
        with _folder_to_work_in() as (folder, tour):
            app = _app(_start(asked, first, folder, tour), terminal, first)
            errors = _catch_errors(app)
            told = asyncio.run(_until_its_end(app, terminal))
    finally:
        terminal.give_back()
    _raise_fault(app, errors.getvalue())
    if told:
        _say(told)
    return app.return_code or 0


def _check_terminal() -> None:
    if not has_terminal():
        raise NoScreen('the screen needs a terminal; `agent-tui -p "the task"` works without one.', has_terminal=False)
    columns, rows = os.get_terminal_size(0)
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        raise NoScreen(
            f"the screen needs {LEAST_COLUMNS} columns and {LEAST_ROWS} lines, this terminal has {columns} and {rows}; "
            'make it larger, or use `agent-tui -p "the task"`.'
        )
    if os.environ.get("TERM", "dumb") == "dumb":
        raise NoScreen('this terminal cannot move its cursor (TERM=dumb); use `agent-tui -p "the task"`.')


@contextmanager
def _folder_to_work_in() -> Generator[tuple[str, bool]]:
    """Here; or, without a model, the tour's own copy."""
    if is_connected(os.environ):
        yield os.getcwd(), False
        return
    from agent.tour.scratch import scratch_copy

    with scratch_copy() as folder:
        yield str(folder), True


def _start(asked: Screen, first: FirstFrame | None, folder: str, tour: bool) -> Start:
    options = asked.options

    def wanted() -> Wanted:
        return _tour_wanted(folder) if tour else _wanted(options, folder)

    return Start(
        wanted=wanted,
        typed=first.typed if first is not None else str,
        folder=folder,
        tour=tour,
        theme=asked.theme,
        ascii=asked.ascii or os.environ.get("TERM") == "linux" or not speaks_utf8(os.environ),
        first_task=options.task,
        resumed=options.continue_ or options.resume is not None,
    )


def _tour_wanted(folder: str) -> Wanted:
    from agent.tour.play import tour_in

    return tour_in(Path(folder))


def _wanted(options: Options, folder: str) -> Wanted:
    from agent.assemble import Wanted, connected_model
    from agent.scripts.print_mode import flags_of

    return Wanted(
        folder=folder,
        flags=flags_of(options),
        model=connected_model(os.environ),
        read_only=options.read_only,
        simple=options.simple,
        append_system_prompt=options.append_system_prompt,
        max_requests=options.max_turns,
        effort=options.effort,
        resume=options.resume,
        resume_latest=options.continue_,
        interactive=True,
    )


def _app(start: Start, terminal: Terminal, first: FirstFrame | None) -> App[str]:
    with loading(), _repainting_soon():
        from tui.app import AgentApp
        from tui.terminal import taking_over

        app = AgentApp(start)
    app.driver_class = taking_over(terminal, first)
    return app


@contextmanager
def _repainting_soon() -> Generator[None]:
    """Textual repaints in steps, and a key that comes just after one would have to wait for the next. It looks for
    their number once, when it is loaded; commands that are run later do not inherit it. What is drawn how often is
    decided in `tui.controllers.frames`."""
    chosen = os.environ.get("TEXTUAL_FPS")
    os.environ["TEXTUAL_FPS"] = chosen or str(STEPS_A_SECOND)
    try:
        yield
    finally:
        if chosen is None:
            del os.environ["TEXTUAL_FPS"]


async def _until_its_end(app: App[str], terminal: Terminal) -> str | None:
    loop = asyncio.get_running_loop()
    # An interrupt, too: Ctrl+C comes as a key here, and what asyncio does with the signal leaves Textual half ended.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            act = _interrupted if number == signal.SIGINT else _end
            loop.add_signal_handler(number, act, app, terminal, 128 + number)
    try:
        return await app.run_async()
    finally:
        # Ctrl+C is a signal again, and somebody may be pressing it still: nothing is left to stop, but much to say.
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupted(app: App[str], terminal: Terminal, code: int) -> None:
    # Ctrl+C at an editor reaches us, too, and is heard when the editor is over. It was not meant for us.
    if time.monotonic() - terminal.taken_again > OVERHEARD_SECONDS:
        _end(app, terminal, code)


def _end(app: App[str], terminal: Terminal, code: int) -> None:
    if app.return_code is None:
        # Else it is ending already, with its own last words.
        app.exit(return_code=code)
    threading.Thread(target=_end_at_last, args=(terminal, code), daemon=True).start()


def _end_at_last(terminal: Terminal, code: int) -> NoReturn:
    threading.Event().wait(PATIENCE_SECONDS)
    terminal.give_back()
    os._exit(code)


def _catch_errors(app: App[str]) -> StringIO:
    """Textual prints the fault that ended it, with the values of variables: that is for nobody to keep."""
    from rich.console import Console

    errors = StringIO()
    app.error_console = Console(file=errors, width=120)
    return errors


def _raise_fault(app: App[str], errors: str) -> None:
    from textual.worker import WorkerFailed

    fault = app._exception  # pyright: ignore[reportPrivateUsage] (Textual has no other way to ask what ended it)
    if isinstance(fault, WorkerFailed):
        fault = fault.error
    if fault is not None:
        raise fault
    if errors:
        raise ScreenFault(errors)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
