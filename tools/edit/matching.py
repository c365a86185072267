"""Where the old text stands in a file: exactly, or, only if nowhere exactly, with its quotes folded.

White space, case and Unicode forms are never normalised.
"""

from __future__ import annotations

from typing import NamedTuple

from tools.edit.quotes import FOLDED, in_the_files_quotes
from tools.textfile import Replacement

# No more places are replaced at once: each change is compared, shown and kept.
MOST_REPLACED = 1_000_000
# And no more are counted where there must be one only; fewer of a long text, which takes longer to look for.
MOST_COUNTED = 100_000
COMPARED_CHARS = 50_000_000


class Places(NamedTuple):
    """Where the old text begins, in order. `more`: there are more than these."""

    starts: list[int]
    more: bool = False

    @property
    def number(self) -> str:
        return f"more than {len(self.starts)}" if self.more else str(len(self.starts))


def places_of(text: str, old: str, everywhere: bool) -> Places:
    """Of all that are wanted those that can be replaced together, from the left.

    Where one is wanted, those that overlap, too: any second one makes it ambiguous.
    """
    exact = _occurrences(text, old, everywhere)
    return exact if exact.starts else _occurrences(text.translate(FOLDED), old.translate(FOLDED), everywhere)


def replacements(text: str, places: list[int], old: str, new: str) -> list[Replacement]:
    """For places that are apart."""
    made: list[Replacement] = []
    put_in: dict[tuple[str, str], str] = {}
    for at in places:
        if text.startswith(old, at):
            made.append(Replacement(at, at + len(old), new))
            continue
        found, before = text[at : at + len(old)], text[max(at - 1, 0) : at]
        if (found, before) not in put_in:
            put_in[found, before] = in_the_files_quotes(found, old, new, before)
        made.append(Replacement(at, at + len(old), put_in[found, before]))
    return made


def _occurrences(text: str, old: str, everywhere: bool) -> Places:
    most = MOST_REPLACED if everywhere else min(MOST_COUNTED, COMPARED_CHARS // len(old))
    step = len(old) if everywhere else 1
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and len(found) < most:
        found.append(at)
        at = text.find(old, at + step)
    return Places(found, more=at >= 0)
