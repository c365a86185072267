"""What always asks: writing where programs look for what to run or obey.

Protected paths are known by name, at any depth, in every case variant, through links, and also before they exist.
"""

from __future__ import annotations

import functools
import itertools
import re

from tools.permissions.overlap import is_glob, names_may_meet

# Git, editors, hook runners, build tools, and this program: they run or obey what lies in these folders.
_FOLDERS = (
    ".git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .agent-tui .config/git .config/fish "
    ".config/agent-tui .local/state/agent-tui"
)
_FILES = (
    ".gitconfig .gitmodules .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml "
    ".bazelrc .bazelversion .bazeliskrc .envrc .mcp.json .claude.json .ripgreprc .devcontainer.json "
    ".pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml gradle-wrapper.properties "
    "maven-wrapper.properties pyrightconfig.json .inputrc .pypirc .netrc "
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout "
    ".kshrc .cshrc .tcshrc .login .logout agent-tui/settings.json agent-tui/trust.json"
)
# Worktrees are workplaces, not settings.
NOT_PROTECTED = (".claude/worktrees", ".agent-tui/worktrees")

# Characters some file systems leave out when they compare names.
_INVISIBLE = dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
_NAMES = frozenset(tuple(entry.split("/")) for entry in f"{_FOLDERS} {_FILES}".split())
_LENGTHS = sorted({len(known) for known in _NAMES})
_SINGLE_NAMES = frozenset(name for known in _NAMES for name in known)


def protected_part(path: str, shell_glob: bool = False) -> str | None:
    """The part of a path that is protected against being written, as it is known; None where none is."""
    names = [_plain(name) for name in path.split("/") if name]
    joined = "/".join(["", *names, ""])
    for exception in NOT_PROTECTED:
        joined = joined.replace(f"/{exception}/", "/")
    names = tuple(name for name in joined.split("/") if name)
    for length in _LENGTHS:
        for part in dict.fromkeys(zip(*(names[start:] for start in range(length)), strict=False)):
            if part in _NAMES:
                return "/".join(part)
            if shell_glob and (meant := _meant_by_glob(part)):
                return meant
    return None


def _meant_by_glob(part: tuple[str, ...]) -> str | None:
    meant = itertools.product(*map(_may_become, part))
    return next(("/".join(known) for known in meant if known in _NAMES), None)


@functools.lru_cache(maxsize=4096)
def _may_become(name: str) -> tuple[str, ...]:
    """A glob counts if it spells at least how the name begins: `build/*` is not written for the sake of bunfig.toml."""
    if not is_glob(name) or name[0] in "*?[":
        return (name,)
    head = re.split(r"[*?\[{\\]", name, maxsplit=1)[0]
    return tuple(known for known in _SINGLE_NAMES if known.startswith(head) and names_may_meet(name, known))


def _plain(name: str) -> str:
    """A name as the most forgiving file system reads it."""
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFKC", name.translate(_INVISIBLE))
    plain = name.rstrip(" .").lower().partition("::")[0] if name.strip(" .") else name
    return ".git" if plain == "git~1" else plain
