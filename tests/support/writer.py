"""A program that writes files without end, for tests that kill it. It forks a writer for each line it reads.

writer.py FOLDER JOURNAL    then a line "NUMBER" on stdin: the writer's pid comes back, and it begins
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from agent.store.journal import DiskJournal
from tools.files import Files, hash_file
from tools.ledger.writes import Writes

SIZES = (10, 5_000, 3_000_000)


def content(generation: int, size: int) -> bytes:
    """Tells by itself whether it is whole: a line that repeats, over a length that hangs on the generation."""
    line = b"generation %06d\n" % generation
    return line * (1 + (size + generation % 7 * size // 10) // len(line))


def is_whole(data: bytes, size: int) -> bool:
    generation = int(data[11:17] or b"-1") if data[11:17].isdigit() else -1
    return generation >= 0 and data == content(generation, size)


def files_in(folder: Path) -> Iterator[tuple[Path, int]]:
    """Each size under a name of its own, and under two names, which is written in place."""
    for size in SIZES:
        yield folder / f"renamed-{size}", size
        yield folder / f"linked-{size}", size


def lay_out(folder: Path) -> None:
    (folder / "other").mkdir(parents=True)
    for path, size in files_in(folder):
        path.write_bytes(content(0, size))
        if path.name.startswith("linked"):
            os.link(path, folder / "other" / path.name)


def _write_without_end(folder: Path, journal: str, number: int) -> None:
    files = Files(Writes(), DiskJournal(journal, sys.exit))
    for generation in count(number * 100_000 % 900_000):
        for path, size in files_in(folder):
            files.write(str(path), content(generation, size), expected=hash_file(str(path)), call_id="call")


def main(folder: str, journal: str) -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _write_without_end(Path(folder), journal, int(line))
        print(pid, flush=True)
        os.waitpid(pid, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
