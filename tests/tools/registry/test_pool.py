"""The order tools are sent in, and the bytes that must not move."""

from __future__ import annotations

from typing import Any

from tools.contract import AnyTool, PromptOptions, Tool, ToolResult, build_tool
from tools.glob.tool import Glob
from tools.grep.tool import Grep
from tools.inputs import NoProgress, ToolInput
from tools.pool import Pool, assemble_pool

OPTIONS = PromptOptions()


class ServersTool(Tool[ToolInput, NoProgress]):
    """A tool as a server brings it: name and JSON schema come with the instance."""

    Input = ToolInput
    Output = NoProgress
    max_result_chars = 100_000

    def __init__(self, name: str, aliases: tuple[str, ...] = (), text: str = "does something elsewhere") -> None:
        self.name = name
        self.aliases = aliases
        self.search_hint = text

    def input_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {"q": {"type": "string"}}}

    async def call(self, input: ToolInput, ctx: Any) -> ToolResult[NoProgress]:
        return ToolResult(NoProgress())


class TalksOfOthers(ServersTool):
    """A built-in tool whose text depends on which others there are."""

    def description(self, options: PromptOptions) -> str:
        return f"Beside {sorted(options.tool_names)}, read-only: {options.read_only}"


def built_in() -> list[AnyTool]:
    return [build_tool(Grep), build_tool(TalksOfOthers, "Aaa"), build_tool(Glob)]


def pool_with(*names: str) -> Pool:
    pool = assemble_pool(built_in(), [build_tool(ServersTool, name) for name in names])
    pool.definitions(OPTIONS)
    return pool


def test_built_ins_come_first_and_each_part_is_sorted_by_name() -> None:
    sent = pool_with("mcp__b__x", "Aardvark", "mcp__a__x").definitions(OPTIONS)
    assert [one["name"] for one in sent] == ["Aaa", "Glob", "Grep", "Aardvark", "mcp__a__x", "mcp__b__x"]


def test_the_bytes_of_the_built_in_prefix_stay_while_servers_come_and_go() -> None:
    alone = pool_with().prefix_bytes
    assert alone
    assert pool_with("mcp__a__x").prefix_bytes == alone
    assert pool_with("mcp__a__x", "mcp__b__x", "Aaaa", "Zzz").prefix_bytes == alone


def test_the_texts_are_fixed_with_the_first_request() -> None:
    tool = ServersTool("mcp__a__x", text="first")
    pool = assemble_pool(built_in(), [tool])
    first = pool.definitions(OPTIONS)
    tool.search_hint = "second"
    assert pool.definitions(PromptOptions(read_only=True)) == first


def test_nobody_can_change_the_frozen_list_through_what_they_were_given() -> None:
    pool = pool_with("mcp__a__x")
    pool.definitions(OPTIONS)[0]["name"] = "changed"
    assert pool.definitions(OPTIONS)[0]["name"] == "Aaa"


def test_a_definition_is_what_the_api_takes_and_the_cache_mark_is_on_the_last_built_in() -> None:
    sent = {one["name"]: one for one in pool_with("mcp__a__x").definitions(OPTIONS)}
    assert sent["mcp__a__x"] == {
        "name": "mcp__a__x",
        "description": "does something elsewhere",
        "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}},
        "eager_input_streaming": True,
    }
    assert [name for name, one in sent.items() if "cache_control" in one] == ["Grep"]
    assert sent["Grep"]["cache_control"] == {"type": "ephemeral"}
    assert "-A" in sent["Grep"]["input_schema"]["properties"]


def test_strict_and_examples_are_sent_where_a_tool_has_them() -> None:
    tool = ServersTool("X")
    tool.strict = True
    tool.input_examples = ({"q": "a"},)
    (sent,) = assemble_pool([tool]).definitions(OPTIONS)
    assert (sent["strict"], sent["input_examples"]) == (True, [{"q": "a"}])


def test_a_built_in_wins_a_clash_of_names_and_of_aliases() -> None:
    pool = pool_with("Grep", "grep_search", "mcp__a__x", "mcp__a__x")
    assert [tool.name for tool in pool.tools] == ["Aaa", "Glob", "Grep", "mcp__a__x"]
    assert isinstance(pool.find("grep_search"), Grep)


def test_a_servers_alias_never_hides_a_built_in() -> None:
    pool = assemble_pool(built_in(), [build_tool(ServersTool, "mcp__a__x", ("Glob", "grep_search", "own"))])
    assert isinstance(pool.find("Glob"), Glob)
    assert isinstance(pool.find("grep_search"), Grep)
    own = pool.find("own")
    assert own is not None and own.name == "mcp__a__x"


def test_names_are_found_in_exact_case() -> None:
    pool = pool_with()
    assert isinstance(pool.find("Glob"), Glob)
    assert pool.find("glob") is None


def test_a_pool_of_servers_tools_alone_has_no_cache_mark() -> None:
    (sent,) = assemble_pool([], [build_tool(ServersTool, "mcp__a__x")]).definitions(OPTIONS)
    assert "cache_control" not in sent
