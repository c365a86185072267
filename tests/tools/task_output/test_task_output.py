from __future__ import annotations

import asyncio
import os
from pathlib import Path

from agent.events import TaskChanged
from agent.session import Session
from tests.support.background import UNTIL_GO, call, is_over, started, told, with_session
from tests.support.commands import wait_for
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder
from tools.blocks import Tail, line
from tools.events import ToolProgress, ToolStarted
from tools.task_output.view import TaskOutputData, TaskOutputView
from tools.view import ViewContext

CTX = ViewContext("/home/u/proj", "/home/u")


def output_of(session: Session, task: str) -> Path:
    found = session.tasks.get(task)
    assert found is not None
    return Path(found.output)


def test_it_tells_how_the_task_stands_and_what_it_has_written(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, f"echo one; {UNTIL_GO}; echo two; exit 2")
        await wait_for(lambda: output_of(session, task).read_text() == "one\n")
        said = await told(session, "TaskOutput", task_id=task)
        assert said.startswith(f"{task} (`echo one; while ") and " runs since 0 s. " in said
        assert said.endswith("For what it writes next, give `after` 4.\none")
        (tmp_path / "go").touch()
        await seen.first(TaskChanged, is_over(task))
        said = await told(session, "TaskOutput", task_id=task)
        assert "exit code 2 after 0 s.\none\ntwo" in said and "`after`" not in said

    with_session(tmp_path, work)


def test_only_what_is_new_can_be_asked_for(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "echo one; echo two")
        await seen.first(TaskChanged, is_over(task))
        assert (await told(session, "TaskOutput", task_id=task, after=4)).endswith("s.\ntwo")
        assert (await told(session, "TaskOutput", task_id=task, after=8)).endswith("s.\n(no output)")
        assert (await told(session, "TaskOutput", task_id=task, after=99)).endswith("s.\n(no output)")

    with_session(tmp_path, work)


def test_it_can_wait_for_the_end_and_shows_the_last_lines_meanwhile(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, f"echo working; {UNTIL_GO}; echo done")
        waiting = asyncio.ensure_future(call(session, "TaskOutput", task_id=task, wait=60_000))
        progress = await seen.first(ToolProgress)
        assert progress.data["lines"] == ["working"]
        (tmp_path / "go").touch()
        assert "exit code 0" in text_of(await waiting)

    with_session(tmp_path, work)


def test_a_wait_ends_when_its_time_is_over_and_that_is_no_error(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "sleep 300")
        assert "runs since" in await told(session, "TaskOutput", task_id=task, wait=50)

    with_session(tmp_path, work)


def test_a_new_message_of_the_person_ends_the_wait_and_not_the_task(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "sleep 300")
        waiting = asyncio.ensure_future(call(session, "TaskOutput", task_id=task, wait=600_000))
        await seen.first(ToolStarted, lambda event: event.id != seen.all(ToolStarted)[0].id)
        session.main.queue("never mind")
        answered = await waiting
        assert answered.outcome == "cancelled" and "a new message arrived" in text_of(answered)
        assert session.tasks.running()

    with_session(tmp_path, work)


def test_long_output_comes_as_head_and_tail_with_the_path_of_the_whole(tmp_path: Path) -> None:
    async def work(session: Session, seen: Recorder) -> None:
        task = await started(session, "seq 1 20000")
        await seen.first(TaskChanged, is_over(task))
        said = await told(session, "TaskOutput", task_id=task)
        assert "\n1\n2\n" in said and said.endswith("\n20000") and str(output_of(session, task)) in said
        assert len(said) < 30_000

    with_session(tmp_path, work)


def test_a_task_nobody_knows_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        answered = await call(session, "TaskOutput", task_id="task-9")
        assert (answered.outcome, answered.code) == ("failed", "no_such_task")
        assert text_of(answered) == "There is no task task-9. None was started."
        await started(session, "sleep 300")
        assert "There are: task-1 (`sleep 300`)." in text_of(await call(session, "TaskOutput", task_id="task-9"))

    with_session(tmp_path, work)


def test_output_that_somebody_removed_is_an_error_that_says_so(tmp_path: Path) -> None:
    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, "sleep 300")
        os.unlink(output_of(session, task))
        answered = await call(session, "TaskOutput", task_id=task)
        assert answered.code == "file_missing" and "No such file" in text_of(answered)

    with_session(tmp_path, work)


def test_the_row_says_how_the_task_stands_and_shows_its_last_lines() -> None:
    view = TaskOutputView()
    data = TaskOutputData(
        task="task-1", title="npm test", state="running", seconds=75, output="a\nb\nc\nd\ne\nf\n", next=12,
        total_lines=6, truncated=False, stored="/x",
    )  # fmt: skip
    outcome = line(("npm test  ", "code"), ("runs since 75 s", "quiet"))
    assert view.result(data, [], "condensed", CTX) == (outcome, Tail(("b", "c", "d", "e", "f"), 6))
    assert view.result(data, [], "verbose", CTX) == (outcome, Tail(tuple("abcdef"), 6))
    assert view.use({}, CTX).text == "" and view.use({"task_id": "task-1"}, CTX).text == "task-1"
    silent = data.model_copy(update={"output": "", "state": "failed", "why": "it was lost"})
    assert view.result(silent, [], "condensed", CTX) == (
        line(("npm test  ", "code"), ("failed after 75 s: it was lost", "quiet")),
    )
