"""Replies that break off before anything was said or called: asked for again, and nothing of the first try stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.events import ModelWaiting, TextDone, ThinkingDone
from agent.model.anthropic import AnthropicModel, Endpoint
from agent.model.base import BlockClosed, Waiting
from agent.model.scripted import text, thinking, tool_use
from tests.support.asking import KEY, ask
from tests.support.loopback import Fault, Loopback, Stream, spoken
from tests.support.sessions import play, session_in, turn

WHOLE = spoken(thinking("Let me look at it."), text("Here it is."))
FAULTS: list[Fault] = ["drop", "error", "close"]
FIRST_BLOCK = next(at for at, event in enumerate(WHOLE) if event["type"] == "content_block_start")
THOUGHT = next(at for at, event in enumerate(WHOLE) if event["type"] == "content_block_stop")


@pytest.mark.parametrize("fault", FAULTS)
def test_S3_thinking_that_was_cut_is_dropped_whole_and_asked_for_again(fault: Fault) -> None:
    for after in range(FIRST_BLOCK + 1, THOUGHT + 1):
        came = ask(Stream(WHOLE, fault, after), Stream(WHOLE), retries=True)
        assert came.error is None
        assert len(came.requests) == 2
        assert came.requests[0].body == came.requests[1].body, "nothing of the first try is sent"
        retried = next(at for at, event in enumerate(came.events) if isinstance(event, Waiting) and event.retry)
        assert not any(isinstance(event, BlockClosed) for event in came.events[:retried])
        assert came.last_try == [thinking("Let me look at it."), text("Here it is.")]


@pytest.mark.parametrize("fault", FAULTS)
def test_S4_a_reply_cut_before_its_first_block_is_asked_for_again_with_growing_waits(fault: Fault) -> None:
    cuts = [Stream(WHOLE, fault, after) for after in range(FIRST_BLOCK + 1)]
    came = ask(*cuts, Stream(WHOLE), retries=True)
    assert came.error is None
    waits = [wait.seconds for wait in came.waits if wait.retry]
    assert waits == sorted(waits) and len(waits) == len(cuts) and waits[0] > 0
    assert came.last_try == [thinking("Let me look at it."), text("Here it is.")]


def test_S4_a_reply_that_never_begins_ends_with_an_error_and_not_in_a_loop() -> None:
    came = ask(Stream(WHOLE, "drop", 0), retries=True)
    assert came.error is not None
    assert len(came.requests) == 6, "once, and five times again"


@pytest.mark.parametrize("after", [0, THOUGHT])
def test_S3_S4_in_a_conversation_only_the_whole_second_try_is_kept_and_its_call_runs_once(
    tmp_path: Path, after: int
) -> None:
    (tmp_path / "a.txt").write_text("content\n")
    calling = spoken(thinking("Let me look at it."), tool_use("c1", "Read", file_path="a.txt"))

    async def body() -> None:
        async with Loopback(Stream(calling, "drop", after), Stream(calling), Stream(WHOLE)) as server:
            model = AnthropicModel(Endpoint(KEY, "", server.url))
            async with session_in(tmp_path, model) as (session, seen):
                assert (await turn(session)).reason == "done"
                kinds = [[block["type"] for block in one["content"]] for one in session.main.messages[1:]]
                assert kinds == [["thinking", "tool_use"], ["tool_result"], ["thinking", "text"]]
                assert [event.retry for event in seen.all(ModelWaiting) if event.retry] == [1]
                assert [event.text for event in seen.all(ThinkingDone)] == ["Let me look at it."] * 2
                assert [event.text for event in seen.all(TextDone)] == ["Here it is."]

    play(body)
