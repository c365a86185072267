"""What is wrong with watching, in the words of the status line and in a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal

from agent.watching.coverage import Coverage

# A look that has not come back after so long hangs.
HANGS_SECONDS = 5.0
_LIMIT = "Raise fs.inotify.{0} (sysctl -w fs.inotify.{0}=...), or close programs that watch many files."


@dataclass(frozen=True, slots=True)
class Trouble:
    word: Literal["", "watching by polling", "not watching", "not watching all"]
    sentence: str = ""


CALM = Trouble("")


def trouble_of(coverage: Coverage, failure: str, held_seconds: float, unreadable: Set[str]) -> Trouble:
    if coverage.end:
        return Trouble(
            "not watching",
            f"Files are not watched ({coverage.end}). Outside edits are noticed when a file is next used; "
            "start agent-tui again to watch them.",
        )
    if held_seconds > HANGS_SECONDS:
        what = "A disk" if not coverage.network else f"The {coverage.network[0][1]} disk of {coverage.network[0][0]}"
        return Trouble(
            "not watching" if coverage.polled == coverage.wanted else "not watching all",
            f"{what} does not answer. Outside edits there are noticed when it does; look at its connection.",
        )
    if unreadable:
        return Trouble(
            "not watching all",
            f"{_some(unreadable)} cannot be read, so nobody can tell what others do there; look at its permissions.",
        )
    if failure:
        return Trouble(
            "watching by polling",
            f"The system does not tell of changes: {failure}. Known files are looked at four times a second instead. "
            + _advice(failure),
        )
    if coverage.network:
        folder, kind = coverage.network[0]
        more = f" and {len(coverage.network) - 1} more" if len(coverage.network) > 1 else ""
        return Trouble(
            "watching by polling",
            f"{folder}{more} is on a disk of another machine ({kind}), which tells nothing: its known files are looked "
            "at four times a second.",
        )
    if coverage.polled:
        return Trouble(
            "watching by polling",
            f"{_some(coverage.polled)} cannot be watched, for it may not be listed or its name is no text: its known "
            "files are looked at four times a second.",
        )
    return CALM


def _some(paths: Set[str]) -> str:
    first, *rest = sorted(paths)
    return f"{first} and {len(rest)} more" if rest else first


def _advice(failure: str) -> str:
    if "watch limit" in failure or "No space" in failure:
        return _LIMIT.format("max_user_watches")
    if "open files" in failure or "instance" in failure:
        return _LIMIT.format("max_user_instances")
    return "It is tried again every 30 seconds."
