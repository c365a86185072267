"""The scripted model speaks as the API does."""

from __future__ import annotations

import asyncio

import pytest

from agent.model.base import BlockClosed, BrokenReply, Model, ModelEvent, ReplyEnded, Request, TextPiece
from agent.model.scripted import ScriptedModel, ScriptedReply, text, thinking, tool_use

ASK = Request("m", [{"role": "user", "content": "hi"}])


def asked(model: Model, request: Request = ASK) -> list[ModelEvent]:
    async def all_of_it() -> list[ModelEvent]:
        return [event async for event in model.reply(request)]

    return asyncio.run(all_of_it())


def test_replies_come_in_order_and_in_pieces() -> None:
    model = ScriptedModel([[text("a rather long text")], [tool_use("t1", "Read", path="x")]], piece_chars=5)
    first, second = asked(model), asked(model)
    assert [event.text for event in first if isinstance(event, TextPiece)] == ["a rat", "her l", "ong t", "ext"]
    assert (first[-1], second[-1]) == (ReplyEnded("end_turn"), ReplyEnded("tool_use"))
    assert asked(model)[-1] == ReplyEnded("end_turn")
    assert len(model.requests) == 3


def test_a_function_answers_what_it_was_asked() -> None:
    model = ScriptedModel(lambda request: [text(f"{len(request.messages)} messages")])
    (block,) = [event for event in asked(model) if isinstance(event, BlockClosed)]
    assert block.block == text("1 messages")


def test_pauses_go_through_the_clock_that_was_given() -> None:
    paused: list[float] = []

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    asked(ScriptedModel([ScriptedReply((thinking("hm"),), delay=0.25)], pause))
    assert set(paused) == {0.25}


def test_bad_json_and_cuts_can_be_scripted() -> None:
    bad = ScriptedReply((tool_use("t1", "Read"),), raw_inputs={"t1": "{oops"})
    (block,) = [event for event in asked(ScriptedModel([bad])) if isinstance(event, BlockClosed)]
    assert block.problem
    with pytest.raises(BrokenReply):
        asked(ScriptedModel([ScriptedReply((text("hello"),), cut_after=2)]))
