"""docs/figures.md lists every number of the program that has a name, with the value it has in the code."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, cast

from tests.docs.figures import PAGE, named_numbers, plain
from tools.registry import BASE_TOOLS, Ports

TEXT = PAGE.read_text(encoding="utf-8")
NO_PORTS = Ports(**cast("dict[str, Any]", dict.fromkeys(port.name for port in fields(Ports))))


def test_the_page_lists_every_named_number_with_its_value() -> None:
    listed = dict(re.findall(r"^\| `([\w.]+)` \| ([\d.]+) \|$", TEXT, re.MULTILINE))
    assert listed == {name: plain(value) for name, value in named_numbers()}, "python -m tests.docs.figures writes it"


def test_the_page_lists_what_each_tool_declares_as_its_longest_result() -> None:
    listed = dict(re.findall(r"^\| (\w+) \| ([\d]+|none) \|$", TEXT, re.MULTILINE))
    built = (base.build(NO_PORTS) for base in BASE_TOOLS)
    assert listed == {tool.name: plain(tool.max_result_chars) for tool in built}
