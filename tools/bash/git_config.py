"""Whether git's configuration in a folder leaves reading commands alone.

A repository can name programs that `git status` or `git diff` then run. Git itself is asked what is in force in the
folder, includes and worktree settings too, and in the submodules that such commands look into. What the person set for
all their repositories is theirs and is trusted, unless it names a program that the repository brings.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from typing import NamedTuple

from tools.bash.environment import find_program, for_command, is_within

_FOREIGN_SCOPES = frozenset(("local", "worktree", "command", "unknown"))
# Each makes a command that only reads run a program of the repository's choosing, or fetch what is not there yet.
_RUNS_PROGRAMS = re.compile(
    r"core\.(fsmonitor|hookspath|attributesfile)|diff\.external|diff\..*\.(command|textconv)"
    r"|filter\..*\.(clean|smudge|process)|merge\..*\.driver|gpg\.(.*\.)?(program|defaultkeycommand)|log\.showsignature"
    r"|remote\..*\.(uploadpack|vcs|promisor)|extensions\.partialclone"
)
# Harmless but for a value that asks for signatures, or for a merge made again.
_FORMATS = re.compile(r"format\.pretty|pretty\..*|log\.diffmerges")
_HARMFUL_FORMAT = re.compile(r"%[-+ ]?G|^r(emerge)?$")
_OFF = frozenset(("false", "no", "off", "0", ""))
_MAY_BE_OFF = frozenset(("core.fsmonitor", "log.showsignature", "core.hookspath", "core.attributesfile"))
_RELATIVE_PROGRAM = re.compile(r"(?:^|[\s\"'`;|&(=!])(?!~?/|\$HOME/)[^\s\"'`;|&()]*/")
_SUBMODULE = re.compile(r"160000 \w+ \d\t(.*)", re.DOTALL)
MOST_SUBMODULES = 32
_SECONDS = 5.0
# One judgement asks several times; a change in between would be looked at again before the call runs.
_FRESH_SECONDS = 0.2
_answers: dict[str, tuple[float, bool]] = {}


class _Setting(NamedTuple):
    scope: str
    origin: str
    key: str
    value: str


def git_config_is_safe(folder: str) -> bool:
    """False also when git cannot be asked."""
    known = _answers.get(folder)
    # Never asked is not "asked at zero": the clock counts from the machine's start, which may be a moment ago.
    if known is not None and time.monotonic() - known[0] <= _FRESH_SECONDS:
        return known[1]
    safe = _is_safe(folder)
    _answers.clear()
    _answers[folder] = (time.monotonic(), safe)
    return safe


def _is_safe(folder: str) -> bool:
    """The folder's repository and, one below the other, all that are checked out in it as submodules."""
    waiting, seen = [folder], 0
    while waiting:
        current = waiting.pop()
        listing = _git(current, folder, "config", "--list", "--show-scope", "--show-origin", "--includes", "-z")
        seen += 1
        if listing is None or seen > MOST_SUBMODULES:
            return False
        if any(_may_harm(setting, current) for setting in _settings(listing)):
            return False
        waiting += _submodules(current, folder)
    return True


def _git(current: str, workspace: str, *arguments: str) -> str | None:
    """What git answers in a folder; None where it does not."""
    import subprocess

    git = find_program("git", os.environ, (workspace,))
    if git is None:
        return None
    env = {name: value for name, value in for_command(os.environ).items() if not name.startswith("GIT_")}
    try:
        answer = subprocess.run(
            [git, *arguments],
            cwd=current,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.decode(errors="surrogateescape") if answer.returncode == 0 else None


def _settings(listing: str) -> Iterator[_Setting]:
    fields = listing.split("\0")
    for scope, origin, setting in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        key, _, value = setting.partition("\n")
        yield _Setting(scope, origin.removeprefix("file:"), key.lower(), value)


def _may_harm(setting: _Setting, folder: str) -> bool:
    foreign = setting.scope in _FOREIGN_SCOPES or is_within(os.path.join(folder, setting.origin), (folder,))
    if foreign and setting.key == "core.worktree":
        return not _belongs_here(setting, folder)
    if foreign and _FORMATS.fullmatch(setting.key):
        return bool(_HARMFUL_FORMAT.search(setting.value))
    if not _RUNS_PROGRAMS.fullmatch(setting.key):
        return False
    if setting.key in _MAY_BE_OFF and setting.value.lower() in _OFF:
        return False
    return foreign or bool(_RELATIVE_PROGRAM.search(setting.value))


def _belongs_here(setting: _Setting, folder: str) -> bool:
    """A submodule's own folder says by its `.git` file where its repository is, and that one says where it is."""
    repository = os.path.dirname(os.path.join(folder, setting.origin))
    tree = os.path.realpath(os.path.join(repository, setting.value))
    return is_within(folder, (tree,)) and os.path.isfile(os.path.join(tree, ".git"))


def _submodules(current: str, workspace: str) -> list[str]:
    """Repositories checked out inside this one: `git status` looks into them, with their own configuration."""
    # Where there is no repository, or none with files, there are none.
    listing = _git(current, workspace, "ls-files", "--stage", "-z", ":/") or ""
    entries = listing.split("\0") if "160000 " in listing else []
    places = [os.path.join(current, match[1]) for entry in entries if (match := _SUBMODULE.fullmatch(entry))]
    return [place for place in places if os.path.lexists(os.path.join(place, ".git"))]
