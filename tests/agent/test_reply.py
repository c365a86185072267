"""A reply as it streams in: what is shown of it, piece by piece, and what is kept."""

from __future__ import annotations

import asyncio
import itertools

from agent.events import Event, ModelWaiting, TextDelta, TextDone, ThinkingDelta, ThinkingDone, Usage
from agent.model.base import BlockStarted, ModelEvent, Reply, Request, TextPiece, Waiting
from agent.model.scripted import ScriptedModel, text, thinking, tool_use
from agent.reply import ReplyReader
from tools.events import ToolInputDelta, ToolInputReady, ToolInputStarted
from tools.pipeline import ToolUse

WHOLE = [thinking("Let me look."), text("I read it."), tool_use("c1", "Read", file_path="a.txt")]


def read(reply: Reply) -> tuple[ReplyReader, list[Event | ToolUse]]:
    """Also everything it told, with the calls it started where they started."""
    told: list[Event | ToolUse] = []
    reader = ReplyReader(told.append, told.append)
    asyncio.run(reader.read(reply))
    return reader, told


def test_a_reply_is_told_in_pieces_each_closed_by_its_whole_and_its_call_starts_where_it_closes() -> None:
    reader, told = read(ScriptedModel([WHOLE]).reply(Request("m", [])))
    kinds = [kind for kind, _ in itertools.groupby(type(event) for event in told)]
    assert kinds == [
        Usage,
        ThinkingDelta,
        ThinkingDone,
        TextDelta,
        TextDone,
        ToolInputStarted,
        ToolInputDelta,
        ToolInputReady,
        ToolUse,
        Usage,
    ]
    assert "".join(event.text for event in told if isinstance(event, TextDelta)) == "I read it."
    assert "".join(event.text for event in told if isinstance(event, ThinkingDelta)) == "Let me look."
    assert ToolInputStarted("c1", "Read") in told
    assert ToolInputReady("c1", {"file_path": "a.txt"}) in told
    assert (reader.blocks, reader.stop_reason, reader.error) == (WHOLE, "tool_use", None)


def test_of_a_try_that_is_made_again_nothing_is_kept() -> None:
    async def reply() -> Reply:
        events: list[ModelEvent] = [BlockStarted(0, text("")), TextPiece(0, "half a"), Waiting("overloaded", 1, 0.5)]
        for event in events:
            yield event
        async for event in ScriptedModel([[text("whole")]]).reply(Request("m", [])):
            yield event

    reader, told = read(reply())
    assert reader.blocks == [text("whole")]
    assert [event for event in told if isinstance(event, TextDone)] == [TextDone("whole")]
    assert ModelWaiting("overloaded", 1, 0.5) in told
