"""What a command changes among the files this session knows is found and credited to it; what others change is not."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.events import ExternalEdit
from agent.model.scripted import text, tool_use
from agent.session import Session
from tests.support.background import UNTIL_GO, call, started, told, with_session
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder, play, results_of, session_in, turn, yes
from tools.events import ToolFinished, ToolStarted


def changed_by(seen: Recorder, call_id: str = "") -> list[dict[str, Any]]:
    """What the last command, or the one with this id, told to have changed, with paths by their names."""
    ends = [event for event in seen.all(ToolFinished) if event.data is not None and "exit_code" in event.data]
    data = next(event.data for event in reversed(ends) if not call_id or event.id == call_id)
    assert data is not None
    return [{**one, "path": os.path.basename(one["path"])} for one in data["changed"]]


def test_files_a_command_changed_are_listed_with_its_result(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("one\ntwo\n")

    async def work(session: Session, seen: Recorder) -> None:
        for name in ("a", "b", "c"):
            await told(session, "Read", file_path=name)
        said = await told(session, "Bash", command="echo three >> a; rm b; touch c; echo new > d")
        assert f"Files you have seen changed while it ran: {tmp_path}/a (+1 -0); {tmp_path}/b (deleted)." in said
        assert changed_by(seen) == [
            {"path": "a", "added": 1, "removed": 0, "deleted": False},
            {"path": "b", "added": None, "removed": None, "deleted": True},
        ]

    with_session(tmp_path, work)


def test_it_is_shown_as_a_change_while_the_command_ran_and_the_model_gets_no_further_note(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")

    async def body() -> None:
        script = [
            [tool_use("r", "Read", file_path="a")],
            [tool_use("c", "Bash", command="echo two >> a")],
            [text("done")],
            [text("yes")],
        ]
        async with session_in(tmp_path, script, yes) as (session, seen):
            await turn(session)
            (edit,) = seen.all(ExternalEdit)
            assert (edit.attribution, edit.call) == ("while `echo two >> a` ran", "c")
            await turn(session, "and?")
            assert "Changed outside" not in json.dumps(session.main.messages)

    play(body)


def test_a_later_edit_does_not_take_it_for_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\nthree\n")

    async def work(session: Session, _: Recorder) -> None:
        await told(session, "Read", file_path="a")
        await told(session, "Bash", command="sed -i s/three/THREE/ a")
        said = await told(session, "Edit", file_path="a", old_string="one", new_string="ONE")
        assert "While your command `sed -i s/three/THREE/ a` ran, the file changed (line 3)" in said
        assert (tmp_path / "a").read_text() == "ONE\ntwo\nTHREE\n"
        await told(session, "Bash", command="sed -i s/two/TWO/ a")
        refused = await call(session, "Edit", file_path="a", old_string="two", new_string="2")
        assert refused.code == "stale"
        assert f"{tmp_path}/a changed while your command `sed -i s/two/TWO/ a` ran, since you read it" in text_of(
            refused
        )

    with_session(tmp_path, work)


def test_what_the_watcher_cannot_have_seen_is_found_when_the_command_ends(tmp_path: Path) -> None:
    """Its events take at least their debounce, so the end of so short a command comes first."""
    (tmp_path / "a").write_text("one\n")

    async def work(session: Session, seen: Recorder) -> None:
        await told(session, "Read", file_path="a")
        session.watcher.close()
        await told(session, "Bash", command="echo two > a")
        assert [one["path"] for one in changed_by(seen)] == ["a"]
        assert session.writes.last(str(tmp_path / "a")) is not None

    with_session(tmp_path, work)


@pytest.mark.parametrize("restore", ["touch -r keep a", "cp -p keep a"])
def test_G8_a_change_that_hides_its_time_and_size_is_found(tmp_path: Path, restore: str) -> None:
    (tmp_path / "a").write_text("one\n")

    async def work(session: Session, seen: Recorder) -> None:
        await told(session, "Read", file_path="a")
        await told(
            session, "Bash", command=f"cp -p a keep; echo ONE > a; touch -r keep a; sed -i s/one/ONE/ keep; {restore}"
        )
        assert [one["path"] for one in changed_by(seen)] == ["a"]

    with_session(tmp_path, work)


def test_a_command_that_only_reads_is_credited_with_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")

    async def work(session: Session, seen: Recorder) -> None:
        await told(session, "Read", file_path="a")
        waiting = asyncio.ensure_future(call(session, "Bash", command=UNTIL_GO))
        await seen.first(ToolStarted, lambda event: len(seen.all(ToolStarted)) > 1)
        (tmp_path / "a").write_text("theirs\n")
        edit = await seen.first(ExternalEdit)
        assert (edit.attribution, edit.call) == ("external", "")
        (tmp_path / "go").touch()
        await waiting
        assert changed_by(seen) == []
        refused = await call(session, "Edit", file_path="a", old_string="one", new_string="ONE")
        assert "changed by somebody else" in text_of(refused)

    with_session(tmp_path, work)


def test_what_changes_while_a_task_runs_in_the_background_stays_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")

    async def work(session: Session, seen: Recorder) -> None:
        await told(session, "Read", file_path="a")
        await started(session, "sleep 300; touch b")
        (tmp_path / "a").write_text("theirs\n")
        edit = await seen.first(ExternalEdit)
        assert (edit.attribution, edit.call) == ("while `sleep 300; touch b` ran in the background", "")
        refused = await call(session, "Write", file_path="a", content="mine\n")
        assert refused.code == "stale" and "changed by somebody else" in text_of(refused)

    with_session(tmp_path, work)


def test_what_a_cancelled_command_did_until_then_is_its_doing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")

    async def body() -> None:
        script = [
            [tool_use("r", "Read", file_path="a")],
            [tool_use("c", "Bash", command="echo two > a; touch written; sleep 300")],
        ]
        async with session_in(tmp_path, script, yes) as (session, seen):
            session.submit("go")
            while not (tmp_path / "written").exists():
                await asyncio.sleep(0.005)
            session.interrupt()
            await session.turn_ended()
            assert results_of(session.main.messages)["c"]["is_error"]
            edit = await seen.first(ExternalEdit)
            assert edit.call == "c"
            assert session.main.seen.credited(str(tmp_path / "a"), session.writes.last(str(tmp_path / "a")).hash)

    play(body)


def test_what_a_command_did_until_its_time_was_over_is_told_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")

    async def work(session: Session, _: Recorder) -> None:
        await told(session, "Read", file_path="a")
        late = await call(session, "Bash", command="echo two > a; sleep 300", timeout=300)
        assert late.code == "timed_out"
        assert f"Files you have seen changed while it ran: {tmp_path}/a (+1 -1). Its output so far:" in text_of(late)

    with_session(tmp_path, work)


def test_a_change_back_to_what_was_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")

    async def work(session: Session, seen: Recorder) -> None:
        await told(session, "Read", file_path="a")
        await told(session, "Bash", command="cp a keep; echo two > a; cp keep a")
        assert changed_by(seen) == []
        assert "Changed" in await told(session, "Edit", file_path="a", old_string="one", new_string="ONE")

    with_session(tmp_path, work)
