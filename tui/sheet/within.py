"""Where a part of a command stands in it: as a command of its own, not as a piece of another word."""

from __future__ import annotations

import re

# Before a command: the line's start, or what ends the one before and opens a group, with blanks or a word of the shell.
_STARTS = re.compile(r"(?:^|[\n;&|(){`!]|(?<!\w)(?:do|then|else|elif|if|while|until|time))\s*\Z")
# Nothing that stands before a command is longer.
FAR = 100
MOST = 100
_INSIDE = re.compile(r"[\w./~$%+@:=-]")


def places_of(part: str, command: str) -> list[int]:
    """All places where it stands as a command; else as a word; else the first where its letters are."""
    found = _found(part, command)
    words = [at for at in found if not _in_a_word(command, at, at + len(part))]
    commands = [at for at in words if _STARTS.search(command, max(at - FAR, 0), at)]
    return commands or words or found[:1]


def _found(part: str, command: str) -> list[int]:
    places: list[int] = []
    at = command.find(part) if part else -1
    while at >= 0 and len(places) < MOST:
        places.append(at)
        at = command.find(part, at + len(part))
    return places


def _in_a_word(command: str, start: int, end: int) -> bool:
    return bool(_INSIDE.match(command, end) or (start and _INSIDE.match(command, start - 1)))
