"""How a Read looks while its input streams in, when it is done, and among others."""

from __future__ import annotations

from typing import Any

import pytest

from tools.blocks import Code, Line, line
from tools.read.shown import (
    Answer,
    Cell,
    CellPicture,
    CellText,
    Image,
    Notebook,
    PagePicture,
    PageText,
    Parts,
    Pdf,
    Picture,
    ReadOutput,
    Text,
    Unchanged,
)
from tools.read.told import in_words
from tools.read.view import ReadView
from tools.view import GroupedCall, ViewContext

VIEW = ReadView()
CTX = ViewContext("/project", "/home/me")
PICTURE = Picture(media_type="image/png", width=1264, height=948)
PAGES = (PageText(number=3, text="three"), PageText(number=4, text="four"))
CELL = Cell(
    number=2,
    type="code",
    source="1 / 0",
    outputs=(CellPicture(picture=PICTURE), CellText(text="ZeroDivisionError\nsorry", is_error=True)),
)


@pytest.mark.parametrize(
    ("partial", "text"),
    [
        ({}, ""),
        ({"file_path": None}, ""),
        ({"file_path": "/pro"}, "/pro"),
        ({"file_path": "/project/src/a.py"}, "src/a.py"),
        ({"file_path": "/home/me/a.py"}, "~/a.py"),
        ({"file_path": "a.py", "offset": "nonsense", "limit": [1]}, "a.py"),
    ],
)
def test_the_subject_is_the_path_from_any_part_of_the_input(partial: dict[str, Any], text: str) -> None:
    assert VIEW.use(partial, CTX).text == text


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (Text(lines=("one",), total_lines=1), "1 line"),
        (Text(lines=("one", "two"), total_lines=2), "2 lines"),
        (Text(lines=("one", "two"), first_line=5, total_lines=90), "lines 5-6 of 90"),
        (Text(lines=("one",), total_lines=None), "lines 1-1 of more"),
        (Text(total_lines=0), "empty file"),
        (Text(first_line=9, total_lines=3), "line 9 is past the end, 3 lines"),
        (Unchanged(what="lines 1 to 3"), "unchanged since it was read"),
        (Image(format="PNG", width=4_000, height=3_000, picture=PICTURE), "PNG image, 4000 x 3000, 1.5 KiB"),
        (Notebook(cells=(CELL,), total_cells=1), "1 cell"),
        (Notebook(cells=(CELL,), total_cells=9), "cell 2 of 9"),
        (Pdf(pages=PAGES, total_pages=2), "2 pages"),
        (Pdf(pages=PAGES, total_pages=36), "pages 3-4 of 36"),
        (Parts(pages=(PagePicture(number=7, picture=PICTURE),), total_pages=300), "page 7 of 300 as pictures"),
    ],
)
def test_condensed_it_is_one_line_that_says_how_much(shown: Answer, text: str) -> None:
    blocks = VIEW.result(ReadOutput(file_path="/project/a.py", size=1536, answer=shown), (), "condensed", CTX)
    assert blocks == (line((text, "quiet")),)


def test_verbose_shows_the_lines_with_their_numbers_and_what_is_odd_about_them() -> None:
    shown = Text(lines=("one", "two"), first_line=5, total_lines=90, cut=1, decoded=False)
    output = ReadOutput(file_path="/project/a.PY", answer=shown)
    assert VIEW.result(output, (), "verbose", CTX) == (
        line(("lines 5-6 of 90", "quiet")),
        Code("one\ntwo", "py", 5),
        line(("1 line too long to be shown whole", "quiet")),
        line(("some bytes are no text", "quiet")),
    )


def test_verbose_shows_no_code_where_there_is_none() -> None:
    blocks = VIEW.result(ReadOutput(file_path="/project/a", answer=Text(total_lines=0)), (), "verbose", CTX)
    assert blocks is not None and [type(block) for block in blocks] == [Line]


def test_a_failure_is_one_short_line_and_in_full_when_verbose() -> None:
    error = "/project/a.py does not exist. Look for it with Glob, or list the folder."
    assert VIEW.failed(error, CTX) == (line(("no such file", "quiet")),)
    assert VIEW.failed(error, CTX, "verbose") == (line(("no such file", "quiet")), Code(error))


def test_above_reads_at_once_stands_how_much_was_read() -> None:
    read = ReadOutput(file_path="/project/a.py", answer=Text(lines=("one", "two"), total_lines=2))
    calls = [
        GroupedCall("1", {"file_path": "/project/a.py"}, "ok", read),
        GroupedCall("2", {"file_path": "/project/a.py", "offset": 9}, "ok", read),
        GroupedCall("3", {"file_path": "/project/b.py"}, "failed"),
        GroupedCall("4", {}, "running"),
    ]
    assert VIEW.grouped(calls, CTX) == (line("Read 2 files", ("   4 lines", "quiet")),)
    assert VIEW.grouped(calls[3:], CTX) == (line("Read 1 file", ("", "quiet")),)
    assert VIEW.grouped(calls[2:3], CTX) is None


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (5 << 20, "5.0 MiB"), (2 << 30, "2.0 GiB")],
)
def test_a_size_is_said_in_words(size: int, text: str) -> None:
    assert in_words(size) == text


def verbose(shown: Answer) -> list[str]:
    blocks = VIEW.result(ReadOutput(file_path="/project/a", answer=shown), (), "verbose", CTX) or ()
    return [block.text for block in blocks if isinstance(block, Line | Code)][1:]


def test_verbose_says_of_pictures_how_they_were_shown() -> None:
    image = Image(format="GIF", width=4_000, height=3_000, frames=12, picture=PICTURE)
    assert verbose(image) == ["shown to the model as PNG, 1264 x 948, the first of 12 pictures"]
    assert verbose(Parts(pages=(PagePicture(number=7, picture=PICTURE),), total_pages=9)) == ["page 7  PNG, 1264 x 948"]


def test_verbose_shows_cells_and_pages_one_below_the_other() -> None:
    assert verbose(Pdf(pages=PAGES, total_pages=2)) == ["page 3", "three", "page 4", "four"]
    notebook = Notebook(language="python", cells=(CELL,), total_cells=1)
    assert verbose(notebook) == ["cell 2  code", "1 / 0", "PNG, 1264 x 948", "ZeroDivisionError", "sorry"]
    blocks = VIEW.result(ReadOutput(file_path="/project/a", answer=notebook), (), "verbose", CTX) or ()
    assert Code("1 / 0", "python") in blocks


@pytest.mark.parametrize(
    "shown",
    [
        Text(lines=("one", "two"), first_line=5, total_lines=90, cut=1),
        Image(format="PNG", width=4, height=3, picture=PICTURE),
        Notebook(cells=(CELL,), total_cells=1),
        Pdf(pages=PAGES, total_pages=9),
        Parts(pages=(PagePicture(number=7, picture=PICTURE),), total_pages=9),
        Unchanged(what="lines 1 to 3"),
    ],
)
def test_what_was_shown_is_read_back_from_a_saved_session(shown: Answer) -> None:
    output = ReadOutput(file_path="/project/a.py", answer=shown)
    assert ReadOutput.model_validate_json(output.model_dump_json()) == output
