"""From the events of a stream to the blocks of a reply.

`ReplyBuilder` takes the API's events as plain dicts and answers with ModelEvents. It buffers per block, parses a
call's input only when its block closes, keeps what it does not know as it came, and refuses a stream that breaks the
protocol. It knows no network and no SDK, so the scripted model speaks through it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from agent.model.base import (
    CUT_SHORT,
    BlockClosed,
    BlockStarted,
    BrokenReply,
    InputPiece,
    ModelError,
    ModelEvent,
    Plain,
    ReplyEnded,
    TextPiece,
    ThinkingPiece,
    UsageCounted,
)
from agent.model.failures import error_of_type
from agent.model.inputs import INPUT_CHARS, Invalid, fit_to_send, invalid, mended_text, parse_input, trouble_in

_USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
}
# Kinds whose input is judged by itself, when it is whole.
_CALLS = ("tool_use", "server_tool_use")
# What the API takes as the name and the id of a call in a history.
NAME_CHARS = 128
_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")


class ReplyBuilder:
    """One reply. `feed` every event, then `finish`; ids in `taken` belong to earlier calls of the conversation."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.began = False
        self.ended = False
        self._taken = set(taken)
        self._blocks: list[_Block] = []
        self._usage = UsageCounted()
        self._stop_reason: str | None = None
        self._stop_details: Plain | None = None

    def feed(self, event: Plain) -> Iterator[ModelEvent]:
        """What this event completes or adds. Raises ModelError where the stream cannot be trusted any more."""
        if self.ended:
            return
        match event.get("type"):
            case "message_start":
                yield from self._begin(_dict(event, "message"))
            case "content_block_start":
                yield self._start(event)
            case "content_block_delta":
                yield from self._add(self._open_block(event), _dict(event, "delta"))
            case "content_block_stop":
                yield self._open_block(event).close()
            case "message_delta":
                yield from self._note_end(event)
            case "message_stop":
                yield self._end()
            case "error" if self.complete:
                yield self._end()
            case "error":
                failure = _dict(event, "error")
                raise self.broken(error_of_type(_text(failure, "type"), _text(failure, "message")))
            case _:
                return

    def finish(self) -> ReplyEnded | None:
        """The stream has run out, cleanly or not: the end, if it had been announced. Else raises BrokenReply."""
        if self.ended:
            return None
        if self._stop_reason is None or not self._whole:
            raise self.broken(ModelError("The reply broke off before its end.", "network", retries=5))
        return self._end()

    def broken(self, error: ModelError) -> BrokenReply:
        """`error`, as what has become of this reply. Only while no text or call has closed may it be asked again."""
        done = any(block.closed and block.kind not in ("thinking", "redacted_thinking") for block in self._blocks)
        partial = tuple(text for block in self._blocks if (text := block.partial_text()))
        return BrokenReply(error.message, error.kind, 0 if done else error.retries, error.retry_after, partial)

    @property
    def complete(self) -> bool:
        """Whether all that matters has arrived, so that a connection lost now costs nothing."""
        return self.ended or (self._stop_reason is not None and self._whole)

    @property
    def _whole(self) -> bool:
        """Nothing more is due. A reply that was cut or refused may leave a block open, which is then no part of it."""
        return self._stop_reason in (*CUT_SHORT, "refusal") or all(block.closed for block in self._blocks)

    # -- one event each

    def _begin(self, message: Plain) -> Iterator[ModelEvent]:
        if self.began:
            raise self._protocol("began twice")
        self.began = True
        yield self._count(_dict(message, "usage"))

    def _start(self, event: Plain) -> BlockStarted:
        index = event.get("index")
        if index != len(self._blocks):
            raise self._protocol(f"started block {index!r} where block {len(self._blocks)} was due")
        start = self._keepable(_dict(event, "content_block"))
        block = _Block(len(self._blocks), start)
        if block.kind == "tool_use":
            block.problem = self._give_name(start) or self._give_id(start)
        self._blocks.append(block)
        return BlockStarted(block.index, dict(start))

    def _keepable(self, start: Plain) -> Plain:
        """The start of a block as it can be sent again, whatever else it holds."""
        kind = _text(start, "type")
        if not kind:
            raise self._protocol("started a block of no kind")
        return {
            fit_to_send(key): value if key == "input" and kind in _CALLS else self._fit(value)
            for key, value in start.items()
        }

    def _fit(self, value: Any) -> Any:
        try:
            return fit_to_send(value)
        except ValueError as error:
            raise self._protocol(f"holds what cannot be sent again, {error}") from None

    def _give_name(self, start: Plain) -> str:
        """Why a call by this name cannot be run, else nothing. Afterwards the name is one a history may hold."""
        came = _text(start, "name")
        start["name"] = _FOREIGN.sub("_", came)[:NAME_CHARS] or "unnamed"
        return "" if came == start["name"] else f"The call was not run: there is no tool named {came[:NAME_CHARS]!r}."

    def _give_id(self, start: Plain) -> str:
        """Why a call with an id that was used before is not run, else nothing. Afterwards the block's id is its own."""
        came = _FOREIGN.sub("_", _text(start, "id"))
        start["id"] = unique_id(came, self._taken)
        self._taken.add(start["id"])
        if not came or came == start["id"]:
            return ""
        return f"The call was not run: its id {came} had been used before. Send it again if needed."

    def _add(self, block: _Block, delta: Plain) -> Iterator[ModelEvent]:
        match delta.get("type"):
            case "text_delta":
                if text := block.piece("text", _text(delta, "text")):
                    yield TextPiece(block.index, text)
            case "thinking_delta":
                if text := block.piece("thinking", _text(delta, "thinking")):
                    yield ThinkingPiece(block.index, text)
            case "signature_delta":
                block.start["signature"] = mended_text(_text(delta, "signature"))
            case "input_json_delta":
                if text := block.input_piece(_text(delta, "partial_json")):
                    yield InputPiece(block.index, _text(block.start, "id"), text)
            case "citations_delta" if "citation" in delta:
                block.citations.append(self._fit(delta["citation"]))
            case _:
                return

    def _note_end(self, event: Plain) -> Iterator[ModelEvent]:
        delta = _dict(event, "delta")
        self._stop_reason = _text(delta, "stop_reason") or self._stop_reason
        self._stop_details = _dict(delta, "stop_details") or self._stop_details
        if usage := _dict(event, "usage"):
            yield self._count(usage)

    def _end(self) -> ReplyEnded:
        if not self._whole:
            raise self._protocol("ended with an open block")
        self.ended = True
        return ReplyEnded(self._stop_reason or "end_turn", self._stop_details)

    def _count(self, usage: Plain) -> UsageCounted:
        counts = {ours: _count(usage.get(theirs), getattr(self._usage, ours)) for ours, theirs in _USAGE.items()}
        self._usage = UsageCounted(**counts)
        return self._usage

    def _open_block(self, event: Plain) -> _Block:
        index = event.get("index")
        if not isinstance(index, int) or not 0 <= index < len(self._blocks):
            raise self._protocol(f"spoke of block {index!r}, which it never started")
        if self._blocks[index].closed:
            raise self._protocol(f"went on with block {index} after its end")
        return self._blocks[index]

    def _protocol(self, what: str) -> BrokenReply:
        return self.broken(ModelError(f"The reply could not be read: it {what}.", "protocol", retries=1))


@dataclass(slots=True)
class _Block:
    index: int
    start: Plain
    closed: bool = False
    # Why a call cannot be run, whatever its input.
    problem: str = ""
    parts: list[str] = field(default_factory=list[str])
    citations: list[Any] = field(default_factory=list[Any])
    # How long the input is, also of what is no longer kept because it is too long.
    input_chars: int = 0
    # The first half of a surrogate pair at the end of a piece, until its other half comes.
    half: str = ""

    @property
    def kind(self) -> str:
        return _text(self.start, "type")

    def piece(self, key: str, text: str) -> str:
        """A piece of text as it may be shown, which is how the whole is kept: it must never hold half a character."""
        text = self.half + text
        self.half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = mended_text(text[: len(text) - len(self.half)])
        if not self.parts:
            self.parts.append(_text(self.start, key))
        self.parts.append(text)
        return text

    def input_piece(self, text: str) -> str:
        self.input_chars += len(text)
        if self.input_chars > INPUT_CHARS:
            text = ""
        self.parts.append(text)
        return mended_text(text)

    def partial_text(self) -> str:
        return "" if self.closed or self.kind != "text" else "".join(self.parts).strip()

    def close(self) -> BlockClosed:
        self.closed = True
        block = dict(self.start)
        if self.citations:
            given = block.get("citations")
            block["citations"] = [*(cast("list[Any]", given) if isinstance(given, list) else []), *self.citations]
        if self.kind in ("text", "thinking"):
            whole = "".join(self.parts) + ("\ufffd" if self.half else "")
            block[self.kind] = whole if self.parts else _text(block, self.kind)
        if self.kind not in _CALLS:
            return BlockClosed(self.index, block)
        read = self._read_input()
        block["input"] = read.kept if isinstance(read, Invalid) else read
        problem = read.problem if isinstance(read, Invalid) else ""
        return BlockClosed(self.index, block, self.problem or problem)

    def _read_input(self) -> Plain | Invalid:
        raw = "".join(self.parts)
        if self.input_chars > INPUT_CHARS:
            return invalid(f"its input is longer than {INPUT_CHARS} characters; split the work", raw)
        given = self.start.get("input")
        if raw or not given:
            return parse_input(raw)
        # Some endpoints send a whole input with the start of the block.
        if not isinstance(given, dict):
            return invalid("its input must be a JSON object", str(given))
        problem = trouble_in(given)
        return invalid(problem, str(cast("Plain", given))) if problem else cast("Plain", given)


def unique_id(wanted: str, taken: set[str]) -> str:
    """`wanted`, or the next free id made from it: the API refuses a history that holds an id twice."""
    if wanted and wanted not in taken:
        return wanted
    stem = wanted or "call"
    return next(new for n in range(2, len(taken) + 3) if (new := f"{stem}_{n}") not in taken)


def call_ids(messages: Sequence[Plain]) -> Iterator[str]:
    """The ids of all calls in a history."""
    for message in messages:
        content = message.get("content")
        if message.get("role") == "assistant" and isinstance(content, list):
            for block in cast("list[Plain]", content):
                if block.get("type") == "tool_use":
                    yield _text(block, "id")


def _dict(data: Plain, key: str) -> Plain:
    value = data.get(key)
    return cast("Plain", value) if isinstance(value, dict) else {}


def _text(data: Plain, key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _count(value: Any, before: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else before
