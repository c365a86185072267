"""Blocks as lines: roles have styles, long lines are cut or wrapped, figures are drawn."""

from __future__ import annotations

from typing import get_args

from tools.blocks import Code, Diff, Line, Markdown, Meter, Role, Span, Table, Tail, line
from tools.diffs import diff_of
from tui.render.blocks import ROLE_STYLES, block_lines, line_of
from tui.render.lines import Drawn
from tui.render.look import Look

LOOK = Look(120)
VERBOSE = Look(120, verbose=True)


def text(lines: list[Drawn]) -> list[str]:
    return [each.text.rstrip() for each in lines]


def test_every_role_has_a_style() -> None:
    assert set(ROLE_STYLES) == set(get_args(Role))


def test_words_without_a_role_take_the_style_around_them() -> None:
    shown = line_of(line("Read ", ("a.py", "path"), (" 3 lines", "number"), ("!", "bad")), base="$dim")
    assert shown.pieces == (("Read ", "$dim"), ("a.py", "$foreground"), (" 3 lines", "$dim"), ("!", "$bad"))


def test_a_line_break_in_a_line_begins_a_new_one_in_a_body_and_none_on_a_call() -> None:
    said = Line((Span("one\ntw"), Span("o\n\nthree", "bad")))
    assert text(block_lines((said,), LOOK, 40)) == ["one", "two", "", "three"]
    assert line_of(said).text == "one\\ntwo\\n\\nthree"


def test_long_lines_are_cut_when_condensed_and_wrapped_when_verbose() -> None:
    blocks = (line("word " * 6), Tail(("word " * 6,), 1))
    assert text(block_lines(blocks, LOOK, 14)) == ["word word wor⋯"] * 2
    assert text(block_lines(blocks, VERBOSE, 14)) == ["word word word"] * 4
    assert text(block_lines(blocks, VERBOSE, 13)) == ["word word"] * 6


def test_code_wraps_under_its_text() -> None:
    assert text(block_lines((Code("a = b + c + d", "python", 3),), VERBOSE, 15)) == ["   3   a = b +", "       c + d"]


def test_output_is_plain_and_its_colours_are_dropped() -> None:
    shown = block_lines((Tail(("\x1b[31mred\x1b[0m", "10%\r20%", ""), 3),), LOOK, 40)
    assert [each.pieces for each in shown] == [(("red", "$foreground"),), (("⋯20%", "$foreground"),), ()]
    assert block_lines((Tail((), 0),), LOOK, 40) == []
    assert text(block_lines((Tail(("a", "b", "c"), 3),), LOOK, 40, last=2)) == ["b", "c"]


def test_of_growing_code_the_last_lines_are_drawn() -> None:
    code = Code("a = 1\nb = 2\nc = 3", "python", 1)
    assert text(block_lines((code,), LOOK, 40, live=True, last=2)) == ["   2   b = 2", "   3   c = 3"]


def test_the_context_of_a_diff_follows_the_room() -> None:
    before = "".join(f"{number}\n" for number in range(9))
    diff = diff_of("a.txt", before, before.replace("4", "four"))
    assert len(block_lines((diff,), Look(120), 100)) == 4
    assert len(block_lines((diff,), Look(80), 78)) == 2
    assert len(block_lines((diff,), VERBOSE, 100)) == 8
    assert len(block_lines((diff,), LOOK, 100, context=3, limit=5)) == 5
    assert text(block_lines((diff,), Look(160), 150))[1].split() == ["5", "-", "4", "5", "+", "four"]
    assert block_lines((Diff("a", ()),), LOOK, 80) == []


def test_tables_prose_and_meters() -> None:
    blocks = (
        Table(("name", "n"), (("a\x07", "1"), ("bb", "22"))),
        Markdown("**so**"),
        Meter(84, 210, "KB"),
        Meter(1, 0),
    )
    assert text(block_lines(blocks, LOOK, 40)) == [
        "name   n",
        "a\\x07  1",
        "bb     22",
        "so",
        "KB ╍╍╍╍╍╍╍╍╍╍ 84 of 210",
        "╍╍╍╍╍╍╍╍╍╍ 1 of 0",
    ]
    assert block_lines((Meter(84, 210),), LOOK, 40)[0].pieces[:2] == (("╍" * 4, "$foreground"), ("╍" * 6, "$line"))


def test_nothing_to_draw_draws_nothing() -> None:
    assert block_lines(None, LOOK, 40) == block_lines((), LOOK, 40) == []
