"""A session as its screens see it: outside edits, questions that stay true, several conversations, modes, resuming."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from agent.assemble import Wanted, open_session
from agent.events import (
    MAIN,
    ExternalEdit,
    MessageTakenBack,
    ModeChanged,
    Notice,
    TextDelta,
    TodosChanged,
    TurnEnded,
    UserMessage,
)
from agent.model.base import Request
from agent.model.scripted import ScriptedModel, text, thinking, tool_use
from agent.session import Session
from agent.settings.merge import Flags
from agent.store.codec import from_plain
from agent.store.records import Records, open_records
from tests.support.sessions import HeldAfter, Recorder, play, results_of, second_conversation, session_in, turn, yes
from tools.events import PermissionRequested, PermissionUpdated, PermissionWithdrawn, ToolFinished, ToolStarted
from tools.permissions.gate import Answer

WRITE_FROM_OUTSIDE = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"


def edit_from_outside(path: Path, content: str) -> None:
    subprocess.run([sys.executable, "-c", WRITE_FROM_OUTSIDE, str(path), content], check=True)


def test_what_was_saved_is_read_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def reading(*args: Any) -> Records:
        threads.append(threading.current_thread())
        return open_records(*args)

    monkeypatch.setattr("agent.assemble.open_records", reading)

    async def body() -> None:
        async with session_in(tmp_path, []):
            assert threads and threads[0] is not threading.current_thread()

    play(body)


def test_an_outside_change_of_a_known_file_is_an_event_and_a_note_without_its_text(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\n")

    async def body() -> None:
        script = [[tool_use("c1", "Read", file_path="a.txt")], [text("read")], [text("noted")]]
        async with session_in(tmp_path, script) as (session, seen):
            await turn(session)
            await asyncio.to_thread(edit_from_outside, file, "one\nTWO secret\nthree\n")
            edit = await seen.first(ExternalEdit)
            assert (edit.path, edit.attribution, edit.kind) == (str(file), "external", "changed")
            assert edit.diff is not None and (edit.diff.added, edit.diff.removed) == (1, 1)
            await turn(session, "next")
            told = json.dumps(session.main.messages[-2])
            assert "a.txt (line 2)" in told and "secret" not in told

    play(body)


def test_our_own_writes_are_never_flagged(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0\n")

    def script(request: Request) -> list[dict[str, Any]]:
        number = len(request.messages) // 2
        if number == 0:
            return [tool_use("r", "Read", file_path="a.txt")]
        if number <= 20:
            return [
                tool_use(f"e{number}", "Edit", file_path="a.txt", old_string=str(number - 1), new_string=str(number))
            ]
        return [text("done")]

    async def body() -> None:
        async with session_in(tmp_path, ScriptedModel(script), yes) as (session, seen):
            await turn(session)
            assert (tmp_path / "a.txt").read_text() == "20\n"
            await asyncio.to_thread(edit_from_outside, tmp_path / "a.txt", "theirs\n")
            await seen.first(ExternalEdit)
            assert [event.path for event in seen.all(ExternalEdit)] == [str(tmp_path / "a.txt")]

    play(body)


def test_flow_1_an_edit_that_waits_while_its_file_changes_outside_gets_a_new_revision(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n")

    async def body() -> None:
        script = [
            [tool_use("r", "Read", file_path="a.txt")],
            [tool_use("e", "Edit", file_path="a.txt", old_string="one", new_string="ONE")],
            [text("end")],
        ]
        async with session_in(tmp_path, script) as (session, seen):
            session.submit("go")
            asked = await seen.first(PermissionRequested)
            await asyncio.to_thread(edit_from_outside, file, file.read_text().replace("nine", "NINE"))
            updated = await seen.first(PermissionUpdated)
            assert updated.revision == 2 and updated.request.preview != asked.request.preview
            assert not session.decide(asked.request.id, asked.revision, Answer("once")), "an old revision is void"
            assert session.decide(asked.request.id, 2, Answer("once"))
            assert (await session.turn_ended() or TurnEnded("failed")).reason == "done"
            assert file.read_text() == "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\n"

    play(body)


def test_flow_1_an_edit_that_can_no_longer_be_applied_cannot_be_allowed_and_nobody_loses_work(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")

    async def body() -> None:
        script = [
            [tool_use("r", "Read", file_path="a.txt")],
            [tool_use("e", "Edit", file_path="a.txt", old_string="one", new_string="ONE")],
            [text("end")],
        ]
        async with session_in(tmp_path, script) as (session, seen):
            session.submit("go")
            asked = await seen.first(PermissionRequested)
            await asyncio.to_thread(edit_from_outside, file, "theirs\n")
            updated = await seen.first(PermissionUpdated, lambda event: bool(event.request.problem))
            assert not session.decide(asked.request.id, updated.revision, Answer("once"))
            assert session.decide(asked.request.id, updated.revision, Answer("tell_model"))
            await session.turn_ended()
            assert file.read_text() == "theirs\n"
            answer = results_of(session.main.messages)["e"]
            assert answer["is_error"] and "theirs" in answer["content"]

    play(body)


def test_flow_2_ten_calls_of_which_two_ask_one_fails_and_one_is_cancelled(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(f"file {number}\n")

    async def body() -> None:
        calls = [tool_use(f"r{number}", "Read", file_path=f"{number}.txt") for number in range(6)]
        calls += [tool_use("missing", "Read", file_path="none.txt")]
        calls += [
            tool_use("w1", "Write", file_path="new1.txt", content="1"),
            tool_use("w2", "Write", file_path="new2.txt", content="2"),
        ]
        calls += [tool_use("slow", "Bash", command="sleep 30")]
        async with session_in(tmp_path, [calls, [text("end")]]) as (session, seen):
            session.submit("go")
            first = await seen.first(PermissionRequested, lambda event: event.request.call_id == "w1")
            second = await seen.first(PermissionRequested, lambda event: event.request.call_id == "w2")
            assert session.decide(first.request.id, first.revision, Answer("once"))
            assert session.decide(second.request.id, second.revision, Answer("no"))
            await seen.first(ToolStarted, lambda event: event.id == "slow")
            assert session.cancel("slow")
            assert (await session.turn_ended() or TurnEnded("failed")).reason == "done"
            outcomes = {event.id: event.outcome for event in seen.all(ToolFinished)}
            assert outcomes == {
                **{f"r{number}": "ok" for number in range(6)},
                "missing": "failed",
                "w1": "ok",
                "w2": "denied",
                "slow": "cancelled",
            }
            message = session.main.messages[2]["content"]
            assert [block["tool_use_id"] for block in message] == [call["id"] for call in calls]

    play(body)


def test_flow_3_asecond_conversation_asks_while_the_first_streams(tmp_path: Path) -> None:
    async def body() -> None:
        held = HeldAfter(20)
        main = ScriptedModel([[text("long " * 40)]], pause=held)
        async with session_in(tmp_path, main) as (session, seen):
            second = second_conversation(
                session, ScriptedModel([[tool_use("s1", "Bash", command="touch made")], [text("x")]])
            )
            session.submit("first")
            await seen.first(TextDelta)
            other = second.start("second")
            asked = await seen.first(PermissionRequested)
            assert session.busy, "the first still streams"
            assert next(one.agent for one in seen.stamped if one.event == asked) == "agent-2"
            assert session.decide(asked.request.id, asked.revision, Answer("once"))
            assert (await other).reason == "done"
            held.go.set()
            assert (await session.turn_ended() or TurnEnded("failed")).reason == "done"
            assert (tmp_path / "made").exists()

    play(body)


def test_a_rule_saved_with_always_lets_the_other_waiting_call_through(tmp_path: Path) -> None:
    async def body() -> None:
        calls = [tool_use("a", "Bash", command="touch made"), tool_use("b", "Bash", command="touch made")]
        async with session_in(tmp_path, [calls, [text("end")]]) as (session, seen):
            session.submit("go")
            await seen.first(PermissionRequested, lambda event: event.request.call_id == "a")
            await seen.first(PermissionRequested, lambda event: event.request.call_id == "b")
            asked = session.gate.waiting[0]
            assert asked.request.always == asked.request.stops[0] == ("Bash(touch made)",)
            assert asked.request.stops[-1] == ("Bash(touch *)",)
            assert session.decide(asked.request.id, asked.revision, Answer("always"))
            await session.turn_ended()
            assert seen.all(PermissionWithdrawn)
            saved = json.loads((tmp_path / ".agent-tui" / "settings.local.json").read_text())
            assert saved == {"permissions": {"allow": ["Bash(touch made)"]}}

    play(body)


def test_a_change_of_mode_is_an_event_and_lets_waiting_edits_through(tmp_path: Path) -> None:
    async def body() -> None:
        script = [[tool_use("w", "Write", file_path="new.txt", content="x")], [text("end")]]
        async with session_in(tmp_path, script) as (session, seen):
            session.submit("go")
            await seen.first(PermissionRequested)
            assert not session.set_mode("bypassPermissions"), "only if started with it"
            assert session.set_mode("acceptEdits")
            assert (await session.turn_ended() or TurnEnded("failed")).reason == "done"
            assert (tmp_path / "new.txt").read_text() == "x"
            assert seen.all(ModeChanged) == [ModeChanged("acceptEdits")]

    play(body)


def test_todos_go_to_the_bus(tmp_path: Path) -> None:
    async def body() -> None:
        todos = [{"content": "Look", "status": "pending", "active_form": "Looking"}]
        async with session_in(tmp_path, [[tool_use("t", "TodoWrite", todos=todos)], [text("end")]]) as (session, seen):
            await turn(session)
            assert seen.all(TodosChanged)[0].todos[0]["content"] == "Look"

    play(body)


def test_a_session_goes_on_where_it_ended_with_the_same_bytes_and_what_it_had_seen(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")

    async def body() -> None:
        first = ScriptedModel([[tool_use("r", "Read", file_path="a.txt")], [text("read")]])
        async with session_in(tmp_path, first) as (session, _):
            await turn(session)
            before = list(session.main.messages)
        second = ScriptedModel(
            [[tool_use("e", "Edit", file_path="a.txt", old_string="one", new_string="ONE")], [text("x")]]
        )
        async with session_in(tmp_path, second, yes, resume_latest=True) as (session, _):
            assert list(session.main.messages) == before
            assert (await turn(session, "more")).reason == "done"
            assert (tmp_path / "a.txt").read_text() == "ONE\n"
        resumed, last = second.requests[0], first.requests[-1]
        assert (resumed.system, list(resumed.tools)) == (last.system, list(last.tools))
        assert json.dumps(list(resumed.messages)).startswith(json.dumps(list(last.messages))[:-1])

    play(body)


def test_a_session_goes_on_with_the_model_that_is_asked_for(tmp_path: Path) -> None:
    async def body() -> None:
        first = ScriptedModel([[thinking("hm"), text("hello")]])
        async with session_in(tmp_path, first) as (session, _):
            await turn(session)
        second = ScriptedModel([[text("on")]])
        flags = Flags(trusted=True, model="another")
        async with session_in(tmp_path, second, resume_latest=True, flags=flags) as (session, seen):
            session.announce()
            assert (await turn(session)).reason == "done"
            assert any(notice.text.startswith("another goes on") for notice in seen.all(Notice))
        (request,) = second.requests
        assert (request.model, request.system) == ("another", first.requests[0].system)
        assert "thinking" not in json.dumps(list(request.messages))

    play(body)


def test_a_saved_session_replays_into_the_same_events_without_deltas(tmp_path: Path) -> None:
    async def body() -> None:
        script = [[text("hello"), tool_use("w", "Write", file_path="n.txt", content="x")], [text("end")]]
        async with session_in(tmp_path, script, yes) as (session, seen):
            await turn(session)
            live = [one for one in seen.stamped if "Delta" not in type(one.event).__name__]
            records = next(Path(session.results.folder).parent.glob("events.jsonl"))
        saved = [from_plain(json.loads(line)) for line in records.read_text().splitlines()]
        shown = [one for one in saved if one is not None and one.seq >= live[0].seq]
        assert shown == live

    play(body)


def test_a_broken_settings_file_is_named_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / ".agent-tui").mkdir()
    (tmp_path / ".agent-tui" / "settings.json").write_text("{ not json")

    async def body() -> None:
        model = ScriptedModel([[text("hello")]])
        opened = await open_session(Wanted(folder=str(tmp_path), flags=Flags(trusted=True), model=model))
        async with opened as session:
            seen = Recorder(session)
            session.announce()
            assert (await turn(session)).reason == "done"
            assert seen.all(TurnEnded)
            assert [notice for notice in seen.all(Notice) if "settings.json" in notice.text]
        notices = [from_plain(json.loads(line)) for line in _events_of(session).read_text().splitlines()]
        assert any(isinstance(one.event, Notice) and "settings.json" in one.event.text for one in notices if one)
        assert MAIN in session.conversations

    play(body)


def _events_of(session: Session) -> Path:
    return Path(session.results.folder).parent / "events.jsonl"


def test_a_queued_message_can_be_taken_back_and_the_model_never_hears_it(tmp_path: Path) -> None:
    async def body() -> None:
        script = [[tool_use("c1", "Bash", command="sleep 0.2")], [text("done")]]
        async with session_in(tmp_path, script, answerer=yes) as (session, seen):
            session.submit("begin")
            await seen.first(ToolStarted)
            session.submit("and bump the version")
            assert session.take_back() == "and bump the version"
            assert session.take_back() == ""
            await session.turn_ended()
            assert "bump" not in json.dumps(session.main.messages)
            assert seen.all(MessageTakenBack) == [MessageTakenBack("and bump the version")]

    play(body)


def test_what_waits_since_a_turn_was_stopped_is_heard_before_what_is_said_next(tmp_path: Path) -> None:
    async def body() -> None:
        script = [[tool_use("c1", "Bash", command="sleep 30")], [text("done")]]
        async with session_in(tmp_path, script, answerer=yes) as (session, seen):
            session.submit("begin")
            await seen.first(ToolStarted)
            session.submit("second")
            session.interrupt()
            await session.turn_ended()
            session.submit("third")
            await session.turn_ended()
            assert [ended.reason for ended in seen.all(TurnEnded)] == ["interrupted", "done"]
            said = [block["text"] for block in session.main.messages[-2]["content"] if block["type"] == "text"]
            assert said[-2:] == ["second", "third"]
            assert [message.text for message in seen.all(UserMessage)] == ["begin", "second", "third"]
            assert session.take_back() == ""

    play(body)


def test_a_line_of_the_persons_own_runs_unasked_and_the_model_hears_of_it_with_the_next_message(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [[text("I see.")]]) as (session, _):
            await session.run_shell("touch made && echo written")
            assert (tmp_path / "made").exists() and not session.gate.waiting
            session.submit("go on")
            await session.turn_ended()
            said = json.dumps(session.main.messages[0])
            assert "touch made" in said and "written" in said and said.index("written") < said.index("go on")

    play(body)
