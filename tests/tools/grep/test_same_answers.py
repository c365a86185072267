"""With ripgrep and without it a search finds the same: trees and searches made up at random.

`SEEDS=2000 pytest tests/tools/grep/test_same_answers.py` tries more of them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.calls import context, run
from tests.support.trees import plant_tree
from tools.contract import ToolError, build_tool
from tools.glob.tool import Glob
from tools.grep.tool import Grep

SEEDS = range(int(os.environ.get("SEEDS", "12")))
SEARCHES = 3
ATOMS = (
    "needle", "Needle", "one", "gr.n", "GRÜN", r"\w+", r"\d+", r"\s", ".", "[a-z]", "[^a-z ]", r"\bone\b", "x_1", r"\(\)", r"a\.b",
    "ß", "(one|two)", "(?:n)", "e{2}", "e+?", "t.o", "long", r"\S", r"\W", r"\Bo", "[[:alpha:]]", r"(?=n)", "a{", "[^[:space:]]",
    "(?i:NEEDLE)", r"\t", "", r"\n", "[\\]x]", "two$", "^one", "^$", "^", "$", "|x",
)  # fmt: skip
GLOBS = (
    "*.py",
    "*.{ts,tsx}",
    "src/**",
    "**/*.md",
    "!*.py",
    "!src/**",
    "[ab].*",
    "*",
    "docs/*",
    "?.log",
    ".*",
    "**/deep/**/*",
    "*.PY",
)


def any_search(random: Random) -> dict[str, Any]:
    raw: dict[str, Any] = {"pattern": "".join(random.choices(ATOMS, k=random.randint(1, 2))) or "x"}
    raw["output_mode"] = random.choice(("files_with_matches", "content", "count"))
    for key, value in (
        ("-i", True),
        ("multiline", True),
        ("-A", 1),
        ("-B", 2),
        ("-C", 1),
        ("head_limit", 3),
        ("offset", 2),
    ):
        if random.random() < 0.2:
            raw[key] = value
    if raw.get("multiline") and raw["output_mode"] == "count" and can_be_empty(raw["pattern"]):
        # How often nothing stands in a text, each engine counts in its own way.
        raw["output_mode"] = "content"
    if random.random() < 0.3:
        raw["glob"] = random.choice(GLOBS)
    if random.random() < 0.15:
        raw["type"] = random.choice(("py", "ts", "md", "txt", "js", "json"))
    return raw


def can_be_empty(pattern: str) -> bool:
    try:
        return re.search(pattern, "") is not None
    except re.error:
        return False


def answer(tool: Any, folder: Path, raw: dict[str, Any]) -> Any:
    """What was found; of a refusal its code alone, since each engine says in its own words what it does not know."""
    try:
        return run(build_tool(tool), raw, context(folder))
    except ToolError as error:
        return error.code


def plain(found: Any) -> Any:
    return found if isinstance(found, str) else found.model_dump()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_finds_the_same_without_ripgrep(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    plant_tree(tmp_path, random)
    asked = [any_search(random) for _ in range(SEARCHES)]
    by_ripgrep = [answer(Grep, tmp_path, raw) for raw in asked]
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    for raw, found in zip(asked, by_ripgrep, strict=True):
        assert plain(answer(Grep, tmp_path, raw)) == plain(found), raw


@pytest.mark.parametrize("seed", SEEDS)
def test_a_listing_is_the_same_without_ripgrep(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    plant_tree(tmp_path, random)
    asked = [{"pattern": pattern} for pattern in random.sample([glob for glob in GLOBS if glob[0] != "!"], 2)]
    by_ripgrep = [answer(Glob, tmp_path, raw) for raw in asked]
    monkeypatch.setattr("tools.glob.newest.find_rg", lambda _: None)
    for raw, found in zip(asked, by_ripgrep, strict=True):
        assert plain(answer(Glob, tmp_path, raw)) == plain(found), raw


@pytest.mark.parametrize("pattern", [r"\p{Lu}", "a++", "[a-z&&[^b]]", r"\<one", "[^[:^alpha:]]"])
def test_what_only_ripgrep_understands_is_refused_and_not_guessed_at(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("one Two\n")
    assert answer(Grep, tmp_path, {"pattern": pattern}) != "invalid_input"
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    assert answer(Grep, tmp_path, {"pattern": pattern}) == "invalid_input"


@pytest.mark.parametrize(
    "pattern", [r"foo[^\n]*bar", r"[^\r\n]+", r"[^\S\r\n]", r"o[^x]b", "o.b", "^bar", "foo$", "^$", r"\\n", r"[a\n\r]"]
)
@pytest.mark.parametrize("mode", ["content", "count"])
def test_no_match_crosses_a_carriage_return_but_all_else_is_found(
    pattern: str, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"foo bar\r\nfoo\rbar\nnothing\n\rodd\nfoo\\n\n")
    raw = {"pattern": pattern, "output_mode": mode}
    by_ripgrep = answer(Grep, tmp_path, raw)
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    assert plain(answer(Grep, tmp_path, raw)) == plain(by_ripgrep)
    assert by_ripgrep.files, "the pattern is one that finds something"


@pytest.mark.parametrize("pattern", [r"a\nb", r"a\r", r"a\x0a", r"a\x0D", "a\r", r"[\n]", r"[\r\n]", r"[\x0a]"])
def test_a_line_end_is_looked_for_across_lines_only(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"a\r\na\rb\n")
    assert answer(Grep, tmp_path, {"pattern": pattern}) == "invalid_input"
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    with pytest.raises(ToolError, match="Set `multiline` to match across lines"):
        run(build_tool(Grep), {"pattern": pattern}, context(tmp_path))


@pytest.mark.parametrize(
    "glob", ["!build", "!build/", "!/build", "!src/build", "!**/build/**", "!*.d", "!b*", "!build/*.py"]
)
def test_what_a_glob_leaves_out_goes_with_all_that_lies_in_it(
    glob: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("build/a.py", "src/build/deep/b.py", "src/b.py", "conf.d/c.py", "src/c/build", "d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one\n")
    raw = {"pattern": "one", "glob": glob}
    by_ripgrep = answer(Grep, tmp_path, raw)
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    assert plain(answer(Grep, tmp_path, raw)) == plain(by_ripgrep)


@pytest.mark.parametrize("outer_is_repository", [True, False])
def test_a_repository_within_another_is_not_ruled_by_what_git_ignores_outside(
    outer_is_repository: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "inner/.git/HEAD",
        "inner/sub/a.log",
        "inner/b.tmp",
        "plain/a.log",
        *(".git/HEAD",) * outer_is_repository,
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one\n")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / ".ignore").write_text("*.tmp\n")
    by_ripgrep = answer(Grep, tmp_path, {"pattern": "one"}), answer(Glob, tmp_path, {"pattern": "*.log"})
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    monkeypatch.setattr("tools.glob.newest.find_rg", lambda _: None)
    without = answer(Grep, tmp_path, {"pattern": "one"}), answer(Glob, tmp_path, {"pattern": "*.log"})
    assert tuple(map(plain, without)) == tuple(map(plain, by_ripgrep))
