"""What a command in the sandbox may touch, as data. Looks at the disk, because only what is there can be walled off."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
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
# Of these even an empty place is walled off: this program would obey what is put there.
_OURS = (".claude", ".agent-tui")


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
    folders = _there((*roots, temporary_folder(environ)))
    obeyed = [os.path.join(root, name) for root in _there(roots) for name in _OBEYED.split()]
    ours = [os.path.join(root, name) for root in _there(roots) for name in _OURS]
    return Walls(
        writable=(*folders, *_there(own_files)),
        hidden=_there((*(os.path.join(places.home, name) for name in _CREDENTIALS.split()), *places.own)),
        shown=_there(places.shown),
        fixed=tuple(path for path in _there(obeyed) if path not in standing_in),
        missing=tuple(path for path in ours if path in standing_in or _could_be_made(path)),
        network=network,
    )


def temporary_folder(environ: Mapping[str, str]) -> str:
    chosen = environ.get("TMPDIR", "")
    return chosen if os.path.isabs(chosen) else "/tmp"


def _could_be_made(path: str) -> bool:
    return not os.path.lexists(path) and os.access(os.path.dirname(path), os.W_OK)


def _there(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths if os.path.exists(path)))
