"""Grep through its tool class, with the real ripgrep and without it: both must find the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context, run
from tools.context import Place
from tools.contract import ToolError, build_tool
from tools.grep.found import GrepOutput
from tools.grep.tool import Grep
from tools.permissions.subjects import PathSubject


@pytest.fixture(params=["ripgrep", "fallback"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "fallback":
        monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)
    return request.param


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    plant(
        tmp_path,
        {
            "a.py": "import os\ndef one():\n    return 'Needle'\n\n\n\n\ndef two():\n    return 'needle needle'\n",
            "b/c.ts": "const needle = 1;\r\n// none\r\n",
            "b/d.tsx": "needle\n",
            "b/notes.md": "nothing here\n",
            "node_modules/x/index.js": "needle\n",
            ".git/config": "needle\n",
            ".github/ci.yml": "run: needle\n",
            "skipped.log": "needle\n",
            ".gitignore": "*.log\n",
            "blob.bin": "needle\0\n",
        },
    )
    return tmp_path


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


def grep(folder: Path, pattern: str, **raw: Any) -> GrepOutput:
    return run(build_tool(Grep), {"pattern": pattern, **raw}, context(folder))


def text(folder: Path, pattern: str, **raw: Any) -> str:
    return build_tool(Grep).to_result_block(grep(folder, pattern, **raw))


def refusal(folder: Path, pattern: str, **raw: Any) -> ToolError:
    with pytest.raises(ToolError) as refused:
        grep(folder, pattern, **raw)
    return refused.value


def test_by_default_the_files_that_match_are_listed_without_what_is_ignored(tree: Path) -> None:
    assert text(tree, "needle").split("\n") == [".github/ci.yml", "a.py", "b/c.ts", "b/d.tsx"]


def test_content_gives_the_lines_with_their_numbers(tree: Path) -> None:
    assert text(tree, "needle", output_mode="content", path="b").split("\n") == [
        "b/c.ts:1:const needle = 1;",
        "b/d.tsx:1:needle",
    ]


def test_content_without_numbers(tree: Path) -> None:
    assert text(tree, "needle", output_mode="content", path="b/d.tsx", **{"-n": False}) == "b/d.tsx:needle"


def test_lines_around_a_match_are_marked_and_gaps_are_shown(tree: Path) -> None:
    assert text(tree, "needle", output_mode="content", path="a.py", **{"-C": 1, "-i": True}).split("\n") == [
        "a.py-2-def one():",
        "a.py:3:    return 'Needle'",
        "a.py-4-",
        "--",
        "a.py-8-def two():",
        "a.py:9:    return 'needle needle'",
    ]


def test_before_and_after_are_apart(tree: Path) -> None:
    before = text(tree, "Needle", output_mode="content", path="a.py", **{"-B": "1"}).split("\n")
    after = text(tree, "Needle", output_mode="content", path="a.py", **{"-A": 1, "-C": 0}).split("\n")
    assert before == ["a.py-2-def one():", "a.py:3:    return 'Needle'"]
    assert after == ["a.py:3:    return 'Needle'", "a.py-4-"]


def test_count_counts_lines_per_file(tree: Path) -> None:
    assert text(tree, "needle", output_mode="count", **{"-i": True}).split("\n") == [
        ".github/ci.yml:1",
        "a.py:2",
        "b/c.ts:1",
        "b/d.tsx:1",
    ]


@pytest.mark.parametrize(
    ("narrowed", "found"),
    [
        ({"glob": "*.{ts,tsx}"}, ["b/c.ts", "b/d.tsx"]),
        ({"glob": "b/*.ts"}, ["b/c.ts"]),
        ({"glob": "**/*.ts"}, ["b/c.ts"]),
        ({"glob": "**/b/*.tsx"}, ["b/d.tsx"]),
        ({"glob": "!*.ts"}, [".github/ci.yml", "a.py", "b/d.tsx"]),
        ({"glob": "*.log"}, []),
        ({"glob": "**/*"}, [".github/ci.yml", "a.py", "b/c.ts", "b/d.tsx"]),
        ({"type": "py"}, ["a.py"]),
        ({"type": "ts", "glob": "*.tsx"}, ["b/d.tsx"]),
        ({"path": "b"}, ["b/c.ts", "b/d.tsx"]),
        ({"path": "node_modules"}, ["node_modules/x/index.js"]),
        ({"path": "skipped.log", "glob": "*.py"}, ["skipped.log"]),
    ],
)
def test_a_search_can_be_narrowed(tree: Path, narrowed: dict[str, str], found: list[str]) -> None:
    assert [file.path for file in grep(tree, "needle", **narrowed).files] == found


def test_a_match_may_span_lines_only_when_asked(tree: Path) -> None:
    assert grep(tree, r"one\(\):.*?Needle").files == ()
    data = grep(tree, r"one\(\):.*?Needle", multiline=True, output_mode="content")
    assert [(line.number, line.matches) for line in data.files[0].lines] == [(2, True), (3, True)]


def test_the_head_limit_cuts_and_says_where_to_go_on(tree: Path) -> None:
    first = grep(tree, "needle", head_limit=3)
    rest = grep(tree, "needle", head_limit=3, offset=3)
    assert [file.path for file in first.files] == [".github/ci.yml", "a.py", "b/c.ts"]
    assert "offset 3" in build_tool(Grep).to_result_block(first)
    assert ([file.path for file in rest.files], rest.truncated) == (["b/d.tsx"], False)
    assert text(tree, "needle", offset=9) == "Nothing more after the first 9."


def test_the_head_limit_counts_lines_in_content(tree: Path) -> None:
    plant(tree, {"many.txt": "hit\n" * 50_000})
    data = grep(tree, "hit", output_mode="content", head_limit=20, offset=10)
    assert [line.number for line in data.files[0].lines] == list(range(11, 31))
    assert data.truncated


def test_nothing_found_is_said_plainly(tree: Path) -> None:
    assert text(tree, "no such thing") == "No matches found."


def test_A34_an_invalid_expression_gives_the_engines_message_and_never_no_matches(tree: Path) -> None:
    error = refusal(tree, "a(b")
    assert error.code == "invalid_input"
    assert "regex parse error" in error.message


def test_a_line_end_in_the_pattern_asks_for_multiline(tree: Path) -> None:
    error = refusal(tree, "one\ntwo")
    assert error.code == "invalid_input" and "`multiline`" in error.message


def test_an_unknown_type_is_refused(tree: Path) -> None:
    error = refusal(tree, "x", type="no-such-type")
    assert error.code == "invalid_input" and "unrecognized file type" in error.message
    assert "Use `glob`" in error.message


@pytest.mark.parametrize("pattern", ["-e", "--files", "--pre=sh", "-"])
def test_a_pattern_that_looks_like_an_option_is_a_pattern(tmp_path: Path, pattern: str) -> None:
    plant(tmp_path, {"-v": f"x {pattern} y\n", "other": "nothing\n"})
    found = grep(tmp_path, pattern).files
    assert "./-v" in [file.path for file in found]
    assert [file.path for file in grep(tmp_path, pattern, path="-v").files] == ["./-v"]


def test_A35_a_repositorys_configuration_is_not_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / ".ripgreprc").write_text("--pre=sh\n--no-ignore\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tree / ".ripgreprc"))
    assert "skipped.log" not in text(tree, "needle")


def test_A23_A24_hostile_names_are_listed_escaped_in_every_mode(tmp_path: Path) -> None:
    plant(tmp_path, {"a\nb.txt": "needle\n", "e\x1b]0;x\x07.txt": "needle\n"})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("needle\n")
    names = [r"a\nb.txt", r"caf\xe9.txt", r"e\x1b]0;x\x07.txt"]
    for mode in ("files_with_matches", "content", "count"):
        data = grep(tmp_path, "needle", output_mode=mode)
        assert [file.path for file in data.files] == names
        assert data.model_dump_json()


def test_text_that_is_not_utf8_is_shown_with_replacement_marks(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"needle caf\xe9\n")
    assert text(tmp_path, "needle", output_mode="content") == "latin.txt:1:needle caf�"


def test_utf16_with_a_mark_is_searched(tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_bytes("one needle\n".encode("utf-16"))
    assert text(tmp_path, "needle", output_mode="content") == "wide.txt:1:one needle"


def test_a_very_long_line_is_cut(tmp_path: Path) -> None:
    plant(tmp_path, {"min.js": "needle" + "x" * 1_000_000 + "\n"})
    line = grep(tmp_path, "needle", output_mode="content").files[0].lines[0]
    assert line.text.startswith("needlexxx") and len(line.text) < 600


def test_a_file_that_turns_binary_after_a_match_does_not_confuse_the_names(tmp_path: Path) -> None:
    plant(tmp_path, {"a.dat": "needle\n" + "x\n" * 100_000 + "\0\n", "b\nc.txt": "needle\n", "d.txt": "needle\n"})
    listed = [file.path for file in grep(tmp_path, "needle", output_mode="content").files]
    assert [name for name in listed if name != "a.dat"] == [r"b\nc.txt", "d.txt"]


def test_A33_links_are_not_followed(tree: Path) -> None:
    (tree / "b" / "loop").symlink_to(tree)
    assert [file.path for file in grep(tree, "needle", path="b").files] == ["b/c.ts", "b/d.tsx"]


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/proc/self/../self/environ", "/proc/thread-self/environ", "link", "/proc"]
)
def test_A7_the_environment_of_processes_is_never_searched(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to("/proc/self/environ")
    assert refusal(tmp_path, ".", path=path).code == "bad_path"


def test_A1_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path, ".", path="pipe").code == "not_regular"
    assert refusal(tmp_path, ".", path="/dev/zero").code == "not_regular"
    assert grep(tmp_path, ".").files == ()


def test_A20_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert refusal(tmp_path, ".", path="a").code == "bad_path"
    assert grep(tmp_path, ".").files == ()


@pytest.mark.parametrize("pattern", ["a\0b", "\ud800"])
def test_a_pattern_no_program_could_be_given_is_refused(tmp_path: Path, pattern: str) -> None:
    assert refusal(tmp_path, pattern).code == "invalid_input"


def test_the_gate_is_told_where_is_searched_and_hooks_see_the_names_people_know() -> None:
    tool, place = build_tool(Grep), Place("/home/u/proj", "/home/u")
    parsed = tool.parse_input({"pattern": "x", "path": "~/notes", "-A": 2})
    assert tool.permission_subjects(parsed, place) == (PathSubject("~/notes", "read"),)
    assert tool.permission_subjects(tool.parse_input({"pattern": "x"}), place) == (PathSubject("/home/u/proj", "read"),)
    assert tool.observable_input(parsed, place)["-A"] == 2
