"""Where a command leaves us: `cd` lasts inside the workspace and is undone outside of it."""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from tools.bash.environment import is_within
from tools.bash.script import Script, SimpleCommand
from tools.bash.words import names

# Makes bash tell where it stands when it exits.
TELLS_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "folder.sh")
# The commands that change the shell's folder, or run others in the same shell that may.
_MOVING = names("cd pushd popd eval source . builtin command trap exec time coproc alias shopt")


class Stand(NamedTuple):
    """The folder after a command, and what there is to say about it."""

    folder: str
    changed: bool = False
    note: str = ""


def may_move(script: Script) -> bool:
    """Whether the shell may stand elsewhere afterwards; in doubt it may."""
    if script.problems:
        return True
    return any(one.problem or one.name in _MOVING or not _is_known(one) for one in script.commands)


def telling(env: dict[str, str], told: str) -> dict[str, str]:
    """The environment in which bash writes its last folder to the file `told`."""
    return env | {"BASH_ENV": TELLS_FOLDER, "AGENT_TUI_FOLDER": told}


def stand_after(told: str, before: str, roots: tuple[str, ...]) -> Stand:
    """Reads and removes the file; where nothing was told, nothing has changed."""
    final = ""
    with contextlib.suppress(FileNotFoundError), open(told, encoding="utf-8", errors="surrogateescape") as file:
        final = file.read().removesuffix("\n")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(told)
    if not final or final == os.path.realpath(before) or not os.path.isdir(final):
        return Stand(before)
    if not is_within(final, roots):
        return Stand(before, note=f"The folder is {before} again: {final} lies outside the workspace.")
    return Stand(_as_opened(final, roots), changed=True)


def _as_opened(final: str, roots: tuple[str, ...]) -> str:
    """The folder by the name its root was opened with, which may be a link."""
    for root in roots:
        if is_within(final, (root,)):
            return os.path.normpath(os.path.join(root, os.path.relpath(final, os.path.realpath(root))))
    return final


def _is_known(command: SimpleCommand) -> bool:
    return not command.words or command.words[0].fixed
