"""The side panel: files, todos and the watcher, and the todos alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panels.drawing import NASTY, assert_fits, style_of
from tools.ports import Todo
from tui.panels.files import FileFact
from tui.panels.side import SideFacts, WatcherFacts, side_lines, todo_lines
from tui.render.look import Look

FILES = (
    FileFact("tidewatch/cache.py", "M", 3, 3),
    FileFact("tests/test_cache_touch.py", "A", 21),
    FileFact("README.md", "M", 2, 0, "outside", 2, 1),
    FileFact("tidewatch/fetch.py", "r", 0, 0, "git", 9, 4),
    FileFact("tidewatch/store.py"),
    FileFact("tests/test_cache.py"),
)
TODOS = (
    Todo("find who reads mtimes", "completed"),
    Todo("let the hash decide", "completed"),
    Todo("prove it with a test", "in_progress"),
    Todo("bump the version", "pending"),
)
FACTS = SideFacts(FILES, TODOS, WatcherFacts(6, 3, 14))


def shown(facts: SideFacts = FACTS, width: int = 40, height: int = 34, **more: int) -> list[str]:
    return [line.text.rstrip() for line in side_lines(facts, width, height, **more)]


def test_it_shows_files_todos_and_watcher_in_this_order():
    assert "\n".join(shown()) == (
        """
  Files                      4 changed
  M  tidewatch/cache.py          +3 -3
  A  tests/test_cache_touch.py     +21
  M≢ README.md       outside +2 -1  +2
  r≢ tidewatch/fetch.py      git +9 -4
  r  tidewatch/store.py
  r  tests/test_cache.py

  Todos                         2 of 4
  ✓ find who reads mtimes
  ✓ let the hash decide
  ▸ prove it with a test
  ◦ bump the version

  Watcher
  ✓ 6 files in 3 folders         14 ms"""
    )


def test_marks_and_sizes_have_the_colours_of_what_they_mean():
    lines = side_lines(FACTS, 40, 34)
    assert style_of(lines, "≢") == "bold $other"
    assert style_of(lines, "outside +2 -1") == style_of(lines, "git +9 -4") == "$other"
    assert (style_of(lines, "+21"), style_of(lines, "-3"), style_of(lines, "A")) == ("$add", "$del", "$add")
    assert style_of(lines, "r") == style_of(lines, "tidewatch/store.py") == "$dim"
    assert style_of(lines, "tidewatch/fetch.py") == ""


def test_done_todos_are_dim_and_the_current_one_is_bold():
    lines = side_lines(FACTS, 40, 34)
    assert style_of(lines, "let the hash decide") == "$dim"
    assert style_of(lines, "prove it with a test") == "bold"
    assert style_of(lines, "bump the version") == ""


def test_an_empty_section_is_absent():
    assert shown(SideFacts(todos=TODOS[:1])) == [
        "",
        "  Todos                         1 of 1",
        "  ✓ find who reads mtimes",
    ]


def test_with_nothing_to_show_it_says_so():
    assert shown(SideFacts()) == ["", "  No file was read or changed yet."]


def test_a_file_that_somebody_removed_says_gone():
    lines = shown(SideFacts((FileFact("a.py", theirs="outside", gone=True),)))
    assert lines[-1].endswith("outside gone")


def test_a_long_path_is_cut_in_the_middle():
    lines = shown(SideFacts((FileFact("tidewatch/adapters/stations/north/cache.py", "M", 3, 3),)))
    assert lines[-1] == "  M  tidewatch/adapt/⋯/cache.py  +3 -3"


def test_the_picked_file_lies_on_its_own_ground_and_has_a_sign():
    lines = side_lines(FACTS, 40, 34, picked=2)
    chosen = [line for line in lines if line.ground == "on $pick"]
    assert [line.text for line in chosen] == ["❯ M≢ README.md       outside +2 -1  +2"]
    assert {line.ground for line in lines} == {"on $side", "on $pick"}


def test_what_is_too_long_scrolls_and_says_how_much_there_is():
    assert shown(height=6, scroll=2)[-2:] == ["  r  tidewatch/store.py", "  10 more below"]
    assert shown(height=6, scroll=99)[-1] == "  12 more above"


def test_the_picked_file_is_always_in_sight():
    many = SideFacts(tuple(FileFact(f"file{number}.py") for number in range(50)))
    for picked in (0, 25, 49):
        lines = side_lines(many, 40, 10, picked=picked)
        assert any(f" file{picked}.py" in line.text for line in lines if line.ground == "on $pick")


def test_trouble_with_watching_is_told_in_full():
    lines = side_lines(SideFacts(watcher=WatcherFacts(6, 3, trouble="Files are not watched (no room); so.")), 40, 34)
    assert [line.text.strip() for line in lines][2:] == ["! Files are not watched (no room);", "so."]
    assert style_of(lines, "!") == "$ask"


def test_todos_alone_stand_above_the_prompt():
    assert [line.text for line in todo_lines(TODOS, Look(40, 24))] == [
        "   Todos                         2 of 4",
        " ✓ find who reads mtimes",
        " ✓ let the hash decide",
        " ▸ prove it with a test",
        " ◦ bump the version",
    ]


def test_a_long_list_of_todos_shows_the_part_around_what_is_being_done():
    todos = tuple(Todo(f"step {number}", "completed" if number < 20 else "pending") for number in range(40))
    lines = [line.text for line in todo_lines(todos, Look(60, 24))]
    assert len(lines) == 9
    assert lines[0].endswith("20 of 40, 32 not shown")
    assert lines[1:4] == [" ✓ step 19", " ◦ step 20", " ◦ step 21"]


def test_without_todos_there_is_no_line():
    assert todo_lines((), Look(80)) == []


FACT = st.builds(
    FileFact,
    path=st.sampled_from(["a.py", NASTY, "x/" * 90 + "y.py"]),
    own=st.sampled_from(["M", "A", "D", "r"]),
    added=st.integers(0, 99_999),
    removed=st.integers(0, 9),
    theirs=st.sampled_from(["", "git", "outside", NASTY]),
    their_added=st.integers(0, 9_999),
    gone=st.booleans(),
)


@given(
    st.integers(20, 220),
    st.integers(1, 60),
    st.builds(
        SideFacts,
        files=st.lists(FACT, max_size=5).map(tuple),
        todos=st.lists(st.builds(Todo, st.sampled_from(["do", NASTY]), st.sampled_from(["pending", "odd"]))).map(tuple),
        watcher=st.builds(WatcherFacts, st.integers(0, 9), st.integers(0, 9), trouble=st.sampled_from(["", NASTY])),
    ),
    st.none() | st.integers(-1, 9),
)
def test_it_fits_every_width(width: int, height: int, facts: SideFacts, picked: int | None):
    lines = side_lines(facts, width, height, picked=picked)
    assert_fits(lines, width)
    assert len(lines) <= height
    assert_fits(todo_lines(facts.todos, Look(width, height)), width)
