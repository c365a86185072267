"""What a refusal shows of the file, so that the next try hits: the text that was probably meant, where it stands."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from tools.edit.quotes import FOLDED
from tools.textfile import line_at

# How much of a file is shown, and how much of it is looked through for text that is only similar.
SHOWN_CHARS = 4_000
SHOWN_LINES = 15
SHOWN_PLACES = 10
LINE_CHARS = 300
LOOKED_AT_CHARS = 2_000_000
# So few lines are all held against the old text.
FEW_LINES = 40
NEAREST = 3
SIMILAR = 0.6
_UNSEEN = r"\s\u200b-\u200f\u2060\ufeff\xad"
_NUMBERS = re.compile(r"^ *\d+\t", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")

Lines = tuple[int, int]


def hint(text: str, old: str) -> str:
    """What to do about an old text that is not in the file."""
    bare = _NUMBERS.sub("", old)
    if bare and bare != old and bare in text:
        return "It is there without the line numbers: those belong to what a Read shows. Leave them out."
    if meant := list(_but_for_what_is_not_seen(text, old)):
        return _as_it_stands(text, old, meant)
    if near := _nearest(text, old):
        return _numbered(text, old, near)
    return "Nothing in it is similar. Read it again and copy it exactly."


def lines_of(text: str, places: list[int]) -> str:
    """The lines the places begin in, for a sentence."""
    shown = list(dict.fromkeys(str(line_at(text, at)) for at in places[:SHOWN_PLACES]))
    more = " and more" if len(places) > SHOWN_PLACES else ""
    return ("line " if len(shown) == 1 else "lines ") + ", ".join(shown) + more


def shown_lines(text: str, places: list[int]) -> str:
    """The lines the places begin in, each once, as a Read shows them."""
    starts = {line_at(text, at): text.rfind("\n", 0, at) + 1 for at in places[:SHOWN_PLACES]}
    more = "\n…" if len(places) > SHOWN_PLACES else ""
    return "\n".join(_line(number, _rest_of_line(text, at)) for number, at in starts.items()) + more


def _as_it_stands(text: str, old: str, meant: list[Lines]) -> str:
    """The file's own text, ready to be copied: no numbers stand in it."""
    lines = text.split("\n")
    own = ["\n".join(lines[first:end]) for first, end in meant]
    what = "line ends differ" if _with_plain_ends(old) in _with_plain_ends(text) else "white space differs"
    said = f"Only {what}; the file has, at {_in_words(meant[0])}:\n{own[0]}"
    others = "".join(f"\nand at {_in_words(one)}:\n{copy}" for one, copy in zip(meant[1:], own[1:], strict=True))
    return said + others + _odd(own[0], old)


def _but_for_what_is_not_seen(text: str, old: str) -> Iterator[Lines]:
    """Where the old text stands if white space, and characters that take no room, are left out of both."""
    letters = re.sub(f"[{_UNSEEN}]+", "", old).translate(FOLDED)
    if not letters or len(letters) > SHOWN_CHARS:
        return
    room = SHOWN_CHARS
    pattern = re.compile(f"[{_UNSEEN}]*+".join(map(re.escape, letters)))
    for found, _ in zip(pattern.finditer(text.translate(FOLDED)), range(NEAREST), strict=False):
        start, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
        room -= (end if end >= 0 else len(text)) - start
        if room < 0:
            return
        first = text.count("\n", 0, start)
        yield first, first + 1 + text.count("\n", start, found.end())


def _nearest(text: str, old: str) -> list[Lines]:
    """The runs of lines that are most like the old text, best first."""
    wanted = old.strip("\n").split("\n")
    if len(text) > LOOKED_AT_CHARS or not any(map(str.isalnum, old)):
        return []
    lines = text.split("\n")
    starts = _by_equal_lines(lines, wanted) or _by_similar_line(lines, wanted)
    rated = sorted((-_likeness(lines[at : at + len(wanted)], wanted), at) for at in starts)
    chosen: list[int] = []
    for likeness, at in rated:
        if -likeness >= SIMILAR and all(abs(at - other) >= len(wanted) for other in chosen):
            chosen.append(at)
    return [(at, min(at + len(wanted), len(lines))) for at in chosen[:NEAREST]]


def _by_equal_lines(lines: list[str], wanted: list[str]) -> list[int]:
    """Where the old text would begin, judged by lines of it that stand in the file but for their white space."""
    asked = {squeezed: number for number, line in enumerate(wanted) if len(squeezed := "".join(line.split())) > 2}
    votes: Counter[int] = Counter()
    for number, line in enumerate(lines):
        squeezed = "".join(line.split())
        if squeezed in asked:
            votes[max(number - asked[squeezed], 0)] += len(squeezed)
    return [at for at, _ in votes.most_common(NEAREST * 4)]


def _by_similar_line(lines: list[str], wanted: list[str]) -> list[int]:
    """The same, judged by the groups of three characters that the longest line of it shares with the file's."""
    number = max(range(len(wanted)), key=lambda at: len(wanted[at]))
    asked = _threes(wanted[number][:LINE_CHARS])
    if len(lines) <= FEW_LINES:
        return [max(at - number, 0) for at in range(len(lines))]
    shared = ((len(asked & _threes(line[:LINE_CHARS])), -at) for at, line in enumerate(lines))
    best = sorted((one for one in shared if one[0] * 4 > len(asked)), reverse=True)[: NEAREST * 4]
    return [max(-at - number, 0) for _, at in best]


def _threes(line: str) -> set[str]:
    squeezed = "".join(line.casefold().split())
    return {squeezed[at : at + 3] for at in range(max(len(squeezed) - 2, 1))} - {""}


def _likeness(lines: list[str], wanted: list[str]) -> float:
    one, other = "\n".join(lines), "\n".join(wanted)
    if len(one) + len(other) > SHOWN_CHARS:
        return difflib.SequenceMatcher(None, lines, wanted, autojunk=False).ratio()
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    if len(wanted) > 1:
        return matcher.ratio()
    # A part of a line is like the whole line as far as that holds it.
    held = sum(block.size for block in matcher.get_matching_blocks() if block.size > 2)
    return max(matcher.ratio(), held / len(other))


def _numbered(text: str, old: str, near: list[Lines]) -> str:
    """Lines as a Read shows them, of each place no more than says which it is."""
    lines = text.split("\n")
    shown = (_line(at + 1, lines[at]) for first, end in near for at in range(first, min(end, first + SHOWN_LINES)))
    where = " and ".join(map(_in_words, near))
    said = f"The nearest is at {where}; copy it exactly, without the numbers:\n" + "\n".join(shown)
    return said + _odd("\n".join(lines[near[0][0] : near[0][1]]), old)


def _odd(own: str, old: str) -> str:
    """Which characters that are easily taken for others only one of the two has."""
    here, there = _strange(own) - _strange(old), _strange(old) - _strange(own)
    said = [f"the file's text holds {_spelled(here)}"] if here else []
    said += [f"yours holds {_spelled(there)}"] if there else []
    return f"\n({'; '.join(said)[:1].upper()}{'; '.join(said)[1:]}.)" if said else ""


def _strange(text: str) -> set[str]:
    return {char for char in set(text) if not (char.isascii() and char.isprintable()) and char != "\n"}


def _spelled(chars: set[str]) -> str:
    said = [_name(char) for char in sorted(chars)]
    return ", ".join(said[:5]) + (" and more" if len(said) > 5 else "")


def _name(char: str) -> str:
    plain = {"\t": "tab", "\r": "carriage return", "\v": "vertical tab", "\f": "form feed", "\x85": "next line"}
    name = plain.get(char) or unicodedata.name(char, "").lower()
    return f"U+{ord(char):04X}" + (f" ({name})" if name else "")


def _rest_of_line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _with_plain_ends(text: str) -> str:
    return _LINE_END.sub("\n", text)


def _in_words(lines: Lines) -> str:
    first, end = lines
    return f"line {first + 1}" if end == first + 1 else f"lines {first + 1}-{end}"


def _line(number: int, line: str) -> str:
    return f"{number:>6}\t{line[:LINE_CHARS]}" + ("…" if len(line) > LINE_CHARS else "")
