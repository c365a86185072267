"""A fault of ours, in drawing a row or in work beside it, is a sentence in its place; everything else goes on."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import ScriptedModel, text, tool_use
from agent.settings.locations import wanted_state_folder
from tests.support.patience import PATIENCE
from tests.support.seat import Clock, Seat, sit
from tests.tui.transcript.told import Told
from tools.blocks import Line
from tools.contract import Tool, ToolResult, build_tool
from tools.inputs import NoProgress, ToolInput
from tools.read.view import ReadView
from tools.view import ToolView, ViewContext
from tui.app import AgentApp
from tui.start import Start

SENTENCE = " ✗ agent-tui failed to draw this; the call is not affected"


class Breaks(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        raise ZeroDivisionError("on purpose")


class Broken(Tool[ToolInput, NoProgress]):
    name = "Broken"
    search_hint = "a tool whose view raises"
    Input = ToolInput
    Output = NoProgress
    max_result_chars = 1
    view = Breaks()

    async def call(self, input: ToolInput, ctx: Any) -> ToolResult[NoProgress]:
        return ToolResult(NoProgress())


def test_a_row_that_cannot_be_drawn_is_a_sentence_and_the_fault_is_told() -> None:
    story = Told(build_tool(Broken)).turn().runs("c", "Broken").runs("d", "Bash", command="ls")
    assert story.frame(1) == [SENTENCE]
    assert story.frame(2) == [" ▸ Bash    ls"]
    assert [type(fault) for fault in story.faults] == [ZeroDivisionError]


def test_one_broken_member_does_not_take_the_screen_with_it() -> None:
    class Reads(Broken):
        name = "Reads"

        def is_concurrency_safe(self, input: ToolInput) -> bool:
            return True

    story = Told(build_tool(Reads)).turn().runs("c", "Reads").runs("d", "Read", file_path="a")
    assert story.frame() == [SENTENCE] and story.faults


def test_settings_that_break_while_it_runs_are_a_problem_until_they_are_mended(tmp_path: Path) -> None:
    file = tmp_path / ".agent-tui" / "settings.json"
    file.parent.mkdir()
    file.write_text("{}")

    async def body(seat: Seat) -> None:
        assert "/health" not in seat.lines()[-1]
        file.write_text("{")
        await seat.sees("it is not valid JSON", "1 problem /health")
        await seat.send("/health")
        await seat.sees("settings", ".agent-tui/settings.json: line 1")
        await seat.press("escape")
        file.write_text("{}")
        await seat.misses("1 problem /health")

    sit(tmp_path, [], body)


@pytest.mark.parametrize("verbose", [False, True])
def test_the_program_goes_on_and_the_status_line_says_that_something_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verbose: bool
) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(ReadView, "use" if not verbose else "result", fail)
    (tmp_path / "a.txt").write_text("one\n")

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("   It is one.", SENTENCE)
        await seat.is_idle()
        assert "1 problem /health" in seat.lines()[-1], "the same one counts once"
        await seat.press("ctrl+o", "tab", "up", "up", "enter", "c", "/", "o", "enter", "escape")
        await seat.send("/health")
        await seat.sees("a fault, drawing a row: ZeroDivisionError in test_faults.py:")
        await seat.press("escape")
        await seat.send("go on")
        await seat.sees("   Still here.")
        await seat.is_idle()

    script = [[tool_use("r", "Read", file_path="a.txt")], [text("It is one.")], [text("Still here.")]]
    sit(tmp_path, script, body)


def test_work_that_fails_is_a_notice_and_the_program_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("tui.checkup.checkup", fail)

    async def body(seat: Seat) -> None:
        await seat.send("/health")
        await seat.sees(
            "A fault of agent-tui, looking at what the session rests on   ZeroDivisionError", "please report"
        )
        assert "1 problem /health" in seat.lines()[-1]
        (report,) = (wanted_state_folder() / "crashes").iterdir()
        assert "on purpose" in report.read_text()
        await seat.send("go on")
        await seat.sees("   Still here.")
        await seat.is_idle()

    sit(tmp_path, [[text("Still here.")]], body)


def test_what_fails_with_nobody_waiting_for_it_is_told_too(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 // 0)
        await seat.sees("A fault of agent-tui, something in the background   ZeroDivisionError in test_faults.py:")
        await seat.send("go on")
        await seat.sees("   Still here.")

    sit(tmp_path, [[text("Still here.")]], body)


def test_where_no_session_can_be_opened_that_is_said_what_was_typed_stays_and_keys_are_heard(tmp_path: Path) -> None:
    def broken() -> Any:
        raise ZeroDivisionError("on purpose")

    async def run() -> None:
        clock = Clock()
        app = AgentApp(Start(wanted=broken, folder=str(tmp_path)), clock)
        async with asyncio.timeout(5 * PATIENCE), app.run_test(size=(100, 40)) as pilot:
            seat = Seat(app, pilot, ScriptedModel([]), tmp_path, clock)
            await seat.sees("A fault of agent-tui, opening the session: ZeroDivisionError in test_faults.py:")
            await seat.types("not lost")
            assert seat.draft == "not lost"
            await seat.press("ctrl+c", "ctrl+c", "ctrl+c")
            await seat.until(lambda: not app.is_running, "it did not quit")

    asyncio.run(run())


def test_nothing_on_the_screen_begins_work_past_its_one_home() -> None:
    ways = {"run_worker", "create_task", "ensure_future", "work"}
    # A listing that several may wait for, each of whom hears how it ended.
    homes = {"work.py": {"run_worker"}, "files.py": {"create_task"}}
    for file in (Path(__file__).parents[3] / "tui").rglob("*.py"):
        found = {node.attr for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)}
        assert found & ways <= homes.get(file.name, set()), file
