"""What stands on the sheet before anybody answers: where a path really leads, what is out of sight, what is grave."""

from __future__ import annotations

from pathlib import Path

from agent.model.scripted import text, tool_use
from tests.support.seat import Seat, sit
from tools.events import PermissionRequested


async def is_asked(seat: Seat, words: str) -> None:
    seat.app.turns.submit("go")
    await seat.until(lambda: words in "\n".join(seat.sheet), "nothing asked")


def shown(seat: Seat) -> str:
    return "\n".join(seat.sheet)


def test_F5_a_link_out_of_the_workspace_says_where_it_leads(tmp_path: Path) -> None:
    work, private = tmp_path / "work", tmp_path / "private"
    work.mkdir(), private.mkdir()
    (private / "keys.txt").write_text("k" * 18_000)
    (work / "notes.txt").symlink_to(private / "keys.txt")

    async def body(seat: Seat) -> None:
        await is_asked(seat, "Read a file outside the workspace?")
        assert f"! notes.txt leads to {private}/keys.txt, outside the workspace" in shown(seat)
        assert "notes.txt   18 KB, text" in shown(seat)
        await seat.answers("n")
        await seat.is_idle()

    sit(work, [[tool_use("r", "Read", file_path="notes.txt")], [text("x")]], body, size=(160, 40))


def test_F5_a_linked_folder_on_the_way_is_said_too_and_one_that_moves_is_asked_about_anew(tmp_path: Path) -> None:
    for name in ("src", "other"):
        (tmp_path / name).mkdir()
    link = tmp_path / "lib"
    link.symlink_to("src")

    async def body(seat: Seat) -> None:
        await is_asked(seat, "Write lib/new.py?")
        assert "! lib/new.py leads to src/new.py" in shown(seat)
        link.unlink()
        link.symlink_to("other")
        await seat.answers("y")
        await seat.until(lambda: "! lib/new.py leads to other/new.py" in shown(seat), "it was not asked about anew")
        assert not (tmp_path / "src" / "new.py").exists() and not (tmp_path / "other" / "new.py").exists()
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / "other" / "new.py").read_text() == "x = 1\n"

    sit(tmp_path, [[tool_use("w", "Write", file_path="lib/new.py", content="x = 1\n")], [text("x")]], body)


def test_F5_of_a_command_that_does_not_fit_only_once_is_offered_until_its_end_was_seen(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "Run this command?")
        assert "lines of it were not in sight yet, PgDn" in shown(seat)
        await seat.answers("a")
        assert seat.session.gate.waiting, "it is no answer"
        await seat.press("pagedown", "pagedown", "pagedown", "pagedown", "pagedown", "pagedown", "pagedown")
        assert "always, Bash" in shown(seat)
        await seat.answers("a")
        await seat.is_idle()
        assert (tmp_path / "made").exists() and (tmp_path / ".agent-tui" / "settings.local.json").exists()

    sit(tmp_path, [[tool_use("c", "Bash", command="touch made\n" * 30)], [text("x")]], body, size=(80, 24))


def test_a_protected_path_says_so_and_wants_two_presses(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "Write .envrc?")
        assert "is protected: programs obey what is written there" in shown(seat)
        assert "protected paths always ask" in shown(seat)
        await seat.answers("y")
        assert "press again to do it" in shown(seat) and not (tmp_path / ".envrc").exists()
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / ".envrc").read_text() == "use nix\n"

    sit(tmp_path, [[tool_use("w", "Write", file_path=".envrc", content="use nix\n")], [text("x")]], body)


def test_what_is_written_can_be_changed_before_it_is(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "Write a.txt?")
        await seat.answers("e")
        await seat.until(lambda: seat.draft == "one")
        await seat.looks()
        await seat.types(" and two")
        await seat.press("enter")
        await seat.is_idle()
        assert (tmp_path / "a.txt").read_text() == "one and two"
        assert len(seat.said(PermissionRequested)) == 1

    sit(tmp_path, [[tool_use("w", "Write", file_path="a.txt", content="one")], [text("x")]], body)


def test_what_was_changed_is_judged_anew_and_asked_about_where_it_is_graver(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "Run this command?")
        await seat.answers("e")
        await seat.until(lambda: seat.draft == "touch made")
        await seat.press(*["backspace"] * len("touch made"))
        await seat.types("rm -rf ../x")
        await seat.press("enter")
        await seat.until(lambda: "rm -rf ../x" in shown(seat), "it was not asked about anew")
        assert "what destroys is asked each time" in shown(seat)
        await seat.answers("n")
        await seat.is_idle()

    sit(tmp_path, [[tool_use("c", "Bash", command="touch made")], [text("x")]], body)
