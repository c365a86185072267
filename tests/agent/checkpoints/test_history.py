"""What a session remembers of what happened to files: whoever did it, and also after a resume."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.checkpoints.blobs import Blobs
from agent.checkpoints.history import STEPS_FILE, SessionHistory, steps_in
from agent.checkpoints.steps import Step
from agent.events import ExternalEdit
from agent.model.scripted import text, tool_use
from tests.support.sessions import play, session_in, turn, yes
from tests.support.writing import NEW, OLD, failing, write
from tools.files import Files, hash_bytes
from tools.ledger.writes import Writes


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def history(tmp_path: Path, told: list[str]):
    (tmp_path / "session").mkdir()
    history = SessionHistory(Blobs(str(tmp_path / "checkpoints")), str(tmp_path / "session"), told.append)
    yield history
    history.close()


def bytes_of(history: SessionHistory, steps: Sequence[Step]) -> list[tuple[bytes | None, bytes | None]]:
    history.settled()
    get = history.content
    return [
        (None if step.before is None else get(step.before), None if step.after is None else get(step.after))
        for step in steps
    ]


def edit(call_id: str, path: Path, old: str, new: str):
    return [tool_use(call_id, "Edit", file_path=str(path), old_string=old, new_string=new)]


def read(call_id: str, path: Path):
    return [tool_use(call_id, "Read", file_path=str(path))]


DONE = [text("Done.")]


def outside(path: Path, content: str) -> None:
    subprocess.run(
        [sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write(sys.argv[2])", path, content], check=True
    )


# -- the writer


def test_a_write_is_a_step_with_the_bytes_of_before_and_after(history: SessionHistory, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    write(path, files=Files(Writes(), keeper=history))
    (step,) = history.steps(str(path))
    assert (step.by, step.call, step.number) == ("call", "call-1", 1)
    assert bytes_of(history, [step]) == [(OLD, NEW)]


def test_a_new_file_had_nothing_before_and_a_removed_one_has_nothing_after(
    history: SessionHistory, tmp_path: Path
) -> None:
    path, files = tmp_path / "a.txt", Files(Writes(), keeper=history)
    write(path, files=files, new=True)
    files.remove(str(path), expected=hash_bytes(NEW), call_id="rewind-1")
    assert not path.exists()
    assert bytes_of(history, history.steps()) == [(None, NEW), (NEW, None)]
    assert [step.by for step in history.steps()] == ["call", "person"]


def test_a_file_that_changed_meanwhile_is_not_removed(history: SessionHistory, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"somebody else's")
    with pytest.raises(Exception, match="changed meanwhile"):
        Files(Writes(), keeper=history).remove(str(path), expected=hash_bytes(NEW), call_id="rewind-1")
    assert path.read_bytes() == b"somebody else's" and not history.steps()


def test_a_write_that_failed_is_no_step(
    history: SessionHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    failing(monkeypatch, "replace", 28)
    with pytest.raises(Exception, match="No space left"):
        write(path, files=Files(Writes(), keeper=history))
    assert not history.steps()


def test_a_store_that_takes_nothing_is_said_once_and_stops_no_write(tmp_path: Path, told: list[str]) -> None:
    (tmp_path / "session").mkdir()
    (tmp_path / "checkpoints").write_text("a file where the folder should be")
    history = SessionHistory(Blobs(str(tmp_path / "checkpoints")), str(tmp_path / "session"), told.append)
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    write(path, files=Files(Writes(), keeper=history))
    history.close()
    assert path.read_bytes() == NEW and len(told) == 1 and "cannot all be taken back" in told[0]
    assert bytes_of(history, history.steps()) == [(None, None)]


def test_a_log_that_cannot_be_opened_stops_nothing(tmp_path: Path, told: list[str]) -> None:
    history = SessionHistory(Blobs(str(tmp_path / "checkpoints")), str(tmp_path / "nowhere"), told.append)
    history.note("/a", None, "x", "call")
    history.close()
    assert len(history.steps()) == 1 and len(told) == 1


# -- the log


def test_a_torn_last_line_is_dropped_and_the_numbers_go_on(
    history: SessionHistory, tmp_path: Path, told: list[str]
) -> None:
    for after in ("1", "2"):
        history.note("/odd \udcff name", None, after, "outside", attribution="external")
    history.close()
    log = tmp_path / "session" / STEPS_FILE
    with log.open("ab") as file:
        file.write(b'{"number": 3, "path": "/a", "bef')
    again = SessionHistory(history.blobs, str(tmp_path / "session"), told.append)
    again.note("/a", None, "3", "call", call="c")
    assert [(step.number, step.path) for step in again.steps()] == [
        (1, "/odd \udcff name"),
        (2, "/odd \udcff name"),
        (3, "/a"),
    ]
    again.close()
    assert steps_in(str(log)) == again.steps()


def test_lines_that_are_no_steps_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / STEPS_FILE
    log.write_text(
        '{"number": 1}\nnonsense\n{"number":1,"path":"/a","before":null,"after":"x","by":"a devil","turn":1,"time":0}\n'
    )
    assert steps_in(str(log)) == ()


# -- in a session


def test_a_session_knows_what_its_calls_and_others_did_and_in_which_turn(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    script = [read("c1", path), edit("c2", path, "one", "two"), DONE, edit("c3", path, "two", "three"), DONE]

    async def body() -> None:
        async with session_in(tmp_path, script, yes) as (session, seen):
            await turn(session)
            await session.watcher.ready()
            await turn(session, "more")
            await asyncio.to_thread(outside, path, "theirs\n")
            await seen.first(ExternalEdit)
            steps = session.history.steps(str(path))
            assert [(step.by, step.call, step.turn) for step in steps] == [
                ("call", "c2", 1),
                ("call", "c3", 2),
                ("outside", "", 2),
            ]
            assert steps[2].attribution == "external"
            assert await asyncio.to_thread(bytes_of, session.history, steps) == [
                (b"one\n", b"two\n"),
                (b"two\n", b"three\n"),
                (b"three\n", b"theirs\n"),
            ]

    play(body)


def test_what_was_read_is_kept_so_that_somebody_elses_first_change_has_a_before(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")

    async def body() -> None:
        async with session_in(tmp_path, [read("c1", path), DONE], yes) as (session, seen):
            await turn(session)
            await asyncio.to_thread(session.history.settled)
            await asyncio.to_thread(outside, path, "theirs\n")
            await seen.first(ExternalEdit)
            steps = session.history.steps()
            assert await asyncio.to_thread(bytes_of, session.history, steps) == [(b"one\n", b"theirs\n")]

    play(body)


def test_what_stood_in_a_file_for_a_moment_is_kept_as_it_was_seen(history: SessionHistory, tmp_path: Path) -> None:
    file, passing = tmp_path / "a.txt", "for a moment, é\n"
    file.write_text("something else by now\n")
    hash = hash_bytes(passing.encode())
    history.found(str(file), None, hash, "", "external", passing)
    history.found(str(file), hash, hash_bytes(b"no\r\ntext of this\r\n"), "", "external", "no\ntext of this\n")
    history.settled()
    kept = [history.content(step.after) for step in history.steps() if step.after is not None]
    assert kept == [passing.encode(), None], "bytes nobody saw are not made up"


def test_a_resumed_session_goes_on_with_its_steps_and_its_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")

    async def body() -> None:
        async with session_in(tmp_path, [read("c1", path), edit("c2", path, "one", "two"), DONE], yes) as (first, _):
            await turn(first)
        again = [read("c3", path), edit("c4", path, "two", "three"), DONE]
        async with session_in(tmp_path, again, yes, resume=first.id) as (session, _):
            await turn(session, "more")
            assert [(step.number, step.call, step.turn) for step in session.history.steps()] == [
                (1, "c2", 1),
                (2, "c4", 2),
            ]
            assert bytes_of(session.history, session.history.steps())[0] == (b"one\n", b"two\n")

    play(body)


def test_a_session_that_keeps_nothing_leaves_nothing_in_the_state_folder(
    tmp_path: Path, a_home_of_its_own: Path
) -> None:
    path = tmp_path / "a.txt"

    async def body() -> None:
        script = [[tool_use("c1", "Write", file_path=str(path), content="new\n")], DONE]
        async with session_in(tmp_path, script, yes, keep=False) as (session, _):
            await turn(session)
            assert bytes_of(session.history, session.history.steps()) == [(None, b"new\n")]

    play(body)
    assert not list(a_home_of_its_own.rglob("checkpoints"))
