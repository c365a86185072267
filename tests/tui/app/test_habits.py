"""Every command does or says something, also those that people know from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.events import UserMessage
from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tests.tui.app.test_commands import back, opens
from tui.commands.catalog import COMMANDS, INSTEAD


def test_no_command_is_a_fault_whatever_there_is_and_each_says_or_shows_something(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        for command in COMMANDS:
            if command.name in ("quit", "clear", "init"):
                continue
            seat.app.say("")
            await seat.send(f"/{command.name}")
            await seat.until(
                lambda: len(seat.app.screen_stack) > 1 or seat.app.scene.side_open or seat.activity,
                f"/{command.name} did nothing",
            )
            await seat.press("f2" if seat.app.scene.side_open else "escape")
            await seat.until(lambda: len(seat.app.screen_stack) == 1 and not seat.app.scene.side_open)
            assert seat.draft == ""
        assert not seat.app.faults.told and not seat.said(UserMessage)

    sit(tmp_path, [], body)


def test_habits_of_elsewhere_are_understood_or_answered_in_a_sentence(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        for name, words in INSTEAD.items():
            await seat.send(f"/{name}")
            assert words[:90] in seat.activity and seat.draft == f"/{name}"
            await seat.press("ctrl+u")
        await seat.send("/usage")
        await opens(seat, "Cost")
        await back(seat)
        await seat.send("/exit")
        await seat.until(lambda: not seat.app.is_running)

    sit(tmp_path, [], body, size=(140, 40))


def test_init_asks_the_model_for_a_first_agents_file_and_memory_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)

    async def body(seat: Seat) -> None:
        await seat.send("/memory")
        assert "no editor is named: set VISUAL or EDITOR" in seat.activity
        await seat.send("/init")
        await seat.is_idle()
        assert seat.said(UserMessage)[0].text.startswith("Write AGENTS.md for this project")
        assert (tmp_path / "AGENTS.md").read_text() == "It is small.\n"
        await seat.send("/init")
        assert "AGENTS.md is there already; /memory opens it" in seat.activity

    script = [[tool_use("w", "Write", file_path="AGENTS.md", content="It is small.\n")], [text("x")]]
    sit(tmp_path, script, body, flags=Flags(trusted=True, mode="acceptEdits"))


def test_feedback_is_a_private_file_that_says_nothing_of_what_was_talked_about(
    tmp_path: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
    (tmp_path / "plans.txt").write_text("secret\n")

    async def body(seat: Seat) -> None:
        await seat.send("read the plans of the blue door")
        await seat.is_idle()
        await seat.send("/feedback")
        await seat.until(lambda: "look through ~/.local/state/agent-tui/feedback-" in seat.activity)
        (report,) = (a_home_of_its_own / ".local/state/agent-tui").glob("feedback-*.txt")
        assert report.stat().st_mode & 0o777 == 0o600
        said = report.read_text()
        assert "Read ok: 1" in said and "textual 8." in said and "mode default" in said
        for word in ("plans", "blue door", "secret", "sk-of-nobody", str(tmp_path), str(a_home_of_its_own)):
            assert word not in said

    script = [[tool_use("r", "Read", file_path="plans.txt")], [text("It is blue.")]]
    sit(tmp_path, script, body, size=(160, 40))
