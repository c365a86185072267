"""The little language of awk: whether a program in it only prints.

Awks differ on whether a slash divides or opens a pattern, in a few places. There both readings must be harmless.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tools.bash.judge.options import known, operands_of
from tools.bash.words import Word, names

_OPTIONS = known("", "Fv")
# gawk connects where a file has such a name.
_CONNECTS = re.compile(r"/+inet[46]?(/|$)")
# They run, load code, read files of their own choosing, or show the environment.
_FORBIDDEN = names("system ENVIRON SYMTAB FUNCTAB ARGV include load extension")
_FORBIDDEN_SIGNS = frozenset(("|", "&", "@", ">>", "\\", "'", '"', "`"))
_KEYWORDS = names("print printf return in if else while for do case exit delete func function BEGIN END")
_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+|\\\n|\#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<number>[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+)"""
    r"""|(?P<sign>\|\||&&|>>|>=|<=|==|!=|\+\+|--|[-+*%^]=|.|\n)""",
    re.DOTALL | re.ASCII,
)
_REGEX = re.compile(r"/(?:[^/\\\n]|\\.)*/")
_BRACKETS = re.compile(r"\[:[a-z]+:\]|\[[^\[\]]+\]")
# Programs in which more slashes can be read both ways are left to the person.
MOST_AMBIGUOUS = 3

_Verdict = Literal["prints", "may do more", "ambiguous", "is no program"]


def awk_only_reads(arguments: Sequence[Word]) -> bool:
    operands = operands_of(arguments, _OPTIONS)
    if not operands or any(_CONNECTS.match(word.text) for word in operands[1:]):
        return False
    return awk_only_prints(operands[0].text)


def awk_only_prints(program: str) -> bool:
    readings: list[tuple[bool, ...]] = [()]
    verdicts: set[_Verdict] = set()
    while readings:
        choices = readings.pop()
        verdict = _Reading(program, choices).verdict()
        if verdict == "ambiguous":
            if len(choices) == MOST_AMBIGUOUS:
                return False
            readings += [(*choices, True), (*choices, False)]
        verdicts.add(verdict)
    return "may do more" not in verdicts and "prints" in verdicts


class _Reading:
    """One reading of a program; `choices` says of its ambiguous slashes whether they open a pattern."""

    def __init__(self, program: str, choices: tuple[bool, ...]) -> None:
        self.program = program
        self.choices = list(choices)
        self.at = 0
        # The token before, without blanks.
        self.before = "\n"
        self.braces = self.parentheses = 0
        # Whether the statement prints: there `>` means a file.
        self.printing = False
        self.gets_line = self.less = False

    def verdict(self) -> _Verdict:
        while self.at < len(self.program):
            verdict = self._slash() if self.program[self.at] == "/" else self._token()
            if verdict != "prints":
                return verdict
        reads_file = self.gets_line and self.less
        return "may do more" if reads_file or self.braces or self.parentheses else "prints"

    def _slash(self) -> _Verdict:
        divides, opens = _may_divide(self.before), _may_open_pattern(self.before)
        if divides and opens:
            if not self.choices:
                return "ambiguous"
            opens = self.choices.pop(0)
        if not opens:
            self.at += 1
            self.before = "/"
            return "prints"
        regex = _REGEX.match(self.program, self.at)
        if regex is None:
            return "is no program"
        self.at, self.before = regex.end(), "/re/"
        return "prints" if _has_clear_end(regex[0][1:-1]) else "may do more"

    def _token(self) -> _Verdict:
        token = _TOKEN.match(self.program, self.at)
        if token is None:
            return "may do more"
        sign, self.at = token[0], token.end()
        if token["blank"]:
            return "prints"
        if sign in _FORBIDDEN or sign in _FORBIDDEN_SIGNS:
            return "may do more"
        if sign == ">" and self.printing and not self.parentheses:
            return "may do more"
        self._count(sign)
        self.before = sign
        return "prints"

    def _count(self, sign: str) -> None:
        self.braces += (sign == "{") - (sign == "}")
        self.parentheses += (sign == "(") - (sign == ")")
        self.gets_line = self.gets_line or sign == "getline"
        self.less = self.less or sign == "<"
        if sign in (";", "{", "}"):
            self.printing = False
        elif sign in ("print", "printf"):
            self.printing = True


def _may_divide(before: str) -> bool:
    """Whether a slash after this may be a division: after something that has a value."""
    ends_value = before in (")", "]", "++", "--", "/re/", "$") or before.startswith('"')
    return before not in _KEYWORDS and (ends_value or bool(re.fullmatch(r"[\w.]+", before)))


def _may_open_pattern(before: str) -> bool:
    """Not after a name or a number: two values side by side never begin with a pattern."""
    return before in _KEYWORDS or before == "length" or not re.fullmatch(r"[\w.]+|\]", before)


def _has_clear_end(pattern: str) -> bool:
    """`/[/]/` and `/[]/]/` end at different slashes, depending on who reads them."""
    plain = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    return "[]" not in plain and "[^]" not in plain and "[" not in _BRACKETS.sub("", _BRACKETS.sub("", plain))
