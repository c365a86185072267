"""A history held in memory: what happened to files, told step by step by a test."""

from __future__ import annotations

from collections.abc import Sequence

from agent.checkpoints.steps import By, Step
from tools.files import hash_bytes


class ToldHistory:
    """`agent.checkpoints.steps.History`."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._contents: dict[str, bytes] = {}
        self._now: dict[str, bytes | None] = {}

    def starts(self, path: str, data: bytes | None) -> None:
        self._now[path] = data

    def step(self, path: str, data: bytes | None, by: By = "call", call: str = "", turn: int = 1, **more: str) -> Step:
        """From now on the file holds this."""
        before = self._now.get(path)
        number = len(self._steps) + 1
        attribution = more.get("attribution", "external" if by == "outside" else "")
        step = Step(number, path, self._keep(before), self._keep(data), by, turn, float(number), call, attribution)
        self._steps.append(step)
        self._now[path] = data
        return step

    def forget(self, data: bytes) -> None:
        """It was too large to be kept."""
        self._contents.pop(hash_bytes(data), None)

    def now(self, path: str) -> bytes | None:
        return self._now.get(path)

    def steps(self, path: str = "") -> Sequence[Step]:
        return [step for step in self._steps if not path or step.path == path]

    def content(self, hash: str) -> bytes | None:
        return self._contents.get(hash)

    def _keep(self, data: bytes | None) -> str | None:
        if data is None:
            return None
        self._contents[hash_bytes(data)] = data
        return hash_bytes(data)
