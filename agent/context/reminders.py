"""Short notes for the model that travel in messages, because the system prompt never changes.

Of an outside edit only the path and the lines are told, once per change and capped: the text itself comes only in tool
results, where it is data.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from agent.git_folder import beginning, repository_of

Ranges = Sequence[tuple[int, int]]

FILES_AT_MOST = 10
RANGES_AT_MOST = 5
_BRANCH = re.compile(r"ref: refs/heads/([\w./+#@-]{1,100})")


@dataclass(frozen=True, slots=True)
class OutsideEdit:
    """A file as somebody else left it: the hash is None where it is gone. `ranges` are the lines that are others than
    the model saw; None: it is not known which."""

    path: str
    hash: str | None
    ranges: Ranges | None = None


def opening_note(folder: str, today: str = "") -> str:
    """The date and the branch, as they are when the conversation starts."""
    date = today or time.strftime("%Y-%m-%d")
    branch = branch_of(folder)
    return f"Today is {date}." + (f" The branch is {branch}." if branch else "")


def outside_edits_note(edits: Sequence[OutsideEdit]) -> str:
    """The files that somebody else changed since the last message, each once."""
    told = [f"- {one_line(edit.path)}{_where(edit)}" for edit in edits[:FILES_AT_MOST]]
    if len(edits) > FILES_AT_MOST:
        told.append(f"- and {len(edits) - FILES_AT_MOST} files more")
    return "Changed outside since you last saw them; read them again before you rely on them:\n" + "\n".join(told)


def _where(edit: OutsideEdit) -> str:
    ranges = edit.ranges
    if edit.hash is None:
        return " (it is gone)"
    if not ranges:
        return ""
    shown = [_range(first, last) for first, last in ranges[:RANGES_AT_MOST]]
    more = f" and {len(ranges) - RANGES_AT_MOST} more places" if len(ranges) > RANGES_AT_MOST else ""
    return f" (line {', '.join(shown)}{more})"


def _range(first: int, last: int) -> str:
    return str(first) if last <= first else f"{first}-{last}"


def one_line(path: str) -> str:
    """A path as the model may be told it: a name that holds a line end or a control character must not speak."""
    return path if path.isprintable() else ascii(path)


def branch_of(folder: str) -> str:
    """Read from the repository's own file: a program named git in the folder must not run, nor its text be told."""
    found = repository_of(folder)
    if found is None:
        return ""
    on = _BRANCH.fullmatch(beginning(os.path.join(found[1], "HEAD")).strip().decode(errors="replace"))
    return on[1] if on else ""
