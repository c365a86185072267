"""The screen of the review, by keyboard: a real session, real files, a real repository."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from agent.events import Notice, TurnEnded, UserMessage
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.repositories import Repo
from tests.support.seat import Body, Seat, sit
from tools.bash.environment import find_program
from tools.permissions.gate import Answer

TEN = "".join(f"{number}\n" for number in range(1, 11))
EDITS = Flags(trusted=True, mode="acceptEdits", allowed_tools=("Bash",))
WIDE = (120, 40)
WITH_GIT = pytest.mark.skipif(find_program("git", os.environ, ()) is None, reason="git is not installed")


def edit(old: str, new: str, id: str = "e", name: str = "a.txt") -> dict[str, Any]:
    return tool_use(id, "Edit", file_path=name, old_string=old, new_string=new)


READS = [tool_use("r", "Read", file_path="a.txt"), tool_use("s", "Read", file_path="b.txt")]
SCRIPT = [
    READS,
    [edit("2\n", "two\n"), edit("6\n", "six\n", "f")],
    [text("done")],
    [tool_use("w", "Write", file_path="new.txt", content="n\n"), edit("9\n", "nine\n", "g", "b.txt")],
    [text("done")],
]


def reviewing(folder: Path, body: Body, script: Any = SCRIPT, size: tuple[int, int] = WIDE, **more: Any) -> None:
    """The body, in front of the review of what the model made of two messages."""
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(TEN)

    async def work(seat: Seat) -> None:
        for words in ("make it words", "and a new one"):
            await seat.send(words)
            await seat.is_idle()
        await asyncio.to_thread(seat.session.history.settled)
        await seat.send("/review")
        await seat.sees("4 hunks in 3 files")
        await body(seat)

    sit(folder, script, work, size=size, flags=more.pop("flags", EDITS), **more)


def titles(seat: Seat) -> list[str]:
    """The hunks in sight, by their first words."""
    return [" ".join(line.split()[:4]) for line in seat.lines()[4:] if line[1:2] in tuple("✓▸∎◦≢")]


def test_each_hunk_says_what_became_of_it_which_call_made_it_and_for_what(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        assert "Review   4 hunks in 3 files since you began" in seat.text()
        assert seat.line("❯ M  a.txt").endswith("2 hunks") and seat.line("  A  new.txt").endswith("1 hunk")
        assert titles(seat) == ["▸ here hunk 1", "◦ open hunk 2"]
        assert "for: make it words" in seat.line("▸ here   hunk 1   Edit ")
        assert "    2 - 2" in seat.text() and "    2 + two" in seat.text()
        await seat.press("right")
        await seat.sees("❯ A  new.txt", "▸ here   hunk 1   Write ", "for: and a new one")
        await seat.press("left")
        await seat.sees("❯ M  a.txt")
        await seat.press("escape")
        await seat.sees("turn 2")

    reviewing(tmp_path, body)


def test_n_and_p_go_through_all_hunks_of_all_files_and_around(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        for seen in ("here   hunk 2   Edit", "here   hunk 1   Write", "❯ M  b.txt", "❯ M  a.txt"):
            await seat.press("n")
            await seat.sees(seen)
        await seat.press("p")
        await seat.sees("❯ M  b.txt")

    reviewing(tmp_path, body)


def test_k_keeps_and_goes_on_and_on_a_kept_one_opens_it_again(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("k")
        await seat.sees("1 kept")
        assert titles(seat) == ["✓ kept hunk 1", "▸ here hunk 2"]
        await seat.press("p", "k")
        await seat.misses("1 kept")
        assert titles(seat) == ["▸ here hunk 1", "◦ open hunk 2"]
        await seat.press("K")
        await seat.sees("2 kept", "2 hunks of a.txt: kept")
        await seat.press("K")
        await seat.misses("2 kept")

    reviewing(tmp_path, body)


def test_u_takes_back_exactly_this_hunk_and_puts_it_back(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"

    async def body(seat: Seat) -> None:
        await seat.press("u")
        await seat.sees("here   undone   hunk 1", "1 undone", "u puts it back")
        assert file.read_text() == TEN.replace("6", "six")
        await seat.press("k")
        await seat.sees("It was taken back; u puts it back first.")
        await seat.press("u")
        await seat.misses("undone")
        assert file.read_text() == TEN.replace("6", "six").replace("2", "two")

    reviewing(tmp_path, body)


def test_u_on_a_new_file_removes_it_and_brings_it_back(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("right", "u")
        await seat.sees("here   undone   hunk 1   Write", "1 + n")
        assert not (tmp_path / "new.txt").exists()
        await seat.press("u")
        await seat.misses("undone")
        assert (tmp_path / "new.txt").read_text() == "n\n"

    reviewing(tmp_path, body)


def test_comments_go_to_the_model_as_one_message(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("enter")
        await seat.sees("There is no comment to send yet: c writes one.")
        await seat.press("c")
        await seat.types("why wordd")
        await seat.press("backspace")
        await seat.types("s?")
        await seat.sees("comment: why words?")
        await seat.press("enter", "n", "c")
        await seat.pastes("six of\nthem")
        await seat.press("enter")
        await seat.sees("your comment: why words?", "your comment: six of them", "Enter send 2 comments")
        await seat.press("enter")
        await seat.until(lambda: len(seat.said(TurnEnded)) == 3)
        said = seat.said(UserMessage)[-1].text
        assert said == "On the changes of this session:\n- a.txt, line 2: why words?\n- a.txt, line 6: six of\nthem"
        await seat.sees("On the changes of this session", "I will.")
        await seat.send("/review")
        await seat.sees("4 hunks")
        assert "your comment" not in seat.text(), "what was sent is said"

    reviewing(tmp_path, body, [*SCRIPT, [text("I will.")]])


def test_escape_leaves_a_comment_unwritten_and_empty_words_take_it_away(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("c")
        await seat.types("no")
        await seat.press("escape")
        await seat.misses("comment: no")
        await seat.press("c")
        await seat.types("yes")
        await seat.press("enter")
        await seat.sees("your comment: yes")
        await seat.press("c", "ctrl+u", "enter")
        await seat.misses("your comment")

    reviewing(tmp_path, body)


def test_what_others_made_stands_apart_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"

    async def body(seat: Seat) -> None:
        theirs = file.read_text().replace("9\n", "nine\n")
        file.write_text(theirs)
        await seat.sees(
            "5 hunks in 3 files", "❯ M≢ a.txt", "≢ not mine   a.txt hunk 3   outside, ", "undo is off for it"
        )
        assert "nine" not in seat.text(), "it is shown where one looks"
        await seat.press("p")
        await seat.sees("here   not mine   a.txt hunk 3", "9 + nine")
        for key in "uk":
            await seat.press(key)
            await seat.sees("Somebody else made this: it stays as it is.")
        assert file.read_text() == theirs

    reviewing(tmp_path, body)


def test_the_screen_follows_the_work_and_says_when_a_question_waits(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        seat.app.turns.submit("one more")
        await seat.sees("5 hunks in 3 files", "A question waits for your answer: Esc goes back to it.")
        assert titles(seat) == ["▸ here hunk 1", "◦ open hunk 2", "◦ open hunk 3"], "the eye stays where it was"
        [waiting] = seat.session.gate.waiting
        assert seat.session.decide(waiting.request.id, waiting.revision, Answer("no"))
        await seat.is_idle()
        await seat.misses("A question waits")

    more = [[edit("10\n", "ten\n", "h")], [tool_use("b", "Bash", command="rm -rf x")], [text("done")]]
    reviewing(tmp_path, body, [*SCRIPT, *more], flags=Flags(trusted=True, mode="acceptEdits"))


def test_an_undo_waits_for_no_call_and_a_file_that_changed_meanwhile_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"

    async def body(seat: Seat) -> None:
        async with seat.session.write_lock():
            await seat.press("u")
            await seat.sees("A call is changing files just now; take it back when that has ended.")
        seat.session.watcher.close()
        file.write_text(TEN.replace("2\n", "two and more\n"))
        await seat.press("u")
        await seat.sees("These lines were changed meanwhile")
        assert file.read_text() == TEN.replace("2\n", "two and more\n")
        file.unlink()
        await seat.press("u")
        await seat.until(lambda: "deleted meanwhile" in seat.text() or "not only mine" in seat.text())
        assert not file.exists()

    reviewing(tmp_path, body)


@WITH_GIT
def test_what_is_kept_is_staged_and_committed_as_exactly_that(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(TEN)
    repo.commit()

    async def body(seat: Seat) -> None:
        file = tmp_path / "a.txt"
        file.write_text(file.read_text().replace("9\n", "theirs\n"))
        await seat.sees("5 hunks")
        await seat.press("s")
        await seat.sees("Nothing is kept yet: k keeps a hunk.")
        await seat.press("k", "s")
        await seat.sees("Staged 1 hunk in 1 file.")
        assert repo.staged("a.txt").decode() == TEN.replace("2\n", "two\n")
        assert repo.git("diff", "--cached", "--name-only").split() == ["a.txt"]
        await seat.press("s")
        await seat.sees("1 hunk in 1 file: git holds them already.")
        await seat.press("right", "k", "m")
        await seat.types("Words, and a new file")
        await seat.sees("commit message: Words, and a new file")
        await seat.press("enter")
        await seat.sees("Committed 2 hunks in 2 files as ")
        assert repo.git("log", "-1", "--format=%s").strip() == "Words, and a new file"
        assert repo.committed("a.txt").decode() == TEN.replace("2\n", "two\n")
        assert repo.git("show", "--name-only", "--format=").split() == ["a.txt", "new.txt"]
        assert repo.status() == [" M a.txt", " M b.txt"]
        assert any("Committed 2 hunks" in one.text for one in seat.said(Notice)), "it is part of what happened"

    reviewing(tmp_path, body)


@WITH_GIT
def test_a_commit_that_cannot_be_says_why_and_leaves_all_as_it_is(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(TEN)
    repo.commit()
    repo.hook("pre-commit", "echo the linter says no; exit 1")

    async def body(seat: Seat) -> None:
        await seat.press("k", "m")
        await seat.types("x")
        await seat.press("enter")
        await seat.sees("git did not commit; everything is as it was. It said:", "the linter says no")
        lock = tmp_path / ".git" / "index.lock"
        lock.touch()
        await seat.press("s")
        await seat.sees("git did not take it: ", "index.lock")
        lock.unlink()
        assert repo.git("diff", "--cached", "--name-only") == "" and "1 kept" in seat.text()

    reviewing(tmp_path, body)


def test_without_a_repository_that_is_said(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("k", "s")
        await seat.sees("This folder is in no git repository.")
        assert "1 kept" in seat.text()

    reviewing(tmp_path, body)


def test_e_opens_the_file_at_the_hunk_and_its_changes_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, int | None]] = []

    async def body(seat: Seat) -> None:
        await seat.press("n", "e")
        await seat.until(lambda: opened)
        assert opened == [(os.path.realpath(tmp_path / "a.txt"), 6)]

    monkeypatch.setattr(
        "tui.controllers.outward.Outward.open_file", lambda _, path, line=None: opened.append((path, line))
    )
    reviewing(tmp_path, body)


def test_with_nothing_changed_it_says_so_and_diff_is_the_same_screen(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("/diff")
        await seat.sees("Review", "Nothing of this session's files differs from when you began.")
        await seat.press("k", "u", "c", "n", "p", "left", "K", "down", "end", "e")
        await seat.press("escape")
        await seat.misses("Review")

    sit(tmp_path, [], body, size=(80, 24))


def test_on_a_small_screen_the_files_are_one_line_and_the_keys_stand_below(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        assert seat.line("❯ M  a.txt").endswith("file 1 of 3, 2 hunks")
        assert "new.txt" not in seat.text()
        await seat.sees("k keep   u undo   c comment   n p next   Esc back")
        await seat.press("k", "c")
        await seat.types("good")
        await seat.press("enter")
        await seat.sees("s stage   m commit")
        assert all(len(line) <= 80 for line in seat.lines())

    reviewing(tmp_path, body, size=(80, 24))


def test_scrolling_takes_the_chosen_hunk_along(tmp_path: Path) -> None:
    long = "".join(f"{number}\n" for number in range(400))
    (tmp_path / "c.txt").write_text(long)
    changed = "".join(f"new {number}\n" if number % 10 == 5 else f"{number}\n" for number in range(400))

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.is_idle()
        await seat.send("/review")
        await seat.sees("40 hunks", "▸ here   hunk 1 ")
        await seat.press("pagedown", "pagedown")
        await seat.until(lambda: "▸ here" in seat.text() and "▸ here   hunk 1 " not in seat.text())
        await seat.press("end")
        await seat.sees("396 + new 395", "▸ here")
        await seat.press("home")
        await seat.sees("▸ here   hunk ", "6 + new 5")
        await seat.press("ctrl+o")
        await seat.sees("    3   2", "    9   8")

    script = [
        [tool_use("r", "Read", file_path="c.txt")],
        [tool_use("w", "Write", file_path="c.txt", content=changed)],
        [text("x")],
    ]
    sit(tmp_path, script, body, size=(80, 24), flags=EDITS)
