"""Who is told of each write of a file, so that it can be mended and taken back: the ports of `tools/files.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Journal(Protocol):
    """Told before a write touches anything and after it is done, so that a kill in between can be mended."""

    def begin(self, real_path: str, temporary: str | None, data: bytes) -> str:
        """Nothing has changed yet. Without a temporary file the target itself is about to get these bytes."""
        ...

    def end(self, entry: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Image:
    """What a file held at one moment. The bytes of a large one are not at hand."""

    hash: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class FileChange:
    """A write of ours. None: there was, or is, no such file."""

    path: str
    before: Image | None
    after: Image | None
    call_id: str
    # The permission bits of a file that goes.
    mode: int | None = None
    # The outermost folder that was made for it.
    folder: str = ""


class Keeper(Protocol):
    """Keeps what our writes replace, so that it can be taken back. It never fails a write."""

    def keep(self, image: Image) -> None:
        """These bytes are about to be gone."""
        ...

    def wrote(self, change: FileChange) -> None: ...
