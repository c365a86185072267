"""What a path in a call means: one absolute spelling of it, or a refusal that says how to write it.

Only `~` is expanded. Whether the path may be touched is the gate's affair, what lies there is `tools/regular.py`'s.
"""

from __future__ import annotations

import os
import re

from tools.context import Place
from tools.contract import ToolError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_WINDOWS = re.compile(r"\\\\|[A-Za-z]:\\")


def resolve(path: str, place: Place) -> str:
    """The absolute, normalised path; relative ones start at the working folder."""
    if not path.strip():
        raise ToolError("The path is empty; give the path of a file.", "bad_path")
    if "\0" in path:
        raise ToolError("The path holds a NUL character; give the path without it.", "bad_path")
    if _SCHEME.match(path):
        raise ToolError(f"{path} is a URL; give a plain path such as /folder/file.", "bad_path")
    if _WINDOWS.match(path):
        raise ToolError(f"{path} is a Windows path; give it as it is spelled here, with forward slashes.", "bad_path")
    if not _can_be_asked_for(path):
        raise ToolError("The path holds half a surrogate pair, which is no character; spell it again.", "bad_path")
    if path == "~" or path.startswith("~/"):
        path = place.home + path[1:]
    whole = os.path.normpath(os.path.join(place.folder, path))
    # POSIX lets a leading // mean something else; on the systems we run on it means the root.
    return "/" + whole.lstrip("/") if whole.startswith("/") else os.path.abspath(whole)


def _can_be_asked_for(path: str) -> bool:
    """Bytes of a name that are no text are spelled as halves of surrogate pairs, too: those lead back to the name."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def resolve_file(path: str, place: Place) -> str:
    """`resolve` for a file about to be written: a spelling that can only mean a folder is refused."""
    whole = resolve(path, place)
    if path.endswith("/") or path.rsplit("/", 1)[-1] in (".", "..", "~"):
        raise ToolError(f"{path} names a folder; give the path of a file.", "bad_path")
    return whole


def real(path: str) -> str:
    """Where the path leads when every link on the way is followed; also for a file that is not there yet."""
    return os.path.realpath(path)
