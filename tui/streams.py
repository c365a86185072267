"""Standard input, output and errors, where whoever started the program gave less than there should be.

A closed one is replaced by one that leads nowhere: otherwise the next file that is opened takes its number, and gets
what is printed.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO, cast


def open_closed_streams() -> None:
    """Call it before anything else is opened."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is the one that is missing.
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(descriptor: int, mode: str) -> TextIO:
    stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 (open as long as the program runs)
    return cast("TextIO", stream)


def take_every_character() -> None:
    """What the terminal or the file cannot show is shown as its number, and ends nothing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
