"""The files of a folder without ripgrep: in the order of their names, ignore files honoured, links never followed.

As a program it writes what `rg --files --null` would, so that whoever reads the one can read the other.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.search.ignore import Rules, is_ignored, rules_above, rules_of, without_gits
from tools.search.ripgrep import DEEPEST, VERSION_CONTROL, is_in_repository
from tools.search.root import NO_REAL_FILES


def main(arguments: Sequence[str]) -> None:
    """Write the names of all files below the working folder, each followed by a NUL."""
    quietly_end_with_the_reader()
    for name in walk(os.getcwd()):
        sys.stdout.buffer.write(b"./" + os.fsencode(name) + b"\0")


def quietly_end_with_the_reader() -> None:
    """Whoever reads us may have enough at any moment; that is no error of ours."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def walk(root: str, also_skipped: Sequence[str] = ()) -> Iterator[str]:
    """Paths of regular files, relative to `root`."""
    skipped = {*VERSION_CONTROL, *also_skipped, *(NO_REAL_FILES if root == "/" else ())}
    in_repository = is_in_repository(root)
    waiting = [_Entry("", is_folder=True, depth=0, rules=rules_above(root))]
    while waiting:
        entry = waiting.pop()
        if not entry.is_folder:
            yield entry.path
        elif entry.depth < DEEPEST:
            waiting += reversed(_entries(root, entry, skipped, in_repository))


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    is_folder: bool
    depth: int
    # Of all folders above it, the outermost first.
    rules: tuple[Rules, ...]


def _entries(root: str, parent: _Entry, skipped: set[str], in_repository: bool) -> list[_Entry]:
    folder = os.path.join(root, parent.path).rstrip("/") or "/"
    is_another = in_repository and parent.path and os.path.exists(os.path.join(folder, ".git"))
    rules = (*(without_gits(parent.rules) if is_another else parent.rules), *rules_of(folder))
    found: list[_Entry] = []
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError:  # gone or not ours to read since we saw it: ripgrep goes on without a word, too
        return found
    for entry in listed:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in skipped or not (is_folder or entry.is_file(follow_symlinks=False)):
            continue
        if not is_ignored(entry.path, is_folder, rules):
            found.append(_Entry(os.path.join(parent.path, entry.name), is_folder, parent.depth + 1, rules))
    return found
