"""Which folders are watched for the sake of which files, and which cannot be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agent.watching.mounts import Mounts


@dataclass(frozen=True, slots=True)
class Coverage:
    """`watched` are folders that exist: of one that does not, the nearest above it. `polled` are folders of known
    files that are looked at again and again instead. `ways` are all folders that lead to a watched or wanted one."""

    watched: frozenset[str] = frozenset()
    polled: frozenset[str] = frozenset()
    # Of those, by the kind of disk, where that is the reason.
    network: tuple[tuple[str, str], ...] = ()
    settings_polled: bool = False
    ways: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()
    # Why not even looking again and again works any more.
    end: str = ""

    def moves(self, paths: Sequence[str]) -> bool:
        """Whether one of these is a folder on the way to what is wanted: it may have come, gone or been replaced."""
        return not self.ways.isdisjoint(paths)

    def all_polled(self) -> Coverage:
        return replace(self, watched=frozenset(), polled=self.wanted, settings_polled=True)

    def given_up(self, why: str) -> Coverage:
        return replace(self, end=why)


def covered(wanted: frozenset[str], of_settings: frozenset[str], mounts: Mounts) -> Coverage:
    """Blocking. `wanted` are the folders of known files, `of_settings` those of the settings."""
    network = {folder: mounts.kind(folder) for folder in wanted | of_settings if mounts.is_network(folder)}
    local = (wanted | of_settings) - network.keys()
    unlisted = frozenset(folder for folder in local if _cannot_be_watched(folder))
    watched = frozenset(_nearest(folder) for folder in local - unlisted)
    return Coverage(
        watched=watched,
        polled=wanted & (network.keys() | unlisted),
        network=tuple(sorted((folder, kind) for folder, kind in network.items() if folder in wanted)),
        settings_polled=bool(of_settings & (network.keys() | unlisted)),
        ways=frozenset(_ways(local)),
        wanted=wanted,
    )


def _cannot_be_watched(folder: str) -> bool:
    """The system lets us watch only what we may list, and the library takes only names that are text."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        return True
    return os.path.isdir(folder) and not os.access(folder, os.R_OK)


def _nearest(folder: str) -> str:
    while not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return folder


def _ways(folders: Iterable[str]) -> set[str]:
    ways: set[str] = set()
    for folder in folders:
        way = folder
        while way not in ways and way != "/":
            ways.add(way)
            way = os.path.dirname(way)
    return ways
