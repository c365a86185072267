"""A path pattern laid over a path name by name: `**` is any number of names, `*` any run of characters in one.

A pattern may come from a folder nobody trusts, so no pattern is slow: the work is at most both lengths multiplied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

ANY_DEPTH = "**"


class BadPattern(ValueError):
    """A pattern that cannot work, with the sentence that says why."""


def reached(pattern: Sequence[str], names: int, fits: Callable[[str, int], bool]) -> frozenset[int]:
    """After how many names of a path the whole pattern may have been read. `fits` says it of one name by its place."""
    ends = {0}
    for part in pattern:
        if part == ANY_DEPTH:
            ends = set(range(min(ends), names + 1)) if ends else ends
        else:
            ends = {place + 1 for place in ends if place < names and fits(part, place)}
    return frozenset(ends)


class _Piece(NamedTuple):
    """What stands between two stars: always the same number of characters."""

    regex: re.Pattern[str]
    length: int


class NamePattern(NamedTuple):
    pieces: tuple[_Piece, ...]

    def fits(self, name: str) -> bool:
        """Whether the whole name fits. Each piece is taken where it is first found, which is never worse."""
        head, *middle = self.pieces
        if not middle:
            return len(name) == head.length and head.regex.match(name) is not None
        tail = middle.pop()
        end = len(name) - tail.length
        at = head.length
        if at > end or not head.regex.match(name) or not tail.regex.match(name, end):
            return False
        for piece in middle:
            found = piece.regex.search(name, at, end)
            if found is None:
                return False
            at = found.end()
        return True


def name_pattern(text: str, *, ignore_case: bool) -> NamePattern:
    """One name of a pattern, or BadPattern."""
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    pieces: list[list[str]] = [[]]
    for token in _TOKEN.finditer(text):
        if token["stars"]:
            pieces.append([])
        else:
            pieces[-1].append(_one_character(token))
    try:
        return NamePattern(tuple(_Piece(re.compile("".join(piece), flags), len(piece)) for piece in pieces))
    except re.error:
        raise BadPattern("the pattern is not valid, look at its brackets and ranges") from None


def is_wild(name: str) -> bool:
    """Whether a name of a pattern stands for several names."""
    return any(token["stars"] or token["one"] or token["set"] is not None for token in _TOKEN.finditer(name))


_TOKEN = re.compile(r"\\(?P<escaped>.)|(?P<stars>\*+)|(?P<one>\?)|\[(?P<set>[!^]?\]?[^\]]*)\]|(?P<plain>.)", re.DOTALL)


def _one_character(token: re.Match[str]) -> str:
    if token["one"]:
        return "."
    if token["set"] is not None:
        negated, members = token["set"][:1] in ("!", "^"), token["set"].lstrip("!^") or "^"
        members = members.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        return f"[{'^' if negated else ''}{members}]"
    if token["plain"] == "[":
        raise BadPattern("a bracket is opened and never closed")
    return re.escape(token["escaped"] or token["plain"])
