"""What the variables of a line stand for, where the line itself says it.

`for f in *.md; do cat $f; done` reads `*.md`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from tools.bash.words import Word

Values = Mapping[str, tuple[Word, ...] | None]

MOST_VALUES = 64
# Possessive: a name is never tried in pieces.
_PLAIN = re.compile(r"(?:[\w./:@%+=,~*?-]|\$\w++|\$\{\w+\})++", re.ASCII)
_VARIABLE = re.compile(r"\$\{?(\w+)\}?", re.ASCII)
# The folder and the home, as paths are spelled from there.
_PLACES = {"PWD": Word(".", "."), "HOME": Word("~", "~", home=True)}


def standing_for(word: Word, values: Values) -> Iterator[Word]:
    """The words that a word with variables may become; itself where only the shell will know."""
    raw = word.raw[1:-1] if word.quoted else word.raw
    names = tuple(dict.fromkeys(word.variables))
    each = [_values_of(name, values) for name in names]
    if not each or not _PLAIN.fullmatch(raw) or not all(each):
        yield word
        return
    for number, chosen in enumerate(itertools.product(*each)):
        if number == MOST_VALUES:
            yield word
            return
        yield _with_values(raw, dict(zip(names, chosen, strict=True)), quoted=word.quoted)


def _values_of(name: str, values: Values) -> tuple[Word, ...]:
    """Nothing where one of them is not known."""
    if name in _PLACES and name not in values:
        return (_PLACES[name],)
    known = values.get(name) or ()
    return known if not any(one.expands for one in known) else ()


def _with_values(raw: str, chosen: Mapping[str, Word], *, quoted: bool) -> Word:
    text = _VARIABLE.sub(lambda match: chosen[match[1]].text, raw)
    globs = not quoted and any(sign in raw for sign in "*?")
    home = any(one.home for one in chosen.values()) and text.startswith("~")
    return Word(text, text, globs=globs or any(one.globs for one in chosen.values()), home=home)
