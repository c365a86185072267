"""The page on writing a tool is true: its code is run as it stands there, and it is short."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tools
from tests.support.calls import context, run
from tools.blocks import Line, Table
from tools.contract import PromptOptions, ToolError
from tools.pool import assemble_pool
from tools.view import ViewContext

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
# A file's name on a line of its own, perhaps with where in it, and the code below.
BLOCK = re.compile(r"^`([\w/]+\.py)`(?:, ([^\n]+))?\n\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [(found[1], found[2] or "", found[3]) for found in BLOCK.finditer(PAGE)]
MOST_LINES = 60


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Our registry with the page's lines in it, and the page's files where `import` finds them."""
    (tmp_path / "page").mkdir()
    for name, where, code in BLOCKS:
        if not where:
            file = tmp_path / "page" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code, encoding="utf-8")
    (tmp_path / "page/tools/word_count/__init__.py").write_text("")
    monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(tmp_path / "page" / "tools")])
    importlib.invalidate_caches()
    yield _with_the_lines_of_the_page()
    for name in [name for name in sys.modules if name.startswith("tools.word_count")]:
        del sys.modules[name]
    monkeypatch.delattr(tools, "word_count", raising=False)


def _with_the_lines_of_the_page() -> ModuleType:
    source = (ROOT / "tools" / "registry.py").read_text(encoding="utf-8")
    lines = {where: code for name, where, code in BLOCKS if name == "tools/registry.py"}
    table = "BASE_TOOLS = (\n"
    assert table in source
    builder, row = lines["beside the other builders"], lines["in `BASE_TOOLS`"]
    module = ModuleType("registry_of_the_page")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(source.replace(table, f"{builder}\n\n{table}    {row}"), vars(module))
    finally:
        del sys.modules[module.__name__]
    return module


def build(registry: ModuleType) -> Any:
    tool = registry.find_base_tool("WordCount", None, frozenset())
    assert tool is not None
    return tool


def test_every_code_block_of_the_page_is_taken() -> None:
    assert len(BLOCKS) == PAGE.count("```python") == 6


def test_the_whole_tool_takes_at_most_sixty_lines_of_code() -> None:
    lines = [line for _, _, code in BLOCKS for line in code.splitlines() if line.strip()]
    assert 0 < len(lines) <= MOST_LINES, len(lines)


@pytest.mark.usefixtures("registry")
def test_the_pages_own_test_passes(tmp_path: Path) -> None:
    (code,) = (code for name, _, code in BLOCKS if name.startswith("tests/"))
    module: dict[str, Any] = {}
    exec(code, module)
    tests: list[Callable[[Path], None]] = [part for name, part in module.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test(tmp_path)


def test_the_registered_tool_is_sent_to_the_model(registry: ModuleType) -> None:
    (sent,) = assemble_pool([build(registry)]).definitions(PromptOptions())
    assert sent["name"] == "WordCount"
    assert sent["description"] == "count the words, lines and characters of a file"


def test_the_view_of_the_page_draws_each_style(registry: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two\nthree")
    tool, place = build(registry), ViewContext("/w", "/home/u")
    data = run(tool, {"file_path": "a.txt"}, context(tmp_path))
    assert [block.text for block in tool.view.result(data, (), "condensed", place)] == [
        "3 words, 2 lines, 13 characters"
    ]
    total, table = tool.view.result(data, (), "verbose", place)
    assert isinstance(total, Line)
    assert table == Table(("line", "words", "characters"), (("1", "2", "7"), ("2", "1", "5")))
    assert tool.view.use({"file_path": "a.txt"}, place).text == "file_path a.txt"


def test_the_tool_of_the_page_refuses_what_every_tool_refuses(registry: ModuleType, tmp_path: Path) -> None:
    codes: list[str] = []
    for raw in ({"file_path": "missing"}, {"file_path": "."}, {"file_path": 3}, {"file_path": "a", "more": 1}):
        with pytest.raises(ToolError) as refused:
            run(build(registry), raw, context(tmp_path))
        codes.append(refused.value.code)
    assert codes == ["file_missing", "is_directory", "invalid_input", "invalid_input"]
