"""The pages over the session and the side panel, by keyboard: hunks to pick, rules, hooks, health, trust."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tools.events import ToolStarted
from tools.sandbox import sandbox as sandboxes
from tui.sheet.keys import AFTER

OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = "ONE\ntwo\nthree\nfour\nFIVE\n"


def read(name: str) -> dict[str, Any]:
    return tool_use(f"read-{name}", "Read", file_path=name)


def edit(name: str, old: str, new: str) -> dict[str, Any]:
    return tool_use(f"edit-{name}", "Edit", file_path=name, old_string=old, new_string=new)


async def is_asked(seat: Seat, words: str) -> None:
    seat.app.turns.submit("go")
    await seat.until(lambda: words in "\n".join(seat.sheet), "nothing asked")


def test_only_the_picked_hunks_of_an_edit_are_made(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)

    async def body(seat: Seat) -> None:
        await is_asked(seat, "Edit a.txt?")
        await seat.answers("d")
        await seat.sees("1 of 2   makes it", "2 of 2   makes it")
        await seat.press("space")
        await seat.sees("1 of 2   left out", "Enter makes 1 of 2")
        await seat.looks()
        await seat.press("enter")
        await seat.is_idle()
        assert file.read_text() == "one\ntwo\nthree\nfour\nFIVE\n"

    sit(tmp_path, [[read("a.txt")], [edit("a.txt", OLD, NEW)], [text("x")]], body)


def test_the_page_of_hunks_answers_nothing_when_it_is_left(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)

    async def body(seat: Seat) -> None:
        await is_asked(seat, "Edit a.txt?")
        await seat.answers("d")
        await seat.sees("1 of 2   makes it")
        await seat.press("n", "space", "space", "escape")
        await seat.sees("Edit a.txt?")
        assert not [one for one in seat.said(ToolStarted) if one.id.startswith("edit")]
        await seat.answers("y")
        await seat.is_idle()
        assert file.read_text() == NEW

    sit(tmp_path, [[read("a.txt")], [edit("a.txt", OLD, NEW)], [text("x")]], body)


def test_typing_that_goes_on_over_the_page_of_hunks_makes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)

    async def body(seat: Seat) -> None:
        await is_asked(seat, "Edit a.txt?")
        await seat.answers("d")
        await seat.sees("1 of 2   makes it")
        await seat.looks()
        await seat.press(*"ont", "enter")
        await seat.passes(0.4)
        await seat.press("enter")
        await seat.sees("1 of 2   makes it")
        assert seat.session.gate.waiting
        await seat.passes(0.6)
        await seat.press("enter")
        await seat.is_idle()
        assert file.read_text() == NEW

    sit(tmp_path, [[read("a.txt")], [edit("a.txt", OLD, NEW)], [text("x")]], body)


@pytest.mark.parametrize(("command", "title"), [("/keys", "Keys"), ("/health", "Health"), ("/hooks", "Hooks")])
def test_a_page_keeps_the_status_line_of_the_screen_and_scrolls_above_it(
    tmp_path: Path, command: str, title: str
) -> None:
    async def body(seat: Seat) -> None:
        await seat.sees("default")
        status = seat.lines()[-1]
        await seat.send(command)
        await seat.sees(f"   {title}")
        await seat.press("end", "end")
        assert seat.lines()[-1] == status and seat.lines()[-2].strip() == ""

    sit(tmp_path, [], body)


def test_always_can_be_kept_elsewhere_and_says_where(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "Run this command?")
        assert "in .agent-tui/settings.local.json" in "\n".join(seat.sheet)
        await seat.answers("s")
        assert "in .agent-tui/settings.json" in "\n".join(seat.sheet)
        await seat.answers("a")
        await seat.is_idle()
        saved = json.loads((tmp_path / ".agent-tui" / "settings.json").read_text())
        assert saved == {"permissions": {"allow": ["Bash(touch made)"]}}

    sit(tmp_path, [[tool_use("c", "Bash", command="touch made")], [text("x")]], body, size=(120, 40))


def test_rules_can_be_tried_added_and_taken_out(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "Run this command?")
        await seat.answers("n")
        await seat.is_idle()
        await seat.send("/permissions")
        await seat.sees("There are none yet")
        await seat.press("a")
        await seat.types("Bash(touch *)")
        await seat.sees("it would have decided 1 call of this session otherwise", "ask becomes allow")
        await seat.press("right", "enter")
        await seat.until(lambda: len(seat.session.rulebook.entries()) == 1, "the rule was not added")
        await seat.sees("allow  Bash(touch *)")
        await seat.press("x")
        await seat.until(lambda: not seat.session.rulebook.entries(), "the rule was not taken out")
        await seat.sees("There are none yet")
        await seat.press("escape")
        await seat.sees("turn 1")

    sit(tmp_path, [[tool_use("c", "Bash", command="touch made")], [text("x")]], body, size=(120, 30))


def test_a_rule_that_cannot_work_says_why_and_is_not_added(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("/permissions")
        await seat.sees("There are none yet")
        await seat.press("a")
        await seat.types("Nonsense(x)")
        await seat.sees("it cannot work")
        await seat.press("escape", "escape")
        assert not seat.session.rulebook.entries()

    sit(tmp_path, [], body, size=(120, 30))


def test_on_a_narrow_screen_a_rule_is_written_and_read_in_full(tmp_path: Path) -> None:
    (tmp_path / ".agent-tui").mkdir()
    rules = {"permissions": {"allow": ["Write(src/**)", "Bash(ls)"]}}
    (tmp_path / ".agent-tui" / "settings.json").write_text(json.dumps(rules))

    async def body(seat: Seat) -> None:
        await seat.send("/permissions")
        await seat.sees("path rules for Write are not consulted", "`Edit(src/**)`, which covers it")
        await seat.press("a", "tab")
        await seat.types("Bash(git push origin release/*)")
        assert seat.line("ask    Bash(git push origin release/*)")
        await seat.sees("Tab kind   Left Right where   Enter adds it   Esc closes")
        await seat.press("enter")
        await seat.until(lambda: len(seat.session.rulebook.entries()) == 3, "the rule was not added")
        await seat.sees("❯ ask    Bash(git push origin release/*)")
        await seat.press("escape")
        await seat.types("x")
        assert seat.draft == "x", "Tab on the page was for the page, and the prompt has the keys again"

    sit(tmp_path, [], body, size=(80, 24))


def test_hooks_and_health_have_their_pages(tmp_path: Path) -> None:
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
    (tmp_path / ".agent-tui").mkdir()
    (tmp_path / ".agent-tui" / "settings.json").write_text(json.dumps({"hooks": hooks}))

    async def body(seat: Seat) -> None:
        await seat.send("/hooks")
        await seat.sees("PreToolUse Bash", "has not run yet")
        await seat.press("escape")
        await seat.send("/health")
        await seat.sees("Health", "watcher", "ready, no file was read or changed yet", "ripgrep", "terminal")
        await seat.press("r", "escape")
        await seat.misses("Health")

    sit(tmp_path, [], body, size=(120, 30))


def test_one_file_that_is_watched_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")

    async def body(seat: Seat) -> None:
        await seat.send("read it")
        await seat.is_idle()
        await seat.send("/health")
        await seat.sees("1 file in 1 folder")
        assert "1 files" not in seat.text()

    sit(tmp_path, [[tool_use("r", "Read", file_path="a.py")], [text("read")]], body, size=(120, 30))


def test_a_page_that_is_closed_can_still_be_told_to_draw(tmp_path: Path) -> None:
    """What a key of it began may end later."""

    async def body(seat: Seat) -> None:
        await seat.send("/health")
        await seat.sees("Health", "watcher")
        page = seat.app.screen
        await seat.press("escape")
        await seat.misses("Health")
        await seat.until(lambda: not page.is_attached, "the page stayed")
        page.redraw()

    sit(tmp_path, [], body, size=(120, 30))


def test_a_folder_that_brings_something_is_asked_about_before_anything_of_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.\n")

    async def trusting(seat: Seat) -> None:
        seat.app.turns.submit("go")

        async def says_yes() -> None:
            await seat.sees("Trust this folder?", "Be kind.")
            await seat.until(lambda: seat.app.screen.counts, "its keys do not count")
            await seat.pilot.press("y")

        seat.app.run_worker(says_yes())

    async def body(seat: Seat) -> None:
        await seat.is_idle()
        assert "Be kind." in json.dumps(seat.session.main.messages)

    sit(tmp_path, [[text("x")]], body, early=trusting, flags=Flags())


@pytest.mark.parametrize("burst", [["y", "e", "s"], ["y", "enter"], ["y", "paste"], ["n", "o", " ", "y"]])
def test_typing_trusts_no_folder(tmp_path: Path, burst: list[str]) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.\n")
    drafts: list[str] = []

    async def typing(seat: Seat) -> None:
        async def types() -> None:
            await seat.sees("Trust this folder?")
            await seat.until(lambda: seat.app.screen.counts, "its keys do not count")
            seat.clock.hold()
            for key in burst:
                await (seat.pastes("es") if key == "paste" else seat.press(key))
            # Longer than any key is held back.
            await asyncio.sleep(2 * AFTER)
            assert "Trust this folder?" in seat.text()
            drafts.append(seat.app.box.draft)
            await seat.passes(0.6)
            await seat.press("n")

        seat.app.run_worker(types())

    async def body(seat: Seat) -> None:
        await seat.until(lambda: drafts and len(seat.app.screen_stack) == 1, "it was not answered")
        assert drafts == ["".join(burst).replace("enter", "").replace("paste", "es")]

    sit(tmp_path, [[text("x")]], body, early=typing, flags=Flags())


def test_the_panel_shows_what_happened_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(OLD)

    async def body(seat: Seat) -> None:
        await is_asked(seat, "Edit a.txt?")
        await seat.answers("y")
        await seat.is_idle()
        await seat.press("f2")
        await seat.until(lambda: seat.app.focused is seat.app.scene.parts.side, "the panel has no keys")
        await seat.sees("M  a.txt")
        await seat.press("enter")
        await seat.sees("1 + ONE", "Esc back")
        await seat.press("escape", "escape")
        await seat.until(lambda: seat.app.focused is seat.app.box, "the box has no keys")

    sit(tmp_path, [[read("a.txt")], [edit("a.txt", OLD, NEW)], [text("x")]], body, size=(130, 30))


def test_a_running_command_goes_to_the_background_and_the_panel_shows_and_stops_it(tmp_path: Path) -> None:
    command = "echo begun; while true; do sleep 0.05; done"

    async def body(seat: Seat) -> None:
        seat.app.turns.submit("go")
        await seat.until(lambda: seat.said(ToolStarted))
        await seat.until(lambda: seat.session.background("c"), "it cannot go to the background")
        await seat.is_idle()
        await seat.press("f2")
        await seat.sees("Tasks", "1 running", "begun")
        await seat.until(lambda: seat.app.focused is seat.app.scene.parts.side, "the panel has no keys")
        await seat.press("x")
        await seat.misses("1 running")
        assert not seat.session.tasks.running()

    script = [[tool_use("c", "Bash", command=command)], [text("x")]]
    sit(tmp_path, script, body, size=(130, 30))


def test_a_hook_that_fails_is_a_notice_once_and_stays_a_problem_until_it_works(tmp_path: Path) -> None:
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "test -e mended"}]}]}
    (tmp_path / ".agent-tui").mkdir()
    (tmp_path / ".agent-tui" / "settings.json").write_text(json.dumps({"hooks": hooks}))

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("it failed with exit", "1 problem /health", "   First.")
        await seat.is_idle()
        assert seat.text().count("it failed with exit") == 1, "it failed twice and was told once"
        await seat.send("/health")
        await seat.sees("its last run failed, exit 1")
        await seat.press("escape")
        (tmp_path / "mended").touch()
        await seat.send("go on")
        await seat.sees("   Second.")
        await seat.misses("1 problem")

    ls = [tool_use("a", "Bash", command="ls"), tool_use("b", "Bash", command="pwd")]
    sit(tmp_path, [ls, [text("First.")], [tool_use("c", "Bash", command="ls")], [text("Second.")]], body)


def test_a_sandbox_that_is_wanted_and_not_to_be_had_stays_in_the_status_line_and_on_the_health_page(
    tmp_path: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "find_program", lambda *_: None)
    monkeypatch.setattr(sandboxes, "can_filter", lambda: False)
    monkeypatch.setattr("sys.platform", "linux")
    settings = a_home_of_its_own / ".config" / "agent-tui" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"bash": {"sandbox": "on"}}))

    async def body(seat: Seat) -> None:
        await seat.sees("no sandbox /health")
        await seat.send("/health")
        await seat.sees("wanted, but not to be had: bubblewrap is not installed")
        await seat.press("escape")

    sit(tmp_path, [], body, size=(140, 30))
