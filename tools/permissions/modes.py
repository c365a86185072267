"""The permission modes, and what each says of a call beyond the rules."""

from __future__ import annotations

import shlex
from typing import Literal

Mode = Literal["default", "acceptEdits", "plan", "auto", "bypassPermissions", "dontAsk"]

# Shift+Tab goes through these; bypassPermissions joins only if the program was started with it.
CYCLE: tuple[Mode, ...] = ("default", "acceptEdits", "plan", "auto")

# Commands that only arrange files: what acceptEdits accepts besides edits.
FILE_COMMANDS = frozenset({"mkdir", "touch", "rm", "rmdir", "mv", "cp"})
_SIGNS_OF_A_SHELL = frozenset("$`*?[]{}()<>|&;#\\\n")


def next_mode(mode: Mode, bypass_allowed: bool) -> Mode:
    cycle = (*CYCLE, "bypassPermissions") if bypass_allowed else CYCLE
    return cycle[(cycle.index(mode) + 1) % len(cycle)] if mode in cycle else "default"


def file_command_operands(command: str) -> tuple[str, ...] | None:
    """The paths a plain file command names; None where it is no such command or is not plain."""
    if not _SIGNS_OF_A_SHELL.isdisjoint(command):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if not words or words[0] not in FILE_COMMANDS:
        return None
    operands, options_over = list[str](), False
    for word in words[1:]:
        if word == "--" and not options_over:
            options_over = True
        elif options_over or not word.startswith("-"):
            operands.append(word)
        elif "=" in word or "/" in word or ("t" in word and words[0] in ("mv", "cp")):
            # An option that carries a path: which one, only the command itself knows.
            return None
    return tuple(operands) or None
