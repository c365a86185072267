"""Lines of words broken at blanks: as many as fit, whole words, each in its style."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tui.render.lines import Drawn, wrap

WORDS = st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=20)


def wrapped(width: int, *pieces: tuple[str, str]) -> list[tuple[tuple[str, str], ...]]:
    return [line.pieces for line in wrap(Drawn(pieces), width)]


@given(WORDS, st.integers(min_value=9, max_value=30), st.data())
def test_a_line_takes_every_word_that_fits(words: list[str], width: int, data: st.DataObject) -> None:
    text = " ".join(words)
    at = data.draw(st.integers(min_value=0, max_value=len(text)))
    # Styles that change anywhere, also inside a word, change nothing of where it breaks.
    lines = [line.text for line in wrap(Drawn(((text[:at], "bold"), (text[at:], ""))), width)]
    assert " ".join(lines) == text
    assert all(len(line) <= width for line in lines)
    assert all(len(line) + 1 + len(after.split(" ")[0]) > width for line, after in itertools.pairwise(lines))


@given(WORDS, st.integers(min_value=9, max_value=30))
def test_letters_of_any_script_break_where_plain_ones_do(words: list[str], width: int) -> None:
    plain = [line.text for line in wrap(Drawn(((" ".join(words), ""),)), width)]
    others = [line.text for line in wrap(Drawn(((" ".join(words).replace("b", "é"), ""),)), width)]
    assert [line.replace("é", "b") for line in others] == plain


def test_each_word_keeps_its_style() -> None:
    assert wrapped(8, ("one ", ""), ("two", "bold"), (" three", "")) == [
        (("one ", ""), ("two", "bold")),
        (("three", ""),),
    ]


def test_a_word_as_wide_as_the_line_is_whole_whatever_its_styles_and_what_follows() -> None:
    assert wrapped(6, ("b b", ""), ("c", "bold"), ("abaa x", "")) == [
        (("b", ""),),
        (("b", ""), ("c", "bold"), ("abaa", "")),
        (("x", ""),),
    ]


def test_a_word_that_is_wider_than_the_line_comes_in_parts() -> None:
    assert wrapped(4, ("one abcdefg hi", "")) == [(("one", ""),), (("abcd", ""),), (("efg", ""),), (("hi", ""),)]
