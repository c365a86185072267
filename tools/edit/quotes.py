"""Quotes that are folded to find the old text, and how those of the new text then look: as the file's own do."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from tools.diffs import common_end, common_start

FOLDED = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_CURLY = {"'": ("\u2018", "\u2019"), '"': ("\u201c", "\u201d")}
_QUOTES = frozenset("'\"\u2018\u2019\u201c\u201d")
_OPENS_AFTER = set(" \t\n\r\u00a0([{<-\u2014\u2013/")
# After these a quote opens only if a word follows it, or its other half.
_OPENS_BETWEEN = set("=,:;|+")
# Quotes stand side by side no deeper than this.
NESTED = 3
COSTLY_PAIRS = 200_000
_WORD = re.compile(r"\s*(?:\w+|\W)|\s+", re.DOTALL)


def in_the_files_quotes(found: str, old: str, new: str, before: str = "") -> str:
    """`new`, with the quotes the file uses: kept where it repeats the old text, in the same style elsewhere.

    `before` is the character of the file that the found text stands behind.
    """
    shorter = min(len(old), len(new))
    head = common_start(old, new, shorter)
    tail = common_end(old, new, shorter - head)
    old_end, new_end = len(old) - tail, len(new) - tail
    style = _Style.of(found, before)
    parts = [found[:head]]
    for equal, i1, i2, j1, j2 in _word_by_word(old[head:old_end], new[head:new_end]):
        # A quote without its word may be another one of the old text, that stood the other way round.
        kept = equal and any(map(str.isalnum, old[head + i1 : head + i2]))
        parts.append(found[head + i1 : head + i2] if kept else style.of_file(new, head + j1, head + j2))
    return "".join([*parts, found[old_end:]])


@dataclass(frozen=True, slots=True)
class _Style:
    """Which kinds of quotes the found text has, and how: `before` is the character it stands behind."""

    curly: frozenset[str]
    straight: frozenset[str]
    before: str

    @classmethod
    def of(cls, found: str, before: str) -> _Style:
        curly = frozenset(plain for plain, both in _CURLY.items() if any(one in found for one in both))
        return cls(curly, frozenset(plain for plain in _CURLY if plain in found), before)

    def of_file(self, new: str, start: int, end: int) -> str:
        """This part of the new text; kinds of quotes that the found text does not have stay as they are."""
        return "".join(self._quote(new, at) if new[at] in _QUOTES else new[at] for at in range(start, end))

    def _quote(self, new: str, at: int) -> str:
        char = new[at]
        plain = char.translate(FOLDED)
        if plain in self.curly and char == plain:
            return _CURLY[plain][not _opens(new, at, self.before)]
        return plain if plain in self.straight and plain not in self.curly else char


def _word_by_word(old: str, new: str) -> list[tuple[bool, int, int, int, int]]:
    """Which parts of both are equal, as positions; texts that repeat too much to be compared count as different."""
    olds, news = _WORD.findall(old), _WORD.findall(new)
    often = Counter(news)
    if sum(often[word] for word in olds) > COSTLY_PAIRS:
        return [(False, 0, len(old), 0, len(new))]
    at_old, at_new = (list(accumulate(map(len, words), initial=0)) for words in (olds, news))
    opcodes = difflib.SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
    return [(tag == "equal", at_old[i1], at_old[i2], at_new[j1], at_new[j2]) for tag, i1, i2, j1, j2 in opcodes]


def _opens(new: str, position: int, before: str) -> bool:
    """A quote opens at the start, after white space, a bracket or a dash, and next to another that opens."""
    at = position
    for _ in range(NESTED):
        if not at or new[at - 1] not in _QUOTES or _same(new[at - 1], new[at]):
            break
        at -= 1
    last = new[at - 1] if at else before
    if not last or last in _OPENS_AFTER:
        return True
    follows = new[position + 1 : position + 2]
    return last in _OPENS_BETWEEN and (follows.isalnum() or _same(follows, new[position]))


def _same(one: str, other: str) -> bool:
    return one.translate(FOLDED) == other.translate(FOLDED)
