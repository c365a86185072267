"""A pattern for ripgrep as Python's expression, or a refusal where the two would not mean the same by it.

Look-around, conditions and references back are Python's alone; sets within sets and braces that count nothing are
read in another way. What is left means the same to both.
"""

from __future__ import annotations

import re
import warnings

from tools.contract import ToolError

# One step of a pattern: an escape, the start of a group, a class, a count, or a single character.
_STEP = re.compile(
    r"(?P<escape>\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.))|(?P<group>\(\?(?:P?[<=!>]=?!?|.)?)"
    r"|(?P<set>\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\])"
    r"|\{\d+(?:,\d*)?\}|(?P<brace>\{)|.",
    re.DOTALL,
)
# A character, in a set or alone, as itself or as an escape that stands for it; and those that are line ends.
_CHARACTER = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)|.", re.DOTALL)
_LINE_END = re.compile(r"[\n\r]|\\(?:[nr]|(?:x|u00|U000000)0[aAdD])")
_BRACE = re.compile(r"\{")
_POSSESSIVE = re.compile(r"(?<!\\)[*+?}]\+")
_NAMED = re.compile(r"\[:(\^?\w+):\]")
_FOREIGN_ESCAPE = re.compile(r"\\[0-9ZpP<>]")
_FOREIGN_GROUP = re.compile(r"\(\?(?:P=|P>|<=|<!|[=!>(#])")
_FOREIGN_SET = re.compile(r"&&|~~|--|\\[pP0-9b]")
# The classes by name that stand for characters of ASCII, as Python writes them within a set.
_BY_NAME = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\x0b\x0c\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


def expression(pattern: str, *, ignore_case: bool, multiline: bool) -> re.Pattern[str]:
    """Raises ToolError in ripgrep's words, as far as it has any."""
    spelled = "".join(_spelled(step, multiline) for step in _STEP.finditer(pattern))
    if possessive := _POSSESSIVE.search(pattern):
        raise _not_understood(possessive[0])
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0) | (re.DOTALL if multiline else 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it warns of what will mean something else one day
            return re.compile(spelled, flags)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise ToolError(f"regex parse error: {error}") from None


def _spelled(step: re.Match[str], multiline: bool) -> str:
    """One step as Python writes it."""
    text, kind = step[0], step.lastgroup
    if not multiline and kind != "group":
        _refuse_line_ends(text, kind)
    foreign = {"escape": _FOREIGN_ESCAPE, "group": _FOREIGN_GROUP, "set": _FOREIGN_SET, "brace": _BRACE}.get(kind or "")
    if foreign is not None and foreign.search(text):
        raise _not_understood(text)
    return _NAMED.sub(_by_name, text) if kind == "set" else text


def _refuse_line_ends(step: str, kind: str | None) -> None:
    """What could match line ends alone is refused: no line holds one. A set that holds others as well does no harm."""
    asked = _CHARACTER.findall(step[1:-1] if kind == "set" else step)
    if all(map(_LINE_END.fullmatch, asked)):
        spelled = asked[0].replace("\n", r"\n").replace("\r", r"\r")
        raise ToolError(f'the literal "{spelled}" is not allowed in a regex')


def _by_name(found: re.Match[str]) -> str:
    try:
        return _BY_NAME[found[1]]
    except KeyError:  # also for those that stand for all other characters
        raise _not_understood(found[0]) from None


def _not_understood(text: str) -> ToolError:
    return ToolError(f"regex parse error: {text} is not understood here")
