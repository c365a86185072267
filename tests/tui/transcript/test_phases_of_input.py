"""A call while it is written, waits and asks: `» ◦ ?`, and what can be seen of its input."""

from __future__ import annotations

import json

import pytest

from tests.tui.sheet.asked import bash, edit
from tests.tui.transcript.told import Told
from tools.events import (
    PermissionDecided,
    PermissionRequested,
    PermissionWithdrawn,
    ToolInputDelta,
    ToolInputReady,
    ToolInputStarted,
    ToolQueued,
    ToolStarted,
)
from tools.permissions.decision import Decision

INPUTS = {
    "Bash": {"command": "pytest -q\nmake lint"},
    "Edit": {"file_path": "a/cache.py", "old_string": "one\ntwo", "new_string": "one\n2"},
    "Glob": {"pattern": "**/*.py", "path": "src"},
    "Grep": {"pattern": "st_mtime", "path": "src"},
    "Read": {"file_path": "a/cache.py"},
    "TodoWrite": {"todos": [{"content": "Look", "status": "in_progress", "active_form": "Looking"}]},
    "Write": {"file_path": "a/new.py", "content": "x = 1\ny = 2\n"},
    "mcp__github__list_issues": {"repo": "tidewatch", "limit": 3},
    "Nonsense": {"first": "a word", "second": [1, 2]},
}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Bash", " » Bash"),
        ("Edit", " » Edit"),
        ("Read", " » Read"),
        ("TodoWrite", " » Todo"),
        ("mcp__github__list_issues", " » github  list_issues"),
        ("Nonsense", " » Nonsense"),
    ],
)
def test_a_call_of_which_nothing_has_come_yet_is_its_name(name: str, shown: str) -> None:
    story = Told().turn().streams("c", name)
    assert story.frame() == [shown]
    assert (shown.split()[1], "bold") in story.styles()[0]


@pytest.mark.parametrize("name", INPUTS)
def test_every_beginning_of_an_input_can_be_drawn(name: str) -> None:
    story = Told().turn().streams("c", name)
    for letter in json.dumps(INPUTS[name]):
        story.hear(ToolInputDelta("c", letter))
        assert story.frame()[0].startswith(" » ") and story.frame(verbose=True)[0].startswith(" » ")
    assert not story.faults


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Bash", " » Bash    pytest -q ⋯"),
        ("Glob", " » Glob    **/*.py in src"),
        ("Grep", " » Grep    st_mtime in src"),
        ("Read", " » Read    a/cache.py"),
        ("TodoWrite", " » Todo    Looking"),
        ("mcp__github__list_issues", " » github  list_issues  tidewatch"),
        ("Nonsense", " » Nonsense first a word  second [1, 2]"),
    ],
)
def test_a_call_names_its_subject_as_soon_as_that_has_come(name: str, shown: str) -> None:
    assert Told().turn().streams("c", name, json.dumps(INPUTS[name])).frame() == [shown]


def test_a_path_is_there_letter_by_letter() -> None:
    story = Told().turn().streams("c", "Edit", '{"file_path": "tidewatch/ca')
    assert story.frame() == [" » Edit    tidewatch/ca"]


def test_an_edit_shows_what_goes_and_what_comes_while_it_is_written() -> None:
    story = Told().turn().streams("c", "Edit", '{"file_path": "a.py", "old_string": "one\\ntwo\\nthree", "new_st')
    assert story.frame()[0] == " » Edit    a.py  3 lines out so far"
    story.hear(ToolInputDelta("c", 'ring": "one\\n2'))
    assert story.frame() == [
        " » Edit    a.py  3 lines out, 2 in so far",
        " ╎    1 - one",
        " ╎    2 - two",
        " ╎    3 - three",
        " ╎    1 + one",
        " ╎    2 + 2",
    ]


def test_a_file_that_is_written_shows_its_last_lines_with_their_numbers_and_a_cursor() -> None:
    content = "\\n".join(f"line {number}" for number in range(1, 17))
    story = Told().turn().streams("c", "Write", f'{{"file_path": "a.txt", "content": "{content}')
    assert story.frame() == [
        " » Write   a.txt  16 lines so far",
        *(f" ╎   {number}   line {number}" for number in range(12, 17)),
    ]
    assert story.styles()[0][0] == ("»", "$run")
    assert all(line[0] == ("╎", "bold $run") for line in story.styles()[1:])
    assert story.rows[-1].lines(story.look())[-1].pieces[-1] == (" ", "on $run")


def test_a_low_screen_shows_four_lines_of_what_is_written() -> None:
    content = "\\n".join(map(str, range(9)))
    story = Told().turn().streams("c", "Write", f'{{"file_path": "a.txt", "content": "{content}')
    assert len(story.frame(height=24)) == 1 + 4


def test_what_is_written_grows_to_its_height_and_never_shrinks() -> None:
    story = Told().turn().streams("c", "Write", '{"file_path": "a.txt", "content": "')
    heights: list[int] = []
    for number in range(8):
        story.hear(ToolInputDelta("c", f"{number}\\n"))
        heights.append(len(story.frame()))
    assert heights == [2, 3, 4, 5, 6, 6, 6, 6]
    story.hear(ToolInputReady("c", {"file_path": "a.txt", "content": "0\n"}), ToolQueued("c", "after Bash pytest"))
    assert len(story.frame()) == 6, "waiting does not make it smaller"


def test_a_queued_call_says_behind_what_all_dim() -> None:
    story = Told().turn().called("c", "Edit", file_path="store.py").hear(ToolQueued("c", "after Bash pytest"))
    assert story.frame() == [" ◦ Edit    store.py  after Bash pytest"]
    assert {style for _, style in story.styles()[0]} == {"$dim"}


def test_a_call_that_asks_has_a_filled_mark_and_no_body() -> None:
    request = bash("npm ci", call_id="c")
    story = Told().turn().called("c", "Bash", command="npm ci").hear(PermissionRequested(request, 1))
    assert story.frame() == [" ? Bash    npm ci  waiting for you"]
    assert story.styles()[0][:2] == [("?", "bold $on-ask on $ask-fill"), ("Bash", "bold")]


def test_the_first_question_asks_the_others_wait_behind_it() -> None:
    story = Told().turn()
    for id in ("a", "b", "c"):
        story.called(id, "Bash", command=f"make {id}").hear(
            PermissionRequested(bash(f"make {id}", id=id, call_id=id), 1)
        )
    assert story.screen()[-5:] == [
        " ? Bash    make a  waiting for you",
        "",
        " ◦ Bash    make b  asks next",
        "",
        " ◦ Bash    make c  asks next",
    ]
    story.hear(PermissionDecided("a", Decision("allow", "", ()), True), ToolStarted("a"))
    assert story.frame(-2) == [" ? Bash    make b  waiting for you"]
    story.hear(PermissionWithdrawn("b", "a rule allows it now"))
    assert story.frame(-1) == [" ? Bash    make c  waiting for you"]


def test_a_call_that_asks_can_be_opened_to_see_what_it_wants() -> None:
    request = edit(call_id="c")
    story = Told().turn().called("c", "Edit", file_path="tidewatch/cache.py", old_string="x", new_string="y")
    story.hear(PermissionRequested(request, 1))
    story.call("c").opened = True
    assert any("st_mtime_ns" in line for line in story.frame())


def test_a_change_that_asks_stands_where_it_will_be_in_the_file() -> None:
    story = (
        Told().turn().streams("c", "Edit", '{"file_path": "tidewatch/cache.py", "old_string": "one", "new_string": "2')
    )
    written = story.frame()
    assert written[1:] == [" ╎    1 - one", " ╎    1 + 2"]
    story.hear(PermissionRequested(edit(call_id="c"), 1))
    assert story.frame()[1:] == [" ╎    5 -         return True", " ╎    5 +         return moved(path)"]


def test_an_input_that_comes_apart_in_the_middle_of_a_letter_or_an_escape_is_drawn_meanwhile() -> None:
    raw = '{"file_path": "ü.txt", "content": "a\\u00fcb\\ud83d\\ude00c"}'
    story = Told().turn().hear(ToolInputStarted("c", "Write"))
    for letter in raw:
        story.hear(ToolInputDelta("c", letter))
        story.frame()
    assert story.frame() == [" » Write   ü.txt  1 line so far", " ╎    1   aüb😀c"]
    assert not story.faults


def test_nonsense_in_place_of_an_input_is_drawn_too() -> None:
    for raw in ("[1, 2]", "null", "}{", '{"file_path": 7, "content": {"a": 1}}', "\x1b[31m"):
        assert Told().turn().streams("c", "Write", raw).frame()[0].startswith(" » Write")
