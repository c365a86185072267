from __future__ import annotations

import pytest

from tests.support.permissions import rules
from tools.permissions.rules import Source, parse_rule

SOURCE = Source("project", "/p", "/p/.agent-tui/settings.json")


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("Bash(npm test", "allow", "parenthesis"),
        ("", "allow", "empty"),
        ("Bsh(rm *)", "deny", "no tool named Bsh"),
        ("Write(docs/**)", "allow", "write `Edit(docs/**)`"),
        ("Grep(src/**)", "deny", "write `Read(src/**)`"),
        ("mcp__*", "allow", "only after `mcp__server__`"),
        ("mcp__*__get", "allow", "only after `mcp__server__`"),
        ("*", "allow", "only after `mcp__server__`"),
        ("Bash()", "allow", "empty"),
        ("Bash(:*)", "allow", "no command"),
        ("Bash(command:rm *)", "deny", "not matched by name"),
        ("WebFetch(example.com)", "allow", "domain:"),
        ("WebFetch(domain:example.com/docs)", "deny", "domain:"),
        ("Read(a[b)", "deny", "bracket"),
    ],
)
def test_a_rule_that_cannot_work_is_named_with_file_and_line(text: str, kind: str, reason: str) -> None:
    rule = parse_rule(text, kind, SOURCE, 7)  # type: ignore[arg-type] (parametrized)
    assert reason in rule.problem
    assert rule.where == "/p/.agent-tui/settings.json:7"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Bash", "allow"),
        ("Bash(*)", "deny"),
        ("Read(//etc/**)", "allow"),
        ("mcp__github", "allow"),
        ("mcp__github__get_*", "allow"),
        ("mcp__*", "deny"),
        ("*", "deny"),
        ("Task(explore)", "deny"),
        ("Agent(model:opus)", "deny"),
        ("Bash(run_in_background:true)", "ask"),
        ("WebFetch(domain:*.example.com)", "allow"),
        ("WebFetch(domain:[::1])", "deny"),
        ("Skill(review *)", "allow"),
        ("Bash(echo (a))", "allow"),
    ],
)
def test_a_sound_rule_has_no_problem(text: str, kind: str) -> None:
    assert parse_rule(text, kind, SOURCE).problem == ""  # type: ignore[arg-type] (parametrized)


def test_problems_say_what_happens_until_they_are_mended() -> None:
    (problem,) = rules(deny=("Bash(rm *",)).problems
    assert "`Bash(rm *`" in problem
    assert "every Bash call asks" in problem


def test_a_whole_tool_is_removed_by_a_bare_deny_in_any_of_its_names() -> None:
    found = rules(deny=("read_file", "Bash(rm *)", "mcp__files"))
    assert found.removes(("Read", "read_file"))
    assert found.removes(("mcp__files__list",))
    assert not found.removes(("Bash", "run_shell"))
    assert rules(deny=("*",)).removes(("Anything",))
