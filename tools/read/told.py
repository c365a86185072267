"""What the model gets of what a Read showed: text, and pictures as the API wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tools.contract import ResultContent
from tools.read.shown import CellPicture, CellText, Image, Notebook, Parts, Pdf, Picture, ReadOutput, Text, Unchanged

Block = dict[str, Any]


def told(output: ReadOutput) -> ResultContent:
    path = output.file_path
    match output.answer:
        case Text() as text:
            return "\n".join(_text(text, path, output.size))
        case Image() as image:
            return [_said(f"{path}: {_of_image(image, output.size)}"), _picture(image.picture)]
        case Notebook() as notebook:
            return _joined(_cells(notebook))
        case Pdf() as pdf:
            pages = (f"=== Page {page.number} of {pdf.total_pages} ===\n{page.text}" for page in pdf.pages)
            return "\n".join([*pages, *_pages_note(pdf)])
        case Parts() as parts:
            shown = (block for page in parts.pages for block in (_said(f"Page {page.number}:"), _picture(page.picture)))
            return _joined([*shown, *map(_said, _pages_note(parts))])
        case Unchanged(what=what):
            return f"{path} is unchanged. What you read of it further above still holds: {what}."


def in_words(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"


def _text(text: Text, path: str, size: int) -> Iterator[str]:
    if text.total_lines == 0:
        yield f"{path} exists but is empty."
        return
    if not text.lines:
        yield f"{path} has {text.total_lines} lines; line {text.first_line} is past its end."
        return
    yield from (f"{number:>6}\t{line}" for number, line in enumerate(text.lines, text.first_line))
    if text.total_lines is None or text.last_line < text.total_lines:
        of = f" of {text.total_lines}" if text.total_lines is not None else ""
        shown = f"Lines {text.first_line} to {text.last_line}{of}; the file has {in_words(size)}."
        yield f"({shown} Go on with offset={text.last_line + 1}.)"
    if text.cut:
        yield f"({text.cut} of these lines are too long to be shown whole; search in them with Grep.)"
    if not text.decoded:
        yield "(Bytes that are no valid text are shown as \ufffd; this file cannot be changed with Edit.)"


def _of_image(image: Image, size: int) -> str:
    said = f"{image.format} image, {image.width} x {image.height} pixels, {in_words(size)}"
    if (image.picture.width, image.picture.height) != (image.width, image.height):
        said += f", shown as {image.picture.width} x {image.picture.height}"
    return said + (f", the first of {image.frames} pictures" if image.frames > 1 else "")


def _cells(notebook: Notebook) -> Iterator[Block]:
    for cell in notebook.cells:
        identity = f", id {cell.id}" if cell.id else ""
        yield _said(f"=== Cell {cell.number} of {notebook.total_cells}: {cell.type}{identity} ===\n{cell.source}")
        for output in cell.outputs:
            match output:
                case CellText(text=text, is_error=is_error):
                    yield _said(f"--- {'error' if is_error else 'output'}\n{text}")
                case CellPicture(picture=picture):
                    yield _said("--- output")
                    yield _picture(picture)
    if not notebook.cells:
        yield _said(f"The notebook has {notebook.total_cells} cells, and none where you looked.")
    elif notebook.cells[-1].number < notebook.total_cells:
        yield _said(f"(There are {notebook.total_cells} cells. Go on with offset={notebook.cells[-1].number + 1}.)")


def _pages_note(shown: Pdf | Parts) -> Iterator[str]:
    last = shown.pages[-1].number
    if isinstance(shown, Pdf):
        if empty := [str(page.number) for page in shown.pages if not page.text.strip()]:
            yield f"(No text on page {', '.join(empty)}. With page_images=true it is shown as a picture.)"
        if shown.cut:
            yield f"(The text of page {last} is cut.)"
    if last < shown.total_pages:
        yield f'(The file has {shown.total_pages} pages. Go on with pages="{last + 1}-".)'


def _picture(picture: Picture) -> Block:
    if not picture.base64:  # a hook put other data in place of ours
        return _said("(The picture was left out.)")
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": picture.media_type, "data": picture.base64},
    }


def _said(text: str) -> Block:
    return {"type": "text", "text": text}


def _joined(blocks: Iterable[Block]) -> ResultContent:
    """Texts that stand next to each other as one; where there is nothing else, as plain text."""
    joined: list[Block] = []
    for block in blocks:
        if joined and block["type"] == joined[-1]["type"] == "text":
            joined[-1] = _said(f"{joined[-1]['text']}\n{block['text']}")
        else:
            joined.append(block)
    return joined[0]["text"] if len(joined) == 1 and joined[0]["type"] == "text" else joined
