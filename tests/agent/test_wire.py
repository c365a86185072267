"""A long conversation as it goes over the wire: each request begins with the bytes of the one before."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from agent.model.anthropic import AnthropicModel, Endpoint
from agent.model.scripted import text, thinking, tool_use
from tests.support.asking import KEY
from tests.support.loopback import Loopback, Stream, spoken
from tests.support.sessions import play, session_in, turn

TURNS = 50


@pytest.mark.slow
def test_fifty_turns_over_the_wire_extend_each_other_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("grün \N{SNOWMAN}\n")
    answers: list[Stream] = []
    for number in range(TURNS):
        calls = [tool_use(f"r{number}", "Read", file_path="a.txt"), tool_use(f"x{number}", "Nope", n=number)]
        answers.append(Stream(spoken(thinking(f"hm {number}", "s=="), text("looking – 日本"), *calls)))
        answers.append(Stream(spoken(text(f"turn {number} done"))))

    async def body() -> None:
        async with Loopback(*answers) as server:
            async with session_in(tmp_path, AnthropicModel(Endpoint(KEY, "", server.url))) as (session, _):
                for number in range(TURNS):
                    if number % 10 == 5:
                        (tmp_path / "a.txt").write_text(f"changed outside {number}\n")
                    assert (await turn(session, f"task {number}")).reason == "done"
            assert len(server.requests) == 2 * TURNS
            for before, after in itertools.pairwise(received.raw.decode() for received in server.requests):
                assert {key: part(before, key) for key in ("system", "tools")} == {
                    key: part(after, key) for key in ("system", "tools")
                }
                assert part(after, "messages").startswith(part(before, "messages").removesuffix("]") + ",")

    play(body)


def part(body: str, key: str) -> str:
    """A value of the body as it was written, not as it is read."""
    start = body.index(f'"{key}":') + len(key) + 3
    start += len(body[start:]) - len(body[start:].lstrip())
    _, end = json.JSONDecoder().raw_decode(body, start)
    return body[start:end]
