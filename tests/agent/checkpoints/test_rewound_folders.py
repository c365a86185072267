"""Going back where folders came and went: what stands in the way of a file goes, and so does what was made for one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.checkpoints.rewinds import Done
from agent.model.scripted import text, tool_use
from agent.session import Session
from tests.support.sessions import play, session_in, turn, yes


def after(folder: Path, call: Any, body: Callable[[Session], Awaitable[None]]) -> None:
    """The body, once the call is done."""

    async def all_of_it() -> None:
        async with session_in(folder, [[call], [text("done")]], yes) as (session, _):
            await turn(session)
            await body(session)

    play(all_of_it)


def command(line: str) -> Any:
    return tool_use("b", "Bash", command=line)


async def back(session: Session) -> Done:
    return await session.rewinds.rewind(await asyncio.to_thread(session.rewinds.plan, 1), "files")


async def forth(session: Session) -> Done:
    return await session.rewinds.undo(await asyncio.to_thread(session.rewinds.undo_plan))


def tree(folder: Path) -> dict[str, str | None]:
    """What lies in it by its name; None: a folder."""
    return {str(one.relative_to(folder)): None if one.is_dir() else one.read_text() for one in folder.rglob("*")}


@pytest.mark.parametrize(
    "line",
    [
        "rm a; mkdir -p a/deep/er; echo x > a/deep/er/x; echo y > a/y",
        "rm -r d; echo a file now > d",
        "mv d e; mkdir -p new/deep; echo n > new/deep/n",
        "rm -r d",
        "mv a b; mv d a; mv b d",
    ],
)
def test_files_and_folders_are_as_they_were_and_the_undo_makes_them_as_they_became(tmp_path: Path, line: str) -> None:
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "d" / "in").mkdir(parents=True)
    (tmp_path / "d" / "in" / "f").write_text("f\n")
    was = tree(tmp_path)

    async def body(session: Session) -> None:
        became = tree(tmp_path)
        for _ in range(2):
            assert not (await back(session)).failed
            assert tree(tmp_path) == was
            assert not (await forth(session)).failed
            assert tree(tmp_path) == became

    after(tmp_path, command(line), body)


def test_a_folder_that_holds_what_is_not_ours_stays_in_the_way_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")

    async def body(session: Session) -> None:
        (tmp_path / "a" / "theirs").write_text("theirs\n")
        plan = await asyncio.to_thread(session.rewinds.plan, 1)
        assert {os.path.basename(file.path): file.lost for file in plan.files} == {
            "x": "",
            "a": "a folder is there now",
        }
        await session.rewinds.rewind(plan, "files")
        assert tree(tmp_path) == {"a": None, "a/theirs": "theirs\n"}

    after(tmp_path, command("rm a; mkdir a; echo x > a/x"), body)


def test_what_comes_into_the_folder_after_the_look_keeps_it_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")

    async def body(session: Session) -> None:
        plan = await asyncio.to_thread(session.rewinds.plan, 1)
        (tmp_path / "a" / "theirs").write_text("theirs\n")
        done = await session.rewinds.rewind(plan, "files")
        assert [path for path, _ in done.failed] == [str(tmp_path / "a")]
        assert tree(tmp_path) == {"a": None, "a/theirs": "theirs\n"}

    after(tmp_path, command("rm a; mkdir a; echo x > a/x"), body)


def test_an_empty_folder_that_was_there_before_stays(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()

    async def body(session: Session) -> None:
        await back(session)
        assert tree(tmp_path) == {"logs": None}

    after(tmp_path, command("mkdir logs/today; echo x > logs/today/x"), body)


def test_a_folder_made_for_a_new_file_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    call = tool_use("w", "Write", file_path=str(tmp_path / "src" / "a" / "b" / "new"), content="new\n")

    async def body(session: Session) -> None:
        await back(session)
        assert tree(tmp_path) == {"src": None}
        await forth(session)
        assert tree(tmp_path)["src/a/b/new"] == "new\n"

    after(tmp_path, call, body)
