"""What was piped into the command: the rest of its task."""

from __future__ import annotations

import os
import select
import stat
from typing import TextIO

MOST_BYTES = 10_000_000
# After so long without a byte the person is told what is being waited for.
PATIENCE_SECONDS = 3.0
CHUNK_BYTES = 1 << 16


class TooMuch(Exception):
    """More than a task may hold; the message says what to do instead."""


def piped_text(source: TextIO | None, notes: TextIO, patience: float = PATIENCE_SECONDS) -> str:
    """All of standard input up to its end; nothing where a person sits at it or it is closed."""
    if source is None or source.closed or source.isatty():
        return ""
    descriptor = source.fileno()
    if _may_stay_silent(descriptor) and not select.select([descriptor], [], [], patience)[0]:
        notes.write("agent-tui: waiting for the end of standard input; `< /dev/null` says that there is none.\n")
        notes.flush()
    parts: list[bytes] = []
    size = 0
    while part := os.read(descriptor, CHUNK_BYTES):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            most = MOST_BYTES // 1_000_000
            raise TooMuch(f"standard input has more than {most} MB; put it into a file and name that in the task.")
    return b"".join(parts).decode("utf-8", errors="replace")


def _may_stay_silent(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
