"""`agent-tui -p`, as a script uses it: the real command against a server that speaks the protocol."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import ScriptedReply, text, tool_use, wire_events
from tests.support.loopback import Loopback, Stream, refused, spoken
from tests.support.program import Ended, run_program, start_program

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def against(answers: list[Any], use: Callable[[Loopback], Awaitable[Any]]) -> tuple[Any, Loopback]:
    async def body() -> tuple[Any, Loopback]:
        async with asyncio.timeout(60), Loopback(*answers) as server:
            return await use(server), server

    return asyncio.run(body())


async def ended_of(server: Loopback, *args: str, folder: Path, home: Path) -> Ended:
    program = await start_program(*args, folder=folder, home=home, ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="k")
    out, err = await program.communicate()
    return Ended(program.returncode or 0, out.decode(), err.decode())


def test_a_task_is_worked_on_with_tools_and_the_last_answer_is_printed(folder: Path, home: Path) -> None:
    (folder / "a.txt").write_text("the answer is 42\n")
    answers = [
        Stream(spoken(text("Looking."), tool_use("c1", "Read", file_path="a.txt"))),
        Stream(spoken(text("It is 42."))),
    ]
    ended, server = against(answers, lambda server: ended_of(server, "-p", "what is it?", folder=folder, home=home))
    assert (ended.code, ended.out, ended.err) == (0, "It is 42.\n", "")
    first, second = (request.body for request in server.requests)
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert "42" in second["messages"][-1]["content"][0]["content"]
    assert first["tools"] == second["tools"] and first["system"] == second["system"]
    assert [tool["name"] for tool in first["tools"]] == sorted(tool["name"] for tool in first["tools"])


def test_json_is_one_object_and_stream_json_one_event_a_line(folder: Path, home: Path) -> None:
    answers = [Stream(spoken(tool_use("c1", "Bash", command="touch made"))), Stream(spoken(text("Denied.")))]

    async def both(server: Loopback) -> tuple[Ended, Ended]:
        whole = await ended_of(server, "-p", "go", "--output-format", "json", folder=folder, home=home)
        server.answer_next(*answers)
        lines = await ended_of(server, "-p", "go", "--output-format", "stream-json", folder=folder, home=home)
        return whole, lines

    (whole, lines), _ = against(answers, both)
    result = json.loads(whole.out)
    assert result["ok"] and result["result"] == "Denied." and result["denied"][0]["call"] == "c1"
    events = [json.loads(line) for line in lines.out.splitlines()]
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    assert {"TurnStarted", "ToolFinished", "TurnEnded"} <= {event["event"]["type"] for event in events}
    assert not (folder / "made").exists()


@pytest.mark.parametrize("form", ["text", "json"])
def test_Z4_an_answer_that_the_output_limit_cut_is_printed_whole(form: str, folder: Path, home: Path) -> None:
    calls = (text("Looking."), tool_use("c1", "Glob", pattern="*"))
    cut = ScriptedReply((text("one"), text("two")), stop_reason="max_tokens")
    answers = [Stream(spoken(*calls)), Stream(list(wire_events(cut))), Stream(spoken(text("three")))]
    args = ("-p", "count", "--output-format", form)
    ended, _ = against(answers, lambda server: ended_of(server, *args, folder=folder, home=home))
    assert (ended.out if form == "text" else json.loads(ended.out)["result"] + "\n") == "one\ntwo\nthree\n"


def test_H13_the_usage_in_json_is_that_of_all_replies_also_of_one_that_was_asked_for_again(
    folder: Path, home: Path
) -> None:
    (folder / "a.txt").write_text("42\n")
    counted = ScriptedReply(
        (tool_use("c1", "Read", file_path="a.txt"),), usage={"input_tokens": 100, "output_tokens": 7}
    )
    last = ScriptedReply((text("42."),), usage={"input_tokens": 30, "output_tokens": 5})
    lost = Stream(list(wire_events(last)), "drop", after=1)
    answers = [Stream(list(wire_events(counted))), lost, Stream(list(wire_events(last)))]
    ended, server = against(
        answers, lambda server: ended_of(server, "-p", "go", "--output-format", "json", folder=folder, home=home)
    )
    assert len(server.requests) == 3
    assert json.loads(ended.out)["usage"] == {"input_tokens": 100 + 30 + 30, "output_tokens": 7 + 5 + 5}


def test_continue_sends_the_same_history_again_and_more(folder: Path, home: Path) -> None:
    async def twice(server: Loopback) -> tuple[Ended, Ended]:
        first = await ended_of(server, "-p", "one", folder=folder, home=home)
        second = await ended_of(server, "-p", "two", "--continue", folder=folder, home=home)
        return first, second

    (first, second), server = against([Stream(spoken(text("fine")))], twice)
    assert (first.code, second.code) == (0, 0), second.err
    before, after = (request.body for request in server.requests)
    assert after["messages"][: len(before["messages"])] == before["messages"]
    assert after["system"] == before["system"] and after["tools"] == before["tools"]
    assert after["messages"][-1]["content"][-1]["text"] == "two"


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_ends_the_turn_and_its_command(
    folder: Path, home: Path, number: signal.Signals, expected: int
) -> None:
    async def terminate(server: Loopback) -> tuple[int, bytes]:
        args = ("-p", "go", "--permission-mode", "bypassPermissions", "--output-format", "stream-json")
        env = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}
        program = await start_program(*args, folder=folder, home=home, **env)
        assert program.stdout is not None
        while b'"ToolStarted"' not in await program.stdout.readline():
            pass
        program.send_signal(number)
        out, _ = await program.communicate()
        return program.returncode or 0, out

    answers = [Stream(spoken(tool_use("c1", "Bash", command="echo $$ > pid; sleep 60"))), Stream(spoken(text("x")))]
    (code, out), _ = against(answers, terminate)
    assert code == expected
    assert b'"cancelled"' in out
    assert b'"TurnEnded","reason":"interrupted"' in out.splitlines()[-1]
    pid = (folder / "pid").read_text().strip() if (folder / "pid").exists() else ""
    assert not pid or not Path(f"/proc/{pid}").exists()


def test_a_missing_key_is_one_sentence_that_says_what_to_do(folder: Path, home: Path) -> None:
    ended = run_program("-p", "hello", folder=folder, home=home)
    assert ended.code == 1 and ended.out == ""
    assert "ANTHROPIC_API_KEY" in ended.err and len(ended.err.strip().splitlines()) == 1


def test_an_endpoint_that_cannot_be_reached_is_named_without_the_key(folder: Path, home: Path) -> None:
    async def closed_port(server: Loopback) -> str:
        return server.url

    url, _ = against([Stream([])], closed_port)
    ended = run_program("-p", "hello", folder=folder, home=home, ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="secret-key")
    assert ended.code == 1 and "secret-key" not in ended.err + ended.out
    assert "Traceback" not in ended.err and url in ended.err and "Check the network" in ended.err


def test_a_request_that_is_made_again_is_told_while_it_is_waited_for(folder: Path, home: Path) -> None:
    answers = [refused(429, "rate_limit_error", "too fast", retry_after="0.1"), Stream(spoken(text("Done.")))]
    ended, _ = against(answers, lambda server: ended_of(server, "-p", "go", folder=folder, home=home))
    assert (ended.code, ended.out) == (0, "Done.\n")
    assert "too fast; asked again in 0.1 s." in ended.err


def test_a_wrong_key_is_not_tried_again(folder: Path, home: Path) -> None:
    answers = [refused(401, "authentication_error", "invalid key")]
    ended, server = against(answers, lambda server: ended_of(server, "-p", "hello", folder=folder, home=home))
    assert ended.code == 1 and len(server.requests) == 1
    assert "key" in ended.err.lower()


def test_nothing_to_continue_is_one_sentence(folder: Path, home: Path) -> None:
    ended = run_program("-p", "hello", "--continue", folder=folder, home=home, ANTHROPIC_API_KEY="k")
    assert ended.code == 1 and "no session" in ended.err and "Traceback" not in ended.err


def test_a_broken_settings_file_is_named_and_the_task_is_done(folder: Path, home: Path) -> None:
    (folder / ".agent-tui").mkdir()
    (folder / ".agent-tui" / "settings.json").write_text("{ not json")
    answers = [Stream(spoken(text("Hello.")))]
    ended, _ = against(answers, lambda server: ended_of(server, "-p", "hello", folder=folder, home=home))
    assert (ended.code, ended.out) == (0, "Hello.\n")
    assert "settings.json" in ended.err
