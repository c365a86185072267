"""A fault in the drawing of one row is a sentence in its place; everything else goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import text, tool_use
from tests.support.seat import Seat, sit
from tests.tui.transcript.told import Told
from tools.blocks import Line
from tools.contract import Tool, ToolResult, build_tool
from tools.inputs import NoProgress, ToolInput
from tools.read.view import ReadView
from tools.view import ToolView, ViewContext

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
        await seat.sees("a row could not be drawn: ZeroDivisionError in test_faults.py:")
        await seat.press("escape")
        await seat.send("go on")
        await seat.sees("   Still here.")
        await seat.is_idle()

    script = [[tool_use("r", "Read", file_path="a.txt")], [text("It is one.")], [text("Still here.")]]
    sit(tmp_path, script, body)
