"""Where the parts of a JSON text stand in it, so that one of them can be replaced and all others stay as written.

The text is known to be valid JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Span(NamedTuple):
    """A value, and the text it stands in from `start` to `end`."""

    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Members:
    """An object's values by their keys. `first_key` and `before_value` are what its style is seen from."""

    values: dict[str, Span]
    # The blanks before the first key, and what stands between it and its value.
    before_key: str = ""
    before_value: str = ": "


def members(text: str, start: int) -> Members:
    """Of the object that begins at `start`."""
    values: dict[str, Span] = {}
    before_key = before_value = None
    at = start + 1
    while text[_skip(text, at)] != "}":
        begin = _skip(text, at)
        if text[begin] == ",":
            begin = _skip(text, begin + 1)
        key, after_key = _DECODER.raw_decode(text, begin)
        value = _value(text, _skip(text, _skip(text, after_key) + 1))
        if before_key is None or before_value is None:
            before_key, before_value = text[at:begin], text[after_key : value.start]
        values[key] = value
        at = value.end
    return Members(values, before_key or "", before_value or ": ")


def items(text: str, start: int) -> list[Span]:
    """Of the array that begins at `start`."""
    found: list[Span] = []
    at = start + 1
    while text[_skip(text, at)] != "]":
        begin = _skip(text, at)
        found.append(_value(text, _skip(text, begin + 1) if text[begin] == "," else begin))
        at = found[-1].end
    return found


def _value(text: str, start: int) -> Span:
    value, end = _DECODER.raw_decode(text, start)
    return Span(start, end, value)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
