"""Files that others change, and the panel that lists files and todos: both on the screen while it happens."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.events import ExternalEdit
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tests.tui.app.test_commands import TODOS

EDITS = Flags(trusted=True, mode="acceptEdits")
READ = [[tool_use("r", "Read", file_path="a.txt")], [text("Read.")]]


def written(folder: Path) -> Path:
    file = folder / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    return file


async def has_read(seat: Seat) -> None:
    await seat.send("read it")
    await seat.is_idle()
    await seat.until(lambda: seat.session.watcher.following == 1)


def overwrite(file: Path) -> None:
    file.write_text("one\nTWO\nthree\n")


def rename_over(file: Path) -> None:
    other = file.with_name(".a.txt.tmp")
    other.write_text("one\nTWO\nthree\n")
    os.replace(other, file)


def save_like_vim(file: Path) -> None:
    backup = file.with_name("a.txt~")
    os.rename(file, backup)
    file.write_text("one\nTWO\nthree\n")
    backup.unlink()


def append(file: Path) -> None:
    with file.open("a") as opened:
        opened.write("four\n")


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (overwrite, "≢ Outside a.txt  +1 -1  external"),
        (rename_over, "≢ Outside a.txt  +1 -1  external"),
        (save_like_vim, "≢ Outside a.txt  +1 -1  probably an editor"),
        (append, "≢ Outside a.txt  +1  external"),
        (os.unlink, "≢ Outside a.txt  gone  external"),
    ],
)
def test_whichever_way_somebody_changes_a_file_it_is_seen(
    tmp_path: Path, change: Callable[[Path], None], shown: str
) -> None:
    file = written(tmp_path)

    async def body(seat: Seat) -> None:
        await has_read(seat)
        change(file)
        what = "that it is gone" if "gone" in shown else "which lines changed"
        await seat.sees(shown, "watching 1, 1 changed", f"the model hears {what} with its next message")
        await seat.send("and now?")
        await seat.sees(f"the model was told {what}")
        await seat.is_idle()

    sit(tmp_path, [*READ, [text("I see.")]], body)


def test_a_touch_is_no_change(tmp_path: Path) -> None:
    file = written(tmp_path)

    async def body(seat: Seat) -> None:
        await has_read(seat)
        os.utime(file, (1, 1))
        file.write_text("one\ntwo\nthree\n")
        overwrite(file)
        await seat.sees("≢ Outside")
        assert len(seat.said(ExternalEdit)) == 1 and seat.text().count("≢ Outside") == 1

    sit(tmp_path, READ, body)


def test_what_they_wrote_survives_the_next_edit(tmp_path: Path) -> None:
    file = written(tmp_path)

    async def body(seat: Seat) -> None:
        await has_read(seat)
        append(file)
        await seat.sees("≢ Outside a.txt")
        await seat.send("now change it")
        await seat.is_idle()
        assert file.read_text() == "one\n2\nthree\nfour\n"
        assert seat.text().count("≢ Outside") == 1, "our own write is nobody else's"

    script = [*READ, [tool_use("e", "Edit", file_path="a.txt", old_string="two", new_string="2")], [text("x")]]
    sit(tmp_path, script, body, flags=EDITS)


def test_a_command_that_changes_files_is_named(tmp_path: Path) -> None:
    written(tmp_path)

    async def body(seat: Seat) -> None:
        await has_read(seat)
        await seat.send("format")
        await seat.sees("≢ Outside a.txt  +1  while `printf")
        (tmp_path / "go").touch()
        await seat.is_idle()

    command = "printf 'four\\n' >> a.txt; until [ -e go ]; do sleep 0.02; done"
    script = [*READ, [tool_use("b", "Bash", command=command)], [text("x")]]
    sit(tmp_path, script, body, flags=Flags(trusted=True, allowed_tools=("Bash", "Edit")))


def test_the_panel_lists_files_todos_and_the_watcher_beside_the_transcript(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "b.txt").write_text("x\n")

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.is_idle()
        (tmp_path / "b.txt").write_text("y\n")
        await seat.sees("≢ Outside b.txt")
        await seat.press("f2")
        await seat.sees("Watcher")
        panel = [line[81:].strip() for line in seat.lines()[:30]]
        assert [line.split()[0] for line in panel if line in ("Files", "Todos", "Watcher") or "changed" in line]
        text_of_panel = "\n".join(panel)
        assert "M  a.txt" in text_of_panel and "+1 -1" in text_of_panel
        assert "A  new.txt" in text_of_panel and "r≢ b.txt" in text_of_panel
        assert "▸ let the hash decide" in text_of_panel and "1 of 3" in text_of_panel
        assert "✓ 3 files in 1 folder" in text_of_panel
        assert "   go" in "\n".join(line[:80] for line in seat.lines()), "the transcript stands beside it"
        await seat.press("f2")
        await seat.misses("Watcher")

    script = [
        [tool_use("r", "Read", file_path="a.txt"), tool_use("s", "Read", file_path="b.txt")],
        [
            tool_use("e", "Edit", file_path="a.txt", old_string="two", new_string="2"),
            tool_use("w", "Write", file_path="new.txt", content="n\n"),
            tool_use("t", "TodoWrite", todos=TODOS),
        ],
        [text("x")],
    ]
    sit(tmp_path, script, body, size=(120, 40), flags=EDITS)


def test_on_a_narrow_screen_the_panel_covers_the_transcript_and_escape_shuts_it(tmp_path: Path) -> None:
    written(tmp_path)

    async def body(seat: Seat) -> None:
        await has_read(seat)
        await seat.send("/files")
        await seat.sees("r  a.txt")
        assert "read it" not in seat.text()
        await seat.press("escape")
        await seat.sees("   read it")
        assert "Watcher" not in seat.text()

    sit(tmp_path, READ, body, size=(80, 24))


def test_an_empty_panel_says_that_there_is_nothing_yet(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("f2")
        await seat.sees("No file was read or changed yet.")

    sit(tmp_path, [], body)


def test_the_branch_and_what_differs_from_its_commit_stand_in_the_status_line(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@here", "-C", str(tmp_path)]
    written(tmp_path)
    for args in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *args], check=True, capture_output=True)

    async def body(seat: Seat) -> None:
        await seat.sees(f"{tmp_path.name}  main ")
        await seat.send("go")
        await seat.is_idle()
        await seat.sees("main +1")

    script = [
        [tool_use("r", "Read", file_path="a.txt")],
        [tool_use("e", "Edit", file_path="a.txt", old_string="two", new_string="2")],
        [text("x")],
    ]
    sit(tmp_path, script, body, size=(140, 40), flags=EDITS)
