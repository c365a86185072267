"""Foreign text made harmless: what comes from files, commands, models and servers, before any terminal sees it.

Nothing that steers a terminal, turns text around or cannot be seen passes: it is shown as an escape (`\\x1b`).
What a model gets is the raw text: this is for eyes only.
"""

from __future__ import annotations

import re
import unicodedata

TAB = 4
# The tab stops that programs count on when they line up their output.
OUTPUT_TAB = 8
# More marks than this on one letter are no script's need; they would run over the lines above and below.
MOST_MARKS = 4
CUT = "⋯"

# By code point: the sources of this program hold no character that cannot be seen.
_UNSEEN = (
    (0x00, 0x09), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800),
    (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFDD0, 0xFDEF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0x10000, 0x110000, 0x10000)),
)  # fmt: skip
_CLASS = "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in _UNSEEN)
_SYMBOL = r"[^\w\s!-~" + _CLASS + "]"
# A symbol may ask for its coloured form, and symbols may be joined to one; terminals disagree how wide that is.
_JOINTS = re.compile(
    f"(?<={_SYMBOL})\ufe0f?\u200d(?={_SYMBOL})|(?<={_SYMBOL})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
# Marks are no word characters, so a long run of what is neither word nor blank nor ASCII may hold too many of them.
_ODD = re.compile(f"[{_CLASS}]|{_SYMBOL}{{{MOST_MARKS + 1},}}")
_ODD_ASCII = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
# Drawings made of dots are full of it; there it is a blank like any other.
_NO_DOTS = "\u2800"
# They look like a blank, and to a shell they are letters.
_OTHER_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_NAMED = {"\r": "\\r", "\n": "\\n"}


def safe(text: str, tab: int = TAB) -> str:
    """The text with everything unseen made visible and tabs as spaces. Lines stay lines."""
    if not (_ODD_ASCII if text.isascii() else _ODD).search(text):
        return text
    text = text.replace("\r\n", "\n")
    if not text.isascii():
        text = _JOINTS.sub("", text)
    return _ODD.sub(_shown, text).expandtabs(tab)


def one_line(text: str) -> str:
    """The same for what must stay on one line, like the name of a file: a line break is shown, too."""
    return safe(text).replace("\n", "\\n")


def exact(text: str) -> str:
    """What a person decides on: blanks that are no blanks are shown, too."""
    return _OTHER_BLANKS.sub(_shown, safe(text))


def safe_output(text: str) -> str:
    """What a command printed: colours are dropped, and of a line written over and over its last state is left."""
    text = text.replace(_NO_DOTS, " ")
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line.rstrip("\r")) for line in text.split("\n"))
    return safe(text, OUTPUT_TAB)


def _last_state(line: str) -> str:
    before, _, last = line.rpartition("\r")
    return CUT + last if before else last


def _shown(found: re.Match[str]) -> str:
    run = found.group()
    if len(run) > 1:
        return _clamped(run)
    if run == "\t":
        return run
    code = ord(run)
    if code < 0x100:
        return _NAMED.get(run) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _clamped(run: str) -> str:
    """A run of symbols and marks: no letter keeps more marks than it may have."""
    kept: list[str] = []
    marks = 0
    for char in run:
        marks = marks + 1 if unicodedata.category(char).startswith("M") else 0
        if marks <= MOST_MARKS:
            kept.append(char)
        elif marks == MOST_MARKS + 1:
            kept.append(CUT)
    return "".join(kept)
