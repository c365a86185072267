"""The transcript by keyboard: choosing, opening, copying, stopping and searching rows, and more or less detail."""

from __future__ import annotations

from pathlib import Path

from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.commands import is_alive, pids_in
from tests.support.seat import Seat, sit
from tools.events import ToolFinished
from tui.transcript.view import Pick

ALLOWED = Flags(trusted=True, allowed_tools=("Bash",))
SCRIPT = [
    [
        text("I look around."),
        tool_use("r1", "Read", file_path="a.txt"),
        tool_use("r2", "Read", file_path="b.txt"),
    ],
    [tool_use("b", "Bash", command="seq 1 30; exit 3")],
    [tool_use("s", "Bash", command="echo fine")],
    [text("That is **all** there is.")],
]


def written(folder: Path) -> Path:
    (folder / "a.txt").write_text("alpha\nbeta\n")
    (folder / "b.txt").write_text("gamma\n")
    return folder


async def done(seat: Seat) -> None:
    await seat.send("look at the files")
    await seat.is_idle()


def picked(seat: Seat) -> str:
    """The first line of what is chosen."""
    view = seat.app.view
    assert view.picked is not None
    start, _ = view._extent(view.picked)
    y = view._places.index((view.picked.row, start))
    assert view._shown[y].ground == "on $pick"
    return seat.lines()[y].strip(" ╎")


def test_tab_in_an_empty_box_chooses_what_stands_last_and_tab_or_escape_goes_back(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        for back in ("tab", "escape", "shift+tab"):
            await seat.press("tab")
            assert seat.app.view.has_focus and picked(seat) == "That is all there is."
            await seat.press(back)
            assert seat.app.box.has_focus and seat.app.view.picked is None

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_tab_with_a_draft_or_without_rows_stays_in_the_box(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("draft")
        await seat.press("tab")
        assert seat.app.box.has_focus

    sit(tmp_path, [], body)


def test_up_and_down_or_k_and_j_go_through_rows_and_the_members_of_a_group(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab")
        seen = [picked(seat)]
        for key in ("up", "k", "up", "k", "up", "k", "up", "up", "up"):
            await seat.press(key)
            seen.append(picked(seat))
        starts = [line.split("  ")[0] for line in seen]
        assert starts == [
            "That is all there is.",
            "✓ Bash",
            "✗ Bash",
            "✓ Read",
            "✓ Read",
            "✓ Read 2 files",
            "I look around.",
            "look at the files",
            "look at the files",
            "look at the files",
        ]
        await seat.press("j", "down")
        assert picked(seat).startswith("✓ Read 2 files")

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_enter_opens_one_row_in_place_and_closes_it_again(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", "up", "up")
        before = seat.lines()
        y = next(y for y, line in enumerate(before) if "✗ Bash" in line)
        assert "25 lines more, Enter shows them" in seat.text() and " ╎ 2\n" not in seat.text()
        await seat.press("enter")
        await seat.settled()
        assert "✗ Bash" in seat.lines()[y], "its first line stays where it is"
        assert " ╎ 2\n" in seat.text() and "Enter shows them" not in seat.text()
        await seat.press("enter")
        await seat.settled()
        assert "25 lines more, Enter shows them" in seat.text()

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_enter_opens_one_member_and_on_the_header_all_of_them(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", "up", "up", "up", "enter")
        await seat.settled()
        assert "gamma" in seat.text() and "alpha" not in seat.text()
        await seat.press("up", "up", "enter")
        await seat.settled()
        assert "gamma" in seat.text() and "alpha" in seat.text()
        await seat.press("enter")
        await seat.settled()
        assert "gamma" not in seat.text() and "alpha" not in seat.text()

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_ctrl_o_shows_more_of_everything_and_less_again(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        short = seat.text()
        await seat.press("ctrl+o")
        await seat.settled()
        assert "verbose" in seat.lines()[-1] and "allowed" in seat.text() and "gamma" in seat.text()
        await seat.press("ctrl+o")
        await seat.settled()
        assert seat.text() == short

    sit(written(tmp_path), SCRIPT, body, size=(100, 70), flags=ALLOWED)


def test_c_copies_the_chosen_row(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", "c")
        await seat.until(lambda: "copied by" in seat.activity)
        assert seat.app.clipboard == "That is **all** there is."
        await seat.press("up", "c")
        await seat.until(lambda: seat.app.clipboard == "Bash echo fine  1 line\nfine")
        await seat.press("up", "up", "c")
        await seat.until(lambda: "Read b.txt  1 line\ngamma" in seat.app.clipboard)

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_x_stops_this_call_only_and_the_turn_goes_on(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.until(lambda: pids_in(tmp_path))
        await seat.press("tab")
        assert picked(seat).startswith("▸ Bash")
        await seat.press("x")
        await seat.sees("   I go on without.")
        await seat.is_idle()
        assert not is_alive(pids_in(tmp_path)[0])
        assert [event.outcome for event in seat.said(ToolFinished)] == ["cancelled"]
        assert "∎ Bash" in seat.text()
        await seat.press("up", "x")
        await seat.until(lambda: "nothing runs here" in seat.activity)

    slow = tool_use("slow", "Bash", command="echo $$ > me.pid; sleep 60")
    sit(tmp_path, [[slow], [text("I go on without.")]], body, flags=ALLOWED)


def test_e_says_when_there_is_no_file_or_no_editor(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)

    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", "e")
        assert seat.activity.startswith("no file to open here")
        await seat.press("up", "up", "up", "e")
        assert seat.activity.startswith("no editor is named: set VISUAL or EDITOR")

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_a_slash_searches_and_n_goes_on(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", "/")
        await seat.types("GAMM")
        assert "search: GAMM   1 row" in seat.activity
        await seat.press("backspace", "enter")
        assert picked(seat).startswith("✓ Read 2 files"), "the row with the word is chosen"
        await seat.press("/")
        await seat.types("files")
        await seat.press("enter")
        assert picked(seat) == "look at the files"
        await seat.press("N")
        assert "no further match" in seat.activity
        await seat.press("/")
        await seat.types("unheard of")
        assert "search: unheard of   0 rows" in seat.activity
        await seat.press("escape", "escape")
        assert seat.app.box.has_focus and "search" not in seat.activity and seat.draft == ""

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_brackets_go_to_what_wants_a_look(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", "[")
        assert picked(seat).startswith("✗ Bash    seq 1 30; exit 3")
        await seat.press("[")
        assert seat.activity.startswith("nothing more to look at")

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_typing_goes_back_to_the_box_and_loses_no_letter(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab")
        await seat.types("what about b.txt?")
        assert seat.draft == "what about b.txt?" and seat.app.box.has_focus

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_a_click_opens_a_row(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        y = next(y for y, line in enumerate(seat.lines()) if "✗ Bash" in line)
        await seat.pilot.click(offset=(20, y))
        await seat.until(lambda: " ╎ 2\n" in seat.text())

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_what_is_typed_in_the_breath_of_a_click_is_in_the_box(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        at = next(y for y, line in enumerate(seat.lines()) if "✗ Bash" in line)
        await seat.types("a")
        seat.clicks(20, at)
        await seat.types("but")
        assert seat.draft == "abut"

    sit(written(tmp_path), SCRIPT, body, flags=ALLOWED)


def test_pages_and_ends_scroll_from_the_box_and_say_what_waits_below(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        bottom = seat.text()
        await seat.press("pageup")
        await seat.settled()
        assert "lines below" in seat.activity and "End" in seat.activity and not seat.app.view.following
        await seat.press("ctrl+home")
        await seat.settled()
        assert seat.lines()[1] == "   look at the files"
        await seat.press("pagedown", "pagedown", "pagedown")
        await seat.settled()
        assert seat.app.view.following
        await seat.press("pageup", "end")
        await seat.settled()
        assert seat.text() == bottom

    sit(written(tmp_path), SCRIPT, body, size=(100, 20), flags=ALLOWED)


def test_a_chosen_row_is_brought_into_sight(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await done(seat)
        await seat.press("tab", *["up"] * 9)
        await seat.settled()
        assert "look at the files" in seat.text() and seat.app.view.picked == Pick(0)

    sit(written(tmp_path), SCRIPT, body, size=(100, 14), flags=ALLOWED)
