"""How a change of a file looks, for Edit and Write: while it streams in, when it is done, and when it is refused."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from tools.blocks import Code, Diff, DiffLine, Hunk, Line, line
from tools.changing.change import FileChanged
from tools.diffs import diff_of
from tools.edit.view import EditView
from tools.view import ToolView, ViewContext
from tools.write.view import WriteView

CTX = ViewContext("/project", "/home/me")
BEFORE = "".join(f"{n}\n" for n in range(1, 31))


def changed(after: str, before: str = BEFORE, **more: Any) -> FileChanged:
    settled: dict[str, Any] = {"kind": "changed", **more}
    return FileChanged(file_path="/project/a.txt", diff=diff_of("/project/a.txt", before, after), **settled)


SMALL = changed(BEFORE.replace("\n10\n", "\nten\n"))


@pytest.mark.parametrize("view", [EditView(), WriteView()])
def test_the_subject_is_the_path_from_any_part_of_the_input(view: ToolView) -> None:
    assert view.use({}, CTX).text == ""
    assert view.use({"file_path": 7, "new_string": None}, CTX).text == ""
    assert view.use({"file_path": "/project/a.t"}, CTX).text == "a.t"
    assert view.use({"file_path": "a.txt", "content": "x\ny", "new_string": "x"}, CTX).text == "a.txt"


def test_a_write_shows_the_end_of_its_content_while_it_streams_in() -> None:
    view = WriteView()
    assert view.writing({"file_path": "/project/a.py"}, CTX) is None
    assert view.writing({"file_path": "/project/a.py", "content": ""}, CTX) is None
    assert view.writing({"file_path": "/project/a.py", "content": "one\ntw"}, CTX) == (
        line(("2 lines so far", "quiet")),
        Code("one\ntw", "py", 1),
    )
    words, code = view.writing({"content": "".join(f"{n}\n" for n in range(1, 101))}, CTX) or ()
    assert isinstance(words, Line) and words.text == "100 lines so far"
    assert code == Code("\n".join(map(str, range(71, 101))), "text", 71)


def test_a_write_of_much_text_is_cheap_to_show_twenty_times_a_second() -> None:
    for text in ("some words of a line\n" * 15_000, "x" * 300_000):
        before = time.process_time()
        for _ in range(20):
            blocks = WriteView().writing({"file_path": "a.py", "content": text}, CTX) or ()
        assert time.process_time() - before < 0.2
        assert isinstance(blocks[1], Code) and len(blocks[1].text) <= 31_000


@pytest.mark.parametrize(
    ("partial", "words"),
    [
        ({"old_string": "a\nb\nc"}, "3 lines out so far"),
        ({"old_string": "a\nb\nc", "new_string": ""}, "3 lines out, 0 in so far"),
        ({"old_string": "a\nb\nc\n", "new_string": "a\nb"}, "3 lines out, 2 in so far"),
        ({"old_string": "", "new_string": "a"}, "1 line in so far"),
    ],
)
def test_an_edit_counts_what_goes_and_comes_while_it_streams_in(partial: dict[str, Any], words: str) -> None:
    outcome, diff = EditView().writing(partial, CTX) or ()
    assert isinstance(outcome, Line) and outcome.text == words
    assert isinstance(diff, Diff)


def test_an_edit_shows_the_lines_that_go_and_come_while_they_stream_in() -> None:
    assert EditView().writing({"file_path": "a.txt"}, CTX) is None
    _, diff = EditView().writing({"file_path": "a.txt", "old_string": "x\ny", "new_string": "z"}, CTX) or ()
    lines = (DiffLine("removed", "x"), DiffLine("removed", "y"), DiffLine("added", "z"))
    assert diff == Diff("a.txt", (Hunk(1, 1, lines),))


@pytest.mark.parametrize("style", ["condensed", "verbose"])
def test_a_change_is_how_much_and_its_diff(style: Any) -> None:
    assert EditView().result(SMALL, (), style, CTX) == (line(("+1", "added"), " ", ("-1", "removed")), SMALL.diff)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (changed("one\n", "", kind="created"), "+1, new file"),
        (changed("", "", kind="created"), "new file, empty"),
        (changed("a", "a", kind="changed"), "only line ends or encoding"),
        (changed("a", "a", kind="unchanged"), "nothing to change"),
    ],
)
def test_what_kind_of_change_it_was_is_said(data: FileChanged, words: str) -> None:
    outcome, *body = WriteView().result(data, (), "condensed", CTX) or ()
    assert isinstance(outcome, Line) and outcome.text == words
    assert body == ([data.diff] if data.diff.hunks else [])


def test_a_note_stands_below_the_diff() -> None:
    note = "Somebody else had changed the file (line 3); the edit is made in the current text, theirs stays."
    for style in ("condensed", "verbose"):
        blocks = EditView().result(changed("x\n", note=note), (), style, CTX) or ()
        assert blocks[-1] == line(("changed outside meanwhile, line 3: theirs stays", "quiet"))
        by_command = "While your command `make` ran, the file changed (line 3); the edit is made in the current text."
        blocks = EditView().result(changed("x\n", note=by_command), (), style, CTX) or ()
        assert blocks[-1] == line(("changed while a command ran, line 3: that stays", "quiet"))
        blocks = EditView().result(changed("x\n", note="Another note."), (), style, CTX) or ()
        assert blocks[-1] == line(("Another note.", "quiet"))


def test_a_refusal_is_one_line_and_all_that_was_said_when_verbose() -> None:
    view = WriteView()
    assert (
        view.failed("Not found.", CTX) == view.failed("Not found.", CTX, "verbose") == (line(("not found", "quiet")),)
    )
    error = (
        "/project/a.txt was changed by somebody else since you read it, and writing it whole would undo that. "
        "Nothing was written. What changed:\n@@ -1 +1 @@\n-a\n+b"
    )
    outcome = line(("not applied: the file is not the one it read", "quiet"))
    assert view.failed(error, CTX) == (outcome, line(("the changed lines went back with the answer", "quiet")))
    assert view.failed(error, CTX, "verbose") == (outcome, Code(error))


def test_the_result_is_read_back_from_a_saved_session() -> None:
    assert FileChanged.model_validate_json(SMALL.model_dump_json()) == SMALL


def test_a_file_that_is_not_there_yet_is_said_to_be_new_while_it_streams_in() -> None:
    def words(known: bool | None, **partial: str) -> str:
        outcome, *_ = WriteView().writing(partial, replace(CTX, exists=lambda _: known)) or ()
        assert isinstance(outcome, Line)
        return outcome.text

    assert words(False, file_path="a.py", content="x") == "new file, 1 line so far"
    assert words(True, file_path="a.py", content="x") == words(None, file_path="a.py", content="x") == "1 line so far"
    assert words(False, content="x", file_path="a.p") == "1 line so far", "its name may go on"
