"""Which hooks an event means, and what is said of those that can never run."""

from __future__ import annotations

import pytest

from tools.hooks.configured import EVENTS, Hook, matches, problem_of


@pytest.mark.parametrize("matcher", ["", "*"])
def test_an_empty_matcher_and_a_star_mean_everything(matcher: str) -> None:
    assert matches(Hook("PreToolUse", "x", matcher), "Bash")
    assert matches(Hook("Stop", "x", matcher), None)


@pytest.mark.parametrize(
    ("matcher", "subject", "meant"),
    [
        ("Edit|Write", "Edit", True),
        ("Edit|Write", "Write", True),
        ("Edit|Write", "NotebookEdit", False),
        ("Edit|Write", "Edi", False),
        ("Edit|", "Bash", False),
        ("edit", "Edit", False),
        ("Task", "Agent", True),
        ("run_shell", "Bash", True),
        ("mcp__files", "mcp__files__read", False),
        ("mcp__files__.*", "mcp__files__read", True),
        ("^Notebook", "NotebookEdit", True),
        ("^Edit", "NotebookEdit", False),
        ("Edit.*", "NotebookEdit", True),
        (r"\.envrc|\.env$", ".env", True),
    ],
)
def test_letters_are_a_list_of_names_and_all_else_is_a_regular_expression(
    matcher: str, subject: str, meant: bool
) -> None:
    assert matches(Hook("PreToolUse", "x", matcher), subject) is meant


def test_an_event_with_nothing_to_match_means_all_its_hooks() -> None:
    assert matches(Hook("Stop", "x", "Bash"), None)


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_of_every_event_is_fine(event: str) -> None:
    assert problem_of(Hook(event, "./check.sh", "Edit|Write")) == ""


@pytest.mark.parametrize(
    ("hook", "kind", "told"),
    [
        (Hook("PreTool", "x"), "command", "there is no event PreTool"),
        (Hook("Stop", "x"), "prompt", 'not of the type "prompt"'),
        (Hook("Stop", " \n"), "command", "no command"),
        (Hook("Stop", "echo \0"), "command", "no shell takes"),
        (Hook("Stop", "echo \ud800"), "command", "no shell takes"),
        (Hook("PreToolUse", "x", "Edit("), "command", "neither a list of names nor a regular expression"),
    ],
)
def test_a_hook_that_can_never_run_says_why(hook: Hook, kind: str, told: str) -> None:
    assert told in problem_of(hook, kind)


def test_a_hook_is_called_by_its_command_and_its_place() -> None:
    hook = Hook("Stop", "./check.sh --all\nsecond line", file="/p/.claude/settings.json", line=7)
    assert hook.name == "`./check.sh --all⋯` (/p/.claude/settings.json:7)"
    assert len(Hook("Stop", "x" * 500).name) < 70
