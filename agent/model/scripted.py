"""A model that says what it was told to say: for the tour and for tests that drive the real loop.

A script is a list of replies, or a function from the request to a reply. A reply is a list of blocks, streamed in
small pieces through the same ReplyBuilder as the API's.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.model.base import ModelError, Plain, Reply, Request
from agent.model.stream import ReplyBuilder, call_ids

PIECE_CHARS = 12

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """Blocks as the API writes them. `raw_inputs` spells the input of a call literally, by its id, to send bad JSON.

    `cut_after` breaks the stream off after that many events; `error` is raised before the first one.
    """

    blocks: tuple[Plain, ...]
    stop_reason: str = ""
    usage: Plain = field(default_factory=lambda: {"input_tokens": 10, "output_tokens": 10})
    raw_inputs: dict[str, str] = field(default_factory=dict[str, str])
    cut_after: int | None = None
    error: ModelError | None = None
    delay: float = 0.0


Script = Sequence["ScriptedReply | Sequence[Plain]"] | Callable[[Request], "ScriptedReply | Sequence[Plain]"]


def text(words: str) -> Plain:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "scripted") -> Plain:
    return {"type": "thinking", "thinking": words, "signature": signature}


def tool_use(call_id: str, name: str, **input: Any) -> Plain:
    return {"type": "tool_use", "id": call_id, "name": name, "input": input}


class ScriptedModel:
    """Answers from its script; `requests` keeps what it was asked. A list that has run out ends each turn at once."""

    def __init__(self, script: Script, pause: Pause | None = None, piece_chars: int = PIECE_CHARS) -> None:
        self.requests: list[Request] = []
        self._script = script
        self._pause = pause
        self._piece_chars = piece_chars

    async def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        reply = self._next_reply(request)
        if reply.error is not None:
            raise reply.error
        builder = ReplyBuilder(call_ids(request.messages))
        for position, event in enumerate(wire_events(reply, self._piece_chars)):
            if position == reply.cut_after:
                break
            if self._pause is not None:
                await self._pause(reply.delay)
            for made in builder.feed(event):
                yield made
        if ended := builder.finish():
            yield ended

    async def prepare(self) -> None:
        """Nothing to load."""

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _next_reply(self, request: Request) -> ScriptedReply:
        if callable(self._script):
            said = self._script(request)
        else:
            position = len(self.requests) - 1
            said = self._script[position] if position < len(self._script) else (text("The script has ended."),)
        return said if isinstance(said, ScriptedReply) else ScriptedReply(tuple(said))


def wire_events(reply: ScriptedReply, piece_chars: int = PIECE_CHARS) -> Iterator[Plain]:
    """A reply as the API would stream it."""
    yield {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": reply.usage}}
    for index, block in enumerate(reply.blocks):
        yield {"type": "content_block_start", "index": index, "content_block": _emptied(block)}
        for delta in _deltas(block, reply.raw_inputs, piece_chars):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    called = any(block["type"] == "tool_use" for block in reply.blocks)
    stop_reason = reply.stop_reason or ("tool_use" if called else "end_turn")
    yield {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": reply.usage}
    yield {"type": "message_stop"}


def _emptied(block: Plain) -> Plain:
    empty: Plain = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: empty.get(key, value) for key, value in block.items()}


def _deltas(block: Plain, raw_inputs: dict[str, str], size: int) -> Iterator[Plain]:
    match block["type"]:
        case "text":
            yield from ({"type": "text_delta", "text": piece} for piece in _pieces(block["text"], size))
        case "thinking":
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"], size))
            yield {"type": "signature_delta", "signature": block.get("signature", "")}
        case "tool_use" | "server_tool_use":
            raw = raw_inputs.get(block["id"], json.dumps(block["input"], ensure_ascii=False))
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in _pieces(raw, size))
        case _:
            return


def _pieces(whole: str, size: int) -> Iterator[str]:
    return (whole[at : at + size] for at in range(0, len(whole), size))
