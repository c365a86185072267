"""What always asks: writing where programs look for what to run or obey.

Protected paths are known by name, at any depth, in every case variant, through links, and also before they exist.
"""

from __future__ import annotations

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
_NAMES = tuple(entry.split("/") for entry in f"{_FOLDERS} {_FILES}".split())


def protected_part(path: str, shell_glob: bool = False) -> str | None:
    """The part of a path that is protected against being written, as it is known; None where none is."""
    names = [_plain(name) for name in path.split("/") if name]
    joined = "/".join(["", *names, ""])
    for exception in NOT_PROTECTED:
        joined = joined.replace(f"/{exception}/", "/")
    names = [name for name in joined.split("/") if name]
    for known in _NAMES:
        for start in range(len(names) - len(known) + 1):
            if all(map(_same_glob if shell_glob else _same, names[start:], known)):
                return "/".join(known)
    return None


def _same(name: str, known: str) -> bool:
    return name == known


def _same_glob(name: str, known: str) -> bool:
    """A glob counts if it spells at least how the name begins: `build/*` is not written for the sake of bunfig.toml."""
    return names_may_meet(name, known) if is_glob(name) and name[0] not in "*?[" else name == known


def _plain(name: str) -> str:
    """A name as the most forgiving file system reads it."""
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFKC", name.translate(_INVISIBLE))
    plain = name.rstrip(" .").lower().partition("::")[0] if name.strip(" .") else name
    return ".git" if plain == "git~1" else plain
