"""What a command finds in its environment: the person's own, without our credentials and without anything that asks.

A command that was judged read-only gets a stricter one, in which the programs it names are the system's and git is
kept from running what a repository's settings name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from tools.bash.words import names

OUR_CREDENTIALS = "ANTHROPIC_"

# They change what a shell does before or between the commands it was given.
SHELL_TRAPS = names("BASH_ENV ENV PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS CDPATH GLOBIGNORE BASH_XTRACEFD FIGNORE")

# Nobody is there to answer or to turn pages.
QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "TERM": "dumb",
    "DEBIAN_FRONTEND": "noninteractive",
}

# Settings of the person's that make a reader run a program or write.
READER_OPTIONS = names("RIPGREP_CONFIG_PATH GREP_OPTIONS TAR_OPTIONS LESSOPEN LESSCLOSE UNZIP ZIPOPT GZIP")

# A repository's own settings must not make a reading git run a program or write its index.
GIT_HARDENED = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "diff.autoRefreshIndex": "false",
    "log.showSignature": "false",
}


def for_command(inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of any command."""
    env = {name: value for name, value in without_credentials(inherited).items() if name not in SHELL_TRAPS}
    # An entry that is not absolute means the folder the command happens to stand in.
    env["PATH"] = os.pathsep.join(entry for entry in _path(inherited) if os.path.isabs(entry))
    return env | QUIET


def for_reading(inherited: Mapping[str, str], roots: Iterable[str], programs: Iterable[str]) -> dict[str, str]:
    """The environment of a command that was judged read-only: nothing in the workspace stands in for its programs."""
    env = {
        name: value
        for name, value in for_command(inherited).items()
        if name not in READER_OPTIONS and not name.startswith(("GIT_", "BASH_FUNC_", "LD_", "DYLD_"))
    }
    entries = env["PATH"].split(os.pathsep)
    outside = [entry for entry in entries if not is_within(entry, roots)]
    if outside != entries and any(_found_inside(name, entries, roots) for name in programs):
        env["PATH"] = os.pathsep.join(outside)
    return env | {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_OPTIONAL_LOCKS": "0"} | _git_settings()


def without_credentials(inherited: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in inherited.items() if not name.startswith(OUR_CREDENTIALS)}


def find_program(name: str, inherited: Mapping[str, str], roots: Iterable[str]) -> str | None:
    """The absolute path of a program, never one that lies in the workspace."""
    for entry in _path(inherited):
        candidate = os.path.join(entry, name)
        if os.path.isabs(entry) and _runs(candidate) and not is_within(candidate, roots):
            return candidate
    return None


def is_within(path: str, roots: Iterable[str]) -> bool:
    """Whether a path lies in one of the folders, links followed on both sides."""
    real = os.path.realpath(path)
    return any(real == root or real.startswith(root.rstrip("/") + "/") for root in map(os.path.realpath, roots))


def _path(inherited: Mapping[str, str]) -> list[str]:
    return inherited.get("PATH", os.defpath).split(os.pathsep)


def _found_inside(name: str, entries: list[str], roots: Iterable[str]) -> bool:
    first = next((entry for entry in entries if _runs(os.path.join(entry, name))), None)
    return first is not None and is_within(first, roots)


def _runs(candidate: str) -> bool:
    return os.path.isfile(candidate) and os.access(candidate, os.X_OK)


def _git_settings() -> dict[str, str]:
    settings = {"GIT_CONFIG_COUNT": str(len(GIT_HARDENED))}
    for index, (key, value) in enumerate(GIT_HARDENED.items()):
        settings |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return settings
