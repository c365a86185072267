"""A change taken apart into its hunks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.sheet.asked import BUILD
from tools.blocks import Diff
from tools.diffs import diff_of
from tools.events import PermissionRequest
from tui.sheet.picks import Picking, picking_of

OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = "ONE\ntwo\nthree\nfour\nFIVE\nsix\n"
TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=12).map("".join)


def asked(tool: str, before: str, **input: str) -> PermissionRequest:
    after = input.get("content") or before.replace(input.get("old_string", ""), input.get("new_string", ""))
    preview = (diff_of("a.txt", before, after),)
    return replace(BUILD, tool=tool, input={"file_path": "/w/a.txt", **input}, preview=preview)


def shown(diff: Diff) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for hunk in diff.hunks for line in hunk.lines]


def test_each_run_of_changed_lines_is_a_hunk_with_the_file_s_line_numbers() -> None:
    before = f"first\nsecond\n{OLD}last\n"
    picking = picking_of(asked("Edit", before, old_string=OLD, new_string=NEW))
    assert picking is not None and len(picking.changes) == 2
    first, second = picking.hunk(0), picking.hunk(1)
    assert (first.hunks[0].old_start, shown(first)[:2]) == (3, [("removed", "one"), ("added", "ONE")])
    assert shown(second)[-3:] == [("removed", "five"), ("added", "FIVE"), ("added", "six")]
    assert (second.hunks[0].old_start, second.hunks[0].new_start) == (4, 4)


def test_only_what_is_picked_is_changed() -> None:
    picking = picking_of(asked("Edit", OLD, old_string=OLD, new_string=NEW))
    assert picking is not None
    assert picking.with_only({1}) == "one\ntwo\nthree\nfour\nFIVE\nsix\n"
    assert picking.with_only({0}) == "ONE\ntwo\nthree\nfour\nfive\n"


def test_a_write_is_taken_apart_against_the_file_as_it_is() -> None:
    picking = picking_of(asked("Write", OLD, content=NEW))
    assert picking is not None and "".join(picking.old) != "" and picking.with_only({0, 1}) == NEW
    assert picking.with_only({0}).startswith("ONE\ntwo\n") and "six" not in picking.with_only({0})


def test_one_hunk_a_command_and_what_cannot_be_applied_are_not_taken_apart() -> None:
    assert picking_of(asked("Edit", OLD, old_string="one\n", new_string="ONE\n")) is None
    assert picking_of(BUILD) is None
    stale = replace(asked("Edit", OLD, old_string=OLD, new_string=NEW), problem="The file changed.")
    assert picking_of(stale) is None


@given(TEXTS, TEXTS)
def test_all_hunks_make_the_new_text_and_none_leaves_the_old(old: str, new: str) -> None:
    picking = Picking("a", tuple(old.splitlines(True)), tuple(new.splitlines(True)))
    assert picking.with_only(range(len(picking.changes))) == new
    assert picking.with_only(()) == old


def test_many_hunks_are_compared_once() -> None:
    old = tuple(f"{number}\n" for number in range(3_000))
    picking = Picking("a.py", old, tuple(line if int(line) % 10 else f"!{line}" for line in old))
    assert len(picking.changes) == 300 and picking.changes is picking.changes
    assert picking.with_only(range(300)) == "".join(picking.new) and picking.with_only(()) == "".join(old)
