"""What went wrong in the drawing of rows. The same fault in the same place counts once, however often it is drawn."""

from __future__ import annotations

import os
import traceback

from tools.short import counted


class Faults:
    """`places` says of each what it was and where: `ZeroDivisionError in view.py:63`."""

    def __init__(self) -> None:
        self.places: list[str] = []

    def take(self, fault: Exception) -> None:
        last = traceback.extract_tb(fault.__traceback__)[-1:]
        where = f" in {os.path.basename(last[0].filename)}:{last[0].lineno}" if last else ""
        place = f"{type(fault).__name__}{where}"
        if place not in self.places:
            self.places.append(place)


def problems_in_words(count: int) -> str:
    """For the status line, until they are mended."""
    return f"{counted(count, 'problem')} /health" if count else ""
