"""The whole screen as a picture, in both themes and the two sizes that matter. Look at each one before it is accepted:
`pytest tests/tui/composed --snapshot-update`, then open the SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tui.composed import going_back, reviews, stories
from tests.tui.composed.still import Still, Tell

WIDE, SMALL = (120, 40), (80, 24)

PICTURES: list[tuple[str, Tell, tuple[int, int], dict[str, Any]]] = [
    ("welcome", stories.welcome, WIDE, {}),
    ("welcome-small", stories.welcome, SMALL, {"theme": "paper"}),
    ("working", stories.working, WIDE, {}),
    ("working-light", stories.working, WIDE, {"theme": "paper"}),
    ("working-small", stories.working, SMALL, {}),
    ("phases", stories.phases, WIDE, {}),
    ("phases-ascii", stories.phases, SMALL, {"ascii": True}),
    ("asks-bash", stories.asks_bash, WIDE, {}),
    ("asks-bash-light", stories.asks_bash, WIDE, {"theme": "paper"}),
    ("asks-bash-small", stories.asks_bash, SMALL, {}),
    ("asks-with-comment", stories.comments, SMALL, {"theme": "paper"}),
    ("asks-mcp", stories.asks_mcp, WIDE, {}),
    ("asks-outside", stories.asks_outside, WIDE, {}),
    ("asks-linked", stories.asks_linked, SMALL, {"theme": "paper"}),
    ("asks-long", stories.asks_long, SMALL, {}),
    ("asks-grave", stories.asks_grave, SMALL, {}),
    ("changed-apart", stories.changed_apart, WIDE, {}),
    ("changed-in-it", stories.changed_in_it, WIDE, {}),
    ("outside", stories.outside, (140, 40), {"mode": "acceptEdits"}),
    ("outside-small", stories.outside, SMALL, {"theme": "paper"}),
    ("review", reviews.reviewed, WIDE, {}),
    ("review-small", reviews.reviewed, SMALL, {"theme": "paper"}),
    ("review-wide", reviews.reviewed, (200, 50), {"theme": "paper"}),
    ("review-commit", reviews.commit_message, SMALL, {}),
    ("review-empty", reviews.nothing_to_review, SMALL, {}),
    ("one-file", reviews.one_file, WIDE, {}),
    ("one-file-small", reviews.one_file, SMALL, {"theme": "paper"}),
    ("finished", stories.finished, WIDE, {}),
    ("in-full", stories.in_full, WIDE, {}),
    ("troubles", stories.troubles, SMALL, {}),
    ("typing", stories.typing, SMALL, {"mode": "plan"}),
    ("pasted", stories.pasted, SMALL, {"theme": "paper"}),
    ("keys", stories.told_keys, WIDE, {}),
    ("rewind", going_back.rewind, WIDE, {}),
    ("rewind-files", going_back.rewind_files, (120, 24), {"theme": "paper"}),
    ("rewind-small", going_back.rewind, SMALL, {}),
]


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Still:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    return Still(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("tell", "size", "more"), [picture[1:] for picture in PICTURES], ids=[picture[0] for picture in PICTURES]
)
def test_composed(
    snap_compare: Callable[..., bool], still: Still, tell: Tell, size: tuple[int, int], more: dict[str, Any]
) -> None:
    assert snap_compare(**still.of(tell, **more), terminal_size=size)
