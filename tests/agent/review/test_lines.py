"""Edits of lines: what leads from one text to another, and where an edit belongs in a third."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent.review.lines import Edit, edits_between, lines_of, rebased, with_edits

TEN = tuple(b"%d\n" % number for number in range(1, 11))
LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"}\n", b"\n"]), max_size=10).map(tuple)


@given(st.binary())
def test_lines_together_are_the_file(data: bytes) -> None:
    assert b"".join(lines_of(data)) == data


@given(LINES, LINES)
def test_edits_lead_from_one_to_the_other(old: tuple[bytes, ...], new: tuple[bytes, ...]) -> None:
    assert with_edits(old, edits_between(old, new)) == new


def test_an_edit_moves_with_the_lines_above_it() -> None:
    now = (b"0\n", *TEN)
    assert rebased([Edit(4, 5, (b"five\n",))], TEN, now) == [Edit(5, 6, (b"five\n",))]


def test_an_edit_that_meets_another_change_is_not_made() -> None:
    wanted = [Edit(4, 5, (b"five\n",))]
    for number in (3, 4, 5):
        now = with_edits(TEN, [Edit(number, number + 1, (b"x\n",))])
        assert rebased(wanted, TEN, now) is None, f"line {number + 1} was changed"


def test_an_edit_that_was_made_already_is_left_out() -> None:
    wanted = [Edit(1, 2, (b"two\n",)), Edit(4, 5, (b"five\n",))]
    now = with_edits(TEN, wanted[:1])
    assert rebased(wanted, TEN, now) == [Edit(4, 5, (b"five\n",))]


def test_a_repeated_line_that_was_put_in_already_is_not_put_in_twice() -> None:
    lines = (b"a\n", b"}\n", b"}\n", b"b\n")
    now = (b"a\n", b"}\n", b"}\n", b"}\n", b"b\n")
    for place in (1, 2, 3):
        assert rebased([Edit(place, place, (b"}\n",))], lines, now) == []


@given(LINES, LINES)
def test_all_of_what_was_made_is_left_out(old: tuple[bytes, ...], new: tuple[bytes, ...]) -> None:
    assert rebased(edits_between(old, new), old, new) == []
