"""A server on the loopback that speaks the Messages API over SSE, and fails on demand at any event.

Each request takes the next of the given answers; the last one stays. `requests` keeps what was asked.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.model.scripted import ScriptedReply, wire_events

LOOK_AGAIN = 0.005

Fault = Literal["", "drop", "error", "hang", "close"]


@dataclass(frozen=True)
class Stream:
    """Events, and after `after` of them a fault: the connection dropped, an error event, silence, or a clean close."""

    events: Sequence[dict[str, Any]]
    fault: Fault = ""
    after: int = 0
    error_type: str = "overloaded_error"


@dataclass(frozen=True)
class Held:
    """Events, of which those from the `before`-th on wait until `go` is set."""

    events: Sequence[dict[str, Any]]
    before: int
    go: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Bytes:
    """A stream spelled literally, chunk by chunk."""

    chunks: Sequence[bytes]


@dataclass(frozen=True)
class Status:
    """An answer that is no stream."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


Answer = Stream | Held | Bytes | Status


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes = b""


def spoken(*blocks: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """The events of a whole reply, with a ping in it."""
    events = list(wire_events(ScriptedReply(blocks, **more)))
    return [events[0], {"type": "ping"}, *events[1:]]


def refused(status: int, error_type: str, message: str, **headers: str) -> Status:
    body = {"type": "error", "error": {"type": error_type, "message": message}}
    return Status(status, json.dumps(body).encode(), {name.replace("_", "-"): value for name, value in headers.items()})


def sse(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


class Loopback:
    """`async with Loopback(answer, ...) as server`: then `server.url`."""

    def __init__(self, *answers: Answer) -> None:
        self.requests: list[Received] = []
        self.url = ""
        self._answers = list(answers)
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

    def answer_next(self, *answers: Answer) -> None:
        """From now on these, and none of the requests so far."""
        self.requests = []
        self._answers = list(answers)

    async def __aenter__(self) -> Loopback:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer, connection in self._connections.items():
            connection.cancel()
            # What nobody reads any more would keep the socket open for ever.
            writer.transport.abort()
        await asyncio.gather(*self._connections.values(), return_exceptions=True)
        await asyncio.gather(*(writer.wait_closed() for writer in self._connections), return_exceptions=True)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections[writer] = asyncio.ensure_future(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                received = await _received(reader)
                self.requests.append(received)
                answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                if isinstance(answer, Status):
                    _write_status(writer, answer)
                elif not await _write_stream(reader, writer, answer):
                    return
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


async def _received(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(head[0].split(" ")[1], headers, json.loads(body or b"{}"), body)


def _write_status(writer: asyncio.StreamWriter, answer: Status) -> None:
    lines = [
        f"HTTP/1.1 {answer.status} X",
        f"content-type: {answer.content_type}",
        f"content-length: {len(answer.body)}",
    ]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + answer.body)


async def _write_stream(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Stream | Held | Bytes
) -> bool:
    """Whether the connection may serve another request."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    if isinstance(answer, Bytes):
        for chunk in answer.chunks:
            await _write_chunk(writer, chunk)
        await _write_chunk(writer, b"")
        return True
    if isinstance(answer, Held):
        for number, event in enumerate(answer.events):
            while number >= answer.before and not answer.go.is_set():
                await asyncio.sleep(LOOK_AGAIN)
            await _write_chunk(writer, sse(event))
        await _write_chunk(writer, b"")
        return True
    sent = answer.events[: answer.after] if answer.fault else answer.events
    for event in sent:
        await _write_chunk(writer, sse(event))
    match answer.fault:
        case "drop":
            return False
        case "hang":
            await reader.read(1)
            return False
        case "error":
            await _write_chunk(writer, sse({"type": "error", "error": {"type": answer.error_type, "message": "Over"}}))
        case _:
            pass
    await _write_chunk(writer, b"")
    return True


async def _write_chunk(writer: asyncio.StreamWriter, chunk: bytes) -> None:
    writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
    await writer.drain()
