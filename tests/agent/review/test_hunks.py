"""Whose every changed line is, from the steps of a file: ours, others', or both."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.review.hunks import LARGEST_BYTES, FileChanges, Hunk, changes_of
from agent.review.lines import lines_of, with_edits
from tests.support.history import ToldHistory

PATH = "/w/a.py"
TEN = b"".join(b"%d\n" % number for number in range(1, 11))


def told(
    *contents: tuple[str, bytes | None], start: bytes | None = TEN, now: bytes | str | None = "same"
) -> FileChanges:
    """Who made what of the file, one after the other."""
    history = ToldHistory()
    history.starts(PATH, start)
    for by, data in contents:
        history.step(PATH, data, by)  # pyright: ignore[reportArgumentType]
    held = history.now(PATH) if isinstance(now, str) else now
    return changes_of(history.steps(), history.content, held, 99.0)


def at(number: int, text: bytes, data: bytes = TEN) -> bytes:
    """The text with another line in this place."""
    lines = data.split(b"\n")
    lines[number - 1] = text
    return b"\n".join(lines)


def in_short(changes: FileChanges) -> list[tuple[str, bytes, bytes]]:
    return [(hunk.whose, b"".join(hunk.removed), b"".join(hunk.added)) for hunk in changes.hunks]


def numbers(hunk: Hunk) -> list[int]:
    return [step.number for step in hunk.steps]


def test_a_call_of_ours_makes_a_hunk_of_ours() -> None:
    changes = told(("call", at(5, b"five")))
    assert in_short(changes) == [("ours", b"5\n", b"five\n")]
    assert (changes.hunks[0].was, changes.hunks[0].at) == (4, 4)


def test_two_calls_apart_are_two_hunks_each_with_its_call() -> None:
    one = at(2, b"two")
    changes = told(("call", one), ("command", at(9, b"nine", one)))
    assert [numbers(hunk) for hunk in changes.hunks] == [[1], [2]]


def test_what_others_changed_beside_ours_is_a_hunk_of_its_own() -> None:
    ours = at(5, b"five")
    changes = told(("call", ours), ("outside", at(6, b"six", ours)))
    assert in_short(changes) == [("ours", b"5\n", b"five\n"), ("others", b"6\n", b"six\n")]


def test_a_line_of_ours_that_others_wrote_over_belongs_to_both() -> None:
    ours = at(6, b"six", at(5, b"five"))
    changes = told(("call", ours), ("outside", at(6, b"SIX", ours)))
    assert in_short(changes) == [("ours", b"5\n", b"five\n"), ("mixed", b"6\n", b"SIX\n")]
    assert numbers(changes.hunks[1]) == [1, 2]


def test_a_line_of_ours_that_others_took_out_belongs_to_both() -> None:
    ours = at(5, b"five")
    changes = told(("call", ours), ("outside", ours.replace(b"five\n", b"")))
    assert in_short(changes) == [("mixed", b"5\n", b"")]


def test_a_line_of_others_that_we_wrote_over_belongs_to_both() -> None:
    theirs = at(5, b"five")
    changes = told(("outside", theirs), ("call", at(5, b"FIVE", theirs)))
    assert in_short(changes) == [("mixed", b"5\n", b"FIVE\n")]


def test_what_others_put_between_lines_we_added_is_apart() -> None:
    ours = b"1\na\nb\n2\n"
    changes = told(("call", ours), ("outside", b"1\na\nX\nb\n2\n"), start=b"1\n2\n")
    assert in_short(changes) == [("ours", b"", b"a\n"), ("others", b"", b"X\n"), ("ours", b"", b"b\n")]


def test_what_was_taken_back_is_no_change() -> None:
    assert in_short(told(("call", at(5, b"five")), ("call", TEN))) == []
    partly = at(5, b"five", at(2, b"two"))
    assert in_short(told(("call", partly), ("outside", at(2, b"two")))) == [("ours", b"2\n", b"two\n")]


def test_what_the_person_took_back_and_put_back_is_still_of_the_call_that_made_it() -> None:
    both = at(9, b"nine", at(5, b"five"))
    changes = told(("call", both), ("person", at(9, b"nine")), ("person", both))
    assert [(hunk.whose, numbers(hunk)) for hunk in changes.hunks] == [("ours", [1]), ("ours", [1])]


def test_lines_put_back_after_others_changed_the_file_are_still_of_their_call() -> None:
    added = TEN.replace(b"5\n", b"5\nnew\n")
    without = at(1, b"one")
    changes = told(
        ("call", added), ("person", TEN), ("outside", without), ("person", without.replace(b"5\n", b"5\nnew\n"))
    )
    assert in_short(changes) == [("others", b"1\n", b"one\n"), ("ours", b"", b"new\n")]
    assert numbers(changes.hunks[1]) == [1]


def test_a_branch_switch_and_back_leaves_every_line_with_whom_it_was() -> None:
    ours = at(5, b"five")
    changes = told(("call", ours), ("outside", TEN), ("outside", ours))
    assert [(hunk.whose, numbers(hunk)) for hunk in changes.hunks] == [("ours", [1])]


def test_what_nobody_noted_somebody_else_did() -> None:
    ours = at(5, b"five")
    changes = told(("call", ours), now=at(9, b"nine", ours))
    assert in_short(changes) == [("ours", b"5\n", b"five\n"), ("others", b"9\n", b"nine\n")]
    assert (changes.hunks[1].steps[0].by, changes.hunks[1].steps[0].time) == ("outside", 99.0)


def test_a_gap_between_two_steps_is_somebody_elses_too() -> None:
    history = ToldHistory()
    history.starts(PATH, TEN)
    history.step(PATH, at(5, b"five"))
    history.starts(PATH, at(9, b"nine", at(5, b"five")))
    history.step(PATH, at(1, b"one", at(9, b"nine", at(5, b"five"))))
    changes = changes_of(history.steps(), history.content, history.now(PATH), 99.0)
    assert [hunk.whose for hunk in changes.hunks] == ["ours", "ours", "others"]


def test_where_a_content_between_is_not_kept_its_two_steps_count_as_one() -> None:
    history = ToldHistory()
    history.starts(PATH, TEN)
    history.step(PATH, at(5, b"five"))
    history.step(PATH, at(9, b"nine", at(5, b"five")), "outside")
    history.forget(at(5, b"five"))
    changes = changes_of(history.steps(), history.content, history.now(PATH), 99.0)
    assert [hunk.whose for hunk in changes.hunks] == ["mixed", "mixed"]


def test_without_what_the_file_was_at_the_start_nothing_can_be_told_apart() -> None:
    history = ToldHistory()
    history.starts(PATH, TEN)
    history.step(PATH, at(5, b"five"))
    history.forget(TEN)
    changes = changes_of(history.steps(), history.content, history.now(PATH), 99.0)
    assert changes.lost and changes.unread == "what it was at the start is not kept"
    assert [hunk.whole for hunk in changes.hunks] == [True]


def test_near_changes_of_one_call_are_one_hunk() -> None:
    changes = told(("call", at(7, b"seven", at(5, b"five"))))
    assert in_short(changes) == [("ours", b"5\n6\n7\n", b"five\n6\nseven\n")]


def test_a_new_file_is_one_hunk_and_whole() -> None:
    (hunk,) = told(("call", b"a\nb\n"), start=None).hunks
    assert (hunk.whole, hunk.added, hunk.removed) == (True, (b"a\n", b"b\n"), ())


def test_a_new_file_that_others_added_to_is_ours_and_theirs() -> None:
    changes = told(("call", b"a\nb\n"), ("outside", b"a\nb\nc\n"), start=None)
    assert in_short(changes) == [("ours", b"", b"a\nb\n"), ("others", b"", b"c\n")]
    assert not any(hunk.whole for hunk in changes.hunks)


def test_an_empty_new_file_is_a_hunk_without_lines() -> None:
    (hunk,) = told(("call", b""), start=None).hunks
    assert hunk.whole and not hunk.added and not hunk.removed


def test_a_deleted_file_is_one_hunk_and_whole() -> None:
    (hunk,) = told(("command", None)).hunks
    assert (hunk.whole, hunk.whose, len(hunk.removed), hunk.added) == (True, "ours", 10, ())


def test_a_file_that_others_deleted_is_theirs() -> None:
    assert [hunk.whose for hunk in told(("outside", None)).hunks] == ["others"]


def test_a_file_that_came_and_went_is_no_change() -> None:
    assert not told(("call", b"x\n"), ("command", None), start=None).hunks


def test_a_file_deleted_and_written_again_keeps_the_lines_that_stayed() -> None:
    assert in_short(told(("command", None), ("call", at(5, b"five")))) == [("ours", b"5\n", b"five\n")]


def test_line_ends_and_a_missing_last_one_are_kept_as_they_are() -> None:
    changes = told(("call", b"one\r\nTWO\r\nthree"), start=b"one\r\ntwo\r\nthree\n")
    assert in_short(changes) == [("ours", b"two\r\nthree\n", b"TWO\r\nthree")]


def test_a_binary_file_is_one_hunk_and_whole() -> None:
    changes = told(("call", b"\x89PNG\0new"), start=b"\x89PNG\0old")
    assert (changes.unread, [hunk.whole for hunk in changes.hunks]) == ("binary", [True])


def test_a_huge_file_is_one_hunk_and_whole() -> None:
    changes = told(("call", b"x" * (LARGEST_BYTES + 1)), start=b"x")
    assert (changes.unread, [hunk.whole for hunk in changes.hunks]) == ("larger than 4 MiB", [True])


def test_bytes_that_are_no_text_are_lines_like_others() -> None:
    assert in_short(told(("call", b"caf\xe9\n\xff\n"), start=b"caf\xe9\n")) == [("ours", b"", b"\xff\n")]


BYS = st.sampled_from(["call", "command", "outside", "person"])
TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d\r\n"]), max_size=8).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.lists(st.tuples(BYS, TEXTS), min_size=1, max_size=6))
def test_the_hunks_lead_from_the_start_to_now_and_back(start: bytes, steps: list[tuple[str, bytes]]) -> None:
    changes = told(*steps, start=start)
    now = steps[-1][1]
    assert with_edits(lines_of(start), [hunk.forth for hunk in changes.hunks]) == lines_of(now)
    assert with_edits(lines_of(now), [hunk.back for hunk in changes.hunks]) == lines_of(start)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.tuples(st.sampled_from(["call", "command"]), TEXTS), min_size=1, max_size=5))
def test_with_nobody_else_there_everything_is_ours(start: bytes, steps: list[tuple[str, bytes]]) -> None:
    assert all(hunk.whose == "ours" for hunk in told(*steps, start=start).hunks)
