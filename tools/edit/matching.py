"""Where the old text stands in a file: exactly, or, only if nowhere exactly, with its quotes folded.

White space, case and Unicode forms are never normalised. Where only white space differs, the file's own text is shown.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from itertools import accumulate

from tools.diffs import common_end, common_start
from tools.textfile import Replacement, line_at

FOLDED = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_CURLY = {"'": ("\u2018", "\u2019"), '"': ("\u201c", "\u201d")}
_OPENS_AFTER = set(" \t\n([{<-\u2014\u2013/")
SHOWN_CHARS = 2_000
COSTLY_PAIRS = 200_000
_WORD = re.compile(r"\s*(?:\w+|\W)|\s+", re.DOTALL)


def occurrences(text: str, old: str) -> list[int]:
    """Every place, overlapping ones too: any second one makes the place ambiguous."""
    found: list[int] = []
    at = text.find(old)
    while at >= 0:
        found.append(at)
        at = text.find(old, at + 1)
    return found


def apart(places: list[int], length: int) -> list[int]:
    """Of overlapping places those that can all be replaced, from the left."""
    kept: list[int] = []
    for at in places:
        if not kept or at >= kept[-1] + length:
            kept.append(at)
    return kept


def folded_occurrences(text: str, old: str) -> list[int]:
    return occurrences(text.translate(FOLDED), old.translate(FOLDED))


def in_the_files_quotes(found: str, old: str, new: str) -> str:
    """`new`, with the quotes the file uses: kept where it repeats the old text, in the same style elsewhere."""
    shorter = min(len(old), len(new))
    head = common_start(old, new, shorter)
    tail = common_end(old, new, shorter - head)
    old_end, new_end = len(old) - tail, len(new) - tail
    parts = [found[:head]]
    for equal, i1, i2, j1, j2 in _word_by_word(old[head:old_end], new[head:new_end]):
        here = found[head + i1 : head + i2] if equal else _styled(new, head + j1, head + j2, found)
        parts.append(here)
    return "".join([*parts, found[old_end:]])


def replacement(found: str, at: int, old: str, new: str) -> Replacement:
    text = new if found == old else in_the_files_quotes(found, old, new)
    return Replacement(at, at + len(old), text)


def only_white_space_differs(text: str, old: str) -> str:
    """The file's own text where white space is all that differs from `old`; empty where more does."""
    letters = "".join(old.split())
    if not letters or len(letters) > SHOWN_CHARS:
        return ""
    found = re.search(r"\s*+".join(map(re.escape, letters)), text)
    if found is None:
        return ""
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    shown = text[start : end if end >= 0 else len(text)]
    return shown if len(shown) <= SHOWN_CHARS else ""


def lines_of(text: str, places: list[int]) -> str:
    shown = [str(line_at(text, at)) for at in places[:10]]
    return ", ".join(shown) + (" and more" if len(places) > 10 else "")


def _word_by_word(old: str, new: str) -> list[tuple[bool, int, int, int, int]]:
    """Which parts of both are equal, as positions; texts that repeat too much to be compared count as different."""
    olds, news = _WORD.findall(old), _WORD.findall(new)
    often = Counter(news)
    if sum(often[word] for word in olds) > COSTLY_PAIRS:
        return [(False, 0, len(old), 0, len(new))]
    at_old, at_new = (list(accumulate(map(len, words), initial=0)) for words in (olds, news))
    opcodes = difflib.SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
    return [(tag == "equal", at_old[i1], at_old[i2], at_new[j1], at_new[j2]) for tag, i1, i2, j1, j2 in opcodes]


def _styled(new: str, start: int, end: int, found: str) -> str:
    """New quotes in the style of the matched text; kinds of quotes it does not have stay as they are."""
    chars: list[str] = []
    for position in range(start, end):
        char = new[position]
        plain = char.translate(FOLDED)
        if plain not in _CURLY:
            chars.append(char)
            continue
        opening, closing = _CURLY[plain]
        if opening in found or closing in found:
            opens = position == 0 or new[position - 1] in _OPENS_AFTER
            chars.append(char if char != plain else (opening if opens else closing))
        else:
            chars.append(plain if plain in found else char)
    return "".join(chars)
