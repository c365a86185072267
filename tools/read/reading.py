"""One Read, from the path to its answer: what the file is, what of it is shown, what the ledger keeps. Blocking."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.contract import ToolError
from tools.ledger.seen import HASHED_WHOLE_BYTES, Seen, Snapshot
from tools.notebook import NOTEBOOK_BYTES, is_notebook_name, parse_notebook
from tools.paths import real
from tools.read.kinds import HEAD_BYTES, kind_of
from tools.read.pager import Page, read_page, refuse_cancelled
from tools.read.shown import Answer, CellPicture, Image, Notebook, Parts, Pdf, Picture, ReadOutput, Text, Unchanged
from tools.regular import Opened, open_regular, refuse_os_error
from tools.textfile import count_lines, decode


@dataclass(frozen=True, slots=True)
class Asked:
    """What of which file. `first` and `limit` are of lines or cells, `pages` and `page_images` of a PDF."""

    path: str
    first: int
    limit: int
    pages: str = ""
    page_images: bool | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    """An open file, whoever looks at it and for how long it is wanted."""

    opened: Opened
    asked: Asked
    seen: Seen
    cancelled: Callable[[], bool]

    @property
    def path(self) -> str:
        return self.asked.path


def read(asked: Asked, seen: Seen, cancelled: Callable[[], bool]) -> ReadOutput:
    with open_regular(asked.path) as opened:
        look = _Look(opened, asked, seen, cancelled)
        try:
            return _answer(look)
        except OSError as error:
            refuse_os_error(asked.path, error)


def _answer(look: _Look) -> ReadOutput:
    kind = kind_of(os.pread(look.opened.fd, HEAD_BYTES, 0))
    if kind == "image":
        return _image(look)
    if kind == "pdf":
        return _pdf(look)
    if is_notebook_name(look.path) and (shown := _notebook(look)) is not None:
        return shown
    page = read_page(look.opened, look.path, look.asked.first, look.asked.limit, look.cancelled)
    return _text(look, page)


def _text(look: _Look, page: Page) -> ReadOutput:
    """What is shown goes into the ledger; what the model can still look at is not shown again."""
    output = Text(lines=page.lines, first_line=page.first, total_lines=page.total, cut=page.cut, decoded=page.decoded)
    size = max(look.opened.stat.st_size, page.snapshot.size)
    if not page.lines and page.total != 0:  # past the end: nothing was shown
        return ReadOutput(file_path=look.path, size=size, answer=output)
    path, snapshot = real(look.path), page.snapshot
    again = page.lines and look.seen.unchanged_stub_allowed(path, snapshot.hash, page.first, page.last)
    complete = page.complete or page.total == 0
    look.seen.remember(path, snapshot, page.first, page.last, complete, whole_lines=not page.cut)
    answer = Unchanged(what=f"lines {page.first} to {page.last}") if again else output
    return ReadOutput(file_path=look.path, size=size, answer=answer)


def _image(look: _Look) -> ReadOutput:
    from tools.read.pictures import image_of

    data = b"".join(_chunks(look, HASHED_WHOLE_BYTES))
    snapshot = _snapshot(look, hashlib.sha256(data).hexdigest())
    return _shown(look, snapshot, "the picture", lambda: image_of(data, look.path))


def _pdf(look: _Look) -> ReadOutput:
    from tools.read.pdf import PDF_BYTES, read_pdf, wish_of

    asked = look.asked
    wish = wish_of(asked.pages, asked.page_images)
    digest = hashlib.sha256()
    for chunk in _chunks(look, PDF_BYTES):
        digest.update(chunk)
    view = f"pages {asked.pages.strip()}" if asked.pages.strip() else "its first pages"
    form = {True: " as pictures", False: " as text", None: ""}[asked.page_images]
    snapshot = _snapshot(look, digest.hexdigest())
    return _shown(look, snapshot, view + form, lambda: read_pdf(look.opened, look.path, wish, look.cancelled))


def _notebook(look: _Look) -> ReadOutput | None:
    """None for what is called a notebook and is none: that is shown as the text it is."""
    from tools.read.cells import show_cells

    if look.opened.stat.st_size > NOTEBOOK_BYTES:
        return None
    data = b"".join(_chunks(look, NOTEBOOK_BYTES))
    try:
        file = decode(data, look.path)
        notebook = parse_notebook(file.text, look.path)
    except ToolError:
        os.lseek(look.opened.fd, 0, os.SEEK_SET)
        return None
    snapshot = _snapshot(look, hashlib.sha256(data).hexdigest(), file.text)
    view = f"cells from {look.asked.first}, at most {look.asked.limit}"
    return _shown(look, snapshot, view, lambda: show_cells(notebook, look.asked.first, look.asked.limit))


def _shown(look: _Look, snapshot: Snapshot, view: str, show: Callable[[], Answer]) -> ReadOutput:
    """The answer, unless the model has it already. Its pictures must have room in the context."""
    path = real(look.path)
    if look.seen.view_in_context(path, snapshot.hash, view):
        return ReadOutput(file_path=look.path, size=snapshot.size, answer=Unchanged(what=view))
    answer = show()
    pictures = _pictures(answer)
    if pictures and not look.seen.admit_pictures(len(pictures), sum(len(picture.base64) for picture in pictures)):
        message = "The conversation holds as many pictures as fit. Work without it, or ask the person for /compact."
        raise ToolError(message, "too_many_pictures")
    look.seen.remember_view(path, snapshot, view)
    return ReadOutput(file_path=look.path, size=snapshot.size, answer=answer)


def _pictures(answer: Answer) -> list[Picture]:
    match answer:
        case Image(picture=picture):
            return [picture]
        case Parts(pages=pages):
            return [page.picture for page in pages]
        case Notebook(cells=cells):
            return [one.picture for cell in cells for one in cell.outputs if isinstance(one, CellPicture)]
        case Text() | Pdf() | Unchanged():
            return []


def _chunks(look: _Look, most: int) -> Iterator[bytes]:
    """All of the file, which may not be larger than that."""
    size = 0
    for chunk in look.opened.chunks(1 << 20):
        refuse_cancelled(look.cancelled)
        size += len(chunk)
        if size > most:
            message = f"{look.path} is larger than {most >> 20} MiB. Take out of it what you need with a command."
            raise ToolError(message, "too_large")
        yield chunk


def _snapshot(look: _Look, hash: str, text: str | None = None) -> Snapshot:
    state = look.opened.stat
    lines = count_lines(text) if text is not None else None
    return Snapshot(hash, state.st_mtime_ns, state.st_size, state.st_dev, state.st_ino, text, lines)
