"""Glob patterns: `*` and `?` within a name, `[...]`, `{a,b}`, and `**` over any number of folders.

A pattern without a slash is looked for at every depth. Names are matched one by one, so that no pattern can make a
match slow.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable

from tools.contract import ToolError

MOST_ALTERNATIVES = 200
# `*.py` and the like: what stands behind the star is only compared.
_ENDING = re.compile(r"\*[^*?\[\]]+")

PathTest = Callable[[str], bool]


def path_test(pattern: str) -> PathTest:
    """Whether a path, relative to the root and with slashes, matches; a ToolError for a pattern that cannot."""
    wanted = [_names(alternative) for alternative in alternatives(pattern)]
    tests = [test_of_names(names) for names in wanted if not _is_at_any_depth(names)]
    if names := [names[1] for names in wanted if _is_at_any_depth(names)]:
        tests.append(_last_name_test(names))
    return tests[0] if len(tests) == 1 else lambda path: any(test(path) for test in tests)


def alternatives(pattern: str) -> list[str]:
    """The pattern with its braces written out: `*.{a,b}` is `*.a` and `*.b`."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        split = _first_braces(waiting.pop())
        if isinstance(split, str):
            done.append(split)
        else:
            waiting += reversed(split)
        if len(done) + len(waiting) > MOST_ALTERNATIVES:
            raise ToolError(
                f"The pattern has more than {MOST_ALTERNATIVES} alternatives. Use less braces.", "invalid_input"
            )
    return done


def _first_braces(pattern: str) -> str | list[str]:
    """The alternatives of the first braces that hold a comma, each within the whole; the pattern if there are none."""
    start = pattern.find("{")
    while start >= 0:
        parts, end = _within(pattern, start)
        if end < 0:
            raise ToolError(f"The pattern {pattern} opens a brace that it does not close.", "invalid_input")
        if len(parts) > 1:
            return [pattern[:start] + part + pattern[end:] for part in parts]
        start = pattern.find("{", start + 1)
    return pattern


def _within(pattern: str, start: int) -> tuple[list[str], int]:
    """What stands between the commas of the braces that open at `start`, and where they end (-1: nowhere)."""
    depth, parts, since = 0, list[str](), start + 1
    for index in range(start, len(pattern)):
        char = pattern[index]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
        if (char == "," and depth == 1) or (char == "}" and depth == 0):
            parts.append(pattern[since:index])
            since = index + 1
        if depth == 0:
            return parts, index + 1
    return parts, -1


def test_of_names(names: list[str]) -> PathTest:
    """The test for one pattern, name by name."""
    steps = [None if name == "**" else _name_test(name) for name in names]
    last = steps[-1]

    def test(path: str) -> bool:
        parts = path.split("/")
        return (last is None or last(parts[-1])) and _matches(steps, parts)

    return test


def _names(pattern: str) -> list[str]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if ".." in names:
        raise ToolError("A pattern cannot go up with `..`; give the folder as `path`.", "invalid_input")
    if not names:
        raise ToolError("The pattern is empty. `**/*` finds every file.", "invalid_input")
    return names if "/" in pattern else ["**", *names]


def _is_at_any_depth(names: list[str]) -> bool:
    return len(names) == 2 and names[0] == "**" != names[1]


def _last_name_test(names: list[str]) -> PathTest:
    """Most patterns are such; with a hundred thousand files it counts that only one name of each is looked at."""
    if "*" in names:
        return lambda path: True
    if all(_ENDING.fullmatch(name) for name in names):
        endings = tuple(name[1:] for name in names)
        return lambda path: path.endswith(endings)
    matches = re.compile("|".join(map(fnmatch.translate, names))).match
    return lambda path: matches(path[path.rfind("/") + 1 :]) is not None


def _name_test(name: str) -> PathTest:
    matches = re.compile(fnmatch.translate(name)).match
    return lambda text: matches(text) is not None


def _matches(steps: list[PathTest | None], parts: list[str]) -> bool:
    """Step by step, keeping the set of places in `parts` that the steps so far can have come to."""
    places = {0}
    for step in steps:
        if step is None:
            places = set(range(min(places), len(parts) + 1))
        else:
            places = {place + 1 for place in places if place < len(parts) and step(parts[place])}
        if not places:
            return False
    return len(parts) in places
