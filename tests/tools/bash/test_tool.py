from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.calls import context
from tools.bash.folding import fold_of
from tools.bash.tool import Bash
from tools.blocks import Code, Line
from tools.context import Place
from tools.contract import SUMMARY_CHARS, PromptOptions, ToolError, build_tool

PLACE = Place("/home/u/proj", "/home/u")


def bash() -> Bash:
    return build_tool(Bash, None, None, lambda _folder: True)  # pyright: ignore[reportArgumentType] (nothing is run)


@pytest.mark.parametrize(
    ("command", "safe"), [("ls", True), ("cd src && ls", False), ("rm x", False), ("time cd x", False)]
)
def test_reading_commands_may_run_together_unless_they_change_the_folder(command: str, safe: bool) -> None:
    assert bash().is_concurrency_safe(bash().parse_input({"command": command})) == safe


def test_running_without_a_sandbox_always_asks() -> None:
    verdict = bash().check_permissions(
        bash().parse_input({"command": "ls", "dangerously_disable_sandbox": True}), PLACE
    )
    assert verdict is not None and verdict.kind == "ask"
    assert bash().check_permissions(bash().parse_input({"command": "ls"}), PLACE) is None


def test_T12_another_spelling_of_a_field_is_refused() -> None:
    with pytest.raises(ToolError, match="not a field"):
        bash().parse_input({"command": "ls", "dangerouslyDisableSandbox": True})


def test_T8_exact_spellings_of_numbers_and_booleans_are_taken() -> None:
    parsed = bash().parse_input({"command": "ls", "timeout": "5000", "run_in_background": "false"})
    assert (parsed.timeout, parsed.run_in_background) == (5000, False)


def test_a_summary_is_one_short_line() -> None:
    assert bash().summary(bash().parse_input({"command": "  ls   -la\nrm x"})) == "ls -la"
    long = bash().summary(bash().parse_input({"command": "echo " + "x" * 100}))
    assert len(long) == SUMMARY_CHARS and long.endswith("⋯")


def test_F5_the_person_is_asked_about_the_whole_command_and_where_it_runs(tmp_path: Path) -> None:
    command = "echo one\nrm two"
    shown = asyncio.run(bash().preview(bash().parse_input({"command": command}), context(tmp_path, seen=object())))
    code, where = shown.blocks
    assert code == Code(command, "bash")
    assert isinstance(where, Line) and str(tmp_path) in where.text
    assert bash().classifier_text(bash().parse_input({"command": command})) == command


def test_the_texts_for_the_model_are_there() -> None:
    assert "timeout" in bash().prompt(PromptOptions())
    assert bash().description(PromptOptions())


def test_judging_a_command_loads_nothing_that_runs_one() -> None:
    script = (
        "import sys; from tools.bash.tool import Bash; from tools.context import Place; b = Bash(None, None)\n"
        "i = b.parse_input({'command': 'ls | rm x'}); b.permission_subjects(i, Place('/', '/')); b.is_read_only(i)\n"
        "print(sorted({'asyncio', 'subprocess', 'anthropic', 'textual', 'ctypes'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("grep -rn x src", "search"),
        ("find . -name x | head", "search"),
        ("cat f | wc -l", "read"),
        ("echo '---'; ls", "list"),
        ("ls && pwd", "list"),
        ("awk '{print $1}' f", "read"),
        ("awk '{print > \"x\"}' f", None),
        ("ls | npm test", None),
        ("echo x", None),
        ("ls > out", None),
        ("find . -delete", None),
        ("ls |", None),
    ],
)
def test_commands_that_only_search_read_or_list_fold(command: str, kind: str | None) -> None:
    assert fold_of(command) == kind
