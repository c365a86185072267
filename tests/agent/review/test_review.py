"""Keeping, taking back and commenting on what a real session changed, while others change the same files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.events import ExternalEdit
from agent.model.scripted import ScriptedModel, text, tool_use
from agent.review.review import FileItems, Item, NotDone
from agent.session import Session
from agent.settings.merge import Flags
from tests.support.repositories import Repo
from tests.support.sessions import Recorder, play, results_of, session_in, turn
from tools.events import PermissionRequested
from tools.permissions.gate import Answer

TEN = "".join(f"{number}\n" for number in range(1, 11))
EDITS = Flags(trusted=True, mode="acceptEdits", allowed_tools=("Bash",))
READ = [tool_use("r", "Read", file_path="a.txt")]


def edit(old: str, new: str, name: str = "a.txt", id: str = "e") -> dict[str, Any]:
    return tool_use(id, "Edit", file_path=name, old_string=old, new_string=new)


SCRIPT = [READ, [edit("5\n", "five\n"), edit("9\n", "nine\n", id="f")], [text("done")]]
Body = Callable[[Session, Recorder, str], Awaitable[None]]


def reviewed(folder: Path, body: Body, script: Any = SCRIPT, turns: int = 1, **wanted: Any) -> ScriptedModel:
    """The body, once the model has changed `a.txt`; it is given the file's real path."""
    file = folder / "a.txt"
    if not file.exists():
        file.write_text(TEN)
    model = ScriptedModel(script)

    async def work() -> None:
        async with session_in(folder, model, flags=EDITS, **wanted) as (session, seen):
            for number in range(turns):
                await turn(session, f"go {number}")
            await asyncio.to_thread(session.history.settled)
            await body(session, seen, os.path.realpath(file))

    play(work)
    return model


def items(session: Session, path: str) -> FileItems:
    return session.review.look(path)


def marked(found: FileItems) -> list[str]:
    def mark(item: Item) -> str:
        state = "undone" if item.undone else "kept" if item.kept else item.hunk.whose
        return f"{state} {b''.join(item.hunk.added).decode().strip()}"

    return [mark(item) for item in found.items]


async def take_back(session: Session, path: str, number: int = 0) -> None:
    found = items(session, path)
    await session.review.take_back(found.changes, found.items[number])


def test_a_hunk_is_taken_back_and_put_back_and_is_nobody_elses_change(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        assert marked(items(session, path)) == ["ours five", "ours nine"]
        await take_back(session, path)
        assert Path(path).read_text() == TEN.replace("9", "nine")
        assert marked(items(session, path)) == ["undone five", "ours nine"]
        await session.review.put_back(items(session, path).items[0])
        assert Path(path).read_text() == TEN.replace("9", "nine").replace("5", "five")
        assert marked(items(session, path)) == ["ours five", "ours nine"]
        await session.watcher.ready()
        await asyncio.to_thread(session.watcher.look_now)
        await asyncio.sleep(0)
        assert not seen.all(ExternalEdit)
        assert [step.by for step in session.history.steps()] == ["call", "call", "person", "person"]

    reviewed(tmp_path, body)


def test_the_model_hears_which_lines_were_taken_back_and_its_next_edit_goes_into_them_as_they_are(
    tmp_path: Path,
) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        await take_back(session, path)
        await turn(session, "now the last line")
        assert Path(path).read_text() == TEN.replace("9", "nine").replace("10", "ten")
        last = session.main.messages
        assert f"- {path}: line 5, as it was before your change" in str(last)
        assert str(last).count("in the review of your changes") == 1, "it is told once"
        answer = str(results_of(last)["g"])
        assert "The person had changed the file (line 5); the edit is made in the current text" in answer

    reviewed(tmp_path, body, [*SCRIPT, [edit("10\n", "ten\n", id="g")], [text("done")]])


def test_an_edit_of_what_was_taken_back_is_refused_and_says_who_it_was(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        await take_back(session, path)
        await turn(session, "again")
        assert Path(path).read_text() == TEN.replace("9", "nine")
        assert "was changed by the person since you read it" in str(results_of(session.main.messages)["g"])

    reviewed(tmp_path, body, [*SCRIPT, [edit("five\n", "FIVE\n", id="g")], [text("done")]])


def test_what_is_there_and_back_again_is_not_told(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        await take_back(session, path)
        await session.review.put_back(items(session, path).items[0])
        assert session.review.news() == ()

    reviewed(tmp_path, body)


def test_lines_that_others_put_above_move_it_and_stay(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        found = items(session, path)
        Path(path).write_text("0\n" + Path(path).read_text())
        await session.review.take_back(found.changes, found.items[0])
        assert Path(path).read_text() == "0\n" + TEN.replace("9", "nine")
        Path(path).write_text("00\n" + Path(path).read_text())
        await session.review.put_back(next(item for item in items(session, path).items if item.undone))
        assert Path(path).read_text() == "00\n0\n" + TEN.replace("9", "nine").replace("5", "five")

    reviewed(tmp_path, body)


def test_where_others_changed_the_lines_meanwhile_nothing_is_done(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        found = items(session, path)
        theirs = Path(path).read_text().replace("five", "theirs")
        Path(path).write_text(theirs)
        with pytest.raises(NotDone, match="These lines were changed meanwhile"):
            await session.review.take_back(found.changes, found.items[0])
        assert Path(path).read_text() == theirs
        assert marked(items(session, path)) == ["mixed theirs", "ours nine"]

    reviewed(tmp_path, body)


def test_what_others_made_can_neither_be_taken_back_nor_kept(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        Path(path).write_text(Path(path).read_text().replace("1\n", "one\n", 1))
        found = items(session, path)
        assert marked(found)[0] == "others one"
        with pytest.raises(NotDone, match="Somebody else made this"):
            await session.review.take_back(found.changes, found.items[0])
        with pytest.raises(NotDone, match="Somebody else made this"):
            session.review.keep(found.items[0])

    reviewed(tmp_path, body)


def test_a_new_file_is_taken_back_by_removing_it(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        new = os.path.realpath(tmp_path / "sub/new.txt")
        await take_back(session, new)
        assert not Path(new).exists()
        await asyncio.to_thread(session.watcher.look_now)
        await asyncio.sleep(0)
        assert not seen.all(ExternalEdit)
        assert session.review.news()[0].endswith("new.txt: it is gone, as it was before your change")
        await session.review.put_back(items(session, new).items[0])
        assert Path(new).read_text() == "n\n"

    reviewed(tmp_path, body, [[tool_use("w", "Write", file_path="sub/new.txt", content="n\n")], [text("done")]])


def test_a_new_file_that_others_wrote_into_is_not_removed(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        new = os.path.realpath(tmp_path / "new.txt")
        found = items(session, new)
        Path(new).write_text("n\ntheirs\n")
        with pytest.raises(NotDone, match="The file was changed meanwhile"):
            await session.review.take_back(found.changes, found.items[0])
        await take_back(session, new)
        assert Path(new).read_text() == "theirs\n"

    reviewed(tmp_path, body, [[tool_use("w", "Write", file_path="new.txt", content="n\n")], [text("done")]])


def test_a_file_that_a_command_removed_comes_back(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        found = items(session, path)
        assert [(item.hunk.whole, item.hunk.whose) for item in found.items] == [(True, "ours")]
        await take_back(session, path)
        assert Path(path).read_text() == TEN

    reviewed(tmp_path, body, [READ, [tool_use("b", "Bash", command="rm a.txt")], [text("done")]])


def test_line_ends_bytes_and_the_mode_stay(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfone\r\ntwo\r\nthree"
    (tmp_path / "a.txt").write_bytes(data)
    (tmp_path / "a.txt").chmod(0o755)

    async def body(session: Session, seen: Recorder, path: str) -> None:
        assert Path(path).read_bytes() == data.replace(b"two", b"TWO")
        await take_back(session, path)
        assert Path(path).read_bytes() == data and os.stat(path).st_mode & 0o777 == 0o755

    reviewed(tmp_path, body, [READ, [edit("two", "TWO")], [text("done")]])


def test_while_a_call_changes_files_nothing_is_taken_back(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        async with session.write_lock():
            with pytest.raises(NotDone, match="A call is changing files just now"):
                await take_back(session, path)
        await take_back(session, path)

    reviewed(tmp_path, body)


def test_a_question_about_the_file_is_asked_anew(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    script = [*SCRIPT, [edit("1\n2\n", "one\ntwo\n", id="g")], [text("done")]]

    async def work() -> None:
        flags = Flags(trusted=True)
        asked: list[Any] = []

        def answerer(request: Any) -> Answer | None:
            asked.append(request)
            return Answer("once") if request.call_id != "g" else None

        async with session_in(tmp_path, script, answerer, flags=flags) as (session, seen):
            await turn(session)
            session.submit("and the first lines")
            await seen.first(PermissionRequested, lambda event: event.request.call_id == "g")
            await take_back(session, os.path.realpath(tmp_path / "a.txt"))
            while len([one for one in asked if one.call_id == "g"]) < 2 and session.busy:
                await asyncio.sleep(0.01)
                waiting = session.gate.waiting
                if waiting and waiting[0].revision > 1:
                    break
            assert session.gate.waiting[0].revision > 1
            session.interrupt()
            await session.turn_ended()

    play(work)


def test_comments_are_one_message(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        found = items(session, path)
        session.review.comment(found.items[0], "use a name")
        session.review.comment(found.items[1], "why?")
        session.review.comment(found.items[1], "why nine?")
        assert [item.comment for item in items(session, path).items] == ["use a name", "why nine?"]
        assert session.review.take_comments(os.path.basename) == (
            "On the changes of this session:\n- a.txt, line 5: use a name\n- a.txt, line 9: why nine?"
        )
        assert session.review.comments == 0

    reviewed(tmp_path, body)


def test_what_is_kept_is_committed_and_nothing_else(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.write("a.txt", TEN.encode())
    repo.commit()

    async def body(session: Session, seen: Recorder, path: str) -> None:
        Path(path).write_text(Path(path).read_text().replace("1\n", "one\n", 1))
        with pytest.raises(NotDone, match="Nothing is kept yet"):
            await session.review.stage()
        item = next(item for item in items(session, path).items if item.hunk.added == (b"five\n",))
        assert session.review.keep(item)
        assert (await session.review.stage()).files == 1
        assert repo.staged("a.txt") == TEN.replace("5", "five").encode()
        done = await session.review.commit("Five is a word")
        assert repo.committed("a.txt") == TEN.replace("5", "five").encode() and done.commit
        assert repo.status() == [" M a.txt"]

    reviewed(tmp_path, body)


def test_without_a_repository_or_trust_the_person_is_told_why(tmp_path: Path) -> None:
    async def body(session: Session, seen: Recorder, path: str) -> None:
        session.review.keep(items(session, path).items[0])
        with pytest.raises(NotDone, match="in no git repository"):
            await session.review.stage()

    reviewed(tmp_path, body)


def kept_without_trust(repo: Repo, body: Callable[[Session], Awaitable[None]]) -> None:
    """The body, once the first hunk is kept in a folder that nobody was ever asked to trust."""
    repo.write("a.txt", TEN.encode())
    repo.commit()

    async def work() -> None:
        async with session_in(repo.folder, SCRIPT, lambda _: Answer("once"), flags=Flags()) as (session, _):
            await turn(session)
            session.review.keep(items(session, os.path.realpath(repo.folder / "a.txt")).items[0])
            await body(session)

    play(work)


def test_in_a_folder_that_brings_nothing_to_be_trusted_what_is_kept_is_staged_and_committed(tmp_path: Path) -> None:
    repo = Repo(tmp_path)

    async def body(session: Session) -> None:
        assert not session.policy.trusted
        assert (await session.review.stage()).files == 1
        assert repo.staged("a.txt") == TEN.replace("5", "five").encode()
        assert (await session.review.commit("Five is a word")).commit
        assert repo.committed("a.txt") == TEN.replace("5", "five").encode()

    kept_without_trust(repo, body)


@pytest.mark.parametrize("what", ["hook", "filter", "hooks elsewhere in it"])
def test_in_a_folder_that_is_not_trusted_git_runs_no_program_of_its_own(tmp_path: Path, what: str) -> None:
    repo, ran = Repo(tmp_path / "repo"), tmp_path / "ran"

    async def body(session: Session) -> None:
        if what == "filter":
            repo.git("config", "filter.x.clean", f"touch {ran}; cat")
            repo.write(".gitattributes", b"*.txt filter=x\n")
        else:
            repo.hook("post-index-change", f"touch {ran}")
        if what == "hooks elsewhere in it":
            (repo.folder / ".git/hooks").rename(repo.folder / "tools")
            repo.git("config", "core.hooksPath", "tools")
        for work in (session.review.stage(), session.review.commit("mine")):
            with pytest.raises(NotDone, match="This folder is not trusted"):
                await work
        assert not ran.exists() and repo.status() != ["M  a.txt"]

    kept_without_trust(repo, body)
