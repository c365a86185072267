"""Read: a notebook as its cells with what they put out."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import Desk
from tests.support.documents import code, markdown, notebook, picture
from tools.read.cells import OUTPUT_CHARS
from tools.read.pager import PAGE_CHARS
from tools.read.shown import Cell, Notebook


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def cells(desk: Desk, *made: dict[str, Any], **more: Any) -> tuple[Cell, ...]:
    desk.put("a.ipynb", notebook(*made))
    answer = desk.read("a.ipynb", **more).answer
    assert isinstance(answer, Notebook)
    return answer.cells


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def result(**forms: Any) -> dict[str, Any]:
    data = {key.replace("_", "/"): value for key, value in forms.items()}
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}


def outputs(desk: Desk, *made: dict[str, Any]) -> list[str]:
    """The texts of one cell's outputs; of a picture its media type."""
    [cell] = cells(desk, code("x", *made))
    return [one.text if one.kind == "text" else one.picture.media_type for one in cell.outputs]


def test_cells_come_with_number_type_id_and_source(desk: Desk) -> None:
    desk.put("a.ipynb", notebook(markdown("# Title\nwords", id="m1"), code("print(1)", stream("1\n"), id="c1")))
    assert desk.told("a.ipynb") == (
        "=== Cell 1 of 2: markdown, id m1 ===\n# Title\nwords\n"
        "=== Cell 2 of 2: code, id c1 ===\nprint(1)\n--- output\n1"
    )


def test_cells_without_ids_are_known_by_their_numbers(desk: Desk) -> None:
    desk.put("a.ipynb", notebook(markdown("words"), minor=4))
    assert desk.told("a.ipynb") == "=== Cell 1 of 1: markdown ===\nwords"


def test_a_source_may_be_one_string_or_its_lines(desk: Desk) -> None:
    whole = {**code("x"), "source": "a\nb"}
    assert [cell.source for cell in cells(desk, whole, code("a\nb"))] == ["a\nb", "a\nb"]


def test_an_error_comes_as_its_traceback_without_colours(desk: Desk) -> None:
    error = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m: v", "  line 2"]}
    [cell] = cells(desk, code("x", error))
    [output] = cell.outputs
    assert output.kind == "text" and (output.text, output.is_error) == ("E: v\n  line 2", True)
    assert outputs(desk, {**error, "traceback": []}) == ["E: v"]


def test_of_the_forms_of_a_result_the_one_that_shows_most_is_taken(desk: Desk) -> None:
    drawn = base64.b64encode(picture(20, 10)).decode()
    assert outputs(desk, result(text_plain=["<Figure>"], image_png=drawn)) == ["image/png"]
    assert outputs(desk, result(text_html="<b>1</b>", text_plain="1")) == ["1"]
    assert outputs(desk, result(text_html=["<b>", "1</b>"])) == ["<b>1</b>"]
    assert outputs(desk, result(application_json={"a": 1})) == ["{'a': 1}"]
    assert outputs(desk, result(application_odd="x")) == ["(application/odd: not shown)"]


def test_pictures_stand_where_the_cell_put_them(desk: Desk) -> None:
    drawn = base64.b64encode(picture(20, 10)).decode() + "\n"
    desk.put(
        "a.ipynb", notebook(code("plot()", stream("before\n"), result(image_png=drawn), id="c"), code("next", id="d"))
    )
    before, shown, after = desk.told("a.ipynb")
    assert before["text"].endswith("before\n--- output") and shown["type"] == "image"
    assert after["text"] == "=== Cell 2 of 2: code, id d ===\nnext"


@pytest.mark.parametrize("written", ["no base64!", base64.b64encode(b"no picture").decode(), ""])
def test_a_picture_that_is_none_is_said_to_be_none(desk: Desk, written: str) -> None:
    [said] = outputs(desk, result(image_png=written))
    assert said.startswith("(image/png: not shown.")


def test_words_stand_in_for_a_picture_that_is_broken(desk: Desk) -> None:
    said = outputs(desk, result(text_plain=["<Figure>"], image_png="no picture"))
    assert said[0].startswith("(image/png: not shown.") and said[1:] == ["<Figure>"]


@pytest.mark.parametrize(
    "odd",
    [
        {"outputs": None},
        {"outputs": [None, 3, "x"]},
        {"outputs": [{"output_type": "execute_result", "data": []}]},
        {"outputs": [{"output_type": "new_kind"}]},
        {"outputs": [{"output_type": "error", "traceback": 3}]},
        {"source": None},
        {"source": 3},
        {"cell_type": None},
        {"id": 5},
    ],
)
def test_what_a_cell_holds_may_be_anything(desk: Desk, odd: dict[str, Any]) -> None:
    assert len(cells(desk, {**code("x"), **odd})) == 1


def test_cells_are_paged_by_their_numbers(desk: Desk) -> None:
    made = [code(f"cell {number}", id=f"c{number}") for number in range(1, 10)]
    assert [cell.number for cell in cells(desk, *made, offset=4, limit=3)] == [4, 5, 6]
    assert desk.told("a.ipynb", offset=2, limit=1).endswith("(There are 9 cells. Go on with offset=3.)")
    assert desk.told("a.ipynb", offset=20) == "The notebook has 9 cells, and none where you looked."


def test_the_budget_ends_a_page_between_cells(desk: Desk) -> None:
    made = [code("x" * 30_000, id=f"c{number}") for number in range(5)]
    assert [cell.number for cell in cells(desk, *made)] == [1, 2, 3]


def test_one_cell_that_is_too_much_alone_is_cut(desk: Desk) -> None:
    drawn = result(image_png=base64.b64encode(picture(20, 10)).decode())
    [cell] = cells(desk, code("x" * 300_000, *[drawn] * 30))
    assert len(cell.source) < PAGE_CHARS // 2 and "characters not shown" in cell.source
    last = cell.outputs[-1]
    assert last.kind == "text" and "outputs are not shown" in last.text


def test_a_long_output_keeps_its_beginning_and_its_end(desk: Desk) -> None:
    [said] = outputs(desk, stream("first\n" + "x" * 50_000 + "\nlast\n"))
    assert said.startswith("first\n") and said.endswith("\nlast") and len(said) < OUTPUT_CHARS + 100


def test_the_same_cells_are_not_sent_twice(desk: Desk) -> None:
    cells(desk, code("x"))
    assert "is unchanged" in desk.told("a.ipynb")


def test_having_seen_the_cells_permits_an_edit_but_not_to_write_the_whole(desk: Desk) -> None:
    cells(desk, code("x = 1"))
    desk.edit("a.ipynb", "x = 1", "x = 2")
    assert '"x = 2"' in (desk.folder / "a.ipynb").read_text()
    assert desk.refused(desk.write, "a.ipynb", "{}").code == "not_read"


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        '{"cells": ' * 50_000,
        "no json",
        "[1, 2]",
        '{"cells": [], "nbformat": 3}',
        '{"nbformat": 4}',
        '{"cells": [1], "nbformat": 4}',
        '{"cells": {}, "nbformat": 4}',
        "",
    ],
)
def test_A36_what_is_called_a_notebook_and_is_none_is_shown_as_the_text_it_is(desk: Desk, content: str) -> None:
    desk.put("a.ipynb", content)
    assert "".join(desk.text("a.ipynb").lines)[:20] == content[:20]


def test_a_notebook_is_one_by_its_name(desk: Desk) -> None:
    desk.put("a.json", notebook(code("x")))
    assert desk.text("a.json").lines[0] == "{"


def test_an_enormous_notebook_is_only_a_text(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.read.reading.NOTEBOOK_BYTES", 100)
    desk.put("a.ipynb", notebook(code("x")))
    assert desk.text("a.ipynb").lines[0] == "{"


def test_a_notebook_in_one_line_with_crlf_and_a_mark_is_one_all_the_same(desk: Desk) -> None:
    whole = json.loads(notebook(code("x\ny")))
    desk.put("a.ipynb", b"\xef\xbb\xbf" + json.dumps(whole, indent=1).replace("\n", "\r\n").encode())
    answer = desk.read("a.ipynb").answer
    assert isinstance(answer, Notebook) and answer.cells[0].source == "x\ny"
