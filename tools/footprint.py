"""Which files a call may touch, as far as that is known before it runs: what decides who may overtake whom."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from tools.context import Place
from tools.contract import AnyTool, ToolError
from tools.paths import resolve
from tools.permissions.subjects import PathSubject


@dataclass(frozen=True, slots=True)
class Footprint:
    """Real paths. `known` is False for what cannot be told, such as a command's: it may touch anything."""

    paths: tuple[str, ...]
    known: bool
    writes: bool

    def apart(self, other: Footprint) -> bool:
        """Whether no path of one is, holds or lies within a path of the other."""
        return not any(_overlap(mine, theirs) for mine in self.paths for theirs in other.paths)

    def surely_apart(self, other: Footprint) -> bool:
        return self.known and other.known and self.apart(other)


def footprint_of(tool: AnyTool, input: Any, place: Place) -> Footprint:
    if tool.touches_nothing:
        return Footprint((), known=True, writes=False)
    writes = not tool.is_read_only(input)
    try:
        subjects = tool.permission_subjects(input, place)
        paths = [os.path.realpath(resolve(one.path, place)) for one in subjects if isinstance(one, PathSubject)]
    except ToolError:
        return Footprint((), known=False, writes=writes)
    known = not tool.may_touch_anything and len(paths) == len(subjects) > 0
    return Footprint(tuple(paths), known, writes)


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(other.rstrip("/") + "/") or other.startswith(one.rstrip("/") + "/")
