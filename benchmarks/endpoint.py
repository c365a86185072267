"""`python -m benchmarks.endpoint`: a model on the loopback, in a process of its own; prints its address.

What the last message says decides the answer: `flood` is 200 KB of markdown as fast as the reader takes it, `trickle`
a hundred pieces a second, `read PATH ...` calls Read for each path, and everything else is answered with a word.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from agent.model.scripted import ScriptedReply, text, tool_use, wire_events

PIECE_CHARS = 12
FLOOD_CHARS = 200_000
TRICKLE_SECONDS = 120
PER_SECOND = 100
FLOOD_ENDS = "That was the flood."
_SECTION = """
## Part {number} of the flood

Some words about it, with **what matters** in bold, a `name` in code and a [link](https://example.org/{number}) to more,
long enough that the paragraph does not fit on a line of the screen.

- a first item, which has a sentence to say
- a second one with `code` in it
  - an item inside of it
  - and another that is long enough to be wrapped once it stands on a screen of a hundred and twenty columns
- a third one

```python
def part_{number}(values: list[int]) -> int:
    \"\"\"Adds up what is even.\"\"\"
    return sum(value for value in values if value % 2 == 0)  # {number}
```

| name | value | what it is |
|------|------:|------------|
| one  | {number} | the number of this part |
| two  | 2 | a `number` |
| three | 3 | **another** one |

1. first this
2. then that
"""


@contextmanager
def endpoint() -> Generator[str]:
    """Its address."""
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.endpoint"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def flood() -> str:
    parts: list[str] = []
    while sum(map(len, parts)) < FLOOD_CHARS - len(_SECTION):
        parts.append(_SECTION.format(number=len(parts)))
    return "".join(parts)


async def _serve() -> None:
    server = await asyncio.start_server(_answer_all, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


async def _answer_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            body = await _request(reader)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            async for chunk in _chunks(_last_words(body)):
                writer.write(chunk)
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _chunks(asked: str) -> Any:
    if asked == "trickle":
        for event in _events(text("some words that come one by one " * (TRICKLE_SECONDS * PER_SECOND // 3))):
            await asyncio.sleep(1 / PER_SECOND)
            yield event
        return
    for event in FLOOD if asked == "flood" else _events(*_blocks(asked)):
        yield event


def _blocks(asked: str) -> Iterator[dict[str, Any]]:
    if asked.startswith("read "):
        for number, path in enumerate(asked.split()[1:]):
            yield tool_use(f"read-{number}", "Read", file_path=path)
    else:
        yield text("Answered.")


def _events(*blocks: dict[str, Any]) -> list[bytes]:
    return [_chunk(event) for event in wire_events(ScriptedReply(tuple(blocks)), PIECE_CHARS)]


def _chunk(event: dict[str, Any]) -> bytes:
    data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


# Made before anybody asks: what is measured is who reads it.
FLOOD = _events(text(f"{flood()}\n{FLOOD_ENDS}"))


async def _request(reader: asyncio.StreamReader) -> dict[str, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].split("\r\n")[0])
    return json.loads(await reader.readexactly(length))


def _last_words(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
    return texts[-1].strip() if texts else ""


if __name__ == "__main__":
    asyncio.run(_serve())
