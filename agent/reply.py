"""One reply of the model, as it streams in: shown on the bus piece by piece, its calls started as they close.

Only what has closed is kept. A reply that breaks off keeps what had closed and the text that was already shown; a call
whose block did not close is dropped and never run.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from agent.events import Event, ModelWaiting, TextDelta, TextDone, ThinkingDelta, ThinkingDone, Usage
from agent.model.base import (
    BlockClosed,
    BlockStarted,
    InputPiece,
    ModelError,
    ModelEvent,
    Plain,
    Reply,
    ReplyEnded,
    TextPiece,
    ThinkingPiece,
    UsageCounted,
    Waiting,
)
from tools.contract import VALID, Validation
from tools.events import ToolInputDelta, ToolInputReady, ToolInputStarted
from tools.pipeline import ToolUse

AT_ONCE = 100


@dataclass(slots=True)
class ReplyReader:
    """Reads one reply. `blocks` is what goes into the history."""

    emit: Callable[[Event], None]
    start_call: Callable[[ToolUse], None]
    blocks: list[Plain] = field(default_factory=list[Plain])
    stop_reason: str = ""
    stop_details: Plain = field(default_factory=dict[str, object])
    error: ModelError | None = None
    # In pieces: joined at every one, a long text would be copied again and again.
    _texts: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict[int, list[str]](list))

    async def read(self, reply: Reply) -> None:
        try:
            async with aclosing(reply) as events:
                taken = 0
                async for event in events:
                    self._take(event)
                    taken += 1
                    if taken % AT_ONCE == 0:
                        # Events come in heaps: keys and drawing have their turn in between.
                        await asyncio.sleep(0)
        except ModelError as error:
            self.error = error
        finally:
            self._keep_partial()

    def _take(self, event: ModelEvent) -> None:
        match event:
            case BlockStarted(_, block):
                self._begin(block)
            case TextPiece(index, text):
                self._texts[index].append(text)
                self.emit(TextDelta(text))
            case ThinkingPiece(_, text):
                self.emit(ThinkingDelta(text))
            case InputPiece(_, tool_id, text):
                self.emit(ToolInputDelta(tool_id, text))
            case BlockClosed(index, block, problem):
                self._close(index, block, problem)
            case UsageCounted():
                self.emit(Usage(event.input_tokens, event.output_tokens, event.cache_read, event.cache_write))
            case ReplyEnded(stop_reason, details):
                self.stop_reason, self.stop_details = stop_reason, dict(details or {})
            case Waiting(reason, retry, seconds):
                if retry:
                    self._forget()
                self.emit(ModelWaiting(reason, retry, seconds))

    def _begin(self, block: Plain) -> None:
        if block.get("type") == "tool_use":
            self.emit(ToolInputStarted(str(block["id"]), str(block["name"])))

    def _close(self, index: int, block: Plain, problem: str) -> None:
        self._texts.pop(index, None)
        self.blocks.append(block)
        match block.get("type"):
            case "text":
                self.emit(TextDone(str(block["text"])))
            case "thinking":
                self.emit(ThinkingDone(str(block.get("thinking", ""))))
            case "tool_use":
                refusal = Validation(problem, "invalid_input") if problem else VALID
                use = ToolUse(str(block["id"]), str(block["name"]), block["input"], refusal)
                self.emit(ToolInputReady(use.id, dict(use.input)))
                self.start_call(use)
            case _:
                return

    def _forget(self) -> None:
        """The request is made again: nothing of the first try counts."""
        self.blocks.clear()
        self._texts.clear()

    def _keep_partial(self) -> None:
        """Text that was shown stays, marked as incomplete; what else is open is dropped."""
        for _, pieces in sorted(self._texts.items()):
            text = "".join(pieces)
            self.emit(TextDone(text, complete=False))
            if text.strip():
                self.blocks.append({"type": "text", "text": text})
        self._texts.clear()
