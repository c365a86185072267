"""Calls at once: one row with every name, its counts and its lanes, and what is joined into one."""

from __future__ import annotations

from typing import Any

import pytest

from agent.events import ModelAsked, TextDelta
from tests.tui.transcript.told import Told, at
from tools.bash.data import BashOutput
from tools.events import ToolFinished, ToolInputDelta, ToolInputReady, ToolInputStarted, ToolQueued, ToolStarted
from tools.glob.found import GlobOutput
from tools.grep.found import FoundFile, FoundLine, GrepOutput
from tools.read.shown import ReadOutput, Text
from tui.transcript.groups import LANE_CELLS
from tui.transcript.rows import GroupRow


def lines(count: int) -> ReadOutput:
    return ReadOutput(file_path="x", answer=Text(lines=("x",) * count, total_lines=count))


def found(count: int, *files: str) -> GrepOutput:
    each = tuple(FoundLine(number=number, text="x") for number in range(count))
    return GrepOutput(mode="content", files=tuple(FoundFile(path=file, lines=each) for file in files))


def said(text: str, exit_code: int = 0) -> BashOutput:
    count = len(text.splitlines())
    return BashOutput(
        output=text, exit_code=exit_code, total_bytes=1, total_lines=count, truncated=False, stored="", folder="/"
    )


def reads(story: Told, *names: str) -> Told:
    for name in names:
        story.called(name, "Read", file_path=name)
    return story


def four() -> Told:
    story = reads(Told().turn(), "tidewatch/cache.py", "tidewatch/fetch.py", "tests/test_cahce.py")
    return story.called("g", "Grep", pattern="st_mtime", path="tidewatch/")


def started(story: Told, *ids: str, apart: float = 0.02) -> Told:
    for id in ids:
        story.hear(ToolStarted(id), after=apart)
    return story


NO_SUCH = f"{at('tests/test_cahce.py')} does not exist. Did you mean {at('tests/test_cache.py')}?"


def test_calls_at_once_stand_in_one_row_each_with_its_name() -> None:
    story = started(four(), "tidewatch/cache.py", "tidewatch/fetch.py", "tests/test_cahce.py", "g")
    assert story.frame() == [
        " ▸ 4 at once",
        " ╎ ▸ Read    tidewatch/cache.py",
        " ╎ ▸ Read    tidewatch/fetch.py",
        " ╎ ▸ Read    tests/test_cahce.py",
        " ╎ ▸ Grep    st_mtime in tidewatch/",
    ]
    assert ("4 at once", "bold") in story.styles()[0] and story.styles()[1][0] == ("╎", "bold $run")


def test_the_header_counts_while_it_lives_and_keeps_its_height() -> None:
    story = started(four(), "tidewatch/cache.py", "tidewatch/fetch.py", "tests/test_cahce.py", "g")
    heights = {len(story.frame())}
    story.done("tidewatch/cache.py", lines(212))
    assert story.frame()[0] == " ▸ 4 at once   1 done"
    story.failed("tests/test_cahce.py", NO_SUCH)
    assert story.frame()[0] == " ▸ 4 at once   1 done, 1 failed"
    heights.add(len(story.frame()))
    story.done("tidewatch/fetch.py", lines(148)).done("g", found(7, "a.py"))
    heights.add(len(story.frame()))
    assert heights == {5}


def test_a_group_that_is_over_says_what_failed_and_when_each_ran() -> None:
    story = started(four(), "tidewatch/cache.py", "tidewatch/fetch.py", "tests/test_cahce.py", "g")
    story.done("tidewatch/cache.py", lines(212), after=0.06).done("tidewatch/fetch.py", lines(148), after=0.05)
    story.failed("tests/test_cahce.py", NO_SUCH, after=0).done("g", found(7, "a.py", "b.py", "c.py"), after=0.18)
    assert story.frame(width=120) == [
        " ✓ 4 at once   1 failed".ljust(115) + "0.3s",
        " ╎ ✓ Read    tidewatch/cache.py      212 lines".ljust(98) + "╍╍╍╍╍            0.1s",
        " ╎ ✓ Read    tidewatch/fetch.py      148 lines".ljust(98) + "╍╍╍╍╍╍           0.1s",
        " ╎ ✗ Read    tests/test_cahce.py     no such file, nearest: tests/test_cache.py".ljust(98)
        + " ╍╍╍╍╍           0.0s",
        " ╎ ✓ Grep    st_mtime in tidewatch/  21 lines in 3 files".ljust(98) + "  ╍╍╍╍╍╍╍╍╍╍╍╍   0.2s",
    ]
    head, *members = story.styles(width=120)
    assert head[0] == ("✓", "$ok"), "one failed member leaves the header ticked"
    assert [row[1] for row in members] == [("✓", "$ok"), ("✓", "$ok"), ("✗", "$bad"), ("✓", "$ok")]


def test_there_are_no_lanes_while_one_runs_nor_on_a_narrow_screen() -> None:
    story = started(reads(Told().turn(), "a", "b"), "a", "b").done("a", lines(1))
    assert not any("╍" in line for line in story.frame(width=120))
    story.done("b", lines(1))
    assert all("╍" in line for line in story.frame(width=120)[1:])
    assert not any("╍" in line for line in story.frame(width=80))


def test_what_ran_at_the_same_time_stands_above_one_another() -> None:
    story = reads(Told().turn(), "a", "b", "c")
    started(story, "a", "b", apart=0).done("a", lines(1), after=1).done("b", lines(1), after=0)
    started(story, "c", apart=0).done("c", lines(1), after=1)
    lanes = [line[-(LANE_CELLS + 8) : -8] for line in (each.ljust(119) + " " for each in story.frame(width=120)[1:])]
    assert lanes == ["╍╍╍╍╍╍╍       ", "╍╍╍╍╍╍╍       ", "       ╍╍╍╍╍╍╍"]


def test_calls_of_one_tool_are_named_by_what_they_did() -> None:
    story = started(reads(Told().turn(), "a.py", "b.py", "c.py", "d.py"), "a.py", "b.py", "c.py", "d.py")
    for name, count in (("a.py", 400), ("b.py", 400), ("c.py", 10), ("d.py", 2)):
        story.done(name, lines(count))
    assert story.frame()[0].split("  0.")[0].rstrip() == " ✓ Read 4 files   812 lines"
    assert [line.split()[3] for line in story.frame()[1:]] == ["a.py", "b.py", "c.py", "d.py"]


def test_searches_and_lists_have_words_of_their_own() -> None:
    story = Told().turn()
    for id in ("x", "y"):
        story.called(id, "Grep", pattern=id)
    started(story, "x", "y").done("x", found(4, "a.py", "b.py")).done("y", found(1, "b.py"))
    assert story.frame()[0].startswith(" ✓ Searched 2 patterns   9 lines in 2 files  ")
    story = Told().turn()
    for id in ("x", "y"):
        story.called(id, "Glob", pattern=id)
    started(story, "x", "y").done("x", GlobOutput(files=("a",), total=1)).done("y", GlobOutput(files=("b",), total=1))
    assert story.frame()[0].startswith(" ✓ Listed 2 patterns   2 files")


def test_commands_that_only_look_count_as_what_they_do() -> None:
    story = Told().turn().called("a", "Grep", pattern="x").called("b", "Bash", command="grep -rn y src")
    started(story, "a", "b").done("a", found(1, "a.py")).done("b", said("src/a.py:1:y"))
    assert len(story.rows) == 2 and story.frame()[0].startswith(" ✓ Searched 2 patterns   1 line in a.py")


def test_beyond_eight_calls_share_lines_each_with_mark_and_name_and_none_is_hidden() -> None:
    names = [f"dir/file{number}.py" for number in range(14)]
    story = started(reads(Told().turn(), *names), *names[:11])
    for name in names[:9]:
        story.done(name, lines(1))
    for name in names[11:]:
        story.hear(ToolQueued(name, "waits for a place"))
    shown = story.frame(width=100)
    assert len(shown) == 1 + 8 + 2
    assert shown[-2:] == [
        " ╎ ✓ dir/file8.py  ▸ dir/file9.py  ▸ dir/file10.py  ◦ dir/file11.py  ◦ dir/file12.py",
        " ╎ ◦ dir/file13.py",
    ]
    assert all(any(name in line for line in shown) for name in names)


def test_all_failed_is_marked_as_failed() -> None:
    story = started(reads(Told().turn(), "a", "b"), "a", "b").failed("a", NO_SUCH).failed("b", NO_SUCH)
    assert story.frame()[0].startswith(" ✗ 2 at once   2 failed  ")


@pytest.mark.parametrize(("outcome", "told"), [("denied", "1 denied"), ("cancelled", "1 stopped")])
def test_the_header_tells_of_members_that_were_refused_or_stopped(outcome: Any, told: str) -> None:
    story = started(reads(Told().turn(), "a", "b"), "a").done("a", lines(1))
    story.hear(ToolFinished("b", outcome, outcome, error="not run"))
    assert told in story.frame()[0]


def test_the_clock_of_a_group_stands_in_its_header_from_two_seconds_on() -> None:
    story = started(reads(Told().turn(), "a", "b"), "a", "b", apart=0)
    story.hear(after=1.5)
    assert story.frame()[0] == " ▸ Read 2 files"
    story.hear(after=3.5)
    assert story.frame()[0].endswith(" 5s") and story.styles()[0][-1] == ("5s", "$run")


def test_a_member_that_is_opened_shows_its_body_below_itself_behind_both_rails() -> None:
    story = started(reads(Told().turn(), "a", "b"), "a", "b").done("a", lines(2)).done("b", lines(1))
    story.call("a").opened = True
    shown = story.frame()
    assert shown[2:4] == [" ╎ ╎    1   x", " ╎ ╎    2   x"] and shown[4].startswith(" ╎ ✓ Read    b")
    row = story.rows[-1]
    assert [row.owner(number) for number in range(5)] == [0, 1, 1, 1, 2]


def test_verbose_shows_each_call_in_its_place() -> None:
    story = started(reads(Told().turn(), "a", "b"), "a", "b").done("a", lines(1)).done("b", lines(1))
    assert [line.rstrip(" 0.1s") for line in story.frame(verbose=True)] == [
        " ✓ Read    a  1 line",
        " ╎    1   x",
        "",
        " ✓ Read    b  1 line",
        " ╎    1   x",
    ]
    row = story.rows[-1]
    assert [row.owner(number) for number in range(5)] == [1, 1, 2, 2, 2]


# -- what is joined


def kinds_of_rows(story: Told) -> list[int]:
    """How many calls each row holds; 0 for what is no call."""
    return [len(row.members) if isinstance(row, GroupRow) else 0 for row in story.rows]


def test_reads_join_while_they_stream_in_and_a_line_that_came_stays() -> None:
    story = Told().turn().streams("a", "Read", '{"file_pa').streams("b", "Read")
    assert kinds_of_rows(story) == [0, 2]
    assert story.frame() == [" ▸ Read 2 files", " ╎ » Read", " ╎ » Read"]


def test_a_command_joins_once_its_input_says_that_it_only_reads() -> None:
    story = reads(Told().turn(), "a").streams("c", "Bash", '{"command": "git')
    assert kinds_of_rows(story) == [0, 0, 0]
    story.hear(ToolInputReady("c", {"command": "ls -la"}))
    assert kinds_of_rows(story) == [0, 2]


@pytest.mark.parametrize("command", ["touch made", "cd src && ls", "cat a > b", "rm -r build"])
def test_a_command_that_changes_something_stands_alone(command: str) -> None:
    story = reads(Told().turn(), "a").called("c", "Bash", command=command)
    assert kinds_of_rows(story) == [0, 0, 0]


def test_edits_never_join() -> None:
    story = Told().turn().called("a", "Edit", file_path="a").called("b", "Edit", file_path="b")
    assert kinds_of_rows(story) == [0, 0, 0]


def test_calls_of_two_replies_stand_apart() -> None:
    story = reads(Told().turn(), "a").hear(ModelAsked())
    assert kinds_of_rows(reads(story, "b")) == [0, 0, 0]


def test_calls_with_words_between_them_stand_apart() -> None:
    story = reads(Told().turn(), "a").hear(TextDelta("and now"))
    assert kinds_of_rows(reads(story, "b")) == [0, 0, 0, 0]


def test_calls_of_two_agents_stand_apart() -> None:
    story = reads(Told().turn(), "a")
    story.hear(ToolInputStarted("b", "Read"), ToolInputDelta("b", "{}"), agent="agent-2")
    assert kinds_of_rows(story) == [0, 0, 0]
