"""What goes on in the background of a session: how it gets there, what ends it, and who is told."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest

import agent.tasks
from agent.events import TaskChanged
from agent.model.scripted import text, tool_use
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.background import UNTIL_GO, call, is_over, started, told, with_session
from tests.support.commands import RUNAWAY_COUNT, RUNAWAYS, is_alive, pids_in, wait_for
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder, play, results_of, session_in, turn, yes
from tools.bash import run as running
from tools.events import ToolFinished, ToolProgress, ToolStarted

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def test_a_command_in_the_background_answers_at_once_and_goes_on(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        said = await told(session, "Bash", command=f"{UNTIL_GO}; echo ready; exit 3", run_in_background=True)
        assert "in the background as task-1" in said
        (begun,) = seen.all(TaskChanged)
        assert (begun.task, begun.state, begun.kind, begun.ended) == ("task-1", "running", "shell", None)
        assert begun.title.startswith("while [ ! -e go ]") and begun.started > 0 and begun.call
        (tmp_path / "go").touch()
        over = await seen.first(TaskChanged, is_over("task-1"))
        assert (over.state, over.exit_code) == ("ended", 3)
        assert over.ended is not None and over.ended >= over.started
        assert Path(over.output).read_text() == "ready\n"

    with_session(tmp_path, work)


def test_a_running_command_can_be_sent_to_the_background(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        waiting = asyncio.ensure_future(call(session, "Bash", command=f"echo begun; {UNTIL_GO}; echo done"))
        running_call = (await seen.first(ToolStarted)).id
        began = time.time()
        await wait_for(lambda: any(path.read_text() == "begun\n" for path in session.results.folder.glob("*.txt")))
        await asyncio.sleep(0.7)
        assert session.background(running_call)
        said = text_of(await waiting)
        assert said.startswith("begun\nThe person sent it to the background after ")
        assert seen.all(ToolFinished)[0].data is not None
        assert not session.background(running_call), "it is no longer a call that runs"
        (tmp_path / "go").touch()
        over = await seen.first(TaskChanged, is_over("task-1"))
        assert (over.state, over.exit_code, over.call) == ("ended", 0, running_call)
        assert over.started <= began + 0.5, "its time counts from its start"
        assert Path(over.output).read_text() == "begun\ndone\n"

    with_session(tmp_path, work)


def test_what_is_no_running_command_cannot_be_sent_to_the_background(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        assert not session.background("no-such-call")

    with_session(tmp_path, work)


def test_a_command_sent_to_the_background_lets_others_write(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        waiting = asyncio.ensure_future(call(session, "Bash", command=f"{UNTIL_GO}; touch written"))
        running_call = (await seen.first(ToolStarted)).id
        lock = session.write_lock()
        taking = asyncio.ensure_future(lock.__aenter__())
        await asyncio.sleep(0)
        assert not taking.done(), "a running command holds the lock"
        assert session.background(running_call)
        await waiting
        async with asyncio.timeout(60):
            await taking
        await lock.__aexit__(None, None, None)
        assert session.tasks.running()

    with_session(tmp_path, work)


def test_esc_leaves_the_background_alone(tmp_path: Path) -> None:
    async def body() -> None:
        script = [
            [tool_use("back", "Bash", command="sleep 300", run_in_background=True)],
            [tool_use("front", "Bash", command="sleep 300")],
        ]
        async with session_in(tmp_path, script, yes) as (session, seen):
            session.submit("go")
            await seen.first(ToolStarted, lambda event: event.id == "front")
            session.interrupt()
            ended = await session.turn_ended()
            assert ended is not None and ended.reason == "interrupted"
            assert [task.state for task in session.tasks.all()] == ["running"]

    play(body)


def test_the_model_is_told_of_an_end_once_with_its_next_message(tmp_path: Path) -> None:
    async def body() -> None:
        script = [
            [tool_use("back", "Bash", command=f"{UNTIL_GO}; echo secret; exit 4", run_in_background=True)],
            [text("waiting")],
            [text("I heard")],
            [text("and no more")],
        ]
        async with session_in(tmp_path, script, yes) as (session, seen):
            await turn(session)
            (tmp_path / "go").touch()
            await seen.first(TaskChanged, is_over("task-1"))
            await turn(session, "well?")
            await turn(session, "and?")
            heard = [json.dumps(message) for message in session.main.messages if message["role"] == "user"]
            told = [text for text in heard if "The background task task-1 (`while [" in text]
            assert len(told) == 1 and "ended with exit code 4. Its output is in " in told[0]
            assert "well?" in told[0]
            # What it wrote comes only in results.
            assert "secret\\n" not in told[0]

    play(body)


def test_a_task_that_put_itself_into_the_background_says_that_all_of_it_was_ended(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "nohup sleep 300 & sleep 0.3")
        await seen.first(TaskChanged, is_over(task))
        (note,) = session.tasks.news("main")
        assert "1 process it left running was ended: `sleep 300`. A command that is to go on does not end" in note
        assert "1 process it left running was ended: `sleep 300`." in await told(session, "TaskOutput", task_id=task)

    with_session(tmp_path, work)


def test_an_end_that_the_model_has_seen_for_itself_is_no_news(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "true")
        await seen.first(TaskChanged, is_over(task))
        assert "exit code 0" in await told(session, "TaskOutput", task_id=task)
        assert session.tasks.news("main") == []

    with_session(tmp_path, work)


def test_the_person_can_end_a_task_and_the_model_hears_who_did(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, RUNAWAYS + "sleep 300")
        await wait_for(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        await session.stop_task(task)
        over = await seen.first(TaskChanged, is_over(task))
        assert (over.state, over.detail) == ("stopped", "by the person")
        assert not any(is_alive(pid) for pid in pids_in(tmp_path))
        (news,) = session.tasks.news("main")
        assert "was stopped: by the person" in news

    with_session(tmp_path, work)


def test_tasks_end_with_the_session_and_it_is_told(tmp_path: Path) -> None:
    seen_at_the_end: list[TaskChanged] = []

    async def work(session: Session, seen: Recorder) -> None:
        for _ in range(3):
            await started(session, RUNAWAYS + "sleep 300")
        await wait_for(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        session.bus.listen(
            lambda stamped: seen_at_the_end.append(stamped.event) if isinstance(stamped.event, TaskChanged) else None
        )

    with_session(tmp_path, work)
    assert [(event.state, event.detail) for event in seen_at_the_end] == [("stopped", "ended with the session")] * 3
    assert not any(is_alive(pid) for pid in pids_in(tmp_path))


@pytest.mark.parametrize("interactive", [True, False])
def test_what_takes_long_goes_to_the_background_by_itself_only_where_set_and_somebody_sees_it(
    tmp_path: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch, interactive: bool
) -> None:
    settings = a_home_of_its_own / ".config" / "agent-tui" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"bash": {"autoBackground": true}}')
    monkeypatch.setattr(running, "LONG_SECONDS", 0.1)

    async def work(session: Session, _: Recorder) -> None:
        said = await told(session, "Bash", command="sleep 0.5; echo done")
        assert ("It went to the background by itself" in said) == interactive
        assert (said == "done") != interactive

    with_session(tmp_path, work, interactive=interactive)


def test_progress_says_when_a_command_takes_long_enough_to_be_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PROGRESS_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(running, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr("tools.bash.call.LONG_SECONDS", 0.2)

    async def work(session: Session, seen: Recorder) -> None:
        waiting = asyncio.ensure_future(call(session, "Bash", command=UNTIL_GO))
        assert (await seen.first(ToolProgress)).data["may_leave"] is False
        await seen.first(ToolProgress, lambda event: event.data["may_leave"] is True)
        (tmp_path / "go").touch()
        await waiting

    with_session(tmp_path, work)


def test_D5_a_task_that_writes_too_much_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent.tasks, "QUOTA_BYTES", 100_000)
    monkeypatch.setattr(agent.tasks, "LOOK_SECONDS", 0.02)

    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "yes")
        over = await seen.first(TaskChanged, is_over(task))
        assert (over.state, over.detail) == ("stopped", "it wrote more than 100000 bytes")

    with_session(tmp_path, work)


def test_a_task_whose_keeper_is_killed_has_failed(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, f"{UNTIL_GO}; kill -KILL $PPID; sleep 300")
        (tmp_path / "go").touch()
        over = await seen.first(TaskChanged, is_over(task))
        assert (over.state, over.exit_code) == ("failed", None) and "lost" in over.detail

    with_session(tmp_path, work)


def test_nothing_is_left_of_how_the_folder_is_learnt_when_a_moved_command_ends(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        waiting = asyncio.ensure_future(call(session, "Bash", command=f"cd .; {UNTIL_GO}"))
        await wait_for(lambda: bool(list(session.results.folder.glob("*.txt"))))
        session.background((await seen.first(ToolStarted)).id)
        await waiting
        (tmp_path / "go").touch()
        await seen.first(TaskChanged, is_over("task-1"))
        await wait_for(lambda: not list(session.results.folder.glob("*.folder")))

    with_session(tmp_path, work)


def test_a_resumed_session_tells_the_model_what_ended_with_the_last_one_and_numbers_on(tmp_path: Path) -> None:
    async def body() -> None:
        first = [[tool_use("back", "Bash", command="sleep 300", run_in_background=True)], [text("started")]]
        async with session_in(tmp_path, first, yes) as (session, _):
            await turn(session)
        async with session_in(tmp_path, [[text("I see")]], yes, resume_latest=True) as (session, _):
            await turn(session, "still there?")
            assert "The background task task-1 (`sleep 300`) ended with the session." in json.dumps(
                session.main.messages[-2]
            )
        last = [[tool_use("again", "Bash", command="true", run_in_background=True)], [text("x")]]
        async with session_in(tmp_path, last, yes, resume_latest=True) as (session, _):
            await turn(session, "again")
            assert "ended with the session" not in json.dumps(session.main.messages[-3:])
            assert "as task-2" in results_of(session.main.messages)["again"]["content"]

    play(body)


def test_D1_further_variables_are_hidden_and_others_set_by_the_settings(
    tmp_path: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = a_home_of_its_own / ".config" / "agent-tui" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"bash": {"hideEnvironment": ["MY_TOKEN"]}, "env": {"COLOUR": "blue"}}')
    monkeypatch.setenv("MY_TOKEN", "hush")
    monkeypatch.setenv("GH_TOKEN", "stays")

    async def work(session: Session, _: Recorder) -> None:
        said = await told(session, "Bash", command="echo [$MY_TOKEN] [$GH_TOKEN] [$COLOUR]")
        assert said == "[] [stays] [blue]"

    with_session(tmp_path, work, flags=Flags(trusted=True))
