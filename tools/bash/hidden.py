"""What the person who reads a command would not see: characters that hide or reorder text, padding, sheer length.

Such a command is never approved by itself, even where its effect is harmless: nobody could say what was approved.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST = 10_000

# Blanks or empty lines that push the rest out of sight.
_PADDING = re.compile(r"[ \t]{40,}|(?:[ \t]*\n){8,}")
# A line goes on after a backslash. Only where a blank, not an escaped one, stands before it is it certain that no word
# is glued together.
_GLUED = re.compile(r"(?:(?<![ \t])|(?<=\\[ \t]))\\\r?\n")
# Behind an escaped blank `#` is a letter like any other.
_NO_COMMENT = re.compile(r"\\[ \t]#")
_SHOWN_CONTROLS = "\n\t"
_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn"))
# Signs that are drawn as nothing though their category says letter or mark.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800\u034f\u180b\u180c\u180d\u180e\u180f\U0001d159")


def hidden_in(command: str) -> Iterator[str]:
    """Why a person cannot see what this command is; nothing when they can."""
    if len(command) > LONGEST:
        yield f"it is longer than {LONGEST} characters"
    if not command.isascii() or any(ord(char) < 0x20 and char not in _SHOWN_CONTROLS for char in command):
        unseen = sorted({f"U+{ord(char):04X}" for char in command if _is_hidden(char)})
        if unseen:
            yield f"it holds characters that are not seen as they are ({', '.join(unseen[:5])})"
    elif "\x7f" in command:
        yield "it holds characters that are not seen as they are (U+007F)"
    if _PADDING.search(command):
        yield "it is padded, so that a part may stand out of sight"
    if _GLUED.search(command):
        yield "a line break in it is joined in the middle of a word"
    if _NO_COMMENT.search(command):
        yield "what looks like a comment in it is none"


def _is_hidden(char: str) -> bool:
    if char in _SHOWN_CONTROLS or char == " ":
        return False
    category = unicodedata.category(char)
    return category in _HIDDEN_CATEGORIES or category == "Zs" or char in _BLANK_LETTERS or _selects_variant(char)


def _selects_variant(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
