"""Whose a change by others was is said with the change; many at once by one hand are told as one."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.events import ExternalEdit
from agent.model.scripted import text, tool_use
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.background import call, told
from tests.support.repositories import Repo
from tests.support.sessions import Recorder, play, session_in, turn, yes

SECONDS = 90
MANY = int(os.environ.get("BRANCH_FILES", "1500"))
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


async def until(holds: Callable[[], object], what: str = "it did not happen") -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.01)


async def edits(seen: Recorder, number: int) -> list[ExternalEdit]:
    await until(lambda: len(seen.all(ExternalEdit)) >= number, f"fewer than {number} outside edits")
    return seen.all(ExternalEdit)


async def reads(session: Session, *names: str) -> None:
    for name in names:
        await told(session, "Read", file_path=name)
    await session.watcher.ready()


def of_branches(folder: Path, files: int) -> Repo:
    """So many files in folders of a hundred, all of them others on the branch `topic`; main is checked out."""
    repo = Repo(folder)
    commits: list[str] = []
    for branch, content in (("main", "one"), ("topic", "two")):
        commits += [f"commit refs/heads/{branch}", "committer me <me@here> 1 +0000", "data 1", "c"]
        commits += ["from refs/heads/main"] if branch != "main" else []
        for number in range(files):
            commits += [f"M 644 inline {name_of(number)}", f"data {len(content) + 1}", content, ""]
    told = "\n".join(commits) + "\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=told.encode(), check=True)
    repo.git("reset", "-q", "--hard", "main")
    return repo


def name_of(number: int) -> str:
    return f"f{number // 100}/{number}.txt"


def says_all(edit: ExternalEdit) -> bool:
    burst = edit.burst
    return edit.attribution == "git checkout topic" and burst is not None and (burst.files, burst.known) == (MANY, 12)


@needs_git
def test_a_switch_of_branches_by_our_own_command_is_one_thing_too(tmp_path: Path) -> None:
    of_branches(tmp_path, MANY)
    known = [name_of(number) for number in range(0, MANY, MANY // 12)][:12]
    script = [[tool_use("b", "Bash", command="git checkout -q topic")], [text("done")]]

    async def body() -> None:
        async with session_in(tmp_path, script, yes, flags=Flags(trusted=True)) as (session, seen):
            await reads(session, *known)
            await turn(session)
            found = seen.all(ExternalEdit)
            assert {edit.call for edit in found} == {"b"} and len({edit.path for edit in found}) == 12
            bursts = {edit.burst.id: edit.burst for edit in found if edit.burst is not None}
            assert all(edit.burst is not None for edit in found) and len(bursts) == 1
            assert [(burst.files, burst.known) for burst in bursts.values()] == [(MANY, 12)]
            assert found[-1].attribution == "while `git checkout -q topic` ran"

    play(body)


@pytest.mark.parametrize("files", [1, 12])
def test_what_a_command_does_to_several_files_bit_by_bit_is_one_thing(tmp_path: Path, files: int) -> None:
    names = [f"{number}.txt" for number in range(files)]
    for name in names:
        (tmp_path / name).write_text("one\n")
    line = "for name in *.txt; do echo two > $name; sleep 0.02; done; sleep 0.5"

    async def body() -> None:
        async with session_in(tmp_path, [[tool_use("b", "Bash", command=line)], [text("done")]], yes) as (
            session,
            seen,
        ):
            await reads(session, *names)
            await turn(session)
            found = seen.all(ExternalEdit)
            assert {os.path.basename(edit.path) for edit in found} == set(names)
            alone = [edit for edit in found if edit.burst is None]
            # What came first is told at once; nobody knows yet that more will come.
            assert len(alone) <= 3 and len({edit.burst.id for edit in found if edit.burst is not None}) == (files > 1)

    play(body)


@needs_git
def test_a_switch_of_branches_over_thousands_of_files_is_one_thing(tmp_path: Path) -> None:
    repo = of_branches(tmp_path, MANY)
    known = [name_of(number * MANY // 12) for number in range(12)]

    async def body() -> None:
        # Nobody was asked to trust it: it brings nothing.
        async with session_in(tmp_path, [[text("done")]], yes, flags=Flags()) as (session, seen):
            await reads(session, *known)
            await asyncio.to_thread(repo.git, "checkout", "-q", "topic")
            await until(lambda: any(says_all(edit) for edit in seen.all(ExternalEdit)), "the whole was not told")
            await session.outside.settled()
            found = seen.all(ExternalEdit)
            assert {os.path.relpath(edit.path, tmp_path) for edit in found} == set(known)
            assert len({edit.burst.id if edit.burst is not None else 0 for edit in found}) == 1
            # On a slow disk git is still at work when the first of it is told; what it was is told again at its end.
            first = {edit.path: edit for edit in reversed(found)}.values()
            assert {edit.attribution for edit in first} <= {"git", "git checkout topic"}
            assert all(edit.diff is not None and (edit.diff.added, edit.diff.removed) == (1, 1) for edit in first)
            await turn(session)
            note = json.dumps(session.main.messages[-2])
            assert "(line 1)" in note and "and 2 files more" in note, "capped"
            steps = session.history.steps()
            await until(lambda: [step.attribution for step in session.history.steps()] == ["git checkout topic"] * 12)
            assert {step.path for step in steps} == {edit.path for edit in found}

    play(body, SECONDS)


def test_many_files_that_a_stranger_writes_are_one_thing_and_a_few_are_not(tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in range(8)]
    for name in [*names, "unknown.txt"]:
        (tmp_path / name).write_text("one\n")

    async def body() -> None:
        async with session_in(tmp_path, [], yes) as (session, seen):
            await reads(session, *names)
            (tmp_path / "0.txt").write_text("two\n")
            (alone,) = await edits(seen, 1)
            assert (alone.attribution, alone.burst) == ("external", None)
            all_at_once = (
                f"for n in 1 2 3 4 5 6 7; do echo two > {tmp_path}/$n.txt; done; echo > {tmp_path}/unknown.txt"
            )
            await asyncio.to_thread(subprocess.run, ["sh", "-c", all_at_once], check=True)
            burst = (await edits(seen, 8))[-1].burst
            assert burst is not None and burst.files >= burst.known >= 4

    play(body, SECONDS)


@needs_git
def test_one_file_that_git_brought_back_says_so(tmp_path: Path) -> None:
    repo = of_branches(tmp_path, 2)

    async def body() -> None:
        async with session_in(tmp_path, [], yes) as (session, seen):
            await reads(session, name_of(0))
            await asyncio.to_thread(repo.git, "checkout", "-q", "topic")
            (edit,) = await edits(seen, 1)
            assert (edit.attribution, edit.burst) == ("git checkout topic", None)
            assert edit.evidence == "the log of HEAD says: checkout: moving from main to topic"

    play(body, SECONDS)


def test_another_session_in_the_same_folder_is_told_from_strangers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("one\n")

    async def body() -> None:
        async with session_in(tmp_path, [], yes) as (session, seen), session_in(tmp_path, [], yes) as (other, _):
            await reads(session, "a.txt", "b.txt")
            await reads(other, "a.txt")
            await told(other, "Edit", file_path="a.txt", old_string="one", new_string="two")
            (edit,) = await edits(seen, 1)
            assert edit.attribution == f"another agent-tui (process {os.getpid()})"
            await told(other, "Bash", command="echo two > b.txt")
            assert (await edits(seen, 2))[1].attribution == f"probably another agent-tui (process {os.getpid()})"
            await other.close()
            (tmp_path / "a.txt").write_text("three\n")
            await until(lambda: any(edit.attribution == "external" for edit in seen.all(ExternalEdit)))

    play(body, SECONDS)


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_who_saves_in_vim_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")

    async def body() -> None:
        async with session_in(tmp_path, [], yes) as (session, seen):
            await reads(session, "a.txt")
            terminal, inner = pty.openpty()
            argv = ["vim", "-u", "NONE", "-N", str(file)]
            env = {**os.environ, "TERM": "xterm"}
            vim = subprocess.Popen(argv, stdin=inner, stdout=inner, stderr=inner, env=env, start_new_session=True)
            os.close(inner)
            try:
                await until((tmp_path / ".a.txt.swp").exists, "vim did not open it")
                os.write(terminal, b"otwo\x1b:w\r")
                (edit,) = await edits(seen, 1)
                assert (edit.attribution, edit.evidence) == ("saved in vim", "its .a.txt.swp says so")
            finally:
                vim.kill()
                vim.wait()
                os.close(terminal)

    play(body, SECONDS)


def test_what_a_model_has_read_since_is_no_news_to_it(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")

    async def body() -> None:
        script = [[tool_use("r", "Read", file_path="a.txt")], [text("read")], [text("done")]]
        async with session_in(tmp_path, script, yes) as (session, seen):
            await turn(session)
            await session.watcher.ready()
            file.write_text("two\n")
            await call(session, "Read", file_path="a.txt")
            await edits(seen, 1)
            await session.outside.settled()
            await turn(session, "and?")
            assert "Changed outside" not in json.dumps(session.main.messages[-2])

    play(body, SECONDS)


async def news_of(session: Session) -> str:
    """What the model hears of outside edits with the next message."""
    await session.outside.settled()
    await turn(session, "and?")
    return json.dumps(session.main.messages[-2])


def test_of_several_changes_of_a_file_the_model_hears_all_places_and_of_one_that_is_gone_that_it_is(
    tmp_path: Path,
) -> None:
    file, other = tmp_path / "a.txt", tmp_path / "b.txt"
    numbers = [f"{number}\n" for number in range(1, 41)]
    for one in (file, other):
        one.write_text("".join(numbers))

    async def body() -> None:
        async with session_in(tmp_path, [[text("done")]], yes) as (session, seen):
            await reads(session, "a.txt", "b.txt")
            numbers[1] = "two\n"
            file.write_text("".join(numbers))
            await edits(seen, 1)
            numbers[29] = "thirty\n"
            file.write_text("".join(numbers))
            await edits(seen, 2)
            other.unlink()
            await edits(seen, 3)
            said = await news_of(session)
            assert f"{os.path.realpath(file)} (line 2, 30)" in said
            assert f"{os.path.realpath(other)} (it is gone)" in said

    play(body, SECONDS)


def test_what_was_put_back_as_the_model_saw_it_is_no_news(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")

    async def body() -> None:
        async with session_in(tmp_path, [[text("done")]], yes) as (session, seen):
            await reads(session, "a.txt")
            for number, content in enumerate(("two\n", "one\n"), 1):
                file.write_text(content)
                await edits(seen, number)
            assert "Changed outside" not in await news_of(session)
            assert [edit.as_seen for edit in seen.all(ExternalEdit)] == [False, True]

    play(body, SECONDS)
