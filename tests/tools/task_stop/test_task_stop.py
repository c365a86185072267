from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agent.events import TaskChanged
from agent.session import Session
from tests.support.background import UNTIL_GO, call, is_over, started, told, with_session
from tests.support.commands import RUNAWAY_COUNT, RUNAWAYS, is_alive, pids_in, wait_for
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder, play, session_in
from tools.blocks import line
from tools.events import PermissionRequested
from tools.task_stop.view import TaskStopView
from tools.tasks.state import TaskAsItIs
from tools.view import ViewContext


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_stopped_task_is_gone_with_everything_it_started(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, RUNAWAYS + "sleep 300")
        await wait_for(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        said = await told(session, "TaskStop", task_id=task)
        assert said.startswith(f"{task} (`") and "stopped after 0 s: by TaskStop." in said
        assert not any(is_alive(pid) for pid in pids_in(tmp_path))
        assert (await seen.first(TaskChanged, is_over(task))).state == "stopped"
        assert session.tasks.news("main") == [], "the model knows"

    with_session(tmp_path, work)


def test_stopping_what_is_over_says_how_it_ended(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "exit 5")
        await seen.first(TaskChanged, is_over(task))
        assert "exit code 5" in await told(session, "TaskStop", task_id=task)

    with_session(tmp_path, work)


def test_a_task_nobody_knows_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        answered = await call(session, "TaskStop", task_id="task-1")
        assert answered.code == "no_such_task" and not seen.all(PermissionRequested)

    with_session(tmp_path, work)


def test_nobody_is_asked_about_ending_what_this_session_started(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, []) as (session, seen):
            # A reading command is not asked about either, so nobody needs to answer.
            task = await started(session, UNTIL_GO)
            assert "stopped" in await told(session, "TaskStop", task_id=task)
            assert not seen.all(PermissionRequested)

    play(body)


def test_plan_mode_stops_nothing(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "sleep 300")
        session.set_mode("plan")
        answered = await call(session, "TaskStop", task_id=task)
        assert answered.outcome == "denied" and "Plan mode" in text_of(answered)
        assert session.tasks.running()

    with_session(tmp_path, work)


def test_the_row_says_what_was_stopped() -> None:
    data = TaskAsItIs(task="task-1", title="npm run dev", state="stopped", seconds=3, why="by TaskStop")
    shown = TaskStopView().result(data, [], "condensed", ViewContext("/", "/"))
    assert shown == (line(("npm run dev  ", "code"), ("stopped after 3 s: by TaskStop", "quiet")),)
