"""What went wrong in our own code while it ran. The same fault in the same place counts once."""

from __future__ import annotations

import os
import traceback

from tools.short import counted

DRAWING = "drawing a row"


class Faults:
    """`told` says of each what did not work, why and where: `drawing a row: ZeroDivisionError in view.py:63`."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def take(self, what: str, fault: Exception) -> str:
        last = traceback.extract_tb(fault.__traceback__)[-1:]
        where = f" in {os.path.basename(last[0].filename)}:{last[0].lineno}" if last else ""
        told = f"{what}: {type(fault).__name__}{where}"
        if told not in self.told:
            self.told.append(told)
        return told


def problems_in_words(count: int, lacks: str = "") -> str:
    """For the status line, until they are mended. `lacks`: what is wanted and cannot be had."""
    told = ", ".join([*([counted(count, "problem")] if count else []), *([lacks] if lacks else [])])
    return f"{told} /health" if told else ""


def in_full(told: str, report: str) -> str:
    """For the transcript: what did not work, that all else goes on, and where what led to it is."""
    kept = f"What led to it is in {report}; please report it." if report else "Please report it."
    return f"A fault of agent-tui, {told}. Everything else goes on. {kept}"


def kept_report(fault: Exception) -> str:
    """The file with the traceback; empty where none can be written."""
    from tui.endings import write_report

    try:
        return write_report(fault)
    except OSError:
        return ""
