"""Whether a shell's glob could become a path that a rule names: what `cat .e*` has to do with `Read(.env)`.

In doubt the answer is yes. Only the shell's habit that `*` and `?` do not stand for a leading dot is used to say no.
"""

from __future__ import annotations

import functools
import re

from tools.permissions.segments import reached

_TOKEN = re.compile(r"\\(.)|(\*+)|(\?|\[[^\]]*\])|(\{[^}]*\})|(.)", re.DOTALL)
_GLOB_SIGNS = frozenset("*?[{")
_RUNTIME_SIGNS = frozenset("$`")

ANY_RUN = "*"
ANY_ONE = "?"
# No file system has longer names or deeper folders in use; what is beyond is not compared but held possible.
NAME_CHARS = 255
DEPTH = 200
MOST_ALTERNATIVES = 64

_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(?:-?\d+\.\.-?\d+|[A-Za-z]\.\.[A-Za-z])(?:\.\.-?\d+)?")


def is_glob(path: str) -> bool:
    return not _GLOB_SIGNS.isdisjoint(path)


def is_known_only_at_run_time(path: str) -> bool:
    """The shell computes it: a variable, a substitution, another person's home."""
    return not _RUNTIME_SIGNS.isdisjoint(path) or (path.startswith("~") and path[1:2] not in ("", "/"))


def brace_alternatives(path: str) -> tuple[str, ...] | None:
    """The paths that a shell's braces make of one; None where they are too many to look at. A range becomes `*`."""
    waiting, done = [path], list[str]()
    while waiting:
        path = waiting.pop()
        braces = next((found for found in _BRACES.finditer(path) if "," in found[1] or ".." in found[1]), None)
        if braces is None:
            done.append(path)
        else:
            inside = ["*"] if _RANGE.fullmatch(braces[1]) else braces[1].split(",")
            waiting += [path[: braces.start()] + one + path[braces.end() :] for one in inside]
        if len(waiting) + len(done) > MOST_ALTERNATIVES:
            return None
    return tuple(reversed(done))


def may_become(glob: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Both as path segments; `**` in the pattern is any depth, and a pattern covers what lies below it."""
    if len(glob) > DEPTH:
        return True
    return bool(reached(pattern, len(glob), lambda name, place: names_may_meet(glob[place], name)))


def names_may_meet(glob: str, name: str) -> bool:
    """Whether one name fits both a shell's glob and a rule's pattern, or a plain name."""
    if name.startswith(".") and glob[:1] in ("*", "?", "["):
        return False
    return len(glob) > NAME_CHARS or _meet(_tokens(glob), _tokens(name))


@functools.lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[str, ...]:
    """Single characters, with "*" for any run and "?" for any one; an escaped or plain sign keeps a backslash."""
    tokens: list[str] = []
    for escaped, stars, one, braces, plain in _TOKEN.findall(text):
        if stars or braces:
            tokens.append(ANY_RUN)
        elif one:
            tokens.append(ANY_ONE)
        else:
            tokens.append("\\" + (escaped or plain).casefold())
    return tuple(tokens)


def _meet(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether some text fits both. At most both lengths multiplied: after each sign on the left, where the right is."""
    places = _past_runs({0}, right)
    for token in left:
        if not places:
            return False
        if token == ANY_RUN:
            places = set(range(min(places), len(right) + 1))
            continue
        open_to_all = token == ANY_ONE
        met = [place for place in places if place < len(right)]
        stay = {place for place in met if right[place] == ANY_RUN}
        go = {place + 1 for place in met if open_to_all or right[place] in (token, ANY_ONE)}
        places = _past_runs(stay | go, right)
    return len(right) in places


def _past_runs(places: set[int], tokens: tuple[str, ...]) -> set[int]:
    """A run may also be empty."""
    for place, token in enumerate(tokens):
        if token == ANY_RUN and place in places:
            places.add(place + 1)
    return places
