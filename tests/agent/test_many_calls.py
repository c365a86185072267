"""Several calls in one reply, with the real tools: each has its own answer, its own question and its place."""

from __future__ import annotations

from pathlib import Path

from agent.model.scripted import text, tool_use
from tests.support.sessions import play, results_of, session_in, turn, yes
from tools.events import PermissionRequested, ToolFinished, ToolStarted
from tools.permissions.gate import Answer


def test_T21_a_hundred_calls_are_answered_in_one_message_in_their_order(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(100)]
    for name in names:
        (tmp_path / name).write_text(f"this is {name}\n")

    async def body() -> None:
        calls = [tool_use(name, "Read", file_path=name) for name in names]
        async with session_in(tmp_path, [calls, [text("read all")]]) as (session, _):
            assert (await turn(session)).reason == "done"
            answers = session.main.messages[-2]["content"]
            assert [block["tool_use_id"] for block in answers] == names
            assert all(f"this is {block['tool_use_id']}" in block["content"] for block in answers)

    play(body)


def test_T23_a_read_that_fails_leaves_those_beside_it_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("first\n")
    (tmp_path / "c").write_text("third\n")

    async def body() -> None:
        calls = [tool_use(f"c-{name}", "Read", file_path=name) for name in ("a", "b", "c")]
        async with session_in(tmp_path, [calls, [text("two of three")]]) as (session, _):
            assert (await turn(session)).reason == "done"
            answers = results_of(session.main.messages)
            assert [one.get("is_error", False) for one in answers.values()] == [False, True, False]
            assert "first" in answers["c-a"]["content"] and "third" in answers["c-c"]["content"]

    play(body)


def test_T24_the_same_destructive_call_twice_is_asked_twice_and_a_yes_covers_one(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()

    async def body() -> None:
        calls = [tool_use(name, "Bash", command="rm -rf build") for name in ("c1", "c2")]
        async with session_in(tmp_path, [calls, [text("done")]]) as (session, seen):
            session.submit("go")
            first = await seen.first(PermissionRequested, lambda asked: asked.request.call_id == "c1")
            second = await seen.first(PermissionRequested, lambda asked: asked.request.call_id == "c2")
            assert session.decide(first.request.id, first.revision, Answer("once"))
            await seen.first(ToolFinished, lambda finished: finished.id == "c1")
            assert [pending.request.call_id for pending in session.gate.waiting] == ["c2"]
            assert session.decide(second.request.id, second.revision, Answer("no"))
            await session.turn_ended()
            assert [event.outcome for event in seen.all(ToolFinished)] == ["ok", "denied"]
            assert seen.all(ToolStarted) == [ToolStarted("c1")]
            assert not (tmp_path / "build").exists()

    play(body)


def test_T25_a_write_and_a_read_of_one_file_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n")

    async def body() -> None:
        calls = [
            tool_use("r1", "Read", file_path="a.txt"),
            tool_use("w1", "Edit", file_path="a.txt", old_string="old", new_string="new"),
            tool_use("r2", "Read", file_path="a.txt"),
            tool_use("b1", "Bash", command="echo newer >> a.txt"),
            tool_use("r3", "Read", file_path="a.txt"),
        ]
        async with session_in(tmp_path, [calls, [text("done")]], yes) as (session, _):
            assert (await turn(session)).reason == "done"
            answers = results_of(session.main.messages)
            assert "old" in answers["r1"]["content"]
            assert "new" in answers["r2"]["content"] and "old" not in answers["r2"]["content"]
            assert "newer" in answers["r3"]["content"] and "newer" not in answers["r2"]["content"]
            assert not any("is_error" in one for one in answers.values())

    play(body)


def test_T25_a_read_behind_a_write_that_waits_for_a_person_waits_with_it(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("other\n")

    async def body() -> None:
        calls = [
            tool_use("w1", "Write", file_path="a.txt", content="made\n"),
            tool_use("r1", "Read", file_path="a.txt"),
            tool_use("r2", "Read", file_path="other.txt"),
        ]
        async with session_in(tmp_path, [calls, [text("done")]]) as (session, seen):
            session.submit("go")
            asked = await seen.first(PermissionRequested)
            await seen.first(ToolFinished, lambda finished: finished.id == "r2")
            assert session.decide(asked.request.id, asked.revision, Answer("once"))
            await session.turn_ended()
            assert [event.id for event in seen.all(ToolStarted)] == ["r2", "w1", "r1"]
            assert "made" in results_of(session.main.messages)["r1"]["content"]

    play(body)
