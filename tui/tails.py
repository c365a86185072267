"""The end of a file that still grows: what a background task has said last."""

from __future__ import annotations

import os

from tools.short import last_lines
from tui.render.safe import safe_output

# As much of the file's end is looked at.
MOST_BYTES = 1 << 18
LONGEST_LINE = 2_000


def tail_of(path: str, most: int) -> tuple[list[str], int]:
    """The last lines of a growing file, and how many stand before them as far as was looked."""
    try:
        with open(path, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - MOST_BYTES, 0))
            text = file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return [], 0
    lines, before = last_lines(text, most, LONGEST_LINE)
    return safe_output("\n".join(lines)).split("\n") if lines else [], before
