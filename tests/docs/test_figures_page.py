"""docs/figures.md lists every number of the program that has a name, with the value it has in the code."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from tools.registry import BASE_TOOLS, Ports

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
NO_PORTS = Ports(**cast("dict[str, Any]", dict.fromkeys(port.name for port in fields(Ports))))


def test_the_page_lists_every_named_number_with_its_value() -> None:
    listed = dict(re.findall(r"^\| `([\w.]+)` \| ([\d.]+) \|$", PAGE, re.MULTILINE))
    assert listed == {name: _plain(value) for name, value in _numbers()}


def test_the_page_lists_what_each_tool_declares_as_its_longest_result() -> None:
    listed = dict(re.findall(r"^\| (\w+) \| ([\d]+|none) \|$", PAGE, re.MULTILINE))
    built = (base.build(NO_PORTS) for base in BASE_TOOLS)
    assert listed == {tool.name: _plain(tool.max_result_chars) for tool in built}


def _numbers() -> Iterator[tuple[str, float]]:
    for folder in ("tools", "agent", "tui"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "workspace" not in file.parts:
                module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
                yield from _numbers_in(module, ast.parse(file.read_text(encoding="utf-8")))


def _numbers_in(module: str, tree: ast.Module) -> Iterator[tuple[str, float]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name.isupper() and not name.startswith("_"):
                value = getattr(importlib.import_module(module), name)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield f"{module}.{name}", value


def _plain(value: float | None) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
