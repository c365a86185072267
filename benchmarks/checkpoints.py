"""What a checkpoint around a command costs in a very large folder, against one look at each of its files."""

from __future__ import annotations

import os
import subprocess
import tempfile
from itertools import count
from pathlib import Path

from agent.checkpoints.blobs import Blobs
from agent.checkpoints.commands import Around, CommandCheckpoints, CommandPlace
from agent.checkpoints.history import SessionHistory
from benchmarks.searched import FILES, write_tree
from benchmarks.table import Row, medians, times

RUNS = 9
FACTOR = 1.3


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        write_tree(folder)
        for git in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=me", "-c", "user.email=me@here", "commit", "-qm1"],
        ):
            subprocess.run(["git", *git], cwd=folder, check=True)
        return _measure(os.path.realpath(folder), state)


def _measure(folder: str, state: str) -> list[Row]:
    history = SessionHistory(Blobs(os.path.join(state, "checkpoints")), state, print)
    checkpoints = CommandCheckpoints(history, CommandPlace(lambda: [folder], state, state, lambda: True))
    numbers = count()
    changed = Path(folder, "part_3", "folder_345", "file_7.py")

    def around() -> None:
        window = Around()
        checkpoints.before(window)
        changed.write_text(f"what a command makes of one file {next(numbers)}\n")
        checkpoints.note(window, checkpoints.after(window), frozenset(), "call", "")
        window.close()

    def one_look() -> None:
        found = sum(len([os.lstat(os.path.join(inner, name)) for name in names]) for inner, _, names in _walk(folder))
        assert found == FILES

    checkpoint, look = medians(RUNS, around, one_look)
    assert len(history.steps()) == RUNS + 1, "each command changed the file, and nothing else"
    checkpoints.close()
    history.close()
    return [times(f"checkpoint around a command, {FILES} files, against one look at each", checkpoint, look, FACTOR)]


def _walk(folder: str):
    for inner, folders, names in os.walk(folder):
        if inner == folder:
            folders.remove(".git")
        yield inner, folders, names
