"""What a Read showed: one of six answers, as the data that events carry.

The bytes of pictures travel to the model alone. No event carries them: they stand once in the record of the messages,
and whoever wants to see them has the file.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tools.inputs import ToolOutput


class Picture(ToolOutput):
    """A picture as the model gets it, made small enough."""

    media_type: str
    width: int
    height: int
    base64: str = Field(default="", exclude=True, repr=False)


class Text(ToolOutput):
    """`total_lines` is None where the file was too large to be read to its end."""

    kind: Literal["text"] = "text"
    lines: tuple[str, ...] = ()
    first_line: int = 1
    total_lines: int | None = None
    # Lines too long to be shown whole.
    cut: int = 0
    # False: bytes that are no text are shown as replacement marks.
    decoded: bool = True

    @property
    def last_line(self) -> int:
        return self.first_line + len(self.lines) - 1

    @property
    def is_whole(self) -> bool:
        return self.total_lines is not None and self.last_line >= self.total_lines and not self.cut


class Image(ToolOutput):
    """`width` and `height` are the file's own, the picture may be smaller."""

    kind: Literal["image"] = "image"
    format: str
    width: int
    height: int
    # How many pictures the file holds; the first is shown.
    frames: int = 1
    picture: Picture


class CellText(ToolOutput):
    kind: Literal["text"] = "text"
    text: str
    is_error: bool = False


class CellPicture(ToolOutput):
    kind: Literal["picture"] = "picture"
    picture: Picture


class Cell(ToolOutput):
    """`number` counts from 1; `id` is empty in notebooks older than ids."""

    number: int
    id: str = ""
    type: str
    source: str
    outputs: tuple[Annotated[CellText | CellPicture, Field(discriminator="kind")], ...] = ()


class Notebook(ToolOutput):
    kind: Literal["notebook"] = "notebook"
    language: str = ""
    cells: tuple[Cell, ...]
    total_cells: int


class PageText(ToolOutput):
    number: int
    text: str


class Pdf(ToolOutput):
    """Pages as text."""

    kind: Literal["pdf"] = "pdf"
    pages: tuple[PageText, ...]
    total_pages: int
    # Whether the text of the last page stops before its end.
    cut: bool = False


class PagePicture(ToolOutput):
    number: int
    picture: Picture


class Parts(ToolOutput):
    """Pages as pictures, of a PDF that is large or holds no text."""

    kind: Literal["parts"] = "parts"
    pages: tuple[PagePicture, ...]
    total_pages: int


class Unchanged(ToolOutput):
    """The model has it already. `what`: which part, such as `lines 2 to 5`."""

    kind: Literal["unchanged"] = "unchanged"
    what: str


Answer = Text | Image | Notebook | Pdf | Parts | Unchanged


class ReadOutput(ToolOutput):
    """`size` is the file's, in bytes."""

    file_path: str
    size: int = 0
    answer: Annotated[Answer, Field(discriminator="kind")]

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the file was left out."""
        match self.answer:
            case Text() as text:
                return text.is_whole
            case Notebook() as notebook:
                return len(notebook.cells) == notebook.total_cells
            case Pdf() | Parts() as pages:
                return len(pages.pages) == pages.total_pages and not (pages.kind == "pdf" and pages.cut)
            case Image() | Unchanged():
                return True
