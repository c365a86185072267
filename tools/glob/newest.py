"""The newest files that match a pattern, out of the names ripgrep or our own walk lists."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable

from tools.contract import ToolError
from tools.glob.found import GlobOutput
from tools.search.child import DEADLINE_SECONDS, our_own, run
from tools.search.patterns import path_test
from tools.search.ripgrep import common_arguments, find_rg
from tools.search.root import Root

MOST_FILES = 100


async def newest_files(
    pattern: str,
    root: Root,
    workspace: tuple[str, ...],
    seconds: float = DEADLINE_SECONDS,
    tell: Callable[[int], None] | None = None,
) -> GlobOutput:
    """`tell` hears now and then how many were found so far."""
    rg = find_rg(workspace)
    argv = [rg, "--files", *common_arguments(root), root.target] if rg else our_own("tools.search.walk")
    newest = _Newest(pattern, root)
    ended = await run(argv, root.folder, newest.take, seconds, (lambda: tell(newest.total)) if tell else None)
    if ended.message and not newest.total:
        raise ToolError(f"The files could not be listed: {ended.message}", "failed")
    return GlobOutput(
        files=tuple(root.show(name) for _, name in newest.files),
        total=newest.total,
        truncated=newest.total > len(newest.files),
        timed_out=ended.timed_out,
    )


class _Newest:
    """Takes listed names, in pieces as they come, and keeps only the newest that match."""

    def __init__(self, pattern: str, root: Root) -> None:
        self.total = 0
        self.files: list[tuple[int, str]] = []
        self._matches = path_test(pattern)
        self._folder = f"{root.folder.rstrip('/')}/"
        self._rest = b""

    def take(self, chunk: bytes) -> bool:
        # Each name begins with `./` and ends with NUL, which no name holds.
        names, nul, self._rest = (self._rest + chunk).rpartition(b"\0")
        listed = os.fsdecode(names.removeprefix(b"./")).split("\0./") if nul else []
        found = [dated for name in filter(self._matches, listed) if (dated := self._dated(name))]
        self.total += len(found)
        self.files = heapq.nsmallest(MOST_FILES, [*self.files, *found])
        return True

    def _dated(self, name: str) -> tuple[int, str] | None:
        """The name behind its age, so that the newest sorts first; nothing for what is gone meanwhile."""
        try:
            return -os.lstat(self._folder + name).st_mtime_ns, name
        except OSError:
            return None
