"""A folder in which commands run that are plain functions, and what the session knows of what they changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from agent.checkpoints.blobs import Blobs
from agent.checkpoints.commands import Around, CommandCheckpoints, CommandPlace
from agent.checkpoints.history import SessionHistory
from agent.checkpoints.steps import Step


class Workspace:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        (folder / "session").mkdir()
        self.history = SessionHistory(Blobs(str(folder / "checkpoints")), str(folder / "session"), lambda _: None)
        place = CommandPlace(
            lambda: [str(self.folder)], str(folder / "work" / "own"), str(folder / "session"), lambda: True
        )
        self.checkpoints = CommandCheckpoints(self.history, place)

    def run(
        self, command: Callable[[], object], *known: Path, watched: bool = True
    ) -> dict[str, tuple[object, object]]:
        """The steps it made, by name: what was, what is."""
        before = len(self.history.steps())
        around = Around() if watched else Around(None)
        try:
            self.checkpoints.before(around)
            command()
            changes = self.checkpoints.after(around)
            self.checkpoints.note(around, changes, frozenset(map(str, known)), "c1", "while `it` ran")
        finally:
            around.close()
        return {self.name(step.path): self.held(step) for step in self.history.steps()[before:]}

    def held(self, step: Step) -> tuple[object, object]:
        return tuple(hash and (self.history.content(hash) or "not kept") for hash in (step.before, step.after))  # pyright: ignore[reportReturnType]

    def name(self, path: str) -> str:
        return os.path.relpath(path, self.folder)

    def gaps(self) -> set[tuple[str, int, str]]:
        return {(self.name(gap.path), gap.count, gap.why) for gap in self.history.gaps()}

    def kept(self) -> list[Path]:
        """The contents that were copied."""
        return [path for path in Path(self.history.blobs.folder).rglob("*") if path.is_file()]
