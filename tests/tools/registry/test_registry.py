"""Which tools there are, which are offered, and that nothing is loaded that is not wanted."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest

from tools.contract import AnyTool, Tool, ToolResult, build_tool
from tools.inputs import NoProgress, ToolInput
from tools.permissions.names import KNOWN_TOOLS, canonical
from tools.permissions.rules import RuleSet, Source, parse_rules
from tools.registry import BASE_TOOLS, BaseTool, Choice, Ports, all_base_tools, enabled_tools, find_base_tool

# Building a tool only hands its ports over.
PORTS = Ports(**cast("dict[str, Any]", dict.fromkeys(port.name for port in fields(Ports))))
ROOT = Path(__file__).parents[3]


def names(tools: list[AnyTool]) -> list[str]:
    return [tool.name for tool in tools]


def deny(*rules: str) -> RuleSet:
    return parse_rules([("deny", rules)], Source("user", "/"))


def loaded_after(code: str) -> set[str]:
    """The modules a fresh interpreter has after running the code, with the registry and PORTS at hand."""
    start = (
        "import json, sys\nfrom dataclasses import fields\nfrom tools.registry import *\n"
        "ports = Ports(**dict.fromkeys(port.name for port in fields(Ports)))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", f"{start}{code}\nprint(json.dumps(list(sys.modules)))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(ran.stdout))


def test_the_table_says_the_same_names_as_the_tools_themselves() -> None:
    for base in BASE_TOOLS:
        tool = base.build(PORTS)
        assert (base.name, base.aliases) == (tool.name, tool.aliases)


def test_rules_know_every_name_and_alias() -> None:
    for base in BASE_TOOLS:
        assert base.name in KNOWN_TOOLS
        assert {canonical(alias) for alias in base.aliases} <= {base.name}


def test_no_name_or_alias_is_given_twice() -> None:
    given = [name for base in BASE_TOOLS for name in (base.name, *base.aliases)]
    assert len(given) == len(set(given))


def test_every_tool_has_its_text_and_a_description() -> None:
    from tools.contract import PromptOptions

    for tool in all_base_tools(PORTS, frozenset()):
        assert tool.prompt(PromptOptions())
        assert tool.description(PromptOptions())


def test_a_tool_is_found_by_name_and_by_alias_in_exact_case() -> None:
    for name in ("Grep", "grep_search"):
        found = find_base_tool(name, PORTS, frozenset())
        assert found is not None and found.name == "Grep"
    assert find_base_tool("grep", PORTS, frozenset()) is None


def test_finding_one_tool_loads_no_other_and_nothing_heavy() -> None:
    loaded = loaded_after("assert find_base_tool('list_files', ports, frozenset())")
    assert "tools.glob.tool" in loaded
    assert not {"tools.grep.tool", "tools.bash.tool", "tools.read.tool", "asyncio", "subprocess"} & loaded


def test_building_every_tool_loads_nothing_that_runs_them() -> None:
    loaded = loaded_after("all_base_tools(ports, frozenset())")
    assert {
        f"tools.{folder}.tool" for folder in ("bash", "edit", "glob", "grep", "read", "todo_write", "write")
    } <= loaded
    assert not {"asyncio", "subprocess", "anthropic", "textual", "watchfiles", "pathspec", "tree_sitter"} & loaded


def test_shell_search_removes_glob_and_grep_and_does_not_even_load_them() -> None:
    loaded = loaded_after("all_base_tools(ports, frozenset({'shell_search'}))")
    assert not {name for name in loaded if name.startswith(("tools.glob", "tools.grep", "tools.search"))}
    features = frozenset({"shell_search"})
    assert not {"Glob", "Grep"} & set(names(all_base_tools(PORTS, features)))
    assert find_base_tool("Glob", PORTS, features) is None


def test_a_tool_behind_a_feature_is_offered_only_with_it() -> None:
    gated = BaseTool("X", BASE_TOOLS[0].build, only_with="repl")
    assert not gated.is_offered(frozenset())
    assert gated.is_offered(frozenset({"repl", "other"}))


def test_a_feature_nobody_knows_changes_nothing() -> None:
    assert names(all_base_tools(PORTS, frozenset({"tasks", "no such thing", ""}))) == names(
        all_base_tools(PORTS, frozenset())
    )


class Stranger(Tool[ToolInput, NoProgress]):
    """A tool as a server brings it: its name comes with the instance."""

    Input = ToolInput
    Output = NoProgress
    max_result_chars = 100_000
    search_hint = "does something elsewhere"

    def __init__(self, name: str, enabled: bool = True) -> None:
        self.name = name
        self._enabled = enabled

    def is_enabled(self) -> bool:
        return self._enabled

    async def call(self, input: ToolInput, ctx: Any) -> ToolResult[NoProgress]:
        return ToolResult(NoProgress())


@pytest.fixture(scope="module")
def base() -> list[AnyTool]:
    strangers = [build_tool(Stranger, name) for name in ("Agent", "mcp__web__get", "mcp__web__put")]
    return [*all_base_tools(PORTS, frozenset()), *strangers]


def test_simple_mode_is_bash_read_and_edit(base: list[AnyTool]) -> None:
    assert set(names(enabled_tools(base, Choice(simple=True)))) == {"Bash", "Read", "Edit"}


def test_a_coordinator_in_simple_mode_has_agent_and_task_stop_too(base: list[AnyTool]) -> None:
    offered = names(enabled_tools(base, Choice(simple=True, coordinator=True)))
    assert set(offered) == {"Bash", "Read", "Edit", "Agent", "TaskStop"}


def test_read_only_drops_what_can_never_be_read_only_and_keeps_bash(base: list[AnyTool]) -> None:
    assert set(names(enabled_tools(base, Choice(read_only=True)))) == {
        "Bash", "Read", "Glob", "Grep", "TodoWrite", "TaskOutput", "Monitor"
    }  # fmt: skip


@pytest.mark.parametrize("rule", ["Grep", "Grep(*)", "grep_search"])
def test_a_denied_name_or_alias_is_not_offered(base: list[AnyTool], rule: str) -> None:
    offered = names(enabled_tools(base, Choice(rules=deny(rule))))
    assert "Grep" not in offered and "Glob" in offered


def test_a_deny_rule_with_a_pattern_leaves_the_tool_in_the_list(base: list[AnyTool]) -> None:
    assert "Bash" in names(enabled_tools(base, Choice(rules=deny("Bash(rm *)"))))


def test_a_denied_server_takes_all_its_tools_along(base: list[AnyTool]) -> None:
    assert not {"mcp__web__get", "mcp__web__put"} & set(names(enabled_tools(base, Choice(rules=deny("mcp__web")))))
    assert "mcp__web__put" in names(enabled_tools(base, Choice(rules=deny("mcp__web__get"))))


def test_a_tool_that_is_not_enabled_is_not_offered() -> None:
    assert enabled_tools([build_tool(Stranger, "Off", enabled=False)], Choice()) == []
