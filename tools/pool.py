"""The tools of one conversation, in the order the model is sent, frozen with its first request.

The API caches a prefix and binds thinking blocks to it, so the built-in tools come first, sorted by name, with the
cache mark on the last of them; what servers bring comes after and can never change a byte before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tools.contract import AnyTool, PromptOptions


class Pool:
    """Made by `assemble_pool`. `prefix_bytes` is the built-in part as it is sent, empty before the first request."""

    def __init__(self, built_in: tuple[AnyTool, ...], others: tuple[AnyTool, ...]) -> None:
        self.tools = (*built_in, *others)
        self.prefix_bytes = b""
        self._built_in = built_in
        self._others = others
        self._others_bytes = b""
        self._by_name = {tool.name: tool for tool in self.tools}
        self._by_alias: dict[str, AnyTool] = {}
        for tool in self.tools:
            for alias in tool.aliases:
                self._by_alias.setdefault(alias, tool)

    def find(self, name: str) -> AnyTool | None:
        """By name, then by alias, in exact case."""
        return self._by_name.get(name) or self._by_alias.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)

    def definitions(self, options: PromptOptions) -> list[dict[str, Any]]:
        """What the API is told of the tools: made the first time, and the same ever after, whatever the options."""
        if not self.prefix_bytes:
            self._freeze(options)
        return [*json.loads(self.prefix_bytes), *json.loads(self._others_bytes)]

    def _freeze(self, options: PromptOptions) -> None:
        # Texts may depend on the built-in tools only, or a server that comes or goes would change the prefix.
        names = frozenset(tool.name for tool in self._built_in)
        fixed = PromptOptions(tool_names=names, read_only=options.read_only)
        prefix = [_definition(tool, fixed) for tool in self._built_in]
        if prefix:
            prefix[-1]["cache_control"] = {"type": "ephemeral"}
        self.prefix_bytes = _as_bytes(prefix)
        self._others_bytes = _as_bytes([_definition(tool, fixed) for tool in self._others])


def assemble_pool(built_in: Iterable[AnyTool], mcp_tools: Iterable[AnyTool] = ()) -> Pool:
    """Both sorted by name; where names clash, aliases too, the built-in tool wins and the other is not offered."""
    first = tuple(sorted(built_in, key=_name))
    taken = {name for tool in first for name in (tool.name, *tool.aliases)}
    others: dict[str, AnyTool] = {}
    for tool in sorted(mcp_tools, key=_name):
        if tool.name not in taken:
            others.setdefault(tool.name, tool)
    return Pool(first, tuple(others.values()))


def _name(tool: AnyTool) -> str:
    return tool.name


def _definition(tool: AnyTool, options: PromptOptions) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description(options),
        "input_schema": tool.input_schema(),
        "eager_input_streaming": True,
    }
    if tool.strict:
        told["strict"] = True
    if tool.input_examples:
        told["input_examples"] = [dict(example) for example in tool.input_examples]
    return told


def _as_bytes(definitions: list[dict[str, Any]]) -> bytes:
    return json.dumps(definitions, ensure_ascii=False, separators=(",", ":")).encode()
