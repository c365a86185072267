"""Files that need a second look before they are written: settings that must still work, and files that are shared."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable

from tools.contract import ToolError

# What is wrong with a settings file's text (path, text); None: nothing, or it is no settings file.
CheckSettings = Callable[[str, str], str | None]

_SETTINGS = re.compile(r"(?:^|/)(?:\.?agent-tui|\.claude)/settings(?:\.local)?\.json$")
_SHARED = re.compile(r"(?:^|/)(?:\.(?:agent-tui|claude)/settings\.json|\.mcp\.json)$")
_SECRET = re.compile(
    r"(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|AKIA[0-9A-Z]{16}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def guard(path: str, before: str, after: str, check_settings: CheckSettings | None) -> None:
    """Refuse what would break a settings file or put a new secret into a file that others get."""
    problem = _settings_problem(path, after, check_settings)
    if problem is not None:
        raise ToolError(f"{path} would no longer be valid settings: {problem} Nothing was written.", "settings_invalid")
    if _SHARED.search(path) and set(_SECRET.findall(after)) - set(_SECRET.findall(before)):
        name = os.path.basename(path)
        message = f"{name} is shared with others, and the text holds a key. Use an environment variable instead."
        raise ToolError(message, "secret_in_shared_file")


def _settings_problem(path: str, text: str, check_settings: CheckSettings | None) -> str | None:
    if not _SETTINGS.search(path):
        return None
    if check_settings is not None:
        return check_settings(path, text)
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})."
    return None if isinstance(found, dict) else "it must be a JSON object."
