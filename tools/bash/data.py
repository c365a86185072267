"""What a command gives back, while it runs and when it has ended."""

from __future__ import annotations

import signal

from tools.inputs import ToolOutput
from tools.ports import ChangedFile


class BashProgress(ToolOutput):
    """The end of the output so far."""

    lines: tuple[str, ...]
    total_lines: int
    total_bytes: int
    seconds: float
    # It takes long, and may be sent to the background.
    may_leave: bool = False


class BashOutput(ToolOutput):
    output: str
    # Negative for the signal that ended it; None while it goes on in the background.
    exit_code: int | None
    total_bytes: int
    total_lines: int
    truncated: bool
    # The file with the whole output.
    stored: str
    # Where the next command starts.
    folder: str
    note: str = ""
    # What a code other than 0 means where it is no failure: nothing found, the files differ.
    meaning: str = ""
    # The task it goes on as, in the background.
    task: str = ""
    # Files this session knows that it changed.
    changed: tuple[ChangedFile, ...] = ()
    # It ran in the sandbox, and what the sandbox seems to have kept it from, as a sentence.
    sandboxed: bool = False
    blocked: str = ""


def exit_text(code: int | None) -> str:
    """How it ended, in words; empty when it went well, or has not ended."""
    if code is None or code >= 0:
        return f"Exit code {code}" if code else ""
    try:
        return f"Ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"Ended by signal {-code}"


# Of what was left running this many are named.
LEFTOVERS_NAMED = 5


def leftovers_text(leftovers: tuple[str, ...]) -> str:
    """What was left running when a command ended; empty where nothing was."""
    if not leftovers:
        return ""
    named = ", ".join(f"`{one}`" for one in leftovers[:LEFTOVERS_NAMED])
    more = f" and {len(leftovers) - LEFTOVERS_NAMED} more" if len(leftovers) > LEFTOVERS_NAMED else ""
    what = (
        "1 process it left running was" if len(leftovers) == 1 else f"{len(leftovers)} processes it left running were"
    )
    return f"{what} ended: {named}{more}."


# Of the files that a command changed this many are named.
CHANGED_NAMED = 10


def changed_text(changed: tuple[ChangedFile, ...]) -> str:
    """What the model is told of files it has seen; empty where none changed."""
    if not changed:
        return ""
    named = "; ".join(_changed(file) for file in changed[:CHANGED_NAMED])
    more = f"; and {len(changed) - CHANGED_NAMED} more" if len(changed) > CHANGED_NAMED else ""
    return f"Files you have seen changed while it ran: {named}{more}."


def _changed(file: ChangedFile) -> str:
    name = file.path if file.path.isprintable() else ascii(file.path)
    if file.deleted:
        return f"{name} (deleted)"
    return name if file.added is None else f"{name} (+{file.added} -{file.removed})"
