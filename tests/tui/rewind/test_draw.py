"""The screen for going back, as lines."""

from __future__ import annotations

from agent.checkpoints.points import Point
from agent.checkpoints.rewind import FilePlan, Plan
from tui.render.lines import BLANK
from tui.render.look import Look
from tui.rewind.draw import Shown, layout_of, most_scroll, rewind_lines

LOOK = Look(120, 40, False, False, 0.0)


def test_of_thousands_of_files_only_those_in_sight_are_drawn() -> None:
    files = tuple(FilePlan(f"/p/{number:04}", "now", "then", "then", removed=1) for number in range(5000))
    plan = Plan(1, 1, 1, files)
    asked: list[str] = []

    def short(path: str) -> str:
        asked.append(path)
        return path.removeprefix("/p/")

    layout = layout_of(plan, short)
    asked.clear()
    point = Point(turn=1, text="hello", time=0.0, messages=0, calls=1, commands=0)
    for scroll in (0, 2500, 5000):
        shown = Shown([point], 0, plan, short, scroll=scroll, layout=layout)
        assert most_scroll(shown, LOOK) == 5000
        assert any("my one line goes" in line.text for line in rewind_lines(shown, LOOK, BLANK))
    assert len(asked) <= 3 * LOOK.height and "/p/4999" in asked
