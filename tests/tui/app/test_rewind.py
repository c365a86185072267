"""The screen for going back to before a message, by keyboard: a real session, real files, somebody else's edits."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from agent.events import Notice, Rewound, TurnEnded
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Body, Seat, sit
from tui.screens.rewind import NOT_ALONE

TEN = "".join(f"{number}\n" for number in range(1, 11))
EDITS = Flags(trusted=True, mode="acceptEdits", allowed_tools=("Bash",))
WIDE = (120, 40)


def edit(old: str, new: str, id: str = "e", name: str = "a.txt") -> dict[str, Any]:
    return tool_use(id, "Edit", file_path=name, old_string=old, new_string=new)


SCRIPT = [
    [tool_use("r", "Read", file_path="a.txt"), tool_use("s", "Read", file_path="b.txt")],
    [edit("2\n", "two\nzwei\n")],
    [text("the first is done")],
    [tool_use("w", "Write", file_path="new.txt", content="n\n"), edit("9\n", "nine\n", "g", "b.txt")],
    [text("the second is done")],
    [text("heard")],
]


def after_two_turns(folder: Path, body: Body, script: Any = SCRIPT, size: tuple[int, int] = WIDE) -> None:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(TEN)

    async def work(seat: Seat) -> None:
        for number, words in enumerate(("make it words", "and a new one"), 1):
            await seat.send(words)
            await seat.until(lambda number=number: len(seat.said(TurnEnded)) == number, "the turn did not end")
            await seat.is_idle()
        await asyncio.to_thread(seat.session.history.settled)
        await body(seat)

    sit(folder, script, work, size=size, flags=EDITS)


async def opens(seat: Seat, *words: str) -> None:
    """By the command, until what would change is known and its keys count."""
    await seat.send("/rewind")
    await seat.sees("Rewind   to before one of your messages", "Takes back", *words)
    await can_be_answered(seat)


async def can_be_answered(seat: Seat) -> None:
    page: Any = seat.app.screen
    await seat.until(lambda: page._plan is not None and page._shown().lit, "its keys do not count")
    await asyncio.sleep(0.5)


def test_esc_esc_in_an_empty_box_shows_what_going_back_would_do(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("escape", "escape")
        await seat.sees("Rewind   to before one of your messages", "Takes back   1 message, 2 calls")
        # What each message changed is counted besides.
        await seat.sees("2 files +2 -1", "1 file +2 -1")
        assert seat.line("and a new one").startswith(" ❯ ") and seat.line("and a new one").endswith("2 files +2 -1")
        assert seat.line("make it words").endswith("1 file +2 -1")
        assert "    -  new.txt   removed" in seat.text()
        assert "    M  b.txt     my one line goes, one comes back" in seat.text()
        await seat.press("down")
        await seat.sees("Takes back   2 messages, 5 calls", "    M  a.txt     my two lines go, one comes back")
        await seat.press("escape")
        await seat.sees("the second is done")
        assert (tmp_path / "new.txt").exists() and seat.said(Rewound) == []

    after_two_turns(tmp_path, body)


def test_esc_esc_with_words_in_the_box_clears_them_and_goes_nowhere(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("some words")
        await seat.press("escape", "escape")
        await seat.until(lambda: seat.draft == "", "the box was not cleared")
        assert len(seat.app.screen_stack) == 1

    after_two_turns(tmp_path, body)


def test_b_takes_files_and_conversation_back_and_the_message_is_there_to_be_written_anew(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await opens(seat, "new.txt")
        await seat.press("b")
        await seat.sees("Went back to before")
        assert not (tmp_path / "new.txt").exists() and (tmp_path / "b.txt").read_text() == TEN
        assert (tmp_path / "a.txt").read_text() == TEN.replace("2", "two\nzwei")
        assert seat.draft == "and a new one"
        assert "the second is done" not in seat.text() and "the first is done" in seat.text()

    after_two_turns(tmp_path, body)


def test_u_brings_back_what_the_last_rewind_took(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await opens(seat, "new.txt")
        await seat.press("b")
        await seat.sees("Went back to before")
        await seat.press("escape", "escape")
        await seat.until(lambda: seat.draft == "", "the box was not cleared")
        await seat.send("/undo")
        await seat.sees("undo     the last rewind, to before: and a new one", "Brings back   2 files", "comes back")
        await can_be_answered(seat)
        await seat.press("u")
        await seat.sees("Going back was undone")
        assert (tmp_path / "new.txt").read_text() == "n\n" and "nine" in (tmp_path / "b.txt").read_text()
        await seat.sees("the second is done")

    after_two_turns(tmp_path, body)


def test_f_takes_only_files_and_c_only_the_conversation(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await opens(seat, "new.txt")
        await seat.press("f")
        await seat.sees("Files went back to before")
        assert not (tmp_path / "new.txt").exists() and "the second is done" in seat.text() and seat.draft == ""
        await seat.send("/rewind")
        await seat.sees("the last rewind, to before: and a new one")
        await seat.press("down", "down")
        await seat.sees("Takes back   2 messages, 5 calls")
        await can_be_answered(seat)
        await seat.press("c")
        await seat.sees("Went back to before")
        assert seat.session.main.messages == [] and "zwei" in (tmp_path / "a.txt").read_text()
        assert seat.draft == "make it words"

    after_two_turns(tmp_path, body)


def test_what_somebody_else_changed_apart_stays_and_says_so(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        b = tmp_path / "b.txt"
        b.write_text("theirs\n" + b.read_text())
        await seat.sees("≢ Outside b.txt")
        await opens(seat, "b.txt")
        await seat.sees(" ≢  M  b.txt     someone else's +1 stays; they do not overlap")
        await seat.press("b")
        await seat.sees("Went back to before")
        assert b.read_text() == "theirs\n" + TEN

    after_two_turns(tmp_path, body)


def test_where_the_two_meet_theirs_stays_unless_mine_is_chosen_with_both_in_sight(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        b = tmp_path / "b.txt"
        b.write_text(b.read_text().replace("nine", "NINE by them"))
        await seat.sees("≢ Outside b.txt")
        await opens(seat, "b.txt")
        await seat.sees("theirs overlap: kept as theirs", "stays as it is")
        await seat.press("enter", "down", "enter")
        await seat.sees("b.txt   what going back would change", "✓ t theirs stays where the two overlap")
        await seat.sees("m mine goes back there, too, and theirs is lost there", "- NINE by them", "+ 9")
        await seat.press("m")
        await seat.sees("theirs overlap: mine goes back, theirs is lost there")
        await seat.press("t")
        await seat.sees("theirs overlap: kept as theirs")
        await asyncio.sleep(0.6)
        await seat.press("m")
        await asyncio.sleep(0.6)
        await seat.press("f")
        await seat.sees("Files went back to before")
        assert b.read_text() == TEN

    after_two_turns(tmp_path, body)


def test_a_change_while_the_screen_is_open_is_in_what_it_shows_and_arms_it_anew(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await opens(seat, "b.txt")
        b = tmp_path / "b.txt"
        b.write_text("theirs\n" + b.read_text())
        await seat.sees("someone else's +1 stays")

    after_two_turns(tmp_path, body)


def test_typing_that_lands_on_the_screen_takes_nothing_back(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("/rewind")
        await seat.sees("Takes back")
        # At once, and as a word.
        await seat.press("b")
        await seat.sees(NOT_ALONE.split(",")[0])
        await can_be_answered(seat)
        for letter in "both":
            await seat.press(letter)
        await asyncio.sleep(0.4)
        assert seat.said(Rewound) == [] and (tmp_path / "new.txt").exists()

    after_two_turns(tmp_path, body)


def test_a_command_s_ignored_files_are_named_as_what_stays(tmp_path: Path) -> None:
    script = [
        [tool_use("b", "Bash", command="echo x > made.txt; mkdir -p build; echo y > build/out.o")],
        [text("built")],
        [text("done")],
    ]

    async def body(seat: Seat) -> None:
        await seat.send("/rewind")
        await seat.press("down")
        await seat.sees("Takes back   2 messages, 1 call", "-  made.txt", "1 command", "outside the workspace stays")

    after_two_turns(tmp_path, body, script)


def test_before_anything_was_said_there_is_a_sentence(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("escape", "escape")
        await seat.sees("There is nothing to go back to yet")
        await seat.press("b", "f", "u", "down", "enter", "left", "escape")
        await seat.until(lambda: len(seat.app.screen_stack) == 1, "Esc did not leave")

    sit(tmp_path, [], body, size=WIDE, flags=EDITS)


def test_while_a_turn_runs_nothing_goes_back_and_it_says_what_to_do(tmp_path: Path) -> None:
    script = [*SCRIPT[:5], [tool_use("slow", "Bash", command="sleep 30")], [text("done")]]

    async def body(seat: Seat) -> None:
        await seat.send("go on")
        await seat.sees("▸ Bash    sleep 30")
        await seat.send("/rewind")
        await seat.sees("Takes back")
        await can_be_answered(seat)
        await seat.press("b")
        await seat.sees("Something is still at work; Esc stops it, then go back.")
        await seat.press("escape", "escape")
        await seat.is_idle()

    after_two_turns(tmp_path, body, script)


def test_what_changed_after_the_look_is_left_and_named(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await opens(seat, "b.txt")
        page: Any = seat.app.screen
        plan, layout = page._plan, page._layout
        b = tmp_path / "b.txt"
        b.write_text("theirs\n" + b.read_text())
        await seat.sees("someone else's +1 stays")
        # What was on the screen when the key was pressed is what counts.
        page._plan, page._layout = plan, layout
        page._does("b")
        await seat.sees("Went back to before")
        assert any("could not be brought back" in notice.text for notice in seat.said(Notice))
        assert b.read_text() == "theirs\n" + TEN.replace("9", "nine")

    after_two_turns(tmp_path, body)


def test_on_a_small_screen_list_files_and_keys_are_in_sight(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await opens(seat, "new.txt", "b both   f files   c conversation   Esc leave")
        assert all(len(line) <= 80 for line in seat.lines())

    after_two_turns(tmp_path, body, size=(80, 24))
