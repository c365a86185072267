"""Which folders the person trusts to bring code, allow rules and words for the model.

Kept by the real path of the folder itself: trust in a folder says nothing of those below it, and a link to a trusted
folder is that folder. A file that cannot be read trusts nobody.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from agent.settings.files import read_text, replace_json
from agent.settings.locations import home_folder, state_folder, wanted_state_folder

FILE = "trust.json"

# Trust given for this run only: home and the root hold strangers' folders, so they are never written down.
_this_run: set[str] = set()


def is_trusted(folder: str) -> bool:
    real = os.path.realpath(folder)
    return real in _this_run or real in _saved(wanted_state_folder() / FILE)


def trust(folder: str) -> bool:
    """Trust a folder from now on. False where it holds for this run only."""
    real = os.path.realpath(folder)
    _this_run.add(real)
    if not may_be_kept(real):
        return False
    file = state_folder() / FILE
    try:
        _save(file, _saved(file) | {real})
    except OSError:
        return False
    return True


def distrust(folder: str) -> None:
    """Take trust back. Raises OSError where it was kept and cannot be taken out of the file."""
    real = os.path.realpath(folder)
    _this_run.discard(real)
    file = state_folder() / FILE
    kept = _saved(file)
    if real in kept:
        _save(file, kept - {real})


def may_be_kept(real: str) -> bool:
    return real not in ("/", os.path.realpath(home_folder()))


def _saved(file: Path) -> frozenset[str]:
    try:
        found: Any = json.loads(read_text(str(file)))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    folders = cast("dict[str, Any]", found).get("trusted") if isinstance(found, dict) else None
    if not isinstance(folders, list):
        return frozenset()
    named = (entry for entry in cast("list[Any]", folders) if isinstance(entry, str))
    return frozenset(entry for entry in named if os.path.isabs(entry) and may_be_kept(entry))


def _save(file: Path, folders: frozenset[str]) -> None:
    replace_json(file, {"trusted": sorted(folders)})
