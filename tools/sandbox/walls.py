"""What a command in the sandbox may touch, as data. Looks at the disk, because only what is there can be walled off."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass

# Below home: keys, tokens and passwords of the person's.
_CREDENTIALS = (
    ".ssh .aws .azure .gnupg .kube .password-store .config/gh .config/hub .config/gcloud .config/op .config/doctl "
    ".local/share/keyrings .mozilla .config/google-chrome .config/chromium .thunderbird .terraform.d .vault-token "
    ".docker/config.json .netrc .git-credentials .config/git/credentials .pypirc .cargo/credentials "
    ".cargo/credentials.toml"
)

# Below each folder of the workspace: what programs outside the sandbox run or obey. It stays as it is.
_OBEYED = (
    ".git/hooks .git/config .git/info .git/modules .gitmodules .husky .vscode .idea .devcontainer .claude .agent-tui "
    ".mcp.json .envrc .npmrc .yarnrc .yarnrc.yml .pre-commit-config.yaml lefthook.yml .cargo .mvn"
)
# Of these even an empty place is walled off: this program, or git at the next look, would obey what is put there.
_EMPTY_TOO = (".claude", ".agent-tui", ".git/hooks")
# Git would take all of its settings from where this file says; it cannot be kept out, but it does not stay.
_REDIRECT = ".git/commondir"


@dataclass(frozen=True, slots=True)
class Places:
    """What does not change in a session. `own` are our folders, hidden but for `shown`, where outputs lie."""

    home: str
    own: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Walls:
    """Real paths. What lies deeper counts more: a hidden folder in a writable one is hidden."""

    writable: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    # Seen, though in what is hidden.
    shown: tuple[str, ...] = ()
    # Not to be changed, though in what is writable; and what is not there and is not to come there.
    fixed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    # Folders above those, which stay where they are: moved away with what is in them, others could take their place.
    pinned: tuple[str, ...] = ()
    # What is not there and is taken away again should a command have put it there.
    unwanted: tuple[str, ...] = ()
    network: bool = False


def walls_for(
    roots: Iterable[str],
    own_files: Iterable[str],
    places: Places,
    environ: Mapping[str, str],
    *,
    network: bool,
    standing_in: Container[str] = (),
) -> Walls:
    """`standing_in`: folders that are there only because they stand in for what is not, while other commands run."""
    inside, folders = _there(roots), _there((*roots, temporary_folder(environ)))
    obeyed = [os.path.join(root, name) for root in inside for name in _OBEYED.split()]
    # In a worktree and in a submodule it is a file that says where all else is.
    obeyed += [git for root in inside if os.path.isfile(git := os.path.join(root, ".git"))]
    empty_too = [os.path.join(root, name) for root in inside for name in _EMPTY_TOO]
    redirects = [os.path.join(root, _REDIRECT) for root in inside]
    hidden = _there((*(os.path.join(places.home, name) for name in _CREDENTIALS.split()), *places.own))
    fixed = tuple(path for path in _there(obeyed) if path not in standing_in)
    missing = tuple(path for path in empty_too if path in standing_in or _could_be_made(path))
    return Walls(
        writable=(*folders, *_there(own_files)),
        hidden=hidden,
        shown=_there(places.shown),
        fixed=fixed,
        missing=missing,
        pinned=_above((*fixed, *missing, *inside), folders, (*hidden, *fixed, *missing)),
        unwanted=tuple(path for path in redirects if _could_be_made(path)),
        network=network,
    )


def _above(paths: Iterable[str], writable: Collection[str], walled_off: Collection[str]) -> tuple[str, ...]:
    """The folders on the way to them that a command could move, because they lie in what is writable."""
    found: dict[str, None] = {}
    for path in paths:
        while (path := os.path.dirname(path)) != "/":
            if path not in writable and _below(path, writable) and not _below(path, walled_off):
                found[path] = None
    return tuple(found)


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def temporary_folder(environ: Mapping[str, str]) -> str:
    chosen = environ.get("TMPDIR", "")
    return chosen if os.path.isabs(chosen) else "/tmp"


def _could_be_made(path: str) -> bool:
    return not os.path.lexists(path) and os.access(os.path.dirname(path), os.W_OK)


def _there(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths if os.path.exists(path)))
