"""What nobody expected, in a sentence: nothing is swallowed, and nothing ends the program from within a call."""

from __future__ import annotations

import traceback


def unexpected(what: str, error: Exception) -> str:
    """The kind, the words and the last place of the failure, for the record and for whoever has to go on."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].name}, line {frames[-1].lineno})" if frames else ""
    return f"{what} failed unexpectedly: {type(error).__name__}: {error}{where}."
