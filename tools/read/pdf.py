"""Pages of a PDF, as text or as pictures. Blocking; called in a thread, one PDF at a time: PDFium cannot do two."""

from __future__ import annotations

import importlib
import io
import re
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tools.contract import ToolError
from tools.read.pager import PAGE_CHARS, PAGE_TOKENS, refuse_cancelled, room_for
from tools.read.pictures import PICTURE_TOKENS, picture_of, scale_that_fits
from tools.read.shown import PagePicture, PageText, Parts, Pdf
from tools.regular import Opened
from tools.results import preview_of

# A PDF of more pages is shown as pictures unless text is asked for: what it is, its look tells.
MOST_PAGES_AS_TEXT = 20
PAGES_OF_TEXT = 100
PAGE_PICTURES = PAGE_TOKENS // PICTURE_TOKENS
PDF_BYTES = 256 << 20
# How long one waits for another PDF to be done.
WAIT_SECONDS = 30.0
# No page is drawn larger than at 300 dots an inch.
SHARPEST = 300 / 72
# Of the pages that are to be shown, so many are looked at for whether the file holds text at all.
PAGES_LOOKED_AT = 5

P = TypeVar("P")

_ONE_AT_A_TIME = threading.Lock()
_RANGE = re.compile(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?")


@dataclass(frozen=True, slots=True)
class Wish:
    """Which pages, from 1, `last` None for as many as there is room for, and how: None leaves that to us."""

    first: int = 1
    last: int | None = None
    as_pictures: bool | None = None


def wish_of(pages: str, as_pictures: bool | None) -> Wish:
    """From `3`, `2-5` or `7-`; a ToolError for anything else."""
    if not pages.strip():
        return Wish(as_pictures=as_pictures)
    found = _RANGE.fullmatch(pages.strip())
    first = int(found[1]) if found else 0
    last = (None if found[2] else first) if found and not found[3] else int(found[3]) if found else 0
    if first < 1 or (last is not None and last < first):
        raise ToolError(f'`pages` is a page or a range such as "3", "2-5" or "7-"; not {pages!r}.', "invalid_input")
    return Wish(first, last, as_pictures)


def read_pdf(opened: Opened, name: str, wish: Wish, cancelled: Callable[[], bool]) -> Pdf | Parts:
    with _document(opened, name) as document:
        total = len(document)
        if wish.first > total:
            raise ToolError(f"{name} has {total} pages; page {wish.first} is past its end.", "invalid_input")
        last = min(wish.last or total, total)
        if _as_pictures(document, wish, last):
            numbers = range(wish.first, min(last, wish.first + PAGE_PICTURES - 1) + 1)
            return Parts(pages=tuple(_shown(document, numbers, _picture, cancelled)), total_pages=total)
        numbers = range(wish.first, min(last, wish.first + PAGES_OF_TEXT - 1) + 1)
        return _within_budget(_shown(document, numbers, _text, cancelled), total)


def _as_pictures(document: Any, wish: Wish, last: int) -> bool:
    """Scans hold no text; of what is large, its look tells more than many pages of words out of their places."""
    if wish.as_pictures is not None:
        return wish.as_pictures
    if len(document) > MOST_PAGES_AS_TEXT:
        return True
    looked_at = range(wish.first, min(wish.first + PAGES_LOOKED_AT - 1, last) + 1)
    return not any(page.text.strip() for page in _shown(document, looked_at, _text, lambda: False))


def _shown(document: Any, numbers: range, show: Callable[[Any, int], P], cancelled: Callable[[], bool]) -> Iterator[P]:
    """Page after page; one that cannot be read ends it, unless it is the very first."""
    for number in numbers:
        refuse_cancelled(cancelled)
        try:
            page = document[number - 1]
        except RuntimeError:
            if number == numbers.start:
                raise
            return
        with closing(page):
            yield show(page, number)


def _text(page: Any, number: int) -> PageText:
    with closing(page.get_textpage()) as text:
        return PageText(number=number, text=str(text.get_text_bounded()).replace("\r\n", "\n"))


def _picture(page: Any, number: int) -> PagePicture:
    """However large the page says it is, no more of it is drawn than is shown."""
    width, height = (max(1.0, float(side)) for side in page.get_size())
    with closing(page.render(scale=min(scale_that_fits(width, height), SHARPEST))) as bitmap:
        return PagePicture(number=number, picture=picture_of(bitmap.to_pil().convert("RGB"), lossless=True))


def _within_budget(pages: Iterator[PageText], total: int) -> Pdf:
    room = PAGE_CHARS
    kept: list[PageText] = []
    for page in pages:
        taken = room_for(page.text)
        if taken > room and kept:
            break
        kept.append(page if taken <= room else page.model_copy(update={"text": preview_of(page.text, room // 4)}))
        room -= taken
    return Pdf(pages=tuple(kept), total_pages=total, cut=room < 0)


@contextmanager
def _document(opened: Opened, name: str) -> Generator[Any]:
    """All that is opened of it is closed before the next one may begin: what a collector closes, it closes anywhere."""
    if not _ONE_AT_A_TIME.acquire(timeout=WAIT_SECONDS):
        raise ToolError("Another PDF is still being read and takes very long. Try again later.", "timed_out")
    try:
        pdfium: Any = importlib.import_module("pypdfium2")
        try:
            with io.FileIO(opened.fd, closefd=False) as file, closing(pdfium.PdfDocument(file)) as document:
                document.init_forms()
                yield document
        except pdfium.PdfiumError as error:
            raise _refused(name, str(error)) from None
    finally:
        _ONE_AT_A_TIME.release()


def _refused(name: str, why: str) -> ToolError:
    if "password" in why.lower():
        return ToolError(f"{name} is locked with a password; ask the person for an open copy.", "binary")
    return ToolError(f"{name} begins like a PDF but cannot be read: {why.rstrip('.')}.", "binary")
