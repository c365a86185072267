"""Which files this session has read or changed, and what others did to them, kept up from the session's events."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from agent.events import ExternalEdit, Stamped
from tools.events import ToolFinished, ToolInputStarted

Own = Literal["M", "A", "D", "r"]
_READ = frozenset({"Read", "read_file"})
_CHANGE = frozenset({"Write", "write_file", "Edit", "edit_file", "NotebookEdit", "notebook_edit"})
_BY_GIT = re.compile(r"(while `)?git\b")


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file of this session. `own` is what we did: changed, new, gone, only read. `theirs` says by whom else it was
    changed ("outside", "git"), or nothing. `path` is for eyes, `real` is where the file lies."""

    path: str
    own: Own = "r"
    added: int = 0
    removed: int = 0
    theirs: str = ""
    their_added: int = 0
    their_removed: int = 0
    changed_at: float = 0.0
    real: str = ""
    # Somebody else removed it.
    gone: bool = False
    # What of ours touched it last, `Edit`, and when; and when somebody else did.
    by: str = ""
    by_at: float = 0.0
    their_at: float = 0.0

    @property
    def changed(self) -> bool:
        return self.own != "r" or bool(self.theirs)


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of a file since the session began, counted on its lines, and what of ours changed it last."""

    own: Own
    added: int
    removed: int
    theirs: bool
    their_added: int
    their_removed: int
    gone: bool
    by: str
    by_at: float
    their_at: float


class Files:
    """`short` turns a path into the one a person would say. What is measured counts more than what events said: those
    know nothing of what was taken back since, or changed by a command."""

    def __init__(self, short: Callable[[str], str] = str) -> None:
        self._short = short
        self._files: dict[str, FileFact] = {}
        self._measured: dict[str, Measured] = {}
        self._tools: dict[str, str] = {}

    def facts(self) -> tuple[FileFact, ...]:
        """Changed ones first, then those only read; in each the latest first."""
        paths = dict.fromkeys((*self._files, *self._measured))
        return tuple(sorted(map(self._whole, paths), key=lambda fact: (not fact.changed, -fact.changed_at)))

    def measure(self, found: Mapping[str, Measured]) -> None:
        """By the real paths; files that are not among them are not measured."""
        self._measured = dict(found)

    @property
    def outside(self) -> int:
        """How many of them somebody else changed."""
        return sum(bool(fact.theirs) for fact in self._files.values())

    def heard(self, stamped: Stamped) -> bool:
        """Take in an event; True where the list is another one now."""
        match stamped.event:
            case ToolInputStarted(id, name) if name in _READ | _CHANGE:
                self._tools[id] = name
            case ToolFinished(id, outcome, _, data) if id in self._tools:
                tool = self._tools.pop(id)
                return outcome == "ok" and data is not None and self._finished(tool, data, stamped.time)
            case ExternalEdit() as edit:
                return self._edited(edit, stamped.time)
            case _:
                pass
        return False

    def _finished(self, tool: str, data: Mapping[str, Any], time: float) -> bool:
        path = data.get("file_path")
        if not isinstance(path, str):
            return False
        fact = self._fact(path)
        kind = data.get("kind")
        if tool in _READ or kind == "unchanged":
            # A file that was changed keeps its place among the changed ones.
            return self._keep(fact if fact.changed else replace(fact, changed_at=time, by=tool, by_at=time))
        added, removed = _sizes(data.get("diff"))
        own: Own = "A" if kind == "created" or fact.own == "A" else "M"
        return self._keep(
            replace(
                fact,
                own=own,
                added=fact.added + added,
                removed=fact.removed + removed,
                changed_at=time,
                gone=False,
                by=tool,
                by_at=time,
            )
        )

    def _edited(self, edit: ExternalEdit, time: float) -> bool:
        fact = self._fact(edit.path)
        added, removed = (edit.diff.added, edit.diff.removed) if edit.diff is not None else (0, 0)
        return self._keep(
            replace(
                fact,
                theirs="git" if _BY_GIT.match(edit.attribution) else "outside",
                their_added=fact.their_added + added,
                their_removed=fact.their_removed + removed,
                changed_at=time,
                their_at=time,
                gone=edit.kind == "deleted",
            )
        )

    def _whole(self, real: str) -> FileFact:
        fact = self._files.get(real) or FileFact(self._short(real), real=real)
        measured = self._measured.get(real)
        if measured is None:
            return fact
        return replace(
            fact,
            own=measured.own,
            added=measured.added,
            removed=measured.removed,
            theirs=(fact.theirs or "outside") if measured.theirs else "",
            their_added=measured.their_added,
            their_removed=measured.their_removed,
            gone=measured.gone,
            by=measured.by or fact.by,
            by_at=measured.by_at or fact.by_at,
            their_at=measured.their_at,
            changed_at=max(fact.changed_at, measured.by_at, measured.their_at),
        )

    def _fact(self, path: str) -> FileFact:
        # The watcher speaks of real paths, a call of the one the model named.
        real = os.path.realpath(path)
        return self._files.get(real) or FileFact(self._short(path), real=real)

    def _keep(self, fact: FileFact) -> bool:
        # It is another file by now.
        self._measured.pop(fact.real, None)
        before = self._files.get(fact.real)
        self._files[fact.real] = fact
        return before != fact


def _sizes(diff: Any) -> tuple[int, int]:
    """Added and removed lines of a diff as plain data; a saved one may be anything."""
    kinds = [line.get("kind") for hunk in dicts(diff, "hunks") for line in dicts(hunk, "lines")]
    return kinds.count("added"), kinds.count("removed")


def dicts(parent: Any, key: str) -> list[dict[str, Any]]:
    inner: Any = cast("dict[str, Any]", parent).get(key) if isinstance(parent, dict) else None
    if not isinstance(inner, list | tuple):
        return []
    return [cast("dict[str, Any]", one) for one in cast("list[Any]", inner) if isinstance(one, dict)]
