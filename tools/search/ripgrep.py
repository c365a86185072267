"""Which ripgrep is run, and what every run of it is told. Nothing a repository holds may choose either."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tools.search.root import NO_REAL_FILES, Root

VERSION_CONTROL = (".git", ".svn", ".hg", ".bzr", ".jj", ".sl")
DEEPEST = 64


def find_rg(workspace: Sequence[str]) -> str | None:
    """The rg installed with us, else one from the absolute entries of PATH that lie outside the workspace."""
    beside = os.path.join(os.path.dirname(sys.executable), "rg")
    if os.access(beside, os.X_OK):
        return beside
    roots = [os.path.realpath(folder) for folder in workspace]
    for entry in os.environ.get("PATH", "").split(os.pathsep):
        candidate = os.path.join(entry, "rg")
        if not os.path.isabs(entry) or not os.access(candidate, os.X_OK):
            continue
        places = (os.path.realpath(entry), os.path.realpath(candidate))
        if not any(_lies_in(place, root) for place in places for root in roots):
            return candidate
    return None


def common_arguments(root: Root, also_skipped: Sequence[str] = ()) -> list[str]:
    """No configuration, no links, hidden files too; ignore files count also where there is no git repository."""
    skipped = [*VERSION_CONTROL, *also_skipped]
    if root.real == "/":
        skipped += [f"/{name}" for name in NO_REAL_FILES]
    return [
        "--no-config",
        "--no-follow",
        "--hidden",
        "--no-messages",
        "--no-ignore-messages",
        "--color=never",
        "--null",
        f"--max-depth={DEEPEST}",
        # Inside a repository this would let ignore files above it count, too.
        *([] if is_in_repository(root.folder) else ["--no-require-git"]),
        *(f"--glob=!{name}" for name in skipped),
    ]


def is_in_repository(folder: str) -> bool:
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == "/":
            return False
        folder = os.path.dirname(folder)
    return True


def _lies_in(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder
