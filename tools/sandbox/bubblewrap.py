"""Walls by bubblewrap: a view of the file system of the command's own, and namespaces that it cannot leave."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from tools.sandbox.walls import Walls

PROBE_SECONDS = 5.0
# The descriptor at which the launcher hands over the filter.
FEED = 3


def arguments(walls: Walls) -> list[str]:
    """What comes between the program and the command."""
    apart = ["--unshare-all", *(["--share-net"] if walls.network else [])]
    base = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    mounts = [word for mount in sorted(_mounts(walls), key=_depth) for word in mount]
    return [*apart, "--die-with-parent", *base, *mounts, "--seccomp", str(FEED)]


def works(program: str, walls: Walls) -> str:
    """Why it cannot be used here; empty where it can. It runs it, once, on nothing."""
    given = arguments(Walls(walls.writable, walls.hidden))[:-2]
    try:
        done = subprocess.run(
            [program, *given, "--", "/bin/sh", "-c", ":"],
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode(errors="replace").strip().split("\n", 1)[0]
    return "" if done.returncode == 0 else said or f"it ended with {done.returncode}"


def _mounts(walls: Walls) -> Iterator[tuple[str, ...]]:
    """Each with where it comes last. Deeper ones come later, so that they count; of two on one place the stricter."""
    for path in (*walls.writable, *walls.shown):
        yield ("--bind" if path in walls.writable else "--ro-bind", path, path)
    for path in walls.pinned:
        # What is mounted cannot be renamed.
        yield ("--bind", path, path)
    for path in walls.fixed:
        yield ("--ro-bind", path, path)
    for path in walls.hidden:
        yield ("--tmpfs", path) if os.path.isdir(path) else ("--ro-bind", os.devnull, path)
    # An empty folder stands in: what a command puts there goes with the command.
    for path in walls.missing:
        yield ("--tmpfs", path)


def _depth(mount: tuple[str, ...]) -> int:
    return mount[-1].rstrip("/").count("/")
