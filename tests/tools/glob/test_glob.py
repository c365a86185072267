"""Glob through its tool class, with the real ripgrep and without it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context, run
from tools.blocks import Line
from tools.context import Place
from tools.contract import ToolError, build_tool
from tools.glob.found import GlobOutput
from tools.glob.newest import newest_files
from tools.glob.tool import Glob, GlobInput
from tools.permissions.subjects import PathSubject
from tools.search.root import find_root
from tools.view import GroupedCall, ViewContext


@pytest.fixture(params=["ripgrep", "walk"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "walk":
        monkeypatch.setattr("tools.glob.newest.find_rg", lambda _: None)
    return request.param


def plant(root: Path, *names: str) -> None:
    for age, name in enumerate(names):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
        os.utime(file, (1_000_000 - age, 1_000_000 - age))


def glob(folder: Path, **raw: Any) -> GlobOutput:
    return run(build_tool(Glob), raw, context(folder))


def test_the_newest_file_comes_first(tmp_path: Path) -> None:
    plant(tmp_path, "new.py", "sub/older.py", "oldest.py", "other.txt")
    assert glob(tmp_path, pattern="**/*.py").files == ("new.py", "sub/older.py", "oldest.py")


def test_A24_a_working_folder_whose_name_is_no_text_is_searched_like_any_other(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    plant(folder, "a.txt")
    assert glob(folder, pattern="*").files == ("a.txt",)
    with pytest.raises(ToolError, match="half a surrogate pair"):
        glob(folder, pattern="*", path="\ud800")


def test_a_pattern_without_a_slash_is_looked_for_at_every_depth(tmp_path: Path) -> None:
    plant(tmp_path, "a.toml", "x/y/b.toml", "x/c.txt")
    assert set(glob(tmp_path, pattern="*.toml").files) == {"a.toml", "x/y/b.toml"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("src/*.ts", {"src/a.ts"}),
        ("src/**/*.{ts,tsx}", {"src/a.ts", "src/deep/er/b.tsx"}),
        ("**/deep/**", {"src/deep/er/b.tsx"}),
        ("[ab].ts", {"src/a.ts"}),
        ("./src/?.ts", {"src/a.ts"}),
        (".github/**", {".github/ci.yml"}),
        ("nothing", set()),
    ],
)
def test_patterns_mean_what_people_expect(tmp_path: Path, pattern: str, found: set[str]) -> None:
    plant(tmp_path, "src/a.ts", "src/deep/er/b.tsx", "ts", ".github/ci.yml", ".git/config.ts")
    assert set(glob(tmp_path, pattern=pattern).files) == found


def test_ignore_files_are_honoured_also_when_the_pattern_names_what_they_exclude(tmp_path: Path) -> None:
    plant(tmp_path, "kept.log", "gone.log", "build/out.log", "sub/special.log", "sub/inner.txt", "two.tmp")
    (tmp_path / ".gitignore").write_text("*.log\n!kept.log\nbuild/\n[\n")
    (tmp_path / "sub" / ".gitignore").write_text("!special.log\n/inner.txt\n")
    (tmp_path / ".ignore").write_text("two.tmp\n")
    assert set(glob(tmp_path, pattern="*.log").files) == {"kept.log", "sub/special.log"}
    assert glob(tmp_path, pattern="*.{txt,tmp}").files == ()


def test_ignore_files_above_the_searched_folder_count_up_to_the_repository(tmp_path: Path) -> None:
    plant(tmp_path, "repo/src/a.gen", "repo/src/b.py", "repo/.git/HEAD")
    (tmp_path / ".gitignore").write_text("*.py\n")
    (tmp_path / "repo" / ".gitignore").write_text("*.gen\n")
    assert glob(tmp_path, pattern="*", path="repo/src").files == ("repo/src/b.py",)


def test_at_most_a_hundred_files_are_listed_and_the_rest_is_counted(tmp_path: Path) -> None:
    plant(tmp_path, *(f"{number:03}.txt" for number in range(130)))
    data = glob(tmp_path, pattern="*.txt")
    assert (len(data.files), data.total, data.truncated) == (100, 130, True)
    assert data.files[0] == "000.txt"
    assert "The 100 newest of 130" in build_tool(Glob).to_result_block(data)


def test_A33_a_cycle_of_links_is_not_followed(tmp_path: Path) -> None:
    plant(tmp_path, "a/file.txt")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    assert glob(tmp_path, pattern="**/file.txt").files == ("a/file.txt",)


def test_A33_folders_deeper_than_the_cap_are_not_entered(tmp_path: Path) -> None:
    plant(tmp_path, "d/" * 10 + "near.txt", "d/" * 70 + "far.txt")
    assert glob(tmp_path, pattern="*.txt").files == ("d/" * 10 + "near.txt",)


def test_A33_when_the_time_is_up_the_result_says_so(tmp_path: Path) -> None:
    # More than fits between the searcher and us, so that it cannot be done before we look at the clock.
    plant(tmp_path, *(f"{number:04}{'x' * 200}" for number in range(2_000)))
    root = find_root(None, Place(str(tmp_path), str(tmp_path)))
    data = asyncio.run(newest_files("*", root, (), seconds=0))
    assert data.timed_out
    assert "The time was up" in build_tool(Glob).to_result_block(data)


def test_a_pattern_with_many_stars_is_still_matched_at_once(tmp_path: Path) -> None:
    plant(tmp_path, "a" * 200)
    assert glob(tmp_path, pattern="*a" * 60 + "b").files == ()
    assert glob(tmp_path, pattern="**/" * 60 + "*").total == 1


def test_A23_names_with_control_characters_are_listed_escaped(tmp_path: Path) -> None:
    plant(tmp_path, "a\nb.txt", "c\x1b[31m.txt", "d\u202e.txt", "-rf.txt", "end.txt ")
    listed = glob(tmp_path, pattern="*.txt*").files
    assert listed == (r"a\nb.txt", r"c\x1b[31m.txt", r"d\u202e.txt", "./-rf.txt", r"end.txt\x20")


def test_A24_a_name_that_is_no_text_never_breaks_the_listing(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.txt", "wb"):
        pass
    data = glob(tmp_path, pattern="*.txt")
    assert data.files == (r"caf\xe9.txt",)
    assert data.model_dump_json()


def test_a_folder_outside_the_working_folder_gives_absolute_paths(tmp_path: Path) -> None:
    plant(tmp_path, "other/a.py", "here/b.py")
    assert glob(tmp_path / "here", pattern="*.py", path="../other").files == (str(tmp_path / "other/a.py"),)


def test_a_pattern_from_the_root_names_its_folder_itself(tmp_path: Path) -> None:
    plant(tmp_path, "src/a.py", "b.py")
    assert glob(tmp_path, pattern=f"{tmp_path}/src/**/*.py").files == ("src/a.py",)
    assert glob(tmp_path, pattern=f"{tmp_path}/b.py").files == ("b.py",)


def test_a_pattern_that_goes_up_names_its_folder_itself(tmp_path: Path) -> None:
    plant(tmp_path, "other/a.py", "other/b/c.py", "here/sub/d.py")
    assert glob(tmp_path / "here", pattern="../other/*.py").files == (str(tmp_path / "other/a.py"),)
    assert glob(tmp_path / "here", pattern="../../other/*.py", path="sub").files == (str(tmp_path / "other/a.py"),)
    assert Glob().permission_subjects(GlobInput(pattern="../*"), context(tmp_path).place)[0].path == ".."


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({"pattern": "*/../*.py"}, "invalid_input"),
        ({"pattern": "{..,a}/*.py"}, "invalid_input"),
        ({"pattern": "*.{a"}, "invalid_input"),
        ({"pattern": "{a,b}" * 9}, "invalid_input"),
        ({"pattern": "*", "path": "missing"}, "file_missing"),
        ({"pattern": "*", "path": "file"}, "bad_path"),
        ({"pattern": "*", "path": "loop"}, "bad_path"),
        ({"pattern": "*", "path": "n" * 300}, "bad_path"),
        ({"pattern": "*", "path": "a\0b"}, "bad_path"),
        ({"pattern": "*", "path": "/proc/self"}, "bad_path"),
        ({"pattern": "*", "path": "link-to-proc"}, "bad_path"),
        ({"pattern": "", "path": "."}, "invalid_input"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_a_code(tmp_path: Path, raw: dict[str, Any], code: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link-to-proc").symlink_to("/proc/self")
    with pytest.raises(ToolError) as refused:
        glob(tmp_path, **raw)
    assert refused.value.code == code


def test_the_gate_is_told_the_folder_that_is_really_searched(tmp_path: Path) -> None:
    tool, place = build_tool(Glob), Place("/home/u/proj", "/home/u")
    subjects = [
        tool.permission_subjects(tool.parse_input(raw), place)
        for raw in (
            {"pattern": "*"},
            {"pattern": "*", "path": "src"},
            {"pattern": "/etc/**/*.conf"},
            {"pattern": "~/*"},
        )
    ]
    assert subjects == [(PathSubject(path, "read"),) for path in ("/home/u/proj", "src", "/etc", "~")]


def test_above_a_group_stands_how_many_files_were_found() -> None:
    found = GlobOutput(files=tuple(f"{name}.py" for name in "abcdefg"), total=7)
    calls = [
        GroupedCall("1", {"pattern": "*.py"}, "ok", found),
        GroupedCall("2", {"pattern": "*.md", "path": "/w/docs"}, "running"),
        GroupedCall("3", {"pattern": "*.{"}, "failed", error="It does not close."),
    ]
    (words,) = Glob.view.grouped(calls, ViewContext("/w", "/home/u")) or ()
    assert isinstance(words, Line) and words.text == "Listed 2 patterns   7 files"
    assert Glob.view.grouped(calls[2:], ViewContext("/w", "/home/u")) is None


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (GlobOutput(files=("a.py",), total=1), "a.py"),
        (GlobOutput(files=(), total=0), "no files"),
        (
            GlobOutput(files=("a.py", "b.py"), total=5, truncated=True, timed_out=True),
            "5 files, the newest 2 listed, time was up",
        ),
    ],
)
def test_condensed_counts_the_files_and_verbose_names_all_of_them(found: GlobOutput, words: str) -> None:
    place = ViewContext("/w", "/home/u")
    (condensed,) = Glob.view.result(found, (), "condensed", place) or ()
    outcome, *body = Glob.view.result(found, (), "verbose", place) or ()
    assert isinstance(condensed, Line) and condensed.text == words
    assert outcome == condensed
    assert [block.text for block in body if isinstance(block, Line)] == list(found.files)


@pytest.mark.parametrize("partial", [{}, {"pattern": "*.p"}, {"pattern": 3}, {"pattern": "*", "path": None}])
def test_any_prefix_of_the_input_can_be_shown(partial: dict[str, Any]) -> None:
    assert Glob.view.use(partial, ViewContext("/w", "/home/u")).text in ("", "*.p", "*")


def test_A20_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(ToolError) as refused:
        glob(tmp_path, pattern="*", path="a")
    assert (refused.value.code, "leads back to itself" in refused.value.message) == ("bad_path", True)
    assert glob(tmp_path, pattern="*").files == ()


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no files of a kernel here")
@pytest.mark.parametrize("path", ["/proc", "/proc/self", "/proc/self/../self/task", "/proc/thread-self", "link"])
def test_A7_the_files_of_processes_are_never_listed(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to("/proc/self")
    with pytest.raises(ToolError) as refused:
        glob(tmp_path, pattern="environ", path=path)
    assert refused.value.code == "bad_path"
