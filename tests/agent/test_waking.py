"""A session that goes on knows what it knew: what others changed meanwhile is told, and not written over unread."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.events import ExternalEdit
from agent.model.scripted import text, tool_use
from tests.support.background import call, told
from tests.support.pipeline import text_of
from tests.support.sessions import play, session_in, turn, yes

TEN = "".join(f"line {number}\n" for number in range(1, 11))
READ = [[tool_use("r", "Read", file_path="a.txt"), tool_use("s", "Read", file_path="b.txt")], [text("read")]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "b.txt").write_text(TEN)
    file = tmp_path / "a.txt"
    file.write_text(TEN)
    return file


async def first_run(folder: Path, script: Any = READ) -> None:
    async with session_in(folder, script, yes) as (session, _):
        await turn(session)


def test_G17_a_file_changed_while_the_program_was_closed_is_an_outside_edit_and_is_refused_until_it_is_read(
    file: Path,
) -> None:
    async def body() -> None:
        await first_run(file.parent)
        file.write_text(TEN.replace("line 2\n", "theirs\n"))
        edits = [tool_use("e", "Edit", file_path="a.txt", old_string="line 9", new_string="nine")]
        writes = [tool_use("w", "Write", file_path="a.txt", content="mine\n")]
        script = [edits, writes, [text("so be it")]]
        async with session_in(file.parent, script, yes, resume_latest=True) as (session, seen):
            session.announce()
            await session.settled()
            (edit,) = seen.all(ExternalEdit)
            assert (edit.path, edit.attribution, edit.kind) == (str(file), "while agent-tui was closed", "changed")
            assert edit.diff is not None and (edit.diff.added, edit.diff.removed) == (1, 1)
            await turn(session, "go on")
            said = [str(block) for message in session.main.messages[-6:] for block in message["content"]]
            assert any("a.txt (line 2)" in block for block in said) and not any("b.txt" in block for block in said)
            refused = [block for block in said if "tool_result" in block]
            assert len(refused) == 2 and all("was changed by somebody else since you read it" in one for one in refused)
            assert file.read_text() == TEN.replace("line 2\n", "theirs\n")
            await told(session, "Read", file_path="a.txt")
            assert "Changed" in await told(session, "Edit", file_path="a.txt", old_string="line 9", new_string="nine")
            assert "Changed" in await told(session, "Edit", file_path="b.txt", old_string="line 9", new_string="nine")

    play(body)


def test_the_first_message_already_carries_it_whoever_is_fast(file: Path) -> None:
    async def body() -> None:
        await first_run(file.parent)
        file.unlink()
        async with session_in(file.parent, [[text("seen")]], yes, resume_latest=True) as (session, seen):
            await turn(session, "go on")
            assert "a.txt" in json.dumps(session.main.messages[-2])
            assert [edit.kind for edit in seen.all(ExternalEdit)] == ["deleted"]

    play(body)


def test_what_was_not_touched_is_no_news_and_is_watched_again_at_once(file: Path) -> None:
    async def body() -> None:
        await first_run(file.parent)
        os.utime(file, (1, 1))
        async with session_in(file.parent, [], yes, resume_latest=True) as (session, seen):
            session.announce()
            await session.settled()
            assert seen.all(ExternalEdit) == [] and session.watcher.following == 2
            file.write_text("theirs\n")
            edit = await seen.first(ExternalEdit)
            assert edit.attribution == "external" and edit.diff is not None and edit.diff.removed == 10

    play(body)


def test_what_the_model_was_shown_after_the_change_is_told_once_only(file: Path) -> None:
    async def body() -> None:
        await first_run(file.parent)
        file.write_text("theirs\n")
        for known in (1, 0):
            async with session_in(file.parent, [[text("ok")]], yes, resume_latest=True) as (session, seen):
                session.announce()
                await session.settled()
                assert len(seen.all(ExternalEdit)) == known
                await call(session, "Read", file_path="a.txt")
                await turn(session, "go on")

    play(body)


def test_G17_what_the_session_wrote_itself_is_still_its_own_after_a_kill(file: Path) -> None:
    """Killed after the write, before the turn was over: what was seen is older than what was written."""
    program = """
import asyncio, os, signal, sys
from pathlib import Path
from agent.model.scripted import text, tool_use
from tests.support.sessions import session_in, turn, yes
async def main():
    reads = [[tool_use("r", "Read", file_path="a.txt")], [text("read")]]
    def script(request):
        number = len(request.messages)
        if number < 5:
            return reads[number // 2]
        if number < 7:
            return [tool_use("e", "Edit", file_path="a.txt", old_string="line 2", new_string="ours")]
        os.kill(os.getpid(), signal.SIGKILL)
    from agent.model.scripted import ScriptedModel
    async with session_in(Path(sys.argv[1]), ScriptedModel(script), yes) as (session, _):
        await turn(session)
        await turn(session, "edit")
asyncio.run(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(file.parent)], cwd=Path(__file__).parents[2], check=False
    )
    assert ended.returncode == -signal.SIGKILL and "ours" in file.read_text()

    async def body() -> None:
        async with session_in(file.parent, [[text("ok")]], yes, resume_latest=True) as (session, seen):
            session.announce()
            await session.settled()
            assert seen.all(ExternalEdit) == []
            refused = await call(session, "Edit", file_path="a.txt", old_string="line 9", new_string="nine")
            assert refused.code == "stale"
            assert "was changed by another call of this session since you read it" in text_of(refused)
            file.write_text("theirs\n")
            await seen.first(ExternalEdit)

    play(body)
