"""Sessions on disk: private, one program at a time, and resumable after any end."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent.events import Notice, Stamped, TextDelta, TextDone, ThinkingDelta, UserMessage
from agent.model.normalize import INTERRUPTED
from agent.model.scripted import text, thinking, tool_use
from agent.store.messages import load_messages
from agent.store.sessions import (
    SessionError,
    SessionStore,
    latest_session,
    list_sessions,
    new_session,
    open_session,
)
from tools.events import ToolInputDelta

HELLO = {"role": "user", "content": "hello"}
CALL = {"role": "assistant", "content": [thinking("hm", "sig=="), text("I look."), tool_use("t1", "Read", path="é\n")]}
DONE = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


def begun(state: str, folder: str, *messages: dict[str, object], at: float = 0.0) -> str:
    store = new_session(state, folder, lambda: at)
    store.messages().begin({"model": "m", "system": "s", "tools": []})
    for message in messages:
        store.messages().append(message)
    store.save_event(Stamped(1, at, "main", UserMessage("do  this\nand that")))
    asyncio.run(store.sync())
    store.close()
    return store.id


def resumed(state: str, folder: str, session_id: str) -> SessionStore:
    return open_session(state, folder, session_id)


def test_a_session_is_private_to_the_person(state: str, folder: str) -> None:
    session_id = begun(state, folder, HELLO)
    store = resumed(state, folder, session_id)
    store.messages("agent-1").append(HELLO)
    store.close()
    for place, folders, files in os.walk(state):
        assert {stat.S_IMODE(os.stat(os.path.join(place, name)).st_mode) for name in folders} <= {0o700}
        assert {stat.S_IMODE(os.stat(os.path.join(place, name)).st_mode) for name in files} <= {0o600}
    assert not os.listdir(folder)


def test_L1_messages_come_back_exactly_as_they_were_sent(state: str, folder: str) -> None:
    store = resumed(state, folder, begun(state, folder, HELLO, CALL, DONE))
    saved = store.load_messages()
    store.close()
    assert saved.head == {"model": "m", "system": "s", "tools": []}
    assert list(saved.messages) == [HELLO, CALL, DONE]
    assert json.dumps(saved.messages[1]) == json.dumps(CALL)
    assert (saved.notices, saved.mended) == ((), False)


def test_L2_a_torn_last_message_is_dropped(state: str, folder: str) -> None:
    store = resumed(state, folder, begun(state, folder, HELLO, CALL, DONE))
    with open(store.messages_path, "ab") as file:
        file.write(b'{"message": {"role": "assis')
    assert list(store.load_messages().messages) == [HELLO, CALL, DONE]
    store.close()


def test_L3_a_malformed_message_is_left_out_with_a_notice(state: str, folder: str) -> None:
    store = resumed(state, folder, begun(state, folder, HELLO))
    with open(store.messages_path, "ab") as file:
        file.write(b'oops\n{"message": {"role": 5}}\n{"else": 1}\n{"keep": -3}\n')
    saved = store.load_messages()
    store.close()
    assert list(saved.messages) == [HELLO]
    assert len(saved.notices) == 1
    assert saved.notices[0].startswith("4 lines were left out")


def test_L4_a_call_without_its_result_is_answered_as_interrupted(state: str, folder: str) -> None:
    store = resumed(state, folder, begun(state, folder, HELLO, CALL))
    saved = store.load_messages()
    store.close()
    assert list(saved.messages[:2]) == [HELLO, CALL]
    assert saved.messages[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "t1", "content": INTERRUPTED, "is_error": True}
    ]
    assert saved.mended
    assert saved.notices


def test_going_back_keeps_the_first_messages_only(state: str, folder: str) -> None:
    store = resumed(state, folder, begun(state, folder, HELLO, CALL, DONE))
    store.messages().keep(1)
    store.messages().append({"role": "user", "content": "rather this"})
    store.close()
    assert [message["content"] for message in load_messages(store.messages_path).messages] == ["hello", "rather this"]


def test_events_are_kept_without_their_pieces(state: str, folder: str) -> None:
    store = new_session(state, folder)
    said = [TextDelta("a"), ThinkingDelta("b"), ToolInputDelta("t1", "c"), TextDone("a"), Notice("n")]
    for number, event in enumerate(said):
        store.save_event(Stamped(number, 1.0, "main", event))
    saved = store.load_events()
    store.close()
    assert [stamped.event for stamped in saved.events] == [TextDone("a"), Notice("n")]
    assert saved.notices == ()


def test_L3_events_that_cannot_be_read_are_counted(state: str, folder: str) -> None:
    store = new_session(state, folder)
    store.save_event(Stamped(1, 1.0, "main", Notice("n")))
    with open(os.path.join(store.path, "events.jsonl"), "ab") as file:
        file.write(b'oops\n{"seq": 2}\n')
    saved = store.load_events()
    store.close()
    assert len(saved.events) == 1
    assert saved.notices[0].startswith("2 lines were")


def test_L7_a_second_holder_of_a_session_is_refused(state: str, folder: str) -> None:
    store = resumed(state, folder, begun(state, folder, HELLO))
    with pytest.raises(SessionError, match="another agent-tui"):
        open_session(state, folder, store.id)
    store.close()
    open_session(state, folder, store.id).close()


def test_L7_another_program_is_refused_and_a_killed_one_lets_go(state: str, folder: str) -> None:
    session_id = begun(state, folder, HELLO)
    hold = (
        "import sys; from agent.store.sessions import open_session\n"
        "store = open_session(*sys.argv[1:]); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, state, folder, session_id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(SessionError):
            open_session(state, folder, session_id)
        other.kill()
    open_session(state, folder, session_id).close()


def test_L8_a_log_that_is_behind_says_so_until_it_has_caught_up(
    state: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = new_session(state, folder)
    really = os.write

    def full(_file: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    store.messages().append(HELLO)
    store.save_event(Stamped(1, 1.0, "main", Notice("n")))
    asyncio.run(store.sync())
    assert store.problem == "The session's log is 2 lines behind: No space left on device."
    monkeypatch.setattr(os, "write", really)
    asyncio.run(store.sync())
    assert store.problem == ""
    assert list(store.load_messages().messages) == [HELLO]
    store.close()


def test_sessions_are_listed_by_folder_last_used_first(state: str, folder: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    begun(state, str(tmp_path / "elsewhere"), HELLO)
    older, newer = begun(state, folder, HELLO, at=10.0), begun(state, folder, HELLO, at=20.0)
    new_session(state, folder).close()
    listed = list_sessions(state, folder)
    paths = {info.id: os.path.join(state, "sessions") for info in listed}
    assert set(paths) == {older, newer}
    assert listed[0].title == "do this and that"
    assert listed[0].folder == os.path.realpath(folder)
    for place, _, files in os.walk(state):
        if "messages.jsonl" in files and os.path.basename(place) == older:
            os.utime(os.path.join(place, "messages.jsonl"), (9e9, 9e9))
    last = latest_session(state, folder)
    assert last is not None
    assert last.id == older


def test_a_folder_is_the_same_through_a_link(state: str, folder: str, tmp_path: Path) -> None:
    os.symlink(folder, tmp_path / "link")
    session_id = begun(state, str(tmp_path / "link"), HELLO)
    resumed(state, folder, session_id).close()


@pytest.mark.parametrize("name", ["", "..", "../x", "20260101-000000-abcdef", "20260101-000000-abcdef/../x"])
def test_an_id_that_is_none_opens_nothing(state: str, folder: str, name: str) -> None:
    begun(state, folder, HELLO)
    with pytest.raises(SessionError, match="no session"):
        open_session(state, folder, name)


@pytest.mark.parametrize("agent", ["../x", "a/b", "", ".hidden"])
def test_an_agents_name_never_leads_out_of_the_session(state: str, folder: str, agent: str) -> None:
    store = new_session(state, folder)
    with pytest.raises(SessionError):
        store.messages(agent)
    store.close()


def test_there_is_no_latest_session_before_the_first(state: str, folder: str) -> None:
    assert latest_session(state, folder) is None
    assert not os.path.exists(state)


def test_a_session_in_which_nothing_was_said_is_not_listed(state: str, folder: str) -> None:
    store = new_session(state, folder)
    store.messages().begin({"model": "m", "system": "You are.", "tools": []})
    assert list_sessions(state, folder) == []
    store.messages().append({"role": "user", "content": "hello"})
    assert [info.id for info in list_sessions(state, folder)] == [store.id]
    store.close()
