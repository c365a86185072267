"""How a Read looks: the name, then how much of it was shown: lines, pixels, cells or pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tools.blocks import Block, Blocks, Code, Line, line
from tools.inputs import ToolOutput
from tools.read.shown import (
    Cell,
    CellPicture,
    CellText,
    Image,
    Notebook,
    Parts,
    Pdf,
    Picture,
    ReadOutput,
    Text,
    Unchanged,
)
from tools.read.told import in_words
from tools.short import counted, file_failure
from tools.view import GroupedCall, Style, ToolView, ViewContext, in_full, lexer_of, text_of


class ReadView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        return line((ctx.short(text_of(partial_input, "file_path")), "path"))

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, ReadOutput):
            return super().result(data, progress, style, ctx)
        outcome = line((_how_much(data), "quiet"))
        return (outcome,) if style == "condensed" else (outcome, *_body(data))

    def failed(self, error: str, ctx: ViewContext, style: Style = "condensed") -> Blocks | None:
        return in_full(line((file_failure(error, ctx.short), "quiet")), error, style)

    def grouped(self, calls: Sequence[GroupedCall], ctx: ViewContext) -> Blocks | None:
        files = {text_of(call.input, "file_path") or call.call_id for call in calls if call.counts}
        if not files:
            return None
        texts = (call.data.answer for call in calls if isinstance(call.data, ReadOutput))
        lines = sum(len(text.lines) for text in texts if isinstance(text, Text))
        many = f"   {counted(lines, 'line')}" if lines else ""
        return (line(f"Read {counted(len(files), 'file')}", (many, "quiet")),)


def _how_much(data: ReadOutput) -> str:
    match data.answer:
        case Text() as text:
            return _lines(text)
        case Image(format=format, width=width, height=height):
            return f"{format} image, {width} x {height}, {in_words(data.size)}"
        case Notebook(cells=cells, total_cells=total):
            return _some([cell.number for cell in cells], total, "cell")
        case Pdf(pages=pages, total_pages=total):
            return _some([page.number for page in pages], total, "page")
        case Parts(pages=pages, total_pages=total):
            return f"{_some([page.number for page in pages], total, 'page')} as pictures"
        case Unchanged():
            return "unchanged since it was read"


def _lines(text: Text) -> str:
    if text.total_lines == 0:
        return "empty file"
    if not text.lines:
        return f"line {text.first_line} is past the end, {counted(text.total_lines or 0, 'line')}"
    if len(text.lines) == text.total_lines:
        return counted(len(text.lines), "line")
    return f"lines {text.first_line}-{text.last_line} of {text.total_lines or 'more'}"


def _some(numbers: Sequence[int], total: int, what: str) -> str:
    """`36 pages`, `pages 3-7 of 36`, `page 3 of 36`."""
    if len(numbers) == total or not numbers:
        return counted(total, what)
    if len(numbers) == 1:
        return f"{what} {numbers[0]} of {total}"
    return f"{what}s {numbers[0]}-{numbers[-1]} of {total}"


def _body(data: ReadOutput) -> Iterator[Block]:
    match data.answer:
        case Text() as text:
            yield from _text(text, lexer_of(data.file_path))
        case Image(picture=picture, frames=frames):
            first = f", the first of {frames} pictures" if frames > 1 else ""
            yield line((f"shown to the model as {_picture(picture)}{first}", "quiet"))
        case Notebook() as notebook:
            yield from (block for cell in notebook.cells for block in _cell(cell, notebook.language))
        case Pdf(pages=pages):
            yield from (block for page in pages for block in (line((f"page {page.number}", "quiet")), Code(page.text)))
        case Parts(pages=pages):
            yield from (line((f"page {page.number}  {_picture(page.picture)}", "quiet")) for page in pages)
        case Unchanged(what=what):
            yield line((what, "quiet"))


def _text(text: Text, lexer: str) -> Iterator[Block]:
    if text.lines:
        yield Code("\n".join(text.lines), lexer, text.first_line)
    if text.cut:
        yield line((f"{counted(text.cut, 'line')} too long to be shown whole", "quiet"))
    if not text.decoded:
        yield line(("some bytes are no text", "quiet"))


def _cell(cell: Cell, language: str) -> Iterator[Block]:
    yield line((f"cell {cell.number}", "number"), (f"  {cell.type}", "quiet"))
    if cell.source:
        yield Code(cell.source, (language or "text") if cell.type == "code" else cell.type)
    for output in cell.outputs:
        match output:
            case CellText(text=text, is_error=is_error):
                yield from (line((row, "bad" if is_error else "quiet")) for row in text.split("\n"))
            case CellPicture(picture=picture):
                yield line((_picture(picture), "quiet"))


def _picture(picture: Picture) -> str:
    return f"{picture.media_type.removeprefix('image/').upper()}, {picture.width} x {picture.height}"
