"""The cells of a notebook with what they put out, within the budget of a Read. Blocking; called in a thread."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from tools.contract import ToolError
from tools.notebook import Plain, cells_of, text_of
from tools.read.pager import CHARS_PER_TOKEN, PAGE_CHARS, room_for
from tools.read.pictures import PICTURE_TOKENS, image_of
from tools.read.shown import Cell, CellPicture, CellText, Notebook
from tools.results import preview_of

OUTPUT_CHARS = 10_000

# Colours and the like, which programs send to a terminal.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXTS = ("text/markdown", "text/plain", "text/latex", "application/json", "text/html", "image/svg+xml")

Output = CellText | CellPicture


def show_cells(notebook: Plain, first: int, limit: int) -> Notebook:
    """From cell `first`, counted from 1, as many as there is room for, but never none."""
    cells = cells_of(notebook)
    shown: list[Cell] = []
    room = PAGE_CHARS
    for number in range(first, min(len(cells), first + limit - 1) + 1):
        cell = _cell(cells[number - 1], number)
        taken = _room(cell)
        if taken > room and shown:
            break
        shown.append(cell if taken <= room else _cut(cell, room))
        room -= taken
    return Notebook(language=_language(notebook), cells=tuple(shown), total_cells=len(cells))


def _cell(cell: Plain, number: int) -> Cell:
    kind, id = cell.get("cell_type"), cell.get("id")
    return Cell(
        number=number,
        id=id if isinstance(id, str) else "",
        type=kind if isinstance(kind, str) else "unknown",
        source=text_of(cell.get("source")),
        outputs=tuple(_outputs(cell.get("outputs"))),
    )


def _outputs(outputs: object) -> Iterator[Output]:
    for output in _objects(outputs):
        match output.get("output_type"):
            case "stream":
                yield _text(text_of(output.get("text")))
            case "error":
                traceback = "\n".join(str(line) for line in _list(output.get("traceback")))
                said = traceback or f"{output.get('ename', '')}: {output.get('evalue', '')}"
                yield CellText(text=_text(said).text, is_error=True)
            case "execute_result" | "display_data":
                yield from _rich(output.get("data"))
            case other:
                yield CellText(text=f"({other}: not shown)")


def _rich(data: object) -> Iterator[Output]:
    """Of the forms an output comes in, the one that shows most: a picture, else words; both where it is broken."""
    forms = cast("Mapping[str, object]", data if isinstance(data, dict) else {})
    drawn = next((form for form in _PICTURES if form in forms), None)
    if drawn is not None:
        yield (shown := _picture(text_of(forms[drawn]), drawn))
        if isinstance(shown, CellPicture):
            return
    words = next((form for form in _TEXTS if form in forms), None)
    if words is not None:
        yield _text(text_of(forms[words]) or str(forms[words]))
    elif forms and drawn is None:
        yield CellText(text=f"({', '.join(forms)}: not shown)")


def _picture(written: str, form: str) -> Output:
    try:
        return CellPicture(picture=image_of(base64.b64decode(written), "The output").picture)
    except (ToolError, binascii.Error) as error:
        return CellText(text=f"({form}: not shown. {error})")


def _text(text: str) -> CellText:
    return CellText(text=preview_of(_ESCAPES.sub("", text), OUTPUT_CHARS).rstrip("\n"))


def _room(cell: Cell) -> int:
    return room_for(cell.source) + sum(
        room_for(output.text) if isinstance(output, CellText) else PICTURE_TOKENS * CHARS_PER_TOKEN
        for output in cell.outputs
    )


def _cut(cell: Cell, room: int) -> Cell:
    """One cell that is too much alone: all outputs that fit beside the beginning and the end of its source."""
    source = preview_of(cell.source, room // 4)
    left = room - room_for(source)
    kept: list[Output] = []
    for output in cell.outputs:
        left -= _room(cell.model_copy(update={"source": "", "outputs": (output,)}))
        if left < 0:
            kept.append(CellText(text=f"(The other {len(cell.outputs) - len(kept)} outputs are not shown.)"))
            break
        kept.append(output)
    return cell.model_copy(update={"source": source, "outputs": tuple(kept)})


def _language(notebook: Plain) -> str:
    metadata = notebook.get("metadata")
    about = cast("Plain", metadata).get("language_info") if isinstance(metadata, dict) else None
    name = cast("Plain", about).get("name") if isinstance(about, dict) else None
    return name if isinstance(name, str) else ""


def _objects(value: object) -> Sequence[Plain]:
    return [cast("Plain", item) for item in _list(value) if isinstance(item, dict)]


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
