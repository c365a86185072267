"""NO_COLOR: what a colour says is said by something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit

CALLS = [
    [tool_use("r", "Read", file_path="a.txt")],
    [tool_use("e", "Edit", file_path="a.txt", old_string="one old word", new_string="one new word")],
    [text("Done.")],
]


def underlined(seat: Seat) -> list[str]:
    strips = seat.app.screen._compositor.render_strips()
    return [each.text for strip in strips for each in strip if each.style is not None and each.style.underline]


@pytest.mark.parametrize(("colourless", "shown"), [(True, ["old", "new"]), (False, [])])
def test_words_that_changed_are_underlined_only_where_there_are_no_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, colourless: bool, shown: list[str]
) -> None:
    (tmp_path / "a.txt").write_text("one old word\n")
    if colourless:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("turn 1")
        assert underlined(seat) == shown

    sit(tmp_path, CALLS, body, flags=Flags(trusted=True, mode="acceptEdits"))
