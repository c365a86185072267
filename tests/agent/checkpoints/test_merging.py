"""Taking our change out of what others changed since: theirs stays, and where the two meet there are two answers."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.checkpoints.merging import merged
from agent.review.lines import Lines

SEEDS = int(os.environ.get("AGENT_TUI_SEEDS", "100"))


def lines(text: str) -> Lines:
    return tuple(part.encode() + b"\n" for part in text.split())


@pytest.mark.parametrize(
    ("made_on", "wanted", "now", "theirs", "mine", "met"),
    [
        # apart
        ("a B c d e", "a b c d e", "a B c d E", "a b c d E", "a b c d E", 0),
        ("a B c d e", "a b c d e", "X a B c d e", "X a b c d e", "X a b c d e", 0),
        ("a new1 new2 b c", "a b c", "a new1 new2 b C", "a b C", "a b C", 0),
        # one line of both
        ("a B c d", "a b c d", "a T c d", "a T c d", "a b c d", 1),
        ("a B c d e F g", "a b c d e f g", "a T c d e F g", "a T c d e f g", "a b c d e f g", 1),
        # next to each other is met
        ("a B c", "a b c", "a B T c", "a B T c", "a b c", 1),
        # theirs is larger than ours, and the other way round
        ("a B c d e", "a b c d e", "a X Y Z e", "a X Y Z e", "a b c d e", 1),
        ("a B C D e", "a b c d e", "a B T D e", "a B T D e", "a b c d e", 1),
        # two of ours in one of theirs
        ("B c D", "b c d", "T", "T", "b c d", 1),
        # they took it back themselves
        ("a B c", "a b c", "a b c", "a b c", "a b c", 0),
        ("x a B c", "x a b c", "x a b c T", "x a b c T", "x a b c T", 0),
        # a line that was moved, and whose old place is taken, stays at its new one
        ("a b m c", "m a b c", "X a b m c", "X a b m c", "m a b c", 1),
        ("a b m c d E", "m a b c d e", "X a b m c d E", "X a b m c d e", "m a b c d e", 1),
        # nothing is left, nothing was there
        ("a b", "", "a b", "", "", 0),
        ("", "a", "", "a", "a", 0),
    ],
)
def test_what_comes_of_it(made_on: str, wanted: str, now: str, theirs: str, mine: str, met: int) -> None:
    kept = merged(lines(made_on), lines(wanted), lines(now), mine=False)
    taken = merged(lines(made_on), lines(wanted), lines(now), mine=True)
    assert (kept.lines, kept.met) == (lines(theirs), met)
    assert (taken.lines, taken.met) == (lines(mine), met)


texts = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=8).map(tuple)


@settings(max_examples=SEEDS)
@given(texts, texts, texts)
def test_where_nothing_meets_both_answers_are_one_and_without_others_it_is_what_was_wanted(
    made_on: Lines, wanted: Lines, now: Lines
) -> None:
    kept, taken = (merged(made_on, wanted, now, mine=mine) for mine in (False, True))
    assert kept.met == taken.met
    if not kept.met:
        assert kept.lines == taken.lines
    assert merged(made_on, wanted, made_on, mine=False).lines == wanted
    assert merged(made_on, made_on, now, mine=True).lines == now


@settings(max_examples=SEEDS)
@given(texts, st.integers(0, 7), st.integers(0, 7))
def test_a_line_of_theirs_that_is_apart_is_never_lost(base: Lines, ours: int, theirs: int) -> None:
    numbered = tuple(b"%d\n" % place for place in range(len(base)))
    ours, theirs = ours % (len(base) + 1), theirs % (len(base) + 1)
    made_on = (*numbered[:ours], b"ours\n", *numbered[ours:])
    at = theirs + (theirs >= ours)
    now = (*made_on[:at], b"theirs\n", *made_on[at:])
    assert b"theirs\n" in merged(made_on, numbered, now, mine=False).lines
