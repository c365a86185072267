"""Which servers of a folder the person approved, each by the hash of its whole definition.

Trust in a folder starts none of its servers: each is asked about by itself, and again as soon as a letter of its
definition is another one. Like trust, an approval is kept by the folder's real path, and a file that cannot be read
approves nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from agent.settings.files import read_text, replace_json
from agent.settings.locations import state_folder, wanted_state_folder

FILE = "approved-servers.json"

Definition = Mapping[str, Any]


def is_approved(folder: str, server: str, definition: Definition) -> bool:
    return _saved(wanted_state_folder() / FILE).get(os.path.realpath(folder), {}).get(server) == _hash(definition)


def approve(folder: str, server: str, definition: Definition) -> None:
    """Approve a server as it is defined now. Raises OSError where that cannot be kept."""
    file = state_folder() / FILE
    saved = _saved(file)
    saved.setdefault(os.path.realpath(folder), {})[server] = _hash(definition)
    replace_json(file, saved)


def _hash(definition: Definition) -> str:
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()


def _saved(file: Path) -> dict[str, dict[str, str]]:
    try:
        found: Any = json.loads(read_text(str(file)))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    folders = cast("dict[str, Any]", found).items()
    return {folder: cast("dict[str, str]", servers) for folder, servers in folders if isinstance(servers, dict)}
