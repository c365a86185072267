"""No program of ours is started by way of a shell: what it is given are arguments, whatever they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.calls import context, run
from tools.contract import build_tool
from tools.glob.tool import Glob
from tools.grep.tool import Grep

ROOT = Path(__file__).parents[3]
HOSTILE = "$(touch hit) `touch hit` ; touch hit #\"'\n&& touch hit"
# The names by which Python starts a shell.
BY_SHELL = {"system", "popen", "create_subprocess_shell", "getoutput", "getstatusoutput"}
# Says which system this is.
NO_STARTERS = {"platform.system"}
STARTERS = {"run", "Popen", "call", "check_call", "check_output"}


def calls_in_our_code() -> Iterator[tuple[str, ast.Call]]:
    for folder in ("tools", "agent", "tui"):
        for file in (ROOT / folder).rglob("*.py"):
            if "workspace" in file.parts:
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", node


def test_D8_nothing_of_ours_starts_a_shell() -> None:
    for where, node in calls_in_our_code():
        name = ast.unparse(node.func)
        last = name.rpartition(".")[2]
        assert last not in BY_SHELL or name in NO_STARTERS, where
        assert last not in STARTERS or "shell" not in [one.arg for one in node.keywords], where


@pytest.mark.parametrize("file_name", [HOSTILE.replace("/", ""), "-rf", "--pre=touch hit"])
def test_D8_a_hostile_name_is_an_argument_and_nothing_runs(tmp_path: Path, file_name: str) -> None:
    (tmp_path / file_name).write_text("needle\n")
    ctx = context(tmp_path)
    found = run(build_tool(Grep), {"pattern": "needle", "path": f"./{file_name}"}, ctx)
    assert found.files, "it is found under its own name"
    run(build_tool(Grep), {"pattern": HOSTILE.replace("\n", ""), "path": "."}, ctx)
    run(build_tool(Glob), {"pattern": f"**/{file_name}"}, ctx)
    assert [entry.name for entry in tmp_path.iterdir()] == [file_name]
