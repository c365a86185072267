"""Whether all options of a command are among those known to be harmless.

For commands that also have options which write or run something, an option that is not on the list counts as one of
those: abbreviations (`--outp=x`), clusters (`-ni`) and what a later version may add.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tools.bash.words import Word

# What may follow an option as its value though it starts like an option itself.
_NEGATIVE = re.compile(r"-[0-9]*")


class Known(NamedTuple):
    """The harmless options of a command. Letters are short options; `valued` ones take a value, glued or next."""

    letters: str = ""
    valued: str = ""
    # Long options with their dashes; one that ends in `=` has a value, one that stands here both ways may have one.
    long: frozenset[str] = frozenset()
    # Letters whose value, if there is one, is glued to them: `-M50%`.
    glued: str = ""
    # How many operands are harmless; some commands write to the second.
    operands: int | None = None
    # `-20` is a number of lines.
    digits: bool = False


def known(
    letters: str = "",
    valued: str = "",
    long: str = "",
    *,
    glued: str = "",
    operands: int | None = None,
    digits: bool = False,
) -> Known:
    return Known(letters, valued, frozenset(f"--{name}" for name in long.split()), glued, operands, digits)


def operands_of(words: Sequence[Word], options: Known) -> list[Word] | None:
    """The operands after the command's name, when every word is known and every option harmless; else None."""
    operands: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.settled:
            return None
        if word.text == "--":
            operands += rest
            break
        if word.stream or not _looks_like_option(word):
            operands.append(word)
            continue
        if operands and options.operands is not None:
            # On the BSDs options end at the first operand: this may be the second one, which is written to.
            return None
        takes_next = _takes_next(word.text, options)
        if takes_next is None or (takes_next and not _is_value(rest)):
            return None
        rest = rest[1:] if takes_next else rest
    # Behind `--` all are operands; unless another system's command took the `--` for a value.
    if any(not word.settled or _looks_like_option(word) for word in operands):
        return None
    return operands if options.operands is None or len(operands) <= options.operands else None


def _looks_like_option(word: Word) -> bool:
    return word.text.startswith("-") and word.text != "-"


def _is_value(rest: Sequence[Word]) -> bool:
    """Not one that would be an option to a command which takes no value there."""
    if not rest or not rest[0].settled:
        return False
    return not _looks_like_option(rest[0]) or bool(_NEGATIVE.fullmatch(rest[0].text))


def _takes_next(option: str, options: Known) -> bool | None:
    """Whether a harmless option takes the next word as its value; None when it is not known to be harmless."""
    if option.startswith("--"):
        name, given, _ = option.partition("=")
        if name in options.long and not given:
            return False
        return not given if f"{name}=" in options.long else None
    if options.digits and _NEGATIVE.fullmatch(option):
        return False
    for index, letter in enumerate(option[1:], 1):
        if letter in options.glued:
            return False
        if letter in options.valued:
            return index == len(option) - 1
        if letter not in options.letters:
            return None
    return False
