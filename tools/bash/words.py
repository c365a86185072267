"""One word of a shell line: what it is after the shell has taken its quotes off, and what only the shell can know.

`'r'm`, `r\\m` and `$'\\x72m'` are all `rm`. A word with a variable, a substitution or an unquoted pattern in it becomes
something else when it runs; it says so, and keeps its spelling.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ANSI_LETTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ANSI_NUMBER = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})")
_BRACES = re.compile(r"\{([^{}]*)\}")
# Without any sign of the shell: it stays what it is.
_PLAIN = re.compile(r"[\w./:@%+,=-]+", re.ASCII)
_EXPANSION = re.compile(r"\$[A-Za-z0-9_@*#?!$({\-\"\[]")


def names(text: str) -> frozenset[str]:
    """A set written as a text: how the tables of commands and options are kept readable."""
    return frozenset(text.split())


class Word(NamedTuple):
    """`text` is the word without its quotes, or as written when the shell decides what it becomes."""

    raw: str
    text: str
    # Holds a variable or a substitution.
    expands: bool = False
    # Holds an unquoted pattern or braces: becomes any number of words.
    globs: bool = False
    # Starts with an unquoted `~`.
    home: bool = False
    # The variables in it, where variables are all it holds.
    variables: tuple[str, ...] = ()
    # Holds an expansion that may do more than show a variable: `${x@P}`, `$((a[i]))`, `>(cmd)`.
    opaque: bool = False
    # Wholly in double quotes: one word, whatever it becomes.
    quoted: bool = False
    # The output of a command under the name of a pipe, `<(ls)`: never an option.
    stream: bool = False

    @property
    def fixed(self) -> bool:
        """Whether it is one word, and known."""
        return not self.expands and not self.globs

    @property
    def settled(self) -> bool:
        """Whether it is one word that can be no other option than the one it shows."""
        return self.fixed or self.stream

    @property
    def path(self) -> str:
        """As a path: a quoted `~` is a file of that name."""
        return f"./{self.text}" if self.text.startswith("~") and not self.home and not self.expands else self.text


def is_plain(raw: str) -> bool:
    return _PLAIN.fullmatch(raw) is not None


def read_word(raw: str) -> Word:
    """A word as it stands in the source. What its expansions are is for the parser to add."""
    if is_plain(raw) or raw in ("[", "[["):
        return Word(raw, raw)
    scan = _Scan(raw)
    while scan.at < len(raw) and not scan.expands:
        scan.step()
    text = raw if scan.expands else "".join(scan.out)
    braces = _has_alternatives(scan.bare) and not scan.expands
    globs = scan.globs or braces or (scan.expands and bool(re.search(r"[*?\[{]", raw)))
    return Word(raw, text, scan.expands, globs, home=raw.startswith("~"))


def _has_alternatives(bare: str) -> bool:
    """Whether braces outside all quotes become several words: `{a,b}` and `{1..3}`, not `HEAD@{1}..HEAD@{2}`."""
    if "{" not in bare or "}" not in bare:
        return False
    groups = _BRACES.findall(bare)
    nested = bare.count("{") != len(groups) or bare.count("}") != len(groups)
    return any("," in text or ".." in text for text in ([bare] if nested else groups))


class _Scan:
    """Walks over a word's characters and takes the quotes off."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.at = 0
        self.out: list[str] = []
        # What stood outside all quotes.
        self.bare = ""
        self.expands = raw.startswith(("<(", ">("))
        self.globs = False

    def step(self) -> None:
        char = self.raw[self.at]
        if char == "\\":
            self._escaped()
        elif char == "'":
            self._single()
        elif char == '"':
            self._double()
        elif self.raw.startswith("$'", self.at):
            self._ansi()
        elif char == "`" or _EXPANSION.match(self.raw, self.at):
            self.expands = True
        else:
            self.globs = self.globs or char in "*?["
            self.bare += char
            self._take(char, 1)

    def _take(self, text: str, length: int) -> None:
        self.out.append(text)
        self.at += length

    def _escaped(self) -> None:
        follows = self.raw[self.at + 1 : self.at + 2]
        self._take("" if follows == "\n" else follows or "\\", 2)

    def _single(self) -> None:
        end = self.raw.find("'", self.at + 1)
        end = len(self.raw) if end < 0 else end
        self._take(self.raw[self.at + 1 : end], end + 1 - self.at)

    def _double(self) -> None:
        self.at += 1
        while self.at < len(self.raw) and self.raw[self.at] != '"':
            char, follows = self.raw[self.at], self.raw[self.at + 1 : self.at + 2]
            if char == "\\" and follows in ("$", "`", '"', "\\", "\n"):
                self._take("" if follows == "\n" else follows, 2)
            elif char == "`" or (_EXPANSION.match(self.raw, self.at) and follows != '"'):
                self.expands = True
                return
            else:
                self._take(char, 1)
        self.at += 1

    def _ansi(self) -> None:
        self.at += 2
        while self.at < len(self.raw) and self.raw[self.at] != "'":
            if self.raw[self.at] != "\\":
                self._take(self.raw[self.at], 1)
                continue
            letter = self.raw[self.at + 1 : self.at + 2]
            number = _ANSI_NUMBER.match(self.raw, self.at + 1)
            if letter in _ANSI_LETTERS:
                self._take(_ANSI_LETTERS[letter], 2)
            elif number:
                hexadecimal = number[1] or number[2] or number[3]
                value = int(hexadecimal, 16) if hexadecimal else int(number[4], 8)
                # Bytes above ASCII make characters only together, and NUL ends the word: for the shell to know.
                self.expands = self.expands or not 0 < value < 0x80
                self._take(chr(value % 0x80), 1 + len(number[0]))
            else:
                self.expands = True
                return
        self.at += 1
