"""Folders on the way back: those in the place of a file, and those that came with one."""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from contextlib import suppress


def holds_only(folder: str, files: Container[str]) -> bool:
    """Whether nothing but these files, and folders, lie in it."""
    told: list[OSError] = []
    walk = os.walk(folder, onerror=told.append)
    only = all(os.path.join(inner, name) in files for inner, _, names in walk for name in names)
    return only and not told and not any(map(os.path.islink, _inner(folder)))


def clear(folder: str) -> None:
    """Take an empty folder away with the empty ones in it. Raises OSError where something lies in one."""
    for inner in [*reversed(_inner(folder)), folder]:
        os.rmdir(inner)


def leave(path: str, outermost: str) -> None:
    """Take away the folders that came with a file, now that it is gone, up to this one; none with something in it."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        while outermost and f"{folder}/".startswith(f"{outermost}/"):
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def outermost_new(path: str, is_new: Callable[[str], bool]) -> str:
    """Of the folders above a file the outermost new one; empty where none is."""
    found, folder = "", os.path.dirname(path)
    while folder != os.path.dirname(folder) and is_new(folder):
        found, folder = folder, os.path.dirname(folder)
    return found


def _inner(folder: str) -> list[str]:
    """The folders in it, each before those in itself."""
    return [os.path.join(inner, name) for inner, names, _ in os.walk(folder) for name in names]
