"""What can be typed behind a slash, the pages and lists that come over the session, and the way back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.events import ModeChanged, UserMessage
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tui.commands.catalog import COMMANDS
from tui.keys import GROUPS

TODOS = [
    {"content": "find who reads mtimes", "status": "completed", "active_form": "Finding"},
    {"content": "let the hash decide", "status": "in_progress", "active_form": "Deciding"},
    {"content": "bump the version", "status": "pending", "active_form": "Bumping"},
]


def page(seat: Seat) -> str:
    """The title of what stands over the session; empty for the session itself."""
    return seat.lines()[1].split("  ")[0].strip() if len(seat.app.screen_stack) > 1 else ""


async def opens(seat: Seat, title: str) -> None:
    await seat.until(lambda: len(seat.app.screen_stack) > 1 and title in seat.text(), f"{title} did not open")


async def back(seat: Seat) -> None:
    await seat.press("escape")
    await seat.until(lambda: len(seat.app.screen_stack) == 1)
    assert seat.app.box.has_focus


def test_a_slash_offers_what_fits_and_enter_takes_and_then_runs_it(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("/")
        await seat.sees("/help", "/theme")
        await seat.types("cos")
        await seat.misses("/theme")
        await seat.press("enter")
        assert seat.draft.strip() == "/cost"
        await seat.press("enter")
        await opens(seat, "in all")
        await back(seat)
        assert seat.draft == "" and not seat.said(UserMessage)

    sit(tmp_path, [], body)


def test_escape_shuts_the_menu_and_keeps_what_was_typed(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("/th")
        await seat.sees("/theme")
        await seat.press("escape")
        await seat.misses("/theme [name]")
        assert seat.draft == "/th"

    sit(tmp_path, [], body)


def test_an_unknown_command_says_so_and_stays_in_the_box(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("/hepl")
        await seat.press("enter")
        assert seat.activity.startswith("There is no command /hepl, nearest: /help.")
        assert seat.draft == "/hepl" and not seat.said(UserMessage)

    sit(tmp_path, [], body)


def test_a_path_is_a_message(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("/usr/bin is what?")
        await seat.is_idle()
        assert seat.said(UserMessage) == [UserMessage("/usr/bin is what?")]

    sit(tmp_path, [[text("x")]], body)


@pytest.mark.parametrize("way", ["?", "/help", "/keys"])
def test_help_lists_every_key_and_mark_and_escape_comes_back(tmp_path: Path, way: str) -> None:
    async def body(seat: Seat) -> None:
        await seat.types(way)
        if len(way) > 1:
            await seat.press("enter")
        await opens(seat, "Keys")
        for group in GROUPS:
            await seat.sees(group.title, *(words for _, words in group.keys))
        await seat.sees("≢ changed by someone else")
        await back(seat)
        assert seat.draft == ""

    sit(tmp_path, [], body, size=(120, 40))


def test_help_scrolls_where_it_does_not_fit(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("?")
        await seat.sees("lines more, PgDn")
        for key in ("pagedown", "j", "end"):
            await seat.press(key)
        await seat.sees("≢ changed by someone else")
        await seat.press("home")
        await seat.misses("≢ changed by someone else")
        await back(seat)

    sit(tmp_path, [], body, size=(80, 24))


def test_a_question_mark_in_a_draft_is_typed(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("why?")
        assert seat.draft == "why?" and len(seat.app.screen_stack) == 1

    sit(tmp_path, [], body)


def test_the_palette_has_every_command_and_typing_narrows_it(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("ctrl+p")
        await opens(seat, "Commands")
        assert all(f"/{command.name}" in seat.text() for command in COMMANDS)
        await seat.types("colours")
        await seat.misses("/quit")
        await seat.press("enter")
        await opens(seat, "Theme")
        await back(seat)

    sit(tmp_path, [], body)


def test_a_theme_is_chosen_live_from_ours_and_the_persons_own(tmp_path: Path, a_home_of_its_own: Path) -> None:
    own = a_home_of_its_own / ".config" / "agent-tui" / "themes"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text('name = "mine"\nprimary = "#123456"\nbackground = "#102030"\n')
    (own / "broken.toml").write_text("primary = [")

    def ground(seat: Seat) -> str:
        style = next(iter(seat.strips()[-1])).style
        assert style is not None and style.bgcolor is not None and style.bgcolor.triplet is not None
        return style.bgcolor.triplet.hex

    async def body(seat: Seat) -> None:
        await seat.settled()
        slate = ground(seat)
        await seat.send("/theme")
        await opens(seat, "Theme")
        await seat.types("paper")
        await seat.press("enter")
        await seat.until(lambda: seat.app.theme == "paper")
        await seat.settled()
        assert ground(seat) != slate and seat.activity == "theme paper"
        await seat.send("/theme mine")
        await seat.until(lambda: ground(seat) == "#102030")
        await seat.send("/theme broken")
        await seat.until(lambda: "broken.toml cannot be used" in seat.activity)
        assert seat.app.theme in ("mine", "slate")
        await seat.send("/theme nonsense")
        await seat.until(lambda: "There is no theme 'nonsense'" in seat.activity)

    sit(tmp_path, [], body, size=(200, 40))


def test_shift_tab_goes_through_the_modes_and_slash_mode_names_one(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        for shown in ("accept edits", "plan", "auto", "default"):
            await seat.press("shift+tab")
            await seat.until(lambda shown=shown: seat.lines()[-1].split("  ")[0].strip() == shown)
        await seat.send("/mode plan")
        await seat.until(lambda: seat.session.policy.mode == "plan")
        await seat.send("/mode bypassPermissions")
        await seat.settled()
        assert seat.session.policy.mode == "plan", "that one must be asked for when the program is started"
        await seat.send("/mode nonsense")
        assert "there is no mode nonsense" in seat.activity
        await seat.send("/mode")
        await opens(seat, "Mode")
        await seat.types("accept")
        await seat.press("enter")
        await seat.until(lambda: seat.said(ModeChanged)[-1] == ModeChanged("acceptEdits"))

    sit(tmp_path, [], body)


def test_bypass_is_among_the_modes_where_it_was_asked_for(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        assert seat.session.policy.mode == "bypassPermissions"
        await seat.press("shift+tab")
        assert seat.session.policy.mode == "default"

    sit(tmp_path, [], body, flags=Flags(trusted=True, mode="bypassPermissions"))


def test_todos_stand_above_the_prompt_by_key_and_by_command(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("ctrl+t")
        assert seat.activity == "there are no todos yet"
        await seat.send("go")
        await seat.is_idle()
        await seat.press("ctrl+t")
        await seat.sees(" ✓ find who reads mtimes", " ▸ let the hash decide", " ◦ bump the version", "1 of 3")
        await seat.send("/todos")
        await seat.misses(" ◦ bump the version")

    sit(tmp_path, [[tool_use("t", "TodoWrite", todos=TODOS)], [text("x")]], body)


def test_copy_takes_the_last_answer(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("/copy")
        assert seat.activity == "there is nothing to copy"
        await seat.send("go")
        await seat.is_idle()
        await seat.send("/copy")
        await seat.until(lambda: "copied by" in seat.activity)
        assert seat.app.clipboard == "Some *words*."

    sit(tmp_path, [[text("Some *words*.")]], body)


def test_export_writes_the_session_and_never_over_a_file(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("say it")
        await seat.is_idle()
        await seat.send("/export said.txt")
        assert seat.activity == "written to said.txt"
        written = (tmp_path / "said.txt").read_text()
        assert "   say it" in written and "   So it is." in written and "turn 1" in written
        await seat.send("/export said.txt")
        assert "said.txt is there already" in seat.activity
        await seat.send("/export no/such/folder.txt")
        assert "cannot be written" in seat.activity
        assert os.listdir(tmp_path) == ["said.txt"]

    sit(tmp_path, [[text("So it is.")]], body)


def test_context_and_cost_say_what_was_used(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.is_idle()
        await seat.send("/context")
        await opens(seat, "Context")
        await seat.sees("20 tokens", "Bash, Edit", "messages")
        await back(seat)
        await seat.send("/cost")
        await opens(seat, "Cost")
        await seat.sees("10 tokens", "$0.0002")
        await back(seat)

    sit(tmp_path, [[text("x")]], body)


def test_every_command_can_be_taken_from_the_palette(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        for command in COMMANDS:
            assert command.action in seat.app.commands._does
        await seat.press("ctrl+p")
        await opens(seat, "Commands")
        await seat.types("/doctor")
        await seat.press("enter")
        await opens(seat, "Health")

    sit(tmp_path, [[text("x")]], body)


def test_model_says_which_one_answers(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("/model")
        way = f"opus-5-5 answers; `agent-tui --model NAME --resume {seat.session.id}` takes another"
        assert way in seat.activity
        await seat.send("/model haiku")
        assert "--model haiku" in seat.activity

    sit(tmp_path, [], body, size=(140, 40))


def test_an_at_sign_offers_files_and_takes_one(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "cache.py").write_text("x\n")
    (tmp_path / "readme.md").write_text("x\n")

    async def body(seat: Seat) -> None:
        await seat.types("see @cach")
        await seat.sees("   src/cache.py")
        await seat.press("tab")
        assert seat.draft == "see @src/cache.py "
        await seat.until(lambda: seat.app.box.menu is None)

    sit(tmp_path, [], body)


def test_a_file_that_was_changed_says_by_whom_behind_the_at_sign(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("one\n")
    (tmp_path / "theirs.txt").write_text("one\n")

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.is_idle()
        (tmp_path / "theirs.txt").write_text("two\n")
        await seat.sees("≢ Outside theirs.txt")
        await seat.types("@txt")
        await seat.sees("mine.txt", "changed by me just now", "≢ changed outside")

    script = [
        [tool_use("r", "Read", file_path="mine.txt"), tool_use("s", "Read", file_path="theirs.txt")],
        [tool_use("e", "Edit", file_path="mine.txt", old_string="one", new_string="two")],
        [text("x")],
    ]
    sit(tmp_path, script, body, flags=Flags(trusted=True, mode="acceptEdits"))


def test_redraw_changes_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("draft")
        before = seat.text()
        await seat.press("ctrl+l")
        await seat.settled()
        assert seat.text() == before and seat.draft == "draft"

    sit(tmp_path, [], body)
