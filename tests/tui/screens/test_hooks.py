"""The page of the hooks: what runs when, where it is written, what it last said."""

from __future__ import annotations

from tests.tui.panels.drawing import assert_fits
from tools.hooks.configured import Hook
from tools.hooks.runner import LastRun, Listed
from tui.render.look import Look
from tui.screens.hooks import hooks_lines

LOOK = Look(90, 30)
HOOK = Hook("PreToolUse", "ruff format -", "Edit|Write", file="/w/.agent-tui/settings.json", line=7)


def shown(*listed: Listed) -> list[str]:
    lines = hooks_lines(listed, lambda path: path.removeprefix("/w/"), LOOK)
    assert_fits(lines, LOOK.width)
    return [line.text.rstrip() for line in lines][3:]


def test_a_hook_stands_with_its_event_its_command_and_its_place() -> None:
    first, second, _ = shown(Listed(HOOK, None))
    assert first.startswith(" ✓ PreToolUse Edit|Write  ruff format -") and first.endswith(".agent-tui/settings.json:7")
    assert second == "   has not run yet"


def test_what_it_last_said_stands_below_it() -> None:
    assert shown(Listed(HOOK, LastRun(2, "no such file", 0.31)))[1] == "   last: exit 2, 0.3s   no such file"
    failed = shown(Listed(HOOK, LastRun(None, "it took longer than 60 s", 60.0)))
    assert failed[0].startswith(" ✗ ") and failed[1].startswith("   last: did not end by itself, 60.0s")


def test_one_that_does_not_run_says_why() -> None:
    idle = HOOK._replace(idle="the folder is not trusted")
    assert shown(Listed(idle, None))[:2][1] == "   does not run: the folder is not trusted"


def test_without_hooks_it_says_how_to_have_one() -> None:
    assert shown()[0].startswith("   There are none. A settings file names them")
