"""The client against a server that speaks the real protocol, failing at every event in turn."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging

import pytest

from agent.model.anthropic import AnthropicModel, Endpoint, endpoint_of, time_asleep
from agent.model.base import BlockClosed, BrokenReply, InputPiece, Request, TextPiece, UsageCounted, Waiting
from agent.model.scripted import text, thinking, tool_use
from tests.support.asking import ASK, KEY, ask, ask_each
from tests.support.loopback import Bytes, Fault, Loopback, Status, Stream, spoken, sse

BLOCKS = (
    thinking("Let me look."),
    text("I will edit the file."),
    tool_use("t1", "Write", path="a.py", content="héllo\n"),
)
WHOLE = spoken(*BLOCKS)


def test_a_whole_reply_comes_as_the_blocks_that_were_sent() -> None:
    came = ask(Stream(WHOLE))
    assert came.error is None
    assert tuple(came.closed) == BLOCKS
    assert [ended.stop_reason for ended in came.ended] == ["tool_use"]
    assert "".join(event.text for event in came.events if isinstance(event, TextPiece)) == "I will edit the file."
    pieces = [event for event in came.events if isinstance(event, InputPiece)]
    assert json.loads("".join(piece.text for piece in pieces)) == BLOCKS[2]["input"]
    assert {piece.tool_id for piece in pieces} == {"t1"}


def test_the_request_asks_for_visible_thinking_and_marks_only_its_end_for_the_cache() -> None:
    tools = [{"name": "Write", "input_schema": {"type": "object"}, "eager_input_streaming": True}]
    request = Request("claude-test", ASK.messages, "Be brief.", tools, 100, "high")
    body = ask(Stream(WHOLE), request=request).requests[0].body
    assert body == {
        "model": "claude-test",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "hi"}],
        "system": "Be brief.",
        "tools": tools,
        "stream": True,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "cache_control": {"type": "ephemeral"},
        "output_config": {"effort": "high"},
    }


def test_an_endpoint_without_a_key_is_asked_with_a_word_that_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-from-the-environment")
    came = ask(Stream(WHOLE), key="")
    assert came.requests[0].headers["authorization"] == "Bearer none"


def test_the_environment_names_key_token_and_endpoint() -> None:
    both = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "http://here"}
    assert endpoint_of(both) == Endpoint("k", "", "http://here")
    assert endpoint_of({"ANTHROPIC_AUTH_TOKEN": "t"}) == Endpoint("", "t", "")
    assert not endpoint_of({}).usable
    assert "k-secret" not in repr(Endpoint("k-secret", "k-secret", ""))


def test_no_key_and_no_endpoint_sends_nothing_anywhere() -> None:
    async def asked() -> None:
        model = AnthropicModel(Endpoint())
        with pytest.raises(Exception, match="There is no key"):
            await anext(model.reply(ASK))

    asyncio.run(asked())


def test_nothing_the_sdk_logs_reaches_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    ask(Stream(WHOLE))
    logging.getLogger("anthropic").warning("a warning of the SDK")
    logging.getLogger("httpx2").warning("and one of its connections")
    assert capfd.readouterr() == ("", "")


# -- every event in turn


CLOSED_AFTER = [sum(event["type"] == "content_block_stop" for event in WHOLE[:n]) for n in range(len(WHOLE) + 1)]
# From here on the stop reason is known: losing the connection costs nothing.
DONE = next(n for n in range(len(WHOLE) + 1) if WHOLE[n - 1]["type"] == "message_delta")


@pytest.mark.parametrize("fault", ["drop", "error", "close"])
def test_S1_S2_S5_S6_a_reply_broken_at_any_event_keeps_exactly_what_had_closed(fault: Fault) -> None:
    replies = ask_each([[Stream(WHOLE, fault, after)] for after in range(len(WHOLE))])
    for after, came in enumerate(replies):
        assert tuple(came.closed) == BLOCKS[: CLOSED_AFTER[after]]
        if after >= DONE:
            assert came.error is None
            assert len(came.ended) == 1
            continue
        assert came.error is not None
        assert not came.ended
        assert came.error.kind == ("overloaded" if fault == "error" else "network")
        # Thinking alone may be asked again; once a text or a call has closed, nothing may.
        assert came.error.retryable == (CLOSED_AFTER[after] <= 1)


@pytest.mark.parametrize("fault", ["drop", "error", "close"])
def test_S3_S4_S5_S6_a_reply_is_asked_again_only_while_no_text_or_call_had_closed(fault: Fault) -> None:
    replies = ask_each([[Stream(WHOLE, fault, after), Stream(WHOLE)] for after in range(DONE)], retries=True)
    for after, came in enumerate(replies):
        if CLOSED_AFTER[after] <= 1:
            assert came.error is None
            assert tuple(came.last_try) == BLOCKS
            assert [wait.retry for wait in came.waits] == [1]
            assert len(came.requests) == 2
        else:
            assert isinstance(came.error, BrokenReply)
            assert len(came.requests) == 1


def test_S1_a_text_that_was_cut_is_kept_apart_as_partial() -> None:
    events = spoken(text("The answer is forty-two."))
    came = ask(Stream(events, "drop", 4))
    assert isinstance(came.error, BrokenReply)
    assert came.error.partial == ("The answer i",)
    assert came.closed == []


def test_S2_a_call_that_was_cut_is_dropped_and_those_before_it_stay() -> None:
    first, second = tool_use("t1", "Read", path="a"), tool_use("t2", "Bash", command="rm -rf build/x")
    events = spoken(first, second)
    started = next(n for n, event in enumerate(events) if event.get("index") == 1)
    came = ask(Stream(events, "drop", started + 3), Stream(events), retries=True)
    assert came.closed == [first]
    assert came.error is not None
    assert len(came.requests) == 1


def test_S7_silence_at_any_event_is_told_and_ends_at_the_idle_limit() -> None:
    silent = [[Stream(WHOLE, "hang", after)] for after in range(0, DONE, 2)]
    for came in ask_each(silent, idle_seconds=0.12, waiting_seconds=0.05):
        assert came.error is not None
        assert came.error.kind == "timeout"
        assert {wait.retry for wait in came.waits} == {0}


def test_S7_pings_keep_a_slow_reply_alive() -> None:
    async def asked() -> list[object]:
        gate = asyncio.Event()

        class Slow(Loopback):
            async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
                writer.write(sse(WHOLE[0]))
                while not gate.is_set():
                    writer.write(sse({"type": "ping"}))
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(gate.wait(), 0.02)
                for event in WHOLE[1:]:
                    writer.write(sse(event))
                await writer.drain()
                writer.close()

        async with Slow() as server:
            model = AnthropicModel(Endpoint(KEY, "", server.url), idle_seconds=0.3)
            # Twice the idle limit in pings alone, and then the rest.
            asyncio.get_running_loop().call_later(0.6, gate.set)
            events = [event async for event in model.reply(ASK)]
            await model.aclose()
            return list(events)

    assert sum(isinstance(event, BlockClosed) for event in asyncio.run(asked())) == 3


def test_S11_split_characters_comments_and_other_line_ends_are_read_as_one_stream() -> None:
    whole = b": a comment\r\n\r\n" + b"".join(
        sse(event).replace(b"\n", b"\r\n").replace(b"data: ", b"data:") for event in spoken(text("naïve – 日本語 😀"))
    )
    raw = whole.replace(b"\\u00ef", "ï".encode()).replace(b"\\u65e5", "日".encode())
    came = ask(Bytes([raw[at : at + 7] for at in range(0, len(raw), 7)]))
    assert came.error is None
    assert came.closed == [text("naïve – 日本語 😀")]


def test_S12_the_last_usage_counts() -> None:
    events = spoken(text("hi"))
    more = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7}}
    last = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}
    came = ask(Stream([*events[:-2], more, last, events[-1]]))
    usages = [event for event in came.events if isinstance(event, UsageCounted)]
    assert usages[-1] == UsageCounted(10, 9, None, None)


def test_S15_closing_the_reply_keeps_closed_blocks_and_lets_the_connection_go() -> None:
    async def asked() -> tuple[list[object], int]:
        async with Loopback(Stream(WHOLE, "hang", len(WHOLE) - 3)) as server:
            model = AnthropicModel(Endpoint(KEY, "", server.url))
            kept: list[object] = []
            reply = model.reply(ASK)
            async for event in reply:
                kept.append(event)
                if isinstance(event, BlockClosed) and event.block["type"] == "text":
                    break
            await reply.aclose()
            others = [task for task in asyncio.all_tasks() if "_read_into" in repr(task)]
            await model.aclose()
            return kept, len(others)

    kept, left = asyncio.run(asked())
    assert [event.block for event in kept if isinstance(event, BlockClosed)] == list(BLOCKS[:2])
    assert left == 0


def test_S15_cancelling_the_task_ends_at_once() -> None:
    async def asked() -> None:
        async with Loopback(Stream(WHOLE, "hang", 4)) as server:
            model = AnthropicModel(Endpoint(KEY, "", server.url))
            first = asyncio.Event()

            async def read() -> None:
                async for _ in model.reply(ASK):
                    first.set()

            task = asyncio.create_task(read())
            await first.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await model.aclose()

    asyncio.run(asked())


def test_S16_a_machine_that_slept_has_lost_its_connection() -> None:
    naps = iter([0.0, 0.0, 3600.0])
    came = ask(Stream(WHOLE, "hang", 3), waiting_seconds=0.02, slept=lambda: next(naps))
    assert came.error is not None
    assert came.error.kind == "network"
    assert "slept" in came.error.message
    assert [isinstance(event, Waiting) for event in came.events].count(True) == 1


def test_S16_time_asleep_is_what_the_wall_clock_gained() -> None:
    wall, awake = iter([1000.0, 1010.0, 5000.0]), iter([0.0, 10.0, 20.0])
    asleep = time_asleep(lambda: next(wall), lambda: next(awake))
    assert [asleep(), asleep()] == [0.0, 3980.0]


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b"x" * 200_000, b""])
def test_S17_a_page_in_place_of_a_stream_is_named_and_not_asked_for_again(body: bytes) -> None:
    page = Status(200, body, {"request-id": "req_7"}, "text/html; charset=utf-8")
    came = ask(page, retries=True)
    assert came.error is not None
    assert came.error.kind == "protocol"
    assert "text/html" in came.error.message
    assert "req_7" in came.error.message
    assert len(came.requests) == 1


def test_S17_an_error_body_with_status_200_says_its_own_words() -> None:
    came = ask(Status(200, json.dumps({"error": {"message": "quota of the gateway"}}).encode()))
    assert came.error is not None
    assert "quota of the gateway" in came.error.message


def test_S17_an_event_that_is_no_json_is_a_protocol_error() -> None:
    came = ask(Bytes([sse(WHOLE[0]), b"event: content_block_start\ndata: {oops\n\n"]))
    assert came.error is not None
    assert came.error.kind == "protocol"


@pytest.mark.parametrize(
    ("body", "encoding"), [(b"data: \xff\xc3\n\n", "identity"), (b"no gzip at all", "gzip"), (b"\x1f\x8bcut", "gzip")]
)
def test_S11_S17_bytes_that_are_not_what_they_claim_are_a_protocol_error(body: bytes, encoding: str) -> None:
    came = ask(Status(200, body, {"content-encoding": encoding}, "text/event-stream"))
    assert came.error is not None
    assert (came.error.kind, came.error.retries) == ("protocol", 1)
    assert "could not be read" in came.error.message
