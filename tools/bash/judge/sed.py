"""The little language of sed: whether a script in it only prints.

It is read as far as it is certain what it means. The dialects differ on where a pattern with a bracket ends, so a
script must be harmless read both ways.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.bash.judge.options import known, operands_of
from tools.bash.words import Word

# -i and --in-place write; -f and --file read a script nobody has seen.
_OPTIONS = known(
    "nErsuzb", "e", "quiet silent regexp-extended separate unbuffered null-data posix debug sandbox binary expression="
)
_PRINTING = frozenset("pPdDnNhHgGxlqQ=zF")
_ADDRESS = re.compile(r"[0-9]+(~[0-9]+)?|\$|\+[0-9]+|~[0-9]+")
_FLAGS = re.compile(r"[gpiIMm0-9]*")
_BLANKS = " \t;\n"
# Sure to be over only at the end of a line or at a semicolon.
_LABEL = re.compile(r"[ \t]*[A-Za-z0-9_]*[ \t]*(?![^;\n])")
# A backslash in it only where it can hide no bracket: there the dialects differ.
_BRACKET = re.compile(r"\[\^?\]?(?:\[[:.=][^\]\n]*[:.=]\]|\\[^\]\[\n]|[^\]\\\n])*\]")
# One line of text to print, on the command's own line or on the next; it must not go on after that.
_TEXT = re.compile(r"(?:\\?[^\\\n]+|[ \t]*\\\n[^\\\n]+)(?![^\n])")


def sed_only_reads(arguments: Sequence[Word]) -> bool:
    operands = operands_of(arguments, _OPTIONS)
    if operands is None:
        return False
    scripts, late = _expressions([word.text for word in arguments])
    if late or not scripts:
        # Where options end at the first operand, that one is the script, whatever follows.
        scripts = [operands[0].text, *scripts] if operands else []
    whole = "\n".join(scripts)
    return bool(scripts) and all(_Script(whole, brackets).only_prints() for brackets in (False, True))


def _expressions(texts: list[str]) -> tuple[list[str], bool]:
    """What `-e` and `--expression` give, also glued and in a cluster; and whether any comes after an operand."""
    found: list[str] = []
    operand = late = False
    while texts:
        text = texts.pop(0)
        if text == "--":
            break
        cluster = re.match(r"-[nErsuzb]*e", text)
        if text.startswith("--expression="):
            found.append(text.partition("=")[2])
        elif text == "--expression" or (cluster and cluster.end() == len(text)):
            found += texts[:1]
            texts = texts[1:]
        elif cluster and not text.startswith("--"):
            found.append(text[cluster.end() :])
        else:
            operand = operand or not text.startswith("-")
            continue
        late = late or operand
    return found, late


class _Script:
    """A cursor over a script, which goes on as long as what stands there is harmless."""

    def __init__(self, text: str, brackets: bool) -> None:
        self.text = text
        self.at = 0
        # Whether a delimiter inside [...] is an ordinary character.
        self.brackets = brackets
        # Read this way it is no sed at all, and sed would refuse it before it does anything.
        self.refused = False

    def only_prints(self) -> bool:
        while not self.refused and self._skip(_BLANKS) < len(self.text):
            if self.text[self.at] == "#":
                self._to_line_end()
            elif not self._addresses() or not self._command():
                return False
        return True

    def _skip(self, chars: str) -> int:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1
        return self.at

    def _next(self) -> str:
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def _takes(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match is not None

    def _to_line_end(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = end if end >= 0 else len(self.text)

    def _addresses(self) -> bool:
        while self.at < len(self.text):
            number = _ADDRESS.match(self.text, self.at)
            char = self.text[self.at]
            if number:
                self.at = number.end()
            elif char in "/\\":
                self.at += 1
                if not self._delimited(char if char == "/" else self._next()):
                    return False
                self._skip("IM")
            elif char in ",! \t":
                self.at += 1
            else:
                return True
        return False

    def _delimited(self, delimiter: str) -> bool:
        """Moves behind the next unescaped delimiter."""
        if not delimiter or delimiter in "\\\n" or not delimiter.isascii():
            return False
        while self.at < len(self.text):
            char = self._next()
            if char == "\\":
                self.at += 1
            elif self.brackets and char == "[":
                bracket = _BRACKET.match(self.text, self.at - 1)
                if bracket is None:
                    return False
                self.at = bracket.end()
            elif char in (delimiter, "\n"):
                return char == delimiter
        return False

    def _command(self) -> bool:
        char = self._next()
        if char in ("{", "}"):
            return True
        if char in _PRINTING:
            if char in "qQl":
                self._skip(" \t")
                self._skip("0123456789")
            return self._ends()
        if char in ("s", "y"):
            return self._replacement(char)
        if char in (":", "b", "t", "T"):
            return self._takes(_LABEL)
        return char in ("a", "i", "c") and self._takes(_TEXT)

    def _replacement(self, kind: str) -> bool:
        delimiter = self._next()
        if not self._delimited(delimiter):
            return False
        brackets, self.brackets = self.brackets, False
        closed = self._delimited(delimiter)
        self.brackets = brackets
        flags = _FLAGS.match(self.text, self.at) if kind == "s" else None
        self.at = flags.end() if flags else self.at
        self.refused = closed and not brackets and self.text[self.at : self.at + 1] == delimiter == "/"
        return closed and (self.refused or self._ends())

    def _ends(self) -> bool:
        """Whether nothing of the command is left before the next one."""
        self._skip(" \t")
        return self.at >= len(self.text) or self.text[self.at] in ";\n}#"
