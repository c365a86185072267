"""Hooks around a turn, in a real session: before a message is sent, and before the model stops."""

from __future__ import annotations

import json
from pathlib import Path

from agent import hooks as session_hooks
from agent.events import Notice, TurnEnded, UserMessage
from agent.model.scripted import ScriptedModel, text, tool_use
from agent.session import Session
from tests.support.hooks import END, got, run, says, settings_with, told_model
from tests.support.sessions import Recorder, second_conversation, turn, yes
from tools.events import PermissionDecided


def test_a_message_is_kept_back_and_the_model_never_hears_it(tmp_path: Path) -> None:
    settings_with(tmp_path, UserPromptSubmit="grep -q password && { echo 'no secrets, please' >&2; exit 2; }; exit 0")

    async def body(session: Session, seen: Recorder) -> None:
        ended = await turn(session, "my password is x")
        assert ended.reason == "stopped" and "keeps it back: no secrets, please" in ended.detail
        assert session.main.messages == []
        assert (await turn(session, "hello")).reason == "done"
        assert "password" not in told_model(session) and "Today is" in told_model(session)

    run(tmp_path, [END], body)


def test_a_message_that_waited_passes_the_same_hooks(tmp_path: Path) -> None:
    settings_with(tmp_path, UserPromptSubmit="grep -q password && exit 2; echo 'Mind the gap.'")
    script = [[tool_use("c1", "Bash", command="while [ ! -e go ]; do sleep 0.01; done")], END]

    async def body(session: Session, seen: Recorder) -> None:
        session.submit("go")
        await seen.first(PermissionDecided)
        for message in ("my password is x", "be quick"):
            session.submit(message)
        (tmp_path / "go").touch()
        assert (await session.turn_ended() or TurnEnded("failed")).reason == "done"
        assert [event.text for event in seen.all(UserMessage)] == ["go", "my password is x", "be quick"]
        said = json.dumps(session.main.messages[2])
        assert "my password" not in said and said.index("says: Mind the gap.") < said.index("be quick")
        assert any("The message was not sent." in notice.text for notice in seen.all(Notice))

    run(tmp_path, script, body, answerer=yes)


def test_if_all_that_waited_is_kept_back_the_model_is_not_asked_again(tmp_path: Path) -> None:
    settings_with(tmp_path, UserPromptSubmit="grep -q password && exit 2; exit 0")

    async def body(session: Session, seen: Recorder) -> None:
        session.main.queue("my password is x")
        assert (await turn(session, "hello")).reason == "done"
        assert len(session.main.messages) == 2

    run(tmp_path, [END], body)


def test_what_hooks_say_at_the_start_and_of_a_message_the_model_hears_before_it(tmp_path: Path) -> None:
    start = "cat >> start.jsonl; echo 'The branch is red.'"
    settings_with(
        tmp_path,
        SessionStart=[("startup", start), ("resume", "touch resumed")],
        UserPromptSubmit="cat > got.json; echo 'It is late.'",
    )

    async def body(session: Session, _: Recorder) -> None:
        session.announce()
        await turn(session, "hello")
        said = json.dumps(session.main.messages[0])
        assert said.index("The branch is red.") < said.index("It is late.") < said.index("hello")
        assert got(tmp_path / "got.json")["prompt"] == "hello"
        started = got(tmp_path / "start.jsonl")
        assert (started["source"], started["cwd"], started["session_id"]) == ("startup", str(tmp_path), session.id)
        assert Path(started["transcript_path"]).exists()
        await turn(session, "again")
        assert told_model(session).count("says: The branch is red.") == 1 and not (tmp_path / "resumed").exists()

    run(tmp_path, [END, END], body)

    async def resumed(session: Session, _: Recorder) -> None:
        await turn(session, "more")
        assert (tmp_path / "resumed").exists()

    run(tmp_path, [END], resumed, resume_latest=True)


def test_a_hook_keeps_the_model_at_work_and_is_told_that_it_did(tmp_path: Path) -> None:
    script = "cat >> stops.jsonl; [ -e done ] || { touch done; echo 'run the tests first' >&2; exit 2; }"
    settings_with(tmp_path, Stop=script)

    async def body(session: Session, _: Recorder) -> None:
        assert (await turn(session)).reason == "done"
        stops = [json.loads(line) for line in (tmp_path / "stops.jsonl").read_text().splitlines()]
        assert [stop["stop_hook_active"] for stop in stops] == [False, True]
        assert [stop["last_assistant_message"] for stop in stops] == ["I am done.", "end"]
        assert "objects: run the tests first" in json.dumps(session.main.messages[2])

    run(tmp_path, [[text("I am done.")], END], body)


def test_a_hook_that_always_objects_does_not_keep_the_model_for_ever(tmp_path: Path) -> None:
    settings_with(tmp_path, Stop=says({"decision": "block", "reason": "never enough"}))

    async def body(session: Session, _: Recorder) -> None:
        assert (await turn(session)).reason == "done"
        assert len(session.main.messages) == 2 * (session_hooks.MOST_OBJECTIONS + 1)

    run(tmp_path, ScriptedModel(lambda _: END), body)


def test_continue_false_lets_the_model_stop_whatever_others_want(tmp_path: Path) -> None:
    objects, stops = says({"decision": "block"}), says({"continue": False})
    settings_with(tmp_path, Stop=[("", objects), ("", stops)])

    async def body(session: Session, _: Recorder) -> None:
        assert (await turn(session)).reason == "done"
        assert len(session.main.messages) == 2

    run(tmp_path, [END], body)


def test_a_sub_agent_has_its_own_stop_and_no_message_of_the_persons(tmp_path: Path) -> None:
    settings_with(tmp_path, SubagentStop="cat > got.json", Stop="touch wrong", UserPromptSubmit="touch wrong")

    async def body(session: Session, _: Recorder) -> None:
        await second_conversation(session, ScriptedModel([END])).start("look")
        assert got(tmp_path / "got.json")["agent_id"] == "agent-2" and not (tmp_path / "wrong").exists()

    run(tmp_path, [END], body)
