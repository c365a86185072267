"""Going back to before a message in a session: files, conversation or both, as the plan showed it; and undoing that."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.checkpoints import commands
from agent.checkpoints.rewind import Plan
from agent.checkpoints.rewinds import CHANGED, NotRewound, What
from agent.events import ExternalEdit, Rewound
from agent.model.scripted import ScriptedModel, text, tool_use
from agent.session import Session
from tests.support.sessions import play, session_in, turn, yes
from tools.events import ToolStarted

DONE = [text("done")]


def read(id: str, path: Path) -> Any:
    return [tool_use(id, "Read", file_path=str(path))]


def edit(id: str, path: Path, old: str, new: str) -> Any:
    return [tool_use(id, "Edit", file_path=str(path), old_string=old, new_string=new)]


def write(id: str, path: Path, content: str) -> Any:
    return [tool_use(id, "Write", file_path=str(path), content=content)]


def bash(id: str, command: str) -> Any:
    return [tool_use(id, "Bash", command=command)]


async def planned(session: Session, number: int) -> Plan:
    """For going back to before the message of this turn."""
    return await asyncio.to_thread(session.rewinds.plan, number)


def said_to(model: ScriptedModel) -> str:
    return json.dumps(model.requests[-1].messages)


def test_files_and_conversation_go_back_and_come_again(tmp_path: Path) -> None:
    a, new = tmp_path / "a.txt", tmp_path / "deep" / "new.txt"
    a.write_text("one\n")
    model = ScriptedModel(
        [read("r", a), DONE, edit("e", a, "one", "two"), write("w", new, "new\n"), bash("b", "rm a.txt"), DONE, DONE]
    )

    async def body() -> None:
        async with session_in(tmp_path, model, yes) as (session, seen):
            await turn(session, "first")
            before = list(session.main.messages)
            await turn(session, "second")
            after = list(session.main.messages)
            assert not a.exists()
            assert [(point.text, point.calls, point.commands) for point in session.rewinds.points()] == [
                ("second", 3, 1),
                ("first", 1, 0),
            ]
            plan = await planned(session, 2)
            assert (plan.messages, plan.calls, plan.commands, plan.conversation) == (1, 3, 1, True)
            done = await session.rewinds.rewind(plan, "both")
            assert (done.files, done.failed, done.text) == (2, (), "second")
            assert a.read_text() == "one\n" and not new.exists()
            assert session.main.messages == before and not session.main.seen.knows(str(a))
            assert seen.all(Rewound) == [Rewound(2, 1, True, 2)]
            assert [point.text for point in session.rewinds.points()] == ["first"]
            undoing = await asyncio.to_thread(session.rewinds.undo_plan)
            undone = await session.rewinds.undo(undoing)
            assert (undone.files, undone.failed) == (2, ())
            assert not a.exists() and new.read_text() == "new\n"
            assert session.main.messages == after and session.main.seen.knows(str(a))
            assert session.rewinds.undoable is None
            assert not [one for one in seen.all(ExternalEdit) if not one.call]
            await turn(session, "third")
            assert "took changes back" not in said_to(model)

    play(body)


def test_files_alone_go_back_and_the_model_hears_of_it(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"
    a.write_text("one\n")
    model = ScriptedModel([read("r", a), edit("e", a, "one", "two"), DONE, DONE])

    async def body() -> None:
        async with session_in(tmp_path, model, yes) as (session, _):
            await turn(session, "first")
            await session.rewinds.rewind(await planned(session, 1), "files")
            assert a.read_text() == "one\n" and len(session.main.messages) > 2
            await turn(session, "go on")
            assert "took changes back; these files are not as you left them. It is meant so" in said_to(model)
            # It knows the file in this form, too: it read it so.
            assert a.read_text() == "one\n" or a.read_text() == "three\n"

    play(body)


def test_the_conversation_alone_goes_back_and_the_model_hears_which_files_changed_since(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"
    model = ScriptedModel([DONE, write("w", a, "new\n"), DONE, DONE])

    async def body() -> None:
        async with session_in(tmp_path, model, yes) as (session, _):
            await turn(session, "first")
            await turn(session, "second")
            done = await session.rewinds.rewind(await planned(session, 2), "conversation")
            assert (done.files, done.text) == (0, "second") and a.read_text() == "new\n"
            await turn(session, "other words")
            said = said_to(model)
            assert "second" not in said and "other words" in said and str(a) in said

    play(body)


def test_a_resumed_session_has_the_conversation_as_it_was_cut(tmp_path: Path) -> None:
    a = tmp_path / "a.txt"

    async def body() -> None:
        async with session_in(tmp_path, [DONE, write("w", a, "new\n"), DONE, DONE], yes) as (first, _):
            await turn(first, "first")
            await turn(first, "second")
            await first.rewinds.rewind(await planned(first, 2), "both")
            await turn(first, "third")
            messages = list(first.main.messages)
        async with session_in(tmp_path, [DONE], yes, resume=first.id) as (session, _):
            assert session.main.messages == messages
            assert [point.text for point in session.rewinds.points()] == ["third", "first"]
            await session.rewinds.rewind(await planned(session, 3), "conversation")
            assert len(session.main.messages) == 2

    play(body)


@pytest.mark.parametrize("what", ["both", "files", "conversation"])
def test_the_last_rewind_can_be_undone_after_a_resume_as_long_as_nothing_was_said(tmp_path: Path, what: What) -> None:
    a = tmp_path / "a.txt"

    async def body() -> None:
        async with session_in(tmp_path, [DONE, write("w", a, "new\n"), DONE], yes) as (first, _):
            await turn(first, "first")
            await turn(first, "second")
            messages = list(first.main.messages)
            await first.rewinds.rewind(await planned(first, 2), what)
        async with session_in(tmp_path, [DONE], yes, resume=first.id) as (session, seen):
            undoable = session.rewinds.undoable
            assert undoable is not None
            assert (undoable.text, undoable.files, undoable.conversation) == (
                "second",
                what != "conversation",
                what != "files",
            )
            done = await session.rewinds.undo(await asyncio.to_thread(session.rewinds.undo_plan))
            assert not done.failed and a.read_text() == "new\n" and session.main.messages == messages
            assert [point.text for point in session.rewinds.points()] == ["second", "first"]
            assert [one.undone for one in seen.all(Rewound)] == [True] and session.rewinds.undoable is None
        async with session_in(tmp_path, [DONE], yes, resume=first.id) as (again, _):
            assert again.rewinds.undoable is None and again.main.messages == messages
            await again.rewinds.rewind(await planned(again, 2), "both")
            await turn(again, "third")
        async with session_in(tmp_path, [DONE], yes, resume=first.id) as (after, _):
            assert after.rewinds.undoable is None

    play(body)


def test_what_others_did_stays_and_where_it_meets_ours_the_choice_decides(tmp_path: Path) -> None:
    apart, met = tmp_path / "apart", tmp_path / "met"
    for file in (apart, met):
        file.write_text("one\ntwo\nthree\n")
    script = [
        [*read("r1", apart), *read("r2", met)],
        [*edit("e1", apart, "one", "ONE"), *edit("e2", met, "one", "ONE")],
        DONE,
    ]

    async def body() -> None:
        async with session_in(tmp_path, script, yes) as (session, seen):
            await turn(session)
            await session.watcher.ready()
            await asyncio.to_thread(apart.write_text, "ONE\ntwo\nTHREE\n")
            await asyncio.to_thread(met.write_text, "theirs\ntwo\nthree\n")
            await seen.first(ExternalEdit, lambda event: event.path == str(met), 30)
            await seen.first(ExternalEdit, lambda event: event.path == str(apart), 30)
            plan = await planned(session, 1)
            files = {Path(file.path).name: file for file in plan.files}
            assert (files["apart"].met, files["apart"].others) == (0, (1, 1))
            assert (files["met"].met, files["met"].changes) == (1, False)
            await session.rewinds.rewind(plan, "files")
            assert (apart.read_text(), met.read_text()) == ("one\ntwo\nTHREE\n", "theirs\ntwo\nthree\n")
            await session.rewinds.rewind(await planned(session, 1), "files", {str(met): "mine"})
            assert met.read_text() == "one\ntwo\nthree\n"
            await session.rewinds.undo(await asyncio.to_thread(session.rewinds.undo_plan))
            assert met.read_text() == "theirs\ntwo\nthree\n"

    play(body)


def test_what_others_did_before_ours_is_told_as_staying_too(tmp_path: Path) -> None:
    a = tmp_path / "a"
    a.write_text("one\ntwo\n")
    script = [read("r", a), bash("s", "sleep 30"), edit("e", a, "one", "ONE"), DONE]

    async def body() -> None:
        async with session_in(tmp_path, script, yes) as (session, seen):
            session.submit("go")
            await seen.first(ToolStarted, lambda event: event.id == "s", 30)
            await session.watcher.ready()
            await asyncio.to_thread(a.write_text, "one\ntwo\ntheirs\n")
            await seen.first(ExternalEdit, lambda event: event.path == str(a), 30)
            session.cancel("s")
            await session.turn_ended()
            (file,) = (await planned(session, 1)).files
            assert (file.others, file.met) == ((1, 0), 0)
            await session.rewinds.rewind(await planned(session, 1), "files")
            assert a.read_text() == "one\ntwo\ntheirs\n"

    play(body)


def test_a_file_that_changed_since_the_look_is_left_and_named(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"

    async def body() -> None:
        async with session_in(tmp_path, [bash("b", "echo x > a; echo x > b"), DONE], yes) as (session, _):
            await turn(session)
            plan = await planned(session, 1)
            a.write_text("somebody's, just now\n")
            done = await session.rewinds.rewind(plan, "files")
            assert done.failed == ((str(a), CHANGED),) and done.files == 1
            assert a.read_text() == "somebody's, just now\n" and not b.exists()

    play(body)


def test_modes_names_and_bytes_that_are_no_text_come_back(tmp_path: Path) -> None:
    script, binary, old = tmp_path / "script", tmp_path / "binary", tmp_path / "old name"
    for file, data in ((script, b"#!/bin/sh\n"), (binary, b"\0\xff\n" * 9), (old, b"moved\n")):
        file.write_bytes(data)
    script.chmod(0o755)
    old.chmod(0o700)
    command = "chmod 600 script; printf 'x\\0' > binary; mv 'old name' 'new name'"

    async def body() -> None:
        async with session_in(tmp_path, [bash("b", command), DONE], yes) as (session, _):
            await turn(session)
            for _ in range(2):
                await session.rewinds.rewind(await planned(session, 1), "files")
                assert os.stat(script).st_mode & 0o777 == 0o755 and binary.read_bytes() == b"\0\xff\n" * 9
                assert old.read_bytes() == b"moved\n" and os.stat(old).st_mode & 0o777 == 0o700
                assert not (tmp_path / "new name").exists()
                done = await session.rewinds.undo(await asyncio.to_thread(session.rewinds.undo_plan))
                assert not done.failed
                assert os.stat(script).st_mode & 0o777 == 0o600 and binary.read_bytes() == b"x\0"
                assert (tmp_path / "new name").read_bytes() == b"moved\n" and not old.exists()
                assert os.stat(tmp_path / "new name").st_mode & 0o777 == 0o700

    play(body)


def test_B6_going_back_does_not_reach_through_a_hard_link_out_of_the_workspace(tmp_path: Path) -> None:
    inside, outside = tmp_path / "work" / "inside", tmp_path / "outside"
    inside.parent.mkdir()
    inside.write_text("one\n")

    async def body() -> None:
        async with session_in(inside.parent, [bash("b", "echo two > inside"), DONE], yes) as (session, _):
            await turn(session)
            os.link(inside, outside)
            plan = await planned(session, 1)
            assert [(file.changes, "another name" in file.lost) for file in plan.files] == [(False, True)]
            assert (await session.rewinds.rewind(plan, "files")).files == 0
            assert inside.read_text() == outside.read_text() == "two\n"

    play(body)


def test_what_cannot_be_written_is_named_and_the_rest_goes_back(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [bash("b", "echo x > a; echo x > b; chmod 400 a"), DONE], yes) as (session, _):
            await turn(session)
            done = await session.rewinds.rewind(await planned(session, 1), "files")
            assert done.files == 1 and not (tmp_path / "b").exists()
            assert [(path, "read-only" in why) for path, why in done.failed] == [(str(tmp_path / "a"), True)]

    play(body)


def test_what_runs_is_waited_for_by_nobody(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [write("w", tmp_path / "a", "x"), DONE], yes) as (session, _):
            await turn(session)
            plan = await planned(session, 1)
            async with session.write_lock():
                with pytest.raises(NotRewound, match="Esc stops it"):
                    await session.rewinds.rewind(plan, "files")
            assert (tmp_path / "a").exists()

    play(body)


def test_once_something_was_said_a_cut_conversation_is_not_put_back(tmp_path: Path) -> None:
    async def body() -> None:
        async with session_in(tmp_path, [DONE, DONE, DONE], yes) as (session, _):
            await turn(session, "first")
            await turn(session, "second")
            await session.rewinds.rewind(await planned(session, 2), "both")
            assert session.rewinds.undoable is not None
            undoing = await asyncio.to_thread(session.rewinds.undo_plan)
            await turn(session, "third")
            assert session.rewinds.undoable is None
            with pytest.raises(NotRewound, match="said since"):
                await session.rewinds.undo(undoing)

    play(body)


def test_what_is_not_covered_is_in_the_plan(tmp_path: Path) -> None:
    async def body() -> None:
        script = [
            bash("b", "ln -s nowhere link"),
            [tool_use("c", "Bash", command="true", run_in_background=True)],
            DONE,
        ]
        async with session_in(tmp_path, script, yes) as (session, _):
            await turn(session)
            plan = await planned(session, 1)
            assert [(Path(gap.path).name, gap.why) for gap in plan.gaps] == [("link", "link")]
            assert plan.commands == 2 and plan.tasks == ("true",) and plan.files == ()

    play(body)


def test_a_thousand_files_go_back_while_the_loop_goes_on(tmp_path: Path) -> None:
    async def body() -> None:
        command = "for i in $(seq 1000); do echo $i > file$i; done"
        async with session_in(tmp_path, [bash("b", command), DONE], yes) as (session, _):
            await turn(session)
            told: list[int] = []
            done = await session.rewinds.rewind(await planned(session, 1), "files", progress=told.append)
            assert done.files == 1000 and not done.failed and not list(tmp_path.glob("file*"))
            # The loop heard of each, one after the other: it was never held up by all of them.
            assert told == list(range(1, 1001))

    play(body)


def test_what_is_not_covered_is_named_once_and_not_where_it_can_be_taken_back_after_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "KEPT_FILE_BYTES", 3)
    for name, data in (("lost", "as it was\n"), ("grown", "x\n")):
        (tmp_path / name).write_text(data)
    (tmp_path / "link").symlink_to("lost")
    line = "echo again >> lost; ln -sf grown link"
    calls = (bash("b", f"{line}; echo again > grown"), bash("c", line), bash("d", "echo y > grown"), DONE)

    async def body() -> None:
        async with session_in(tmp_path, list(calls), yes) as (session, _):
            await turn(session)
            plan = await planned(session, 1)
            assert [os.path.basename(file.path) for file in plan.files] == ["grown"]
            gaps = sorted((os.path.basename(gap.path), gap.count, gap.why) for gap in plan.gaps)
            assert gaps == [("link", 1, "link"), ("lost", 1, "large")]

    play(body)
