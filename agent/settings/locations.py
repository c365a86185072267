"""Where settings and state lie. No file is opened here; `state` alone makes a folder, so that one can be written."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import NamedTuple

from tools.permissions.rules import Scope

OURS = ".agent-tui"
ALSO = ".claude"
PROGRAM = "agent-tui"


class SettingsFile(NamedTuple):
    """A place where settings may lie. `root` is what a path rule's leading `/` stands for.

    Of files that are not ours only permissions, hooks and env are read.
    """

    path: str
    scope: Scope
    root: str
    ours: bool


def settings_files(folder: str, home: str) -> tuple[SettingsFile, ...]:
    """Every place, weakest first: the user's, the project's, the local ones; in each ours after the others'."""
    config, also = str(config_folder(home)), os.path.join(home, ALSO)
    files = [
        SettingsFile(f"{also}/settings.json", "user", also, ours=False),
        SettingsFile(f"{config}/settings.json", "user", config, ours=True),
    ]
    scopes: tuple[tuple[Scope, str], ...] = (("project", "settings.json"), ("local", "settings.local.json"))
    for scope, name in scopes:
        files.append(SettingsFile(os.path.join(folder, ALSO, name), scope, folder, ours=False))
        files.append(SettingsFile(os.path.join(folder, OURS, name), scope, folder, ours=True))
    return tuple(files)


def is_settings_file(path: str) -> bool:
    """Whether a path is a settings file by its name, ours or one we also read."""
    parts = Path(path).parts
    return (
        len(parts) > 1 and parts[-1] in ("settings.json", "settings.local.json") and parts[-2] in (OURS, ALSO, PROGRAM)
    )


def home_folder() -> str:
    """The person's home; the root where nobody knows it, so that nothing is taken for theirs."""
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else "/"


def config_folder(home: str | None = None) -> Path:
    """Where the user's settings lie. `XDG_CONFIG_HOME` speaks only of the real home, not of one to assume."""
    real = home_folder()
    chosen = os.environ.get("XDG_CONFIG_HOME", "")
    if chosen and os.path.isabs(chosen) and home in (None, real):
        return Path(chosen, PROGRAM)
    return Path(home or real, ".config", PROGRAM)


class State(NamedTuple):
    """The folder for sessions, trust and history. `notice` says when it will not outlive this run."""

    folder: Path
    notice: str = ""


def state_folder() -> Path:
    return state().folder


def state() -> State:
    """`$XDG_STATE_HOME/agent-tui`, made if need be; a private temporary folder where that cannot be written."""
    wanted = wanted_state_folder()
    try:
        wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(wanted, os.W_OK | os.X_OK):
            return State(wanted)
        reason = "it is not writable"
    except OSError as error:
        reason = error.strerror or str(error)
    notice = f"Nothing of this session is kept after it ends: {wanted} cannot be used ({reason})."
    return State(_temporary_folder(), notice)


def wanted_state_folder() -> Path:
    """Where state belongs, whether or not it can be written: for those who only read."""
    chosen = os.environ.get("XDG_STATE_HOME", "")
    base = Path(chosen) if os.path.isabs(chosen) else Path(home_folder(), ".local", "state")
    return base / PROGRAM


@functools.cache
def _temporary_folder() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix=f"{PROGRAM}-"))
