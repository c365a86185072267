"""Diffs: from two texts to hunks that lead from one to the other, quickly also in large files."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tools.blocks import Diff
from tools.diffs import NO_NEWLINE, _Anchored, changed_ranges, common_end, common_start, diff_of, unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "a\r", "x\vy\u2028z"])).map(
    lambda lines: "".join(f"{n}\n" for n in lines)
)


def applied(before: str, diff: Diff) -> str:
    """The text the hunks lead to, each checked against the lines it says it stands on."""
    old = before.split("\n")[:-1]
    new: list[str] = []
    at = 0
    for hunk in diff.hunks:
        new += old[at : hunk.old_start - 1]
        at = hunk.old_start - 1
        assert len(new) == hunk.new_start - 1
        for line in hunk.lines:
            if line.kind != "added":
                assert old[at] == line.text
                at += 1
            if line.kind != "removed":
                new.append(line.text)
    return "".join(f"{line}\n" for line in new + old[at:])


@given(LINES, LINES)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    diff = diff_of("a.txt", before, after)
    assert applied(before, diff) == after
    assert bool(diff.hunks) == (before != after)


@given(st.lists(st.sampled_from("abcdefgh")), st.lists(st.sampled_from("abcdefghi")))
def test_lines_that_stand_once_as_anchors_lead_from_one_to_the_other_too(old: list[str], new: list[str]) -> None:
    opcodes = _Anchored(old, new).get_opcodes()
    assert [line for _, _, _, j1, j2 in opcodes for line in new[j1:j2]] == new
    assert [line for _, i1, i2, _, _ in opcodes for line in old[i1:i2]] == old
    for tag, i1, i2, j1, j2 in opcodes:
        assert (tag == "equal") == (old[i1:i2] == new[j1:j2])
        assert {"delete": j1 == j2, "insert": i1 == i2}.get(tag, i1 < i2 and j1 < j2)
    assert all((one[0] == "equal") != (next_one[0] == "equal") for one, next_one in pairwise(opcodes))


def test_in_thousands_of_lines_every_change_is_found_by_itself() -> None:
    old = [f"line {number}\n" for number in range(20_000)]
    new = [f"{line}" if number % 10 else f"new {number}\n" for number, line in enumerate(old)]
    diff = diff_of("a.txt", "".join(old), "".join(new), 0)
    assert len(diff.hunks) == 2_000 and diff.added == diff.removed == 2_000


@given(LINES, LINES, LINES)
def test_lines_outside_the_changed_ranges_are_those_of_before(head: str, middle: str, tail: str) -> None:
    before, after = head + "old\n" + tail, head + middle + tail
    lines = after.split("\n")[:-1]
    kept = set(range(1, len(lines) + 1))
    for first, last in changed_ranges(before, after):
        kept -= set(range(first, last + 1))
    rest = iter(before.split("\n"))
    assert all(lines[number - 1] in rest for number in sorted(kept))


def test_a_removal_is_an_empty_range_where_it_was() -> None:
    assert changed_ranges("a\nb\nc\n", "a\nc\n") == [(2, 1)]
    assert changed_ranges("a\nb\nc\n", "a\nB\nc\nd\n") == [(2, 2), (4, 4)]
    assert changed_ranges("a\n", "a\n") == []


def test_the_text_of_a_diff_has_the_headers_of_a_patch() -> None:
    before = "".join(f"{n}\n" for n in range(1, 31))
    after = before.replace("\n10\n", "\nten\n").replace("\n20\n", "\n")
    assert unified(diff_of("a.txt", before, after)) == (
        "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n@@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23"
    )


def test_a_line_end_that_comes_or_goes_at_the_end_is_seen() -> None:
    assert unified(diff_of("a.txt", "one\n", "one")) == f"@@ -1,1 +1,1 @@\n-one\n+one{NO_NEWLINE}"
    assert unified(diff_of("a.txt", "one", "one\n")) == f"@@ -1,1 +1,1 @@\n-one{NO_NEWLINE}\n+one"


def test_new_and_emptied_files_are_all_added_and_all_removed() -> None:
    new, gone = diff_of("a.txt", "", "one\ntwo"), diff_of("a.txt", "one\ntwo", "")
    assert (new.added, new.removed, gone.added, gone.removed) == (2, 0, 0, 2)


@given(st.text("ab"), st.text("ab"))
def test_what_both_begin_and_end_with_is_found_exactly(one: str, other: str) -> None:
    most = min(len(one), len(other))
    head, tail = common_start(one, other, most), common_end(one, other, most)
    assert one[:head] == other[:head] and (head == most or one[head] != other[head])
    assert one[len(one) - tail :] == other[len(other) - tail :]
    assert tail == most or one[len(one) - tail - 1] != other[len(other) - tail - 1]


def test_large_texts_are_compared_without_long_waits() -> None:
    """Seconds would be minutes without the shortcuts; the bound is wide because machines differ."""
    large = "".join(f"line {n}\n" for n in range(300_000))
    same = "x\n" * 6_000
    began = time.process_time()
    one = diff_of("a.txt", large, large.replace("line 150000\n", "changed\n"))
    diff_of("a.txt", same + "a\n" + same, "b\n" + same + "c\n" + same[:-2])
    assert (one.added, one.removed) == (1, 1)
    assert time.process_time() - began < 10
