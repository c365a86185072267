from __future__ import annotations

from typing import Any

import pytest

from tools.bash.data import BashOutput, BashProgress
from tools.bash.exits import meaning_of
from tools.bash.view import BashView
from tools.blocks import Block, Line, Tail, line
from tools.ports import ChangedFile
from tools.view import Style, ViewContext

CTX = ViewContext("/home/u/proj", "/home/u")
VIEW = BashView()


def ended(output: str, **more: Any) -> BashOutput:
    settled: dict[str, Any] = {
        "exit_code": 0, "total_bytes": len(output), "total_lines": output.count("\n"), "truncated": False,
        "stored": "/home/u/state/1.txt", "folder": "/home/u/proj", **more,
    }  # fmt: skip
    return BashOutput(output=output, **settled)


def shown(data: BashOutput, style: Style = "condensed") -> tuple[str, list[Block]]:
    outcome, *body = VIEW.result(data, [], style, CTX) or ()
    assert isinstance(outcome, Line)
    return outcome.text, body


def test_the_subject_is_the_first_line_of_the_command_and_grows_with_it() -> None:
    assert VIEW.use({}, CTX).text == ""
    assert VIEW.use({"command": "npm te"}, CTX).text == "npm te"
    assert VIEW.use({"command": "a\nb\nc"}, CTX).text == "a ⋯"
    assert VIEW.use({"command": None, "description": 3}, CTX).text == ""


def test_F3_what_the_model_says_of_a_command_is_never_on_its_row() -> None:
    assert VIEW.use({"command": "rm x", "description": "List files"}, CTX) == line(("rm x", "code"))


def test_progress_is_the_tail_alone_without_an_outcome() -> None:
    assert VIEW.progress([], CTX) is None
    some = BashProgress(lines=tuple("abcdefg"), total_lines=40, total_bytes=99, seconds=3)
    assert VIEW.progress([some], CTX) == (Tail(tuple("cdefg"), 40),)
    silent = BashProgress(lines=(), total_lines=0, total_bytes=0, seconds=3)
    assert VIEW.progress([silent], CTX) is None


def test_condensed_counts_the_lines_and_shows_the_last_five() -> None:
    data = ended("".join(f"{number}\n" for number in range(9)))
    assert shown(data) == ("9 lines", [Tail(("4", "5", "6", "7", "8"), 9)])
    assert not VIEW.went_wrong(data)
    assert shown(ended("\n")) == ("no output", [])


def test_verbose_shows_all_there_is_and_the_note_below() -> None:
    outcome, body = shown(ended("a\nb\n", note="The folder is x again."), "verbose")
    assert (outcome, body) == ("2 lines", [Tail(("a", "b"), 2), line(("The folder is x again.", "quiet"))])


def test_a_stored_output_is_named_below_the_tail() -> None:
    _, (tail, stored) = shown(ended("x\n", truncated=True, total_bytes=123456))
    assert isinstance(tail, Tail) and isinstance(stored, Line)
    assert stored.text == "123,456 bytes in all, in ~/state/1.txt"


@pytest.mark.parametrize(
    ("output", "code", "outcome"),
    [
        ("x\n===== 1 failed, 47 passed =====\n", 1, "exit 1: 1 failed, 47 passed"),
        ("x\n\x1b[31m1 failed\x1b[0m\n\n", 2, "exit 2: 1 failed"),
        ("y" * 80, 1, "exit 1"),
        ("", 3, "exit 3"),
        ("", -9, "ended by SIGKILL"),
        ("", -99, "ended by signal 99"),
    ],
)
def test_a_failure_is_said_with_its_last_line_where_that_is_short(output: str, code: int, outcome: str) -> None:
    data = ended(output, exit_code=code)
    assert shown(data)[0] == outcome
    assert VIEW.went_wrong(data)


def test_of_a_failure_the_lines_that_speak_of_it_are_shown_and_always_the_last() -> None:
    output = "E   assert 1 == 2\nplain\nmore\nAssertionError: no\n" + "plain\n" * 9 + "bye\n"
    assert shown(ended(output, exit_code=1))[1] == [Tail(("E   assert 1 == 2", "AssertionError: no", "bye"), 14)]
    silent = "".join(f"{number}\n" for number in range(9))
    assert shown(ended(silent, exit_code=1))[1] == [Tail(("4", "5", "6", "7", "8"), 9)]


def test_a_code_that_is_no_failure_is_said_in_words() -> None:
    data = ended("", exit_code=1, meaning="nothing found")
    assert shown(data) == ("nothing found", [])
    assert not VIEW.went_wrong(data)


@pytest.mark.parametrize(
    ("command", "output", "meaning"),
    [
        ("grep x f", "", "nothing found"),
        ("cd src && ls | /usr/bin/grep x", "", "nothing found"),
        ("git grep x", "", "nothing found"),
        ("cd nowhere && grep x f", "no such folder", ""),
        ("grep x f && echo y", "", ""),
        ("! grep x f", "", ""),
        ("diff a b", "1c1", "the files differ"),
        ("git diff --quiet", "", "the files differ"),
        ("cd a && diff a b", "", ""),
        ("[ -f x ]", "", "it is not so"),
        ("test 1 -eq", "test: 1: unary operator expected", ""),
        ("pytest", "", ""),
        ("git push", "", ""),
        ("((", "", ""),
    ],
)
def test_what_a_one_means_depends_on_who_said_it(command: str, output: str, meaning: str) -> None:
    assert meaning_of(command, 1, output) == meaning
    assert meaning_of(command, 2, output) == ""


def test_a_command_ended_by_the_tool_says_so_above_the_end_of_its_output() -> None:
    assert VIEW.failed("The command was lost: its keeper ended.", CTX) == (line(("lost: its keeper ended", "quiet")),)
    error = "The command was ended after 2 s. Give a longer `timeout`. Its output so far:\n" + "\n".join("abcdefg")
    outcome, tail = VIEW.failed(error, CTX) or ()
    assert isinstance(outcome, Line) and outcome.text == "ended after 2 s"
    assert tail == Tail(tuple("cdefg"), 7)
    assert (VIEW.failed(error, CTX, "verbose") or ())[1] == Tail(tuple(error.split("\n")), 8)


def test_an_output_of_before_meanings_were_kept_is_read_back() -> None:
    saved = ended("a\n").model_dump(mode="json")
    del saved["meaning"]
    assert BashOutput.model_validate(saved) == ended("a\n")


def test_what_went_to_the_background_says_so_and_leaves_the_rest_to_its_panel() -> None:
    data = ended("begun\n", exit_code=None, task="task-2", note="It runs in the background as task-2 until it ends.")
    assert shown(data) == ("in the background as task-2", [Tail(("begun",), 1)])
    assert not VIEW.went_wrong(data)


def test_files_that_changed_stand_below_with_how_much() -> None:
    changed = (
        ChangedFile("/home/u/proj/a.py", 2, 1),
        ChangedFile("/home/u/proj/b.py", 0, 3),
        ChangedFile("/home/u/c.bin"),
        ChangedFile("/home/u/proj/d.py", deleted=True),
    )
    _, body = shown(ended("", changed=changed))
    lines = [one.text for one in body if isinstance(one, Line)]
    assert lines == ["a.py +2 -1", "b.py -3", "~/c.bin changed", "d.py is gone"]


def test_of_very_many_changed_files_the_rest_is_counted() -> None:
    changed = tuple(ChangedFile(f"/home/u/proj/{number}", 1, 0) for number in range(13))
    _, body = shown(ended("", changed=changed))
    assert len(body) == 11 and body[-1] == line(("and 3 more files changed", "quiet"))


def test_what_the_sandbox_seems_to_have_stopped_says_so() -> None:
    data = ended("x: Permission denied\n", exit_code=1, sandboxed=True, blocked="The sandbox seems to ...")
    _, body = shown(data)
    assert line(("The sandbox seems to have stopped it; it can ask to run without.", "warning")) in body
