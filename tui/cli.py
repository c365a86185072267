"""The command `agent-tui`: what was asked, and who does it. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import os
import sys

from tools.version import __version__

# As in `typing`, whose import alone would cost `--version` a third of its time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.scripts.options import Options
    from tui.arguments import Command, Screen
    from tui.first_frame import FirstFrame

COMMANDS = ("explain", "call", "tour")


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0, 1 for a failure, 2 for a wrong command line; `tui.endings` has those of every other end."""
    args = list(sys.argv[1:] if argv is None else argv)
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from tui.streams import open_closed_streams

        open_closed_streams()
    if args[:1] == ["--version"]:
        return _version()
    first = None
    try:
        first = _first_frame(args)
        from tui.endings import guarded

        if args[:1] == ["explain"] and args[1:2] not in (["--help"], ["-h"]):
            return guarded(lambda: _explain(args[1:]))
        return guarded(lambda: _run(args, first))
    except KeyboardInterrupt:
        return 130
    finally:
        if first is not None:
            first.give_back()


def _version() -> int:
    try:
        print(f"agent-tui {__version__}", flush=True)
        return 0
    except OSError as error:
        from tui.endings import ended_by

        return ended_by(error)


def _first_frame(args: list[str]) -> FirstFrame | None:
    """Before anything else is loaded: where there is a person to see it, and nothing else was asked for."""
    if args[:1] in ([name] for name in COMMANDS) or not (os.isatty(0) and os.isatty(1) and os.isatty(2)):
        return None
    from tui.first_frame import first_frame

    return first_frame(args)


def _explain(args: list[str]) -> int:
    """Other programs ask it about every call of theirs, so nothing else is loaded, and nothing swept meanwhile."""
    import gc

    gc.disable()
    from agent.scripts.explain import main as run

    return run(args)


def _run(args: list[str], first: FirstFrame | None) -> int:
    """Whoever writes to the terminal gives it back first; the screen takes it over instead."""
    from tui.arguments import Command, Help, Screen, Wrong, read_arguments

    asked = read_arguments(args)
    if first is not None and not isinstance(asked, Screen):
        first.give_back()
    match asked:
        case Wrong(sentence):
            return _refuse(sentence, 2)
        case Help(text):
            print(text)
            return 0
        case Command() as command:
            return _run_command(command)
        case Screen() as screen:
            return _run_screen(screen, first)
        case options:
            return _run_task(options)


def _run_command(command: Command) -> int:
    if command.name == "explain":
        # It only decides, also about folders that are not there.
        return _explain(list(command.args))
    if trouble := _trouble_with_folder():
        return _refuse(trouble, 1)
    if command.name == "call":
        from agent.scripts.call import main as run
    else:
        from agent.scripts.tour import main as run
    return run(list(command.args))


def _run_screen(screen: Screen, first: FirstFrame | None) -> int:
    try:
        trouble = _trouble_with_folder()
        if not trouble:
            from tui.start import NoScreen, run_screen

            try:
                return run_screen(screen, first)
            except NoScreen as problem:
                from tui.glance import is_connected

                if not problem.has_terminal and screen.options.task == "" and not is_connected(os.environ):
                    from agent.scripts.tour import main as tour

                    return tour([])
                trouble = str(problem)
    finally:
        if first is not None:
            first.give_back()
    return _refuse(trouble, 1)


def _run_task(options: Options) -> int:
    if trouble := _trouble_with_folder():
        return _refuse(trouble, 1)
    from dataclasses import replace

    from tui.piped import TooMuch, piped_text

    try:
        piped = piped_text(sys.stdin, sys.stderr)
    except TooMuch as problem:
        return _refuse(str(problem), 2)
    task = "\n\n".join(part for part in (options.task, piped) if part.strip())
    if not task:
        return _refuse('there is no task: write one, as in `agent-tui -p "fix the failing test"`, or pipe it in.', 2)
    from agent.scripts.print_mode import main as run

    return run(replace(options, task=task))


def _trouble_with_folder() -> str:
    try:
        folder = os.getcwd()
    except OSError:
        return "the working folder is gone; change to another one and start again."
    if not os.access(folder, os.R_OK | os.X_OK):
        return f"the working folder {folder} cannot be read; change to another one or mend its permissions."
    return ""


def _refuse(sentence: str, code: int) -> int:
    print(f"agent-tui: {sentence}", file=sys.stderr)
    return code
