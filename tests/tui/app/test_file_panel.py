"""The file panel and the page of one file: who touched it when, how much, and how it differs by three measures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.repositories import Repo
from tests.support.seat import Seat, sit
from tools.bash.environment import find_program

TEN = "".join(f"{number}\n" for number in range(1, 11))
EDITS = Flags(trusted=True, mode="acceptEdits", allowed_tools=("Bash",))
WIDE = (140, 40)
WITH_GIT = pytest.mark.skipif(find_program("git", os.environ, ()) is None, reason="git is not installed")


def edit(old: str, new: str, id: str = "e") -> dict[str, Any]:
    return tool_use(id, "Edit", file_path="a.txt", old_string=old, new_string=new)


SCRIPT = [
    [tool_use("r", "Read", file_path="a.txt"), tool_use("s", "Read", file_path="b.txt")],
    [edit("2\n", "two\n"), edit("two\n", "zwei\n", "f")],
    [text("x")],
]


async def worked(seat: Seat, words: str = "go") -> None:
    await seat.send(words)
    await seat.is_idle()


async def opens(seat: Seat, command: str = "") -> None:
    """The panel, until it has the keys."""
    if command:
        await seat.send(command)
    else:
        await seat.press("f2")
    await seat.until(lambda: seat.app.scene.parts.side.has_focus, "the panel has not got the keys")


async def lists(seat: Seat, file: str, sizes: str) -> None:
    await seat.until(lambda: any(file in line and line.endswith(sizes) for line in seat.lines()), f"no {file} {sizes}")


def files_in(folder: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(TEN)
    return folder / "a.txt"


def test_the_panel_counts_what_became_of_a_file_since_the_session_began(tmp_path: Path) -> None:
    file = files_in(tmp_path)

    async def body(seat: Seat) -> None:
        await worked(seat)
        await opens(seat)
        await lists(seat, "M  a.txt", "+1 -1")
        file.write_text(file.read_text().replace("9\n", "theirs\n"))
        await lists(seat, "M≢ a.txt", "outside +1 -1  +1 -1")
        await seat.sees("  Edit ", "  outside ")
        await seat.press("escape")
        await seat.send("/review")
        await seat.sees("2 hunks in 1 file")
        await seat.press("u")
        await seat.sees("undone")
        await seat.press("escape")
        await lists(seat, "r≢ a.txt", "outside +1 -1")

    sit(tmp_path, SCRIPT, body, size=WIDE, flags=EDITS)


def test_enter_shows_the_file_against_the_start_of_the_session_what_was_seen_and_the_last_commit(
    tmp_path: Path,
) -> None:
    file = files_in(tmp_path)

    async def body(seat: Seat) -> None:
        await worked(seat, "make it zwei")
        file.write_text(file.read_text().replace("9\n", "theirs\n"))
        await seat.sees("≢ Outside a.txt")
        await opens(seat)
        await seat.sees("M≢ a.txt")
        await seat.press("enter")
        await seat.sees("a.txt  +2 -2   against the start of the session", "2 + zwei", "9 + theirs")
        await seat.sees("for: make it zwei", "outside, ", "b what the model saw last   e editor   Esc back")
        await seat.press("b")
        await seat.sees("+1 -1   against what the model saw last", "9 + theirs")
        assert "2 + zwei" not in seat.text() and "2 - 2" not in seat.text()
        await seat.press("b")
        await seat.sees("against git's last commit", "This folder is in no git repository")
        await seat.press("b")
        await seat.sees("against the start of the session", "2 + zwei")
        file.write_text(file.read_text().replace("5\n", "more\n"))
        await seat.sees("+3 -3", "5 + more")
        await seat.press("escape")
        await seat.misses("against the start")

    sit(tmp_path, SCRIPT, body, size=WIDE, flags=EDITS)


@WITH_GIT
def test_the_last_commit_is_what_git_would_check_out(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.write("a.txt", b"from git\n")
    repo.git("config", "core.autocrlf", "true")
    repo.commit()
    files_in(tmp_path)

    async def body(seat: Seat) -> None:
        await worked(seat)
        await opens(seat)
        await seat.sees("M  a.txt")
        await seat.press("enter", "b", "b")
        await seat.sees("against git's last commit", "1 - from git", "2 + zwei")
        await seat.press("escape", "j", "enter", "b", "b")
        await seat.sees("b.txt  +10   against git's last commit")

    sit(tmp_path, SCRIPT, body, size=WIDE, flags=EDITS)


@WITH_GIT
@pytest.mark.parametrize(
    ("textconv", "shown"), [(False, ("1 - from git", "2 + zwei")), (True, ("This folder is not trusted",))]
)
def test_without_trust_the_last_commit_is_shown_where_git_would_run_nothing_of_the_folders(
    tmp_path: Path, textconv: bool, shown: tuple[str, ...]
) -> None:
    repo = Repo(tmp_path)
    repo.write("a.txt", b"from git\n")
    repo.commit()
    files_in(tmp_path)
    if textconv:
        repo.git("config", "diff.x.textconv", "cat")

    async def body(seat: Seat) -> None:
        await worked(seat)
        await opens(seat)
        await seat.sees("M  a.txt")
        await seat.press("enter", "b", "b")
        await seat.sees("against git's last commit", *shown)

    sit(tmp_path, SCRIPT, body, size=WIDE, flags=Flags(mode="acceptEdits"))


def test_a_file_that_was_only_read_says_so_and_has_nothing_to_show(tmp_path: Path) -> None:
    files_in(tmp_path)

    async def body(seat: Seat) -> None:
        await worked(seat)
        await opens(seat, "/files")
        await seat.sees("r  b.txt", "Read ")
        await seat.press("down", "enter")
        await seat.sees("It was only read.", "Nothing differs from the start of the session.")

    sit(tmp_path, SCRIPT, body, size=(80, 24), flags=EDITS)


def test_a_long_diff_is_gone_through_by_hunks_and_pages(tmp_path: Path) -> None:
    files_in(tmp_path)
    many = "".join(f"line {number}\n" for number in range(1, 1001))

    async def body(seat: Seat) -> None:
        await worked(seat)
        await opens(seat)
        await seat.sees("A  new.txt")
        await seat.press("enter")
        await seat.sees("   1 + line 1")
        await seat.press("end")
        await seat.sees("1000 + line 1000")
        await seat.press("pageup", "up", "home")
        await seat.sees("   1 + line 1")
        (tmp_path / "new.txt").write_text(many.replace("500\n", "five hundred\n"))
        await seat.sees("outside, ")
        await seat.press("b")
        await seat.sees("+1 -1", "500 + line five hundred")
        await seat.press("n", "p")
        await seat.sees("500 + line five hundred")

    script = [[tool_use("w", "Write", file_path="new.txt", content=many)], [text("x")]]
    sit(tmp_path, script, body, size=(80, 24), flags=EDITS)
