"""Where the old text stands in a file: exactly, or, only if nowhere exactly, with its quotes folded.

White space, case and Unicode forms are never normalised.
"""

from __future__ import annotations

from tools.edit.quotes import FOLDED, in_the_files_quotes
from tools.textfile import Replacement


def places_of(text: str, old: str) -> list[int]:
    """Every place, overlapping ones too: any second one makes the place ambiguous."""
    return _occurrences(text, old) or _occurrences(text.translate(FOLDED), old.translate(FOLDED))


def replacements(text: str, places: list[int], old: str, new: str) -> list[Replacement]:
    """Of places that overlap those that can all be replaced, from the left."""
    made: list[Replacement] = []
    put_in: dict[tuple[str, str], str] = {}
    for at in places:
        if made and at < made[-1].end:
            continue
        found, before = text[at : at + len(old)], text[max(at - 1, 0) : at]
        if found == old:
            made.append(Replacement(at, at + len(old), new))
            continue
        if (found, before) not in put_in:
            put_in[found, before] = in_the_files_quotes(found, old, new, before)
        made.append(Replacement(at, at + len(old), put_in[found, before]))
    return made


def _occurrences(text: str, old: str) -> list[int]:
    found: list[int] = []
    at = text.find(old)
    while at >= 0:
        found.append(at)
        at = text.find(old, at + 1)
    return found
