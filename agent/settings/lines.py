"""Where in a JSON file each value stands, so that a problem can be pointed at and a value changed in its place."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from typing import NamedTuple

JsonPath = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Span(NamedTuple):
    start: int
    end: int


def lines_of(text: str) -> dict[JsonPath, int]:
    """The line of every value, by its path. The text must be valid JSON."""
    ends = [found.start() for found in re.finditer("\n", text)]
    return {path: bisect_left(ends, span.start) + 1 for path, span in spans_of(text).items()}


def spans_of(text: str) -> dict[JsonPath, Span]:
    """Where every value begins and ends, by its path. The text must be valid JSON."""
    spans: dict[JsonPath, Span] = {}
    path: list[str | int] = []
    opened: list[tuple[str, int]] = []
    key_expected = False
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in ("}", "]"):
            path.pop()
            spans[tuple(path)] = Span(opened.pop()[1], found.end())
            key_expected = False
        elif token == ",":
            key_expected = opened[-1][0] == "{"
            if not key_expected:
                path[-1] = int(path[-1]) + 1
        elif token == ":":
            key_expected = False
        elif key_expected:
            path[-1] = json.loads(token)
        elif token in ("{", "["):
            opened.append((token, found.start()))
            path.append(0 if token == "[" else "")
            key_expected = token == "{"
        else:
            spans[tuple(path)] = Span(found.start(), found.end())
    return spans
