"""docs/hooks.md is true: its examples are read without a complaint, and it lists every event."""

from __future__ import annotations

import json
import re
from pathlib import Path

from agent.settings.merge import Flags, load_settings
from tools.hooks.configured import EVENTS
from tools.hooks.wire import read_word

PAGE = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")
EXAMPLES = [block.strip() for block in re.findall(r"(?:^    .*\n)+", PAGE, re.MULTILINE)]


def test_the_settings_on_the_page_make_hooks_that_run(tmp_path: Path) -> None:
    (tmp_path / ".agent-tui").mkdir()
    (tmp_path / ".agent-tui/settings.json").write_text(EXAMPLES[0])
    settings = load_settings(str(tmp_path), str(tmp_path / "home"), Flags(trusted=True))
    assert (settings.problems, settings.notices) == ([], [])
    assert [(hook.event, hook.idle) for hook in settings.hooks] == [("PreToolUse", ""), ("Stop", "")]


def test_the_answer_on_the_page_is_understood_in_every_field() -> None:
    word = read_word("PreToolUse", 0, EXAMPLES[1], "")
    assert word.problems == ()
    assert None not in (word.blocked, word.stop, word.permission, word.updated_input, word.updated_output)
    assert word.context and word.message and json.loads(EXAMPLES[1])


def test_every_event_has_its_row() -> None:
    assert sorted(re.findall(r"^\| (\w+) \|", PAGE, re.MULTILINE)) == sorted(["event", "0", "2", *EVENTS])
