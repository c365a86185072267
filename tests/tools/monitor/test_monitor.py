from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.session import Session
from tests.support.background import UNTIL_GO, call, started, told, with_session
from tests.support.commands import wait_for
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder
from tools.blocks import Code, line
from tools.events import ToolProgress, ToolStarted
from tools.monitor import matching
from tools.monitor.view import Monitored, MonitorView
from tools.view import ViewContext

CTX = ViewContext("/home/u/proj", "/home/u")


@pytest.fixture(params=["ripgrep", "our own program"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param != "ripgrep":
        monkeypatch.setattr(matching, "find_rg", lambda _workspace: None)
    return request.param


def test_it_waits_for_a_line_that_matches(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, f"echo starting; {UNTIL_GO}; echo 'ready on 8000'; sleep 300")
        waiting = asyncio.ensure_future(call(session, "Monitor", task_id=task, pattern=r"ready on \d+"))
        assert (await seen.first(ToolProgress)).data["lines"] == ["starting"]
        (tmp_path / "go").touch()
        said = text_of(await waiting)
        assert said.startswith(f"ready on 8000\n\n{task} (`echo starting; ")
        assert said.endswith("To look further on, give `after` 23.")

    with_session(tmp_path, work)


def test_a_line_that_is_there_already_is_found_at_once_and_the_next_one_after_it(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "echo hit one; echo other; echo hit two; touch written; sleep 300")
        await wait_for((tmp_path / "written").exists)
        first = await told(session, "Monitor", task_id=task, pattern="^hit")
        assert first.startswith("hit one\n") and "`after` 8." in first
        second = await told(session, "Monitor", task_id=task, pattern="^hit", after=8)
        assert second.startswith("hit two\n") and "`after` 22." in second

    with_session(tmp_path, work)


def test_a_line_is_found_also_when_it_came_in_pieces_and_before_it_has_an_end(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, f"printf 'pass'; {UNTIL_GO}; printf 'word: '; sleep 300")
        waiting = asyncio.ensure_future(call(session, "Monitor", task_id=task, pattern="password: "))
        await seen.first(ToolProgress)
        (tmp_path / "go").touch()
        assert text_of(await waiting).startswith("password: \n")

    with_session(tmp_path, work)


def test_the_end_of_the_task_ends_the_wait_without_an_error(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "echo failed; exit 1")
        said = await told(session, "Monitor", task_id=task, pattern="ready")
        assert said.startswith("No line matched. ") and "exit code 1" in said
        assert session.tasks.news("main") == [], "the model knows of the end"

    with_session(tmp_path, work)


def test_the_end_of_the_time_ends_the_wait_without_an_error(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "sleep 300")
        said = await told(session, "Monitor", task_id=task, pattern="ready", timeout=50)
        assert said.startswith("No line has matched so far. ") and "runs since" in said

    with_session(tmp_path, work)


def test_a_new_message_ends_the_wait_and_not_the_task(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "sleep 300")
        waiting = asyncio.ensure_future(call(session, "Monitor", task_id=task, pattern="x"))
        await seen.first(ToolStarted, lambda event: event.id != seen.all(ToolStarted)[0].id)
        session.main.queue("stop that")
        assert (await waiting).outcome == "cancelled"
        assert session.tasks.running()

    with_session(tmp_path, work)


def test_A34_a_pattern_that_is_none_says_why_and_one_that_takes_for_ever_ends(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "printf 'a%.0s' $(seq 1 40); echo b; touch written; sleep 300")
        await wait_for((tmp_path / "written").exists)
        broken = await call(session, "Monitor", task_id=task, pattern="(")
        assert broken.code == "invalid_input" and "pattern" in text_of(broken)
        monkeypatch.setattr(matching, "DEADLINE_SECONDS", 1.0)
        slow = await call(session, "Monitor", task_id=task, pattern="^(a+)+$", timeout=100)
        assert slow.outcome == "ok" if engine == "ripgrep" else slow.code == "timed_out"

    with_session(tmp_path, work)


def test_the_row_says_what_is_waited_for_and_shows_the_line_that_came() -> None:
    view = MonitorView()
    assert view.use({}, CTX).text == "" and view.use({"task_id": "task-1"}, CTX).text == "task-1"
    assert view.use({"task_id": "task-1", "pattern": "ready"}, CTX).text == "task-1 for ready"
    data = Monitored(task="task-1", title="x", state="running", seconds=2, line="ready", next=9, stored="/x")
    assert view.result(data, [], "condensed", CTX) == (line(("runs since 2 s", "quiet")), Code("ready"))
    none = data.model_copy(update={"line": None})
    assert view.result(none, [], "condensed", CTX) == (
        line(("no line matched; ", "quiet"), ("runs since 2 s", "quiet")),
    )
