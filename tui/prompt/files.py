"""The files `@` offers: listed in a process of their own, kept for a moment, and matched off the event loop."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence

from tools.threads import in_thread
from tui.prompt.completion import Candidate, best
from tui.render.lines import Piece

# Until so many seconds after the last listing no new one is made.
FRESH_SECONDS = 5.0
LISTING_SECONDS = 20.0
MOST_NAMES = 200_000


def _no_remark(_path: str) -> Piece:
    return ("", "")


def _anything(_path: str) -> bool:
    return True


class FileNames:
    """The files below a folder that no ignore file leaves out, as paths from there.

    `remark` says what is to be said about a path, `is_allowed` whether it may be offered; both are asked only about
    those that are about to be shown. `problem` says why there are none, when that is so.
    """

    def __init__(
        self,
        folder: str,
        remark: Callable[[str], Piece] = _no_remark,
        is_allowed: Callable[[str], bool] = _anything,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.problem = ""
        self._folder = folder
        self._remark = remark
        self._is_allowed = is_allowed
        self._clock = clock
        self._names: Sequence[str] | None = None
        self._listed_at = 0.0
        self._listing: asyncio.Task[None] | None = None

    async def matching(self, word: str) -> tuple[Candidate, ...]:
        """The files that fit what was typed, the closest first."""
        names = await self.names()
        closest = await in_thread(best, names, word)
        return tuple(Candidate(_mention(path), path, self._remark(path)) for path in closest if self._is_allowed(path))

    async def names(self) -> Sequence[str]:
        """All of them. Only the very first listing is waited for; later ones are for whoever asks next."""
        if self._listing is None and (self._names is None or self._clock() - self._listed_at > FRESH_SECONDS):
            self._listing = asyncio.create_task(self._list())
        if self._names is None and self._listing is not None:
            # Who asked may have lost interest by the next key; the listing goes on for that one.
            await asyncio.shield(self._listing)
        return self._names or ()

    async def _list(self) -> None:
        from tools.contract import ToolError

        try:
            self._names = await list_files(self._folder)
            self.problem = ""
        except ToolError as error:
            self._names = self._names or ()
            self.problem = error.message
        finally:
            self._listed_at = self._clock()
            self._listing = None


async def list_files(folder: str) -> Sequence[str]:
    """By ripgrep, or by our own walk where there is none. Raises ToolError."""
    # They start processes and read patterns: nothing that the first frame should wait for.
    from tools.context import Place
    from tools.search.child import our_own, run
    from tools.search.ripgrep import common_arguments, find_rg
    from tools.search.root import find_root

    root = await in_thread(find_root, None, Place(folder, folder))
    rg = find_rg((folder,))
    argv = [rg, "--files", *common_arguments(root), root.target] if rg else our_own("tools.search.walk")
    listed = _Listed()
    await run(argv, root.folder, listed.take, LISTING_SECONDS)
    return listed.names


class _Listed:
    """Takes names as they come, each ended by a NUL."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._rest = b""

    def take(self, chunk: bytes) -> bool:
        *names, self._rest = (self._rest + chunk).split(b"\0")
        decoded = (os.fsdecode(name.removeprefix(b"./")) for name in names)
        # What cannot be typed cannot be mentioned.
        self.names += [name for name in decoded if name.isprintable()]
        return len(self.names) < MOST_NAMES


def _mention(path: str) -> str:
    return f'@"{path}" ' if " " in path else f"@{path} "
