"""A session as lines of plain text: what a terminal without a screen, a log or a screen reader gets.

One consumer of the bus among others. Text of files, commands and models is made safe here: no control character
reaches the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agent.events import (
    Event,
    ExternalEdit,
    MessageQueued,
    ModelWaiting,
    Notice,
    Stamped,
    TextDone,
    TurnEnded,
    UserMessage,
)
from tools.blocks import Block, Blocks, Code, Diff, Line, Markdown, Meter, Table, Tail
from tools.contract import AnyTool
from tools.diffs import unified
from tools.events import (
    PermissionDecided,
    PermissionRequest,
    PermissionRequested,
    PermissionUpdated,
    ToolFinished,
    ToolInputReady,
    ToolInputStarted,
)
from tools.inputs import ToolOutput
from tools.safe import one_line, safe_output
from tools.short import counted
from tools.view import ViewContext, outcome_and_body

LONGEST_BLOCK = 24
# Tool names stand in a column, so that the eye finds what each call is about below the one before.
NAME_CELLS = 7

_MARKS = {"ok": "✓", "failed": "✗", "denied": "⊖", "cancelled": "∎"}


class PlainText:
    """Turns events into lines. Keeps the names and inputs of the calls it has seen, nothing else."""

    def __init__(self, find_tool: Callable[[str], AnyTool | None], place: ViewContext) -> None:
        self._find_tool = find_tool
        self._place = place
        self._names: dict[str, str] = {}
        self._inputs: dict[str, Mapping[str, Any]] = {}

    def lines(self, stamped: Stamped) -> list[str]:
        return [one_line(line) for line in self._of_event(stamped)]

    def _of_event(self, stamped: Stamped) -> Iterator[str]:
        match stamped.event:
            case UserMessage(text) | MessageQueued(text):
                yield f"> {text}"
            case TextDone(text):
                yield from text.split("\n")
            case ExternalEdit(path, diff, attribution, kind) as edit:
                yield f"≢ {self._place.short(path)} was {kind} outside ({attribution})"
                if edit.burst is not None:  # so many changes are not printed
                    return
                yield from (f"    {line}" for line in text_of((diff,))) if diff is not None else ()
            case ModelWaiting(reason, retry, seconds):
                yield f"⋯ {reason}" + (f", try {retry}, in {seconds:.1f} s" if retry else "")
            case Notice(text):
                yield f"! {text}"
            case TurnEnded(reason, detail):
                yield f"turn {reason}" + (f": {detail}" if detail else "")
            case event:
                yield from self._of_call(event)

    def _of_call(self, event: Event) -> Iterator[str]:
        match event:
            case ToolInputStarted(id, name):
                self._names[id] = name
            case ToolInputReady(id, input):
                self._inputs[id] = input
            case PermissionRequested(request, revision):
                yield from self._question(request, revision, "")
            case PermissionUpdated(request, revision, why):
                yield from self._question(request, revision, f" ({why})")
            case PermissionDecided(_, decision, True):
                yield f"  asked because: {decision.reason}"
            case ToolFinished() as finished:
                yield from self._finished(finished)
            case _:
                return

    def _question(self, request: PermissionRequest, revision: int, why: str) -> Iterator[str]:
        yield f"? {request.tool} asks, revision {revision}{why}: {request.summary}"
        yield from (f"    {line}" for line in text_of(request.preview))
        if request.problem:
            yield f"    {request.problem}"

    def _finished(self, event: ToolFinished) -> Iterator[str]:
        name = self._names.get(event.id, "call")
        tool = self._find_tool(name)
        if tool is None:
            yield f"{_MARKS[event.outcome]} {name:{NAME_CELLS}} {event.error or event.outcome}"
            return
        mark, blocks = self._ended(tool, event)
        outcome, body = outcome_and_body(blocks)
        subject = tool.view.use(self._inputs.get(event.id, {}), self._place).text
        said = "  ".join(part for part in (subject, outcome.text if outcome else "") if part)
        yield f"{mark} {tool.name:{NAME_CELLS}} {said}"
        yield from (f"    {line}" for line in text_of(body))

    def _ended(self, tool: AnyTool, event: ToolFinished) -> tuple[str, Blocks | None]:
        mark = _MARKS[event.outcome]
        if event.data is not None:
            data: ToolOutput = tool.Output.model_validate(dict(event.data))
            mark = _MARKS["failed"] if tool.view.went_wrong(data) else mark
            return mark, tool.view.result(data, (), "condensed", self._place)
        if event.outcome in ("denied", "cancelled"):
            return mark, tool.view.rejected(event.error, self._place)
        return mark, tool.view.failed(event.error, self._place)


def text_of(blocks: Blocks | None) -> Iterator[str]:
    for block in blocks or ():
        lines = list(lines_of(block))
        yield from lines[:LONGEST_BLOCK]
        if len(lines) > LONGEST_BLOCK:
            yield f"⋯ {counted(len(lines) - LONGEST_BLOCK, 'line')} more"


def lines_of(block: Block) -> Iterator[str]:
    match block:
        case Line():
            yield from block.text.split("\n")
        case Code(text) | Markdown(text):
            yield from text.split("\n")
        case Diff() as diff:
            yield from unified(diff).split("\n")
        case Tail(lines, total):
            yield from map(safe_output, lines)
            if total > len(lines):
                yield f"⋯ {counted(total - len(lines), 'line')} more"
        case Table(headers, rows):
            yield "  ".join(headers)
            yield from ("  ".join(row) for row in rows)
        case Meter(done, total, label):
            yield f"{label} {done}/{total}".strip()
