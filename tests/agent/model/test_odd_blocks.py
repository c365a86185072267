"""Blocks of a stream that no history may hold as they came: mended, or refused, so that the next request is taken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.model.base import BlockClosed, BlockStarted, BrokenReply, ModelEvent, ReplyEnded
from agent.model.stream import ReplyBuilder

Event = dict[str, Any]
HALF = "\ud800"


def build(*events: Event, stop_reason: str = "end_turn") -> list[ModelEvent]:
    builder = ReplyBuilder()
    end = [{"type": "message_delta", "delta": {"stop_reason": stop_reason}}, {"type": "message_stop"}]
    return [made for event in ({"type": "message_start"}, *events, *end) for made in builder.feed(event)]


def block(index: int, start: Event, *deltas: Event, closed: bool = True) -> list[Event]:
    events: list[Event] = [{"type": "content_block_start", "index": index, "content_block": start}]
    events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [*events, {"type": "content_block_stop", "index": index}] if closed else events


def call(**fields: Any) -> Event:
    return {"type": "tool_use", "id": "t1", "name": "Read", "input": {}, **fields}


def closed(events: list[ModelEvent]) -> list[BlockClosed]:
    return [event for event in events if isinstance(event, BlockClosed)]


@pytest.mark.parametrize("name", ["", "Re ad", "Read\n", f"Re{HALF}ad", "a.b", "x" * 300, None, 5])
def test_T1_a_name_that_no_history_may_hold_is_written_otherwise_and_never_run(name: Any) -> None:
    started, ended = build(*block(0, call(name=name)))[1:3]
    assert isinstance(started, BlockStarted)
    assert isinstance(ended, BlockClosed)
    assert started.block["name"] == ended.block["name"]
    assert ended.block["name"].replace("_", "").isalnum()
    assert len(ended.block["name"]) <= 128
    assert "there is no tool named" in ended.problem


def test_T1_a_call_without_a_name_is_answered_like_one_of_an_unknown_name() -> None:
    start = call()
    del start["name"]
    (one,) = closed(build(*block(0, start)))
    assert (one.block["name"], bool(one.problem)) == ("unnamed", True)


def test_T19_an_id_that_no_history_may_hold_is_written_otherwise_and_still_counts_once() -> None:
    odd = f"c 1/../{HALF}\n"
    first, second = closed(build(*block(0, call(id=odd)), *block(1, call(id=odd))))
    assert first.block["id"].replace("_", "").isalnum()
    assert first.block["id"] != second.block["id"]
    assert not first.problem
    assert "had been used before" in second.problem


@pytest.mark.parametrize("start", [{"type": "text"}, {"type": "text", "text": None}, {"type": "text", "text": 5}])
def test_a_text_block_without_a_text_is_an_empty_one(start: Event) -> None:
    (one,) = closed(build(*block(0, start)))
    assert one.block == {"type": "text", "text": ""}


def test_T16_Z14_Z17_half_a_character_anywhere_in_a_block_is_a_mark_in_the_history() -> None:
    signature = {"type": "signature_delta", "signature": f"s{HALF}"}
    citation = {"type": "citations_delta", "citation": {"of": HALF}}
    made = closed(
        build(
            *block(0, {"type": "thinking", "thinking": HALF, "signature": ""}, signature),
            *block(1, {"type": "hologram", "x": [{HALF: HALF}]}),
            *block(2, {"type": "text", "text": HALF}, citation),
        )
    )
    kept = json.dumps([one.block for one in made], ensure_ascii=False)
    assert kept.encode().decode().count("\N{REPLACEMENT CHARACTER}") == 6


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_T14_a_whole_input_with_a_number_that_is_none_is_kept_as_text_and_not_run(number: float) -> None:
    (one,) = closed(build(*block(0, call(input={"limit": number}))))
    assert set(one.block["input"]) == {"INVALID_JSON"}
    assert "number" in one.problem


def deep(levels: int) -> Any:
    nested: Any = 1
    for _ in range(levels):
        nested = [nested]
    return nested


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), deep(200)])
def test_S9_Z17_a_block_that_could_never_be_sent_again_is_refused(value: Any) -> None:
    with pytest.raises(BrokenReply, match="cannot be sent again") as caught:
        build(*block(0, {"type": "hologram", "x": value}))
    assert (caught.value.kind, caught.value.retries) == ("protocol", 1)


@pytest.mark.parametrize("start", [{}, {"text": "x"}, {"type": None}])
def test_S9_a_block_of_no_kind_is_a_protocol_error(start: Event) -> None:
    with pytest.raises(BrokenReply, match="no kind"):
        build(*block(0, start))


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_Z5_Z10_a_reply_that_was_cut_may_leave_its_last_block_open_and_it_is_no_part_of_it(reason: str) -> None:
    piece = {"type": "input_json_delta", "partial_json": '{"file_path": "a'}
    events = build(
        *block(0, {"type": "text", "text": "look"}), *block(1, call(), piece, closed=False), stop_reason=reason
    )
    assert [one.block for one in closed(events)] == [{"type": "text", "text": "look"}]
    assert events[-1] == ReplyEnded(reason)


def test_Z5_a_reply_that_was_cut_in_a_block_needs_no_last_event() -> None:
    builder = ReplyBuilder()
    for event in ({"type": "message_start"}, *block(0, call(), closed=False)):
        list(builder.feed(event))
    list(builder.feed({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}))
    assert builder.complete
    assert builder.finish() == ReplyEnded("max_tokens")
