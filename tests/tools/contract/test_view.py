"""A tool without a view still shows well: the generic one, as blocks."""

from __future__ import annotations

from typing import Any

import pytest

from tools.blocks import Code, Diff, DiffLine, Hunk, Line, Span, line
from tools.contract import Preview, Tool
from tools.inputs import NoProgress, ToolOutput
from tools.view import LONGEST_VALUE, ToolView, ViewContext, outcome_and_body

HERE = ViewContext("/project", "/home/ada")
VIEW = ToolView()


class Counted(ToolOutput):
    files: int
    note: str = ""


def only_line(blocks: Any) -> Line:
    (block,) = blocks
    assert isinstance(block, Line)
    return block


def test_the_generic_view_is_what_a_tool_has() -> None:
    assert type(Tool.view) is ToolView


@pytest.mark.parametrize(
    ("partial", "shown"),
    [
        ({}, ""),
        ({"path": "a.py"}, "path a.py"),
        ({"path": "a.py", "limit": 5, "deep": {"x": [1]}}, 'path a.py  limit 5  deep {"x": [1]}'),
        ({"text": "one\ntwo"}, "text one⋯"),
        ({"path": None, "all": True}, "path null  all true"),
    ],
)
def test_any_part_of_an_input_can_be_shown(partial: dict[str, Any], shown: str) -> None:
    assert VIEW.use(partial, HERE).text == shown


def test_a_long_value_is_cut_to_its_beginning() -> None:
    shown = VIEW.use({"v": "x" * 5_000_000}, HERE).text
    assert shown == "v " + "x" * (LONGEST_VALUE - 1) + "⋯"
    assert VIEW.use({"v": "x" * LONGEST_VALUE}, HERE).text == "v " + "x" * LONGEST_VALUE


def test_a_reason_to_wait_is_shown_and_none_is_not() -> None:
    assert only_line(VIEW.queued("10 calls are running", HERE)).text == "10 calls are running"
    assert VIEW.queued("", HERE) is None


def test_of_the_progress_the_last_is_shown() -> None:
    assert VIEW.progress([], HERE) is None
    assert only_line(VIEW.progress([Counted(files=1), Counted(files=2)], HERE)).text == "files 2  note"


def test_a_result_is_a_line_when_condensed_and_has_all_of_it_below_when_verbose() -> None:
    data = Counted(files=3, note="two\nlines")
    outcome = only_line(VIEW.result(data, [], "condensed", HERE))
    assert outcome.text == "files 3  note two⋯"
    first, whole = VIEW.result(data, [], "verbose", HERE) or ()
    assert first == outcome
    assert isinstance(whole, Code) and whole.lexer == "json"
    assert Counted.model_validate_json(whole.text) == data
    assert only_line(VIEW.result(NoProgress(), [], "verbose", HERE)).text == "done"
    assert not VIEW.went_wrong(data)


def test_a_refusal_and_a_failure_say_why_quietly() -> None:
    assert VIEW.rejected("A rule denies it.", HERE) == (line(("a rule denies it", "quiet")),)
    assert VIEW.failed("It has gone. Look elsewhere.", HERE) == (line(("it has gone", "quiet")),)
    assert only_line(VIEW.failed("", HERE)).text == "failed"


def test_all_that_was_said_of_a_failure_stands_below_it_when_verbose() -> None:
    assert VIEW.failed("It has gone.", HERE, "verbose") == (line(("it has gone", "quiet")),)
    assert VIEW.failed("It has gone. Look.", HERE, "verbose") == (
        line(("it has gone", "quiet")),
        Code("It has gone. Look."),
    )


def test_an_input_is_not_shown_while_it_is_written_unless_the_tool_has_a_way() -> None:
    assert VIEW.writing({"text": "x"}, HERE) is None


def test_the_first_line_is_the_outcome_and_the_rest_the_body() -> None:
    said, code = line("3 lines"), Code("x")
    assert outcome_and_body((said, code, said)) == (said, (code, said))
    assert outcome_and_body((code, said)) == (None, (code, said))
    assert outcome_and_body(None) == outcome_and_body(()) == (None, ())


def test_the_person_is_shown_the_preview_and_calls_are_not_grouped_unasked() -> None:
    blocks = (line("rm -r build"),)
    assert VIEW.approval(Preview(blocks), HERE) == blocks
    assert VIEW.grouped([], HERE) is None


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/project/a.py", "a.py"),
        ("/project", "/project"),
        ("/projects/a.py", "/projects/a.py"),
        ("/home/ada/b", "~/b"),
        ("/etc/passwd", "/etc/passwd"),
        ("a.py", "a.py"),
    ],
)
def test_paths_are_said_from_the_folder_or_from_home(path: str, short: str) -> None:
    assert HERE.short(path) == short


def test_the_root_as_working_folder_shortens_too_and_none_does_not() -> None:
    assert ViewContext("/", "").short("/etc/passwd") == "etc/passwd"
    assert ViewContext("", "").short("/etc/passwd") == "/etc/passwd"


def test_a_line_is_written_shortly_and_reads_as_its_text() -> None:
    written = line("Read ", ("a.py", "path"))
    assert written == Line((Span("Read "), Span("a.py", "path")))
    assert written.text == "Read a.py"


def test_a_diff_counts_its_lines() -> None:
    lines = (DiffLine("same", "a"), DiffLine("removed", "b"), DiffLine("added", "c"), DiffLine("added", "d"))
    diff = Diff("a.py", (Hunk(1, 1, lines), Hunk(9, 10, lines[:1])))
    assert (diff.added, diff.removed) == (2, 1)


def test_a_sentence_names_its_paths_as_a_person_would() -> None:
    told = "The hook `/project/x.sh` (/project/a.json:3, /home/ada/b, /mnt/project/c, /projects) failed."
    assert HERE.in_words(told) == "The hook `x.sh` (a.json:3, ~/b, /mnt/project/c, /projects) failed."
    assert ViewContext("/", "").in_words("/a/b") == "/a/b"
