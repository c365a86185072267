"""How the program ends, whatever happens: with the exit code a script expects, and never with a bare traceback.

143  SIGTERM       raised as SystemExit where the program stands, so that everything open is closed on the way out;
129  SIGHUP        who runs an event loop takes the signals over with `loop.add_signal_handler`
130  Ctrl+C; `-p` ends its turn first, and a second one ends it at once
141  whoever read our output is gone: nothing is left to say
  1  our output cannot be written, for another reason: one sentence
 70  a fault of ours: one sentence, and a private file with the traceback
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from tui.streams import take_every_character

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
# Where one of our own files cannot be written, whoever writes it says so; what comes this far is the output's.
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
INTERRUPTED = 128 + signal.SIGINT
READER_GONE = 128 + signal.SIGPIPE
OUR_FAULT = os.EX_SOFTWARE
AGAIN_SECONDS = 0.01


def guarded(work: Callable[[], int]) -> int:
    """The exit code of `work`, or of the way it ended."""
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    hook, sys.unraisablehook = sys.unraisablehook, _told_again
    for number, handler in before.items():
        # Who started us with SIGHUP ignored wants us to go on without the terminal.
        if handler is not signal.SIG_IGN:
            signal.signal(number, _end)
    take_every_character()
    try:
        code = work()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return ended_by(error)
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def ended_by(error: Exception) -> int:
    """The exit code after a failure that nobody expected, with what is to be said about it."""
    if isinstance(error, BrokenPipeError) and _reader_is_gone():
        _drop_output()
        return READER_GONE
    if isinstance(error, OSError) and error.errno in CANNOT_WRITE and error.filename is None:
        _drop_output()
        sys.stderr.write(f"agent-tui: the output could not be written: {error.strerror}.\n")
        return 1
    return _report(error)


def _end(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _told_again(dropped: sys.UnraisableHookArgs) -> None:
    """A signal that came where Python drops exceptions, such as in a destructor, is sent again until it is heard."""
    match dropped.exc_value:
        case KeyboardInterrupt():
            number = int(signal.SIGINT)
        case SystemExit(code=int(code)) if code - 128 in ENDING_SIGNALS:
            number = code - 128
        case _:
            sys.__unraisablehook__(dropped)
            return
    import threading

    again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _reader_is_gone() -> bool:
    """Told apart from a pipe of our own that broke, which would be a fault."""
    import select

    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _drop_output() -> None:
    # What is still buffered goes nowhere, so that closing the stream does not fail once more.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: Exception) -> int:
    words = f"agent-tui: this should not have happened: {type(error).__name__}."
    try:
        sys.stderr.write(f"{words} What led to it is in {write_report(error)}; please report it.\n")
    except OSError as why:
        sys.stderr.write(f"{words} It could not be written down ({why}):\n{_trace(error)}")
    return OUR_FAULT


def write_report(error: Exception) -> str:
    """A new private file in the state folder, or where that cannot be written in a temporary one."""
    import secrets
    import time

    from agent.settings.locations import state_folder

    folder = state_folder() / "crashes"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{secrets.token_hex(4)}.txt"
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
        file.write(_trace(error))
    return str(path)


def _trace(error: Exception) -> str:
    """The traceback, without our credentials should a message have quoted one."""
    import traceback

    from tools.bash.environment import OUR_CREDENTIALS

    text = "".join(traceback.format_exception(error))
    for name, value in os.environ.items():
        if name.startswith(OUR_CREDENTIALS) and name.endswith(("KEY", "TOKEN")) and value:
            text = text.replace(value, f"<{name}>")
    return text
