"""A story told to the transcript event by event, at the times it says, and the lines a person would see of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Self, cast

from agent.events import MAIN, Event, ModelAsked, Stamped, TurnStarted, UserMessage
from tests.tui.sheet.asked import CTX, FOLDER
from tools.contract import AnyTool
from tools.events import ToolFinished, ToolInputDelta, ToolInputReady, ToolInputStarted, ToolProgress, ToolStarted
from tools.inputs import ToolOutput
from tools.pool import Pool, assemble_pool
from tools.registry import BASE_TOOLS, Ports
from tui.render.look import Look
from tui.transcript.arrangement import Arrangement
from tui.transcript.entries import Call
from tui.transcript.kinds import Kinds
from tui.transcript.rows import Row
from tui.transcript.store import Transcript

NO_PORTS = Ports(**cast("dict[str, Any]", dict.fromkeys(port.name for port in fields(Ports))))
WIDTH, HEIGHT = 80, 40


def pool_of(*more: AnyTool) -> Pool:
    """All tools, with nothing behind them: they are only looked at."""
    return assemble_pool([*(base.build(NO_PORTS) for base in BASE_TOOLS), *more])


class Told:
    """The clock of the story stands at `now`; it begins at a second that is not 0, as every clock does."""

    def __init__(self, *more: AnyTool) -> None:
        self.faults: list[Exception] = []
        self.kinds = Kinds(pool_of(*more), CTX)
        self.rows_made = Arrangement(self.kinds, self.faults.append)
        self.transcript = Transcript(self.rows_made, self.kinds)
        self.now = 1_000.0
        self._seq = 0

    # -- telling

    def hear(self, *events: Event, after: float = 0.0, agent: str = MAIN) -> Self:
        """`after` so many seconds."""
        self.now += after
        for event in events:
            self._seq += 1
            self.transcript.take(Stamped(self._seq, self.now, agent, event))
        return self

    def turn(self, words: str = "go", number: int = 1) -> Self:
        return self.hear(TurnStarted(number), UserMessage(words), ModelAsked())

    def streams(self, id: str, name: str, raw: str = "") -> Self:
        """A call begins; so much of its input has come."""
        self.hear(ToolInputStarted(id, name))
        return self.hear(ToolInputDelta(id, raw)) if raw else self

    def called(self, id: str, name: str, **input: Any) -> Self:
        """Its input is complete."""
        return self.hear(ToolInputStarted(id, name), ToolInputReady(id, input))

    def runs(self, id: str, name: str, **input: Any) -> Self:
        return self.called(id, name, **input).hear(ToolStarted(id))

    def done(self, id: str, data: ToolOutput | Mapping[str, Any], after: float = 0.1, **more: Any) -> Self:
        return self.hear(ToolFinished(id, "ok", data=plain(data), duration=after, **more), after=after)

    def says(self, id: str, progress: ToolOutput | Mapping[str, Any], after: float = 0.0) -> Self:
        return self.hear(ToolProgress(id, plain(progress)), after=after)

    def failed(self, id: str, error: str, after: float = 0.1, code: str = "failed") -> Self:
        return self.hear(ToolFinished(id, "failed", code, error=error, duration=after), after=after)

    # -- seeing

    def look(self, width: int = WIDTH, height: int = HEIGHT, verbose: bool = False, ascii: bool = False) -> Look:
        return Look(width, height, verbose, ascii, self.now)

    @property
    def rows(self) -> list[Row]:
        self.transcript.settle()
        return self.rows_made.rows

    @property
    def entries(self) -> list[Any]:
        return self.rows_made.entries

    def call(self, id: str) -> Call:
        return self.transcript.calls.by_id[id]

    def frame(self, at: int = -1, **look: Any) -> list[str]:
        """The lines of one row, without spaces at their ends."""
        return [line.text.rstrip() for line in self.rows[at].lines(self.look(**look))]

    def styles(self, at: int = -1, **look: Any) -> list[list[tuple[str, str]]]:
        """The same with the style of each piece."""
        return [[piece for piece in line.pieces if piece[0].strip()] for line in self.rows[at].lines(self.look(**look))]

    def screen(self, **look: Any) -> list[str]:
        """All rows, a blank line between them."""
        frames = [self.frame(at, **look) for at in range(len(self.rows))]
        return [line for number, frame in enumerate(frames) for line in ([""] if number else []) + frame]


def plain(data: ToolOutput | Mapping[str, Any]) -> Mapping[str, Any]:
    """As events carry it."""
    return data.model_dump(mode="json") if isinstance(data, ToolOutput) else data


def at(name: str) -> str:
    """The whole path of a file of the story's folder."""
    return f"{FOLDER}/{name}"
