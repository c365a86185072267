"""`test`, `[` and `[[`: questions about files and texts that evaluate nothing they are given.

A test of a variable (`-v`, `-R`) and, in `[[`, of a number made from a text run what stands between the brackets of
`a[$(cmd)]`; also when the quotes say it is a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.bash.words import Word, names

CONDITIONS = frozenset(("test", "[", "[["))

_UNARY = names("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -n -z")
_TEXT = frozenset(("=", "==", "!=", "=~", "-nt", "-ot", "-ef", "<", ">"))
NUMERIC = names("-eq -ne -lt -le -gt -ge")
_SIGNS = frozenset(("!", "(", ")", "&&", "||", "-a", "-o"))
_NUMBER = re.compile(r"[+-]?[0-9]+")
# What the shell itself counts is a number.
_COUNTED = frozenset(("$?", "$#", '"$?"', '"$#"', "${#}", '"${#}"'))


def only_asks(name: str, arguments: Sequence[Word]) -> bool:
    if name == "[[":
        return _scanned([word for word in arguments if word.raw != "]]"])
    operands = list(arguments)
    if name == "[" and (not operands or operands.pop().text != "]"):
        return False
    if all(word.fixed for word in operands):
        return _scanned(operands)
    return _of_known_shape(operands)


def _scanned(words: Sequence[Word]) -> bool:
    """Where every sign stands in its place, whatever the other words become."""
    for index, word in enumerate(words):
        sign = word.text
        if sign in NUMERIC:
            around = [*words[max(index - 1, 0) : index], *words[index + 1 : index + 2]]
            if len(around) != 2 or not all(map(_is_number, around)):
                return False
        elif sign.startswith("-") and sign not in _UNARY | _TEXT | _SIGNS and not _NUMBER.fullmatch(sign):
            return False
    return True


def _of_known_shape(words: Sequence[Word]) -> bool:
    """`[` finds its signs only when it runs: with few words their places are certain, if each is one word."""
    if words and words[0].fixed and words[0].text == "!":
        words = words[1:]
    if not all(word.fixed or word.quoted or word.raw in _COUNTED for word in words):
        return False
    match len(words):
        case 1:
            return True
        case 2:
            return words[0].fixed and words[0].text in _UNARY
        case 3:
            left, sign, right = words
            if sign.fixed and sign.text in NUMERIC:
                # `[` evaluates no number, it only reads it.
                return all(not side.fixed or _is_number(side) for side in (left, right))
            return sign.fixed and sign.text in _TEXT | {"-a", "-o"}
        case _:
            return False


def _is_number(word: Word) -> bool:
    return bool(_NUMBER.fullmatch(word.text)) or word.raw in _COUNTED
