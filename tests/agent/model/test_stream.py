"""From events to blocks, without a network: order, strictness, and streams that lie."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.model.base import (
    BlockClosed,
    BlockStarted,
    BrokenReply,
    InputPiece,
    ModelError,
    ModelEvent,
    ReplyEnded,
    TextPiece,
    UsageCounted,
)
from agent.model.inputs import INPUT_CHARS
from agent.model.scripted import ScriptedReply, text, thinking, tool_use, wire_events
from agent.model.stream import ReplyBuilder, call_ids, unique_id

Event = dict[str, Any]
BEGIN: Event = {"type": "message_start", "message": {"usage": {"input_tokens": 1}}}
END: list[Event] = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


def start(index: int, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> Event:
    return {"type": "content_block_stop", "index": index}


def call(index: int, call_id: str, *pieces: str) -> list[Event]:
    deltas = [delta(index, "input_json_delta", partial_json=piece) for piece in pieces]
    return [start(index, type="tool_use", id=call_id, name="Bash", input={}), *deltas, stop(index)]


def build(*events: Event, taken: tuple[str, ...] = ()) -> list[ModelEvent]:
    builder = ReplyBuilder(taken)
    made = [one for event in events for one in builder.feed(event)]
    ended = builder.finish()
    return [*made, ended] if ended else made


def closed(events: list[ModelEvent]) -> list[BlockClosed]:
    return [event for event in events if isinstance(event, BlockClosed)]


def test_T4_a_call_with_invalid_json_closes_with_its_problem() -> None:
    (block,) = closed(build(BEGIN, *call(0, "t1", '{"command": oops}'), *END))
    assert block.block["input"] == {"INVALID_JSON": '{"command": oops}'}
    assert "not valid JSON" in block.problem


def test_T5_input_cut_by_the_output_limit_is_never_run() -> None:
    cut = [{"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"}]
    events = build(BEGIN, *call(0, "t1", '{"command":"rm -rf /tmp/build/x"', ',"timeout":120'), *cut)
    (block,) = closed(events)
    assert block.problem
    assert events[-1] == ReplyEnded("max_tokens")


def test_Z6_a_call_that_closed_just_before_the_limit_is_whole() -> None:
    cut = [{"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"}]
    (block,) = closed(build(BEGIN, *call(0, "t1", '{"command":', '"ls"}'), *cut))
    assert (block.block["input"], block.problem) == ({"command": "ls"}, "")


@pytest.mark.parametrize("pieces", [(), ("",), ("", "")])
def test_T7_a_call_without_input_has_an_empty_one(pieces: tuple[str, ...]) -> None:
    (block,) = closed(build(BEGIN, *call(0, "t1", *pieces), *END))
    assert (block.block["input"], block.problem) == ({}, "")


def test_an_input_that_comes_whole_with_the_start_is_taken() -> None:
    whole = start(0, type="tool_use", id="t1", name="Bash", input={"command": "ls"})
    (block,) = closed(build(BEGIN, whole, stop(0), *END))
    assert block.block["input"] == {"command": "ls"}


def test_T17_an_endless_input_is_not_kept() -> None:
    piece = "x" * 1_000_000
    tracemalloc.start()
    (block,) = closed(build(BEGIN, *call(0, "t1", '{"a":"', *[piece] * 50, '"}'), *END))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "split the work" in block.problem
    assert peak < 4 * INPUT_CHARS


@pytest.mark.parametrize(("taken", "ids"), [((), ["t1", "t1"]), (("t1",), ["t1"])])
def test_T19_T20_a_call_whose_id_was_used_gets_its_own_and_is_not_run(taken: tuple[str, ...], ids: list[str]) -> None:
    events = build(BEGIN, *(event for at, name in enumerate(ids) for event in call(at, name, "{}")), *END, taken=taken)
    last = closed(events)[-1]
    assert last.block["id"] == "t1_2"
    assert "had been used before" in last.problem
    assert all(not block.problem for block in closed(events)[:-1])


def test_T19_the_pieces_of_a_call_carry_the_id_it_closes_with() -> None:
    events = build(BEGIN, *call(0, "t1", "{}"), *call(1, "t1", '{"a":1}'), *END)
    assert [event.tool_id for event in events if isinstance(event, InputPiece)] == ["t1", "t1_2"]


def test_a_call_without_an_id_gets_one() -> None:
    (block,) = closed(build(BEGIN, *call(0, "", "{}"), *END))
    assert block.block["id"]
    assert block.problem == ""


def test_S8_unknown_events_and_deltas_change_nothing() -> None:
    odd: list[Event] = [{"type": "brand_new"}, {}, {"type": None}, {"type": "ping"}]
    events = build(BEGIN, *odd, start(0, type="text", text=""), delta(0, "future_delta", x=1), *odd, stop(0), *END)
    assert [block.block for block in closed(events)] == [{"type": "text", "text": ""}]


def test_Z17_Z18_blocks_of_unknown_kind_are_kept_as_they_came() -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "x"}]}
    future = {"type": "future_block", "weird": {"deep": [1, None]}}
    events = build(BEGIN, start(0, **future), stop(0), start(1, **result), stop(1), *END)
    assert [block.block for block in closed(events)] == [future, result]


def test_Z18_citations_are_gathered() -> None:
    cited = [delta(0, "citations_delta", citation={"n": n}) for n in (1, 2)]
    (block,) = closed(build(BEGIN, start(0, type="text", text="", citations=[]), *cited, stop(0), *END))
    assert block.block["citations"] == [{"n": 1}, {"n": 2}]


def test_Z14_thinking_keeps_its_signature_also_without_words() -> None:
    signed = [
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "signature_delta", signature="s=="),
        stop(0),
    ]
    hidden = {"type": "redacted_thinking", "data": "abc"}
    events = build(BEGIN, *signed, start(1, **hidden), stop(1), *END)
    assert [block.block for block in closed(events)] == [
        {"type": "thinking", "thinking": "", "signature": "s=="},
        hidden,
    ]


BAD_STREAMS: list[list[Event]] = [
    [BEGIN, delta(0, "text_delta", text="x")],
    [BEGIN, stop(0)],
    [BEGIN, start(0, type="text", text=""), stop(0), stop(0)],
    [BEGIN, start(0, type="text", text=""), stop(0), delta(0, "text_delta", text="x")],
    [BEGIN, start(1, type="text", text="")],
    [BEGIN, start(0, type="text", text=""), start(0, type="text", text="")],
    [BEGIN, start(0, type="text", text=""), *END],
]


@pytest.mark.parametrize("events", BAD_STREAMS)
def test_S9_a_stream_that_breaks_the_protocol_is_refused(events: list[Event]) -> None:
    with pytest.raises(BrokenReply) as caught:
        build(*events)
    assert caught.value.kind == "protocol"
    assert caught.value.retries <= 1


def test_S10_interleaved_blocks_are_buffered_apart() -> None:
    events = build(
        BEGIN,
        start(0, type="text", text=""),
        start(1, type="tool_use", id="t1", name="Bash", input={}),
        delta(1, "input_json_delta", partial_json='{"a"'),
        delta(0, "text_delta", text="he"),
        delta(1, "input_json_delta", partial_json=":1}"),
        delta(0, "text_delta", text="llo"),
        stop(1),
        stop(0),
        *END,
    )
    assert {block.index: block.block.get("text", block.block.get("input")) for block in closed(events)} == {
        0: "hello",
        1: {"a": 1},
    }


def test_S13_a_second_beginning_is_a_protocol_error() -> None:
    with pytest.raises(BrokenReply, match="began twice"):
        build(BEGIN, BEGIN)


def test_S14_many_tiny_pieces_take_linear_time() -> None:
    def seconds(count: int) -> float:
        pieces = [delta(0, "text_delta", text="x")] * count
        begun = time.thread_time()
        (block,) = closed(build(BEGIN, start(0, type="text", text=""), *pieces, stop(0), *END))
        assert len(block.block["text"]) == count
        return time.thread_time() - begun

    seconds(1_000)
    few, many = min(seconds(5_000) for _ in range(3)), min(seconds(50_000) for _ in range(3))
    assert many < few * 40


def test_S14_one_huge_piece_is_taken_whole() -> None:
    big = "é" * 10_000_000
    (block,) = closed(build(BEGIN, start(0, type="text", text=""), delta(0, "text_delta", text=big), stop(0), *END))
    assert block.block["text"] == big


def test_T16_a_character_split_between_two_pieces_is_shown_and_kept_whole() -> None:
    pieces = [delta(0, "text_delta", text=piece) for piece in ("a\ud83d", "\ude00b", "\udc00", "\ud83d")]
    events = build(BEGIN, start(0, type="text", text=""), *pieces, stop(0), *END)
    assert [event.text for event in events if isinstance(event, TextPiece)] == ["a", "😀b", "\ufffd"]
    assert closed(events)[0].block["text"] == "a😀b\ufffd\ufffd"


def test_Z19_usage_that_was_not_sent_is_unknown_and_wrong_kinds_are_ignored() -> None:
    begin = {"type": "message_start", "message": {"usage": {"input_tokens": "many", "cache_read_input_tokens": 5}}}
    assert build(begin, *END)[0] == UsageCounted(None, None, 5, None)


def test_Z9_a_refusal_carries_its_details() -> None:
    details = {"category": "x", "explanation": "y"}
    end = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}}
    assert build(BEGIN, end, {"type": "message_stop"})[-1] == ReplyEnded("refusal", details)


@pytest.mark.parametrize("reason", ["pause_turn", "stop_sequence", "model_context_window_exceeded", "something_new"])
def test_Z7_Z11_Z12_Z13_every_stop_reason_passes_as_it_came(reason: str) -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": reason}}
    assert build(BEGIN, end, {"type": "message_stop"})[-1] == ReplyEnded(reason)


def test_what_comes_after_the_end_is_ignored() -> None:
    assert build(BEGIN, *END, stop(7), BEGIN)[-1] == ReplyEnded("end_turn")


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "index", "delta"]), inner),
    max_leaves=5,
)
kinds = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
]
hostile = st.fixed_dictionaries(
    {"type": st.sampled_from(kinds)},
    optional={
        "index": st.integers(-1, 2) | plain,
        "content_block": st.fixed_dictionaries({"type": st.sampled_from(["text", "tool_use", "new"])}) | plain,
        "delta": st.fixed_dictionaries({"type": st.sampled_from(["text_delta", "input_json_delta"])}) | plain,
        "message": plain,
        "usage": plain,
        "error": plain,
    },
)


@given(st.lists(hostile, max_size=8))
def test_whatever_a_server_sends_only_a_model_error_comes_of_it(events: list[Event]) -> None:
    builder = ReplyBuilder()
    began, ended = set[int](), set[int]()
    try:
        for event in events:
            for made in builder.feed(event):
                if isinstance(made, BlockStarted):
                    began.add(made.index)
                if isinstance(made, BlockClosed):
                    assert made.index not in ended
                    ended.add(made.index)
        builder.finish()
    except ModelError as error:
        assert error.message
    assert ended <= began


@given(
    st.lists(st.sampled_from([text("héllo 😀"), thinking("hm", "s"), tool_use("t", "Read", path="x")]), max_size=5),
    st.integers(1, 9),
)
def test_a_reply_comes_back_as_it_was_scripted_in_pieces_of_any_size(blocks: list[Event], size: int) -> None:
    own_ids = [{**block, "id": f"t{at}"} if "id" in block else block for at, block in enumerate(blocks)]
    events = build(*wire_events(ScriptedReply(tuple(own_ids)), size))
    assert [block.block for block in closed(events)] == own_ids


def test_ids_are_found_and_made_unique() -> None:
    history = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [text("a"), tool_use("t1", "Read")]}]
    assert list(call_ids(history)) == ["t1"]
    assert unique_id("t1", {"t1", "t1_2"}) == "t1_3"
    assert unique_id("t2", {"t1"}) == "t2"
