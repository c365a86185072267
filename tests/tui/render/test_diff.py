"""A change on the screen: what is on which line, on what ground, and which words are marked."""

from __future__ import annotations

import time

from tools.blocks import Diff, DiffLine, Hunk
from tools.diffs import diff_of
from tui.render.diff import changed_words, counts, diff_lines, diff_size, is_new_file
from tui.render.lines import Drawn

BEFORE = """\
        entry = self.entries[path]
        if path.stat().st_mtime == entry.mtime:
            return False
        return True
"""
AFTER = """\
        entry = self.entries[path]
        if path.stat().st_mtime_ns == entry.mtime_ns:
            return False  # nothing moved: no need to read
        return digest(path) != entry.digest
"""


def cache(first: int = 41) -> Diff:
    (hunk,) = diff_of("tidewatch/cache.py", BEFORE, AFTER).hunks
    return Diff("tidewatch/cache.py", (Hunk(first, first, hunk.lines),))


def text(lines: list[Drawn]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def styled(line: Drawn, part: str) -> list[str]:
    return [words for words, style in line.pieces if part in style]


def test_one_number_a_sign_and_the_code() -> None:
    assert text(diff_lines(cache(), 80)) == [
        "  41           entry = self.entries[path]",
        "  42 -         if path.stat().st_mtime == entry.mtime:",
        "  43 -             return False",
        "  44 -         return True",
        "  42 +         if path.stat().st_mtime_ns == entry.mtime_ns:",
        "  43 +             return False  # nothing moved: no need to read",
        "  44 +         return digest(path) != entry.digest",
    ]


def test_changed_words_are_marked_as_wholes() -> None:
    lines = diff_lines(cache(), 80)
    assert [styled(line, "-word") for line in lines] == [
        [],
        ["st_mtime", "mtime"],
        [],
        ["True"],
        ["st_mtime_ns", "mtime_ns"],
        ["# nothing moved: no need to read"],
        ["digest(path) != entry.digest"],
    ]


def test_lines_that_share_little_are_not_compared() -> None:
    assert changed_words("return cache.size(limit)", "for name in sorted(names):") == ((), ())


def test_the_ground_reaches_to_the_given_width_and_unchanged_lines_have_none() -> None:
    same, removed, *_, added = diff_lines(cache(), 80)
    assert not styled(same, "-bg")
    for line, ground in ((removed, "on $del-bg"), (added, "on $add-bg")):
        assert line.width == 80
        assert all(" on " in style for _, style in line.pieces)
        assert line.pieces[-1][1].endswith(ground)


def test_code_has_its_colours_by_the_name_of_the_file() -> None:
    assert "return" in styled(diff_lines(cache(), 80)[2], "$syn-key")
    unknown = Diff("notes.unknown", cache().hunks)
    assert not any(styled(line, "$syn") for line in diff_lines(unknown, 80))


def test_less_context_makes_two_hunks_of_one_with_their_own_numbers() -> None:
    before = "\n".join(str(number) for number in range(1, 21)) + "\n"
    after = before.replace("\n5\n", "\nfive\n").replace("\n9\n", "\nnine\n")
    diff = diff_of("a.txt", before, after)
    assert len(diff.hunks) == 1
    assert text(diff_lines(diff, 20, context=1)) == [
        "   4   4", "   5 - 5", "   5 + five", "   6   6",
        "   ⋯",
        "   8   8", "   9 - 9", "   9 + nine", "  10   10",
    ]  # fmt: skip
    assert text(diff_lines(diff, 20, context=0)) == ["   5 - 5", "   5 + five", "   ⋯", "   9 - 9", "   9 + nine"]
    assert [diff_size(diff, context) for context in (None, 1, 0)] == [13, 9, 5]


def test_numbers_after_added_lines_are_those_of_the_new_file() -> None:
    diff = diff_of("a.txt", "a\nb\nc\n", "a\nx\ny\nb\nc\n")
    assert text(diff_lines(diff, 20)) == ["   1   a", "   2 + x", "   3 + y", "   4   b", "   5   c"]


def test_side_by_side_has_equal_halves_and_leaves_the_missing_side_empty() -> None:
    diff = diff_of("a.txt", "a\nb\nc\n", "a\nB\nB2\nc\n")
    lines = diff_lines(diff, 42, side_by_side=True)
    assert text(lines) == [
        "   1   a                 1   a",
        "   2 - b                 2 + B",
        "                         3 + B2",
        "   3   c                 4   c",
    ]
    assert lines[1].width == 42
    assert not any(style for words, style in lines[2].pieces if words == " " * 20)


def test_a_new_file_is_all_plus_without_ground() -> None:
    diff = diff_of("a.py", "", "import os\nprint(1)\n")
    assert is_new_file(diff) and not is_new_file(cache())
    lines = diff_lines(diff, 40)
    assert text(lines) == ["   1 + import os", "   2 + print(1)"]
    assert not any(styled(line, " on ") for line in lines)
    assert styled(lines[0], "$add") == ["+ "]


def test_long_lines_are_cut_or_wrapped_under_their_text() -> None:
    diff = diff_of("a.txt", "", "word " * 10 + "end\n")
    assert text(diff_lines(diff, 30)) == ["   1 + word word word word wo⋯"]
    assert text(diff_lines(diff, 30, wrap_long=True)) == [
        "   1 + word word word word",
        "       word word word word",
        "       word word end",
    ]


def test_more_lines_out_than_in_are_matched_by_likeness() -> None:
    lines = (
        DiffLine("removed", "import os"),
        DiffLine("removed", "value = compute(first, second)"),
        DiffLine("added", "value = compute(first, third)"),
    )
    drawn = diff_lines(Diff("a.py", (Hunk(1, 1, lines),)), 60)
    assert [styled(line, "-word") for line in drawn] == [[], ["second"], ["third"]]


def test_the_counts_have_their_colours() -> None:
    assert counts(cache()).pieces == (("+3", "$add"), (" ", ""), ("-3", "$del"))
    assert counts(diff_of("a", "", "x\n")).pieces == (("+1", "$add"),)


def test_what_is_in_a_changed_file_cannot_steer_the_terminal() -> None:
    diff = diff_of("a.py", "x = 1\n", "x = '\x1b[2J'\u202e\n")
    assert text(diff_lines(diff, 60))[1] == "   1 + x = '\\x1b[2J'\\u202e"


def test_line_ends_of_the_other_kind_are_no_news_unless_they_change() -> None:
    both = Hunk(1, 1, (DiffLine("same", "a\r"), DiffLine("added", "b\r")))
    one = Hunk(1, 1, (DiffLine("removed", "a\r"), DiffLine("added", "a")))
    assert text(diff_lines(Diff("a", (both,)), 20)) == ["   1   a", "   2 + b"]
    assert text(diff_lines(Diff("a", (one,)), 20)) == ["   1 - a\\r", "   1 + a"]


def test_only_what_is_asked_for_of_a_huge_change_is_drawn() -> None:
    diff = diff_of("a.py", "", "value = 'text'  # note\n" * 50_000)
    started = time.process_time()
    assert len(diff_lines(diff, 80, limit=20)) == 20
    assert time.process_time() - started < 1
    assert diff_size(diff) == 50_000
