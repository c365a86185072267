"""Read: what a file holds, a page at a time: lines, a picture, the cells of a notebook, the pages of a PDF."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from tools.bash.environment import is_within
from tools.blocks import line
from tools.context import Place, ToolContext
from tools.contract import (
    SUMMARY_CHARS,
    VALID,
    Preview,
    PromptOptions,
    ResultContent,
    Tool,
    ToolError,
    ToolResult,
    Validation,
)
from tools.inputs import ToolInput
from tools.paths import resolve
from tools.permissions.subjects import PathSubject
from tools.read.about import about
from tools.read.pager import PAGE_LINES
from tools.read.reading import Asked, read
from tools.read.shown import ReadOutput
from tools.read.told import told
from tools.read.view import ReadView
from tools.regular import ANSWER_SECONDS, does_not_answer, look, missing
from tools.threads import in_own_thread

# A disk that answers may still take its time with a large file.
READ_SECONDS = 60.0


class ReadInput(ToolInput):
    file_path: str = Field(description="The file to read: absolute, from the working folder, or from ~.")
    offset: int | None = Field(default=None, ge=0, description="The line, or cell of a notebook, to start at, from 1.")
    limit: int | None = Field(default=None, ge=1, description="How many lines or cells at most.")
    pages: str | None = Field(
        default=None, max_length=40, description='Only for a PDF: the pages to show, such as "3", "1-5" or "10-".'
    )
    page_images: bool | None = Field(
        default=None,
        description="Only for a PDF: its pages as pictures (true) or as text (false). Left out: as suits the file.",
    )


class Read(Tool[ReadInput, ReadOutput]):
    name = "Read"
    aliases = ("read_file",)
    search_hint = "show a text file, picture, notebook or PDF"
    Input = ReadInput
    Output = ReadOutput
    # It bounds itself and is never stored: a stored Read would have to be read again.
    max_result_chars = None
    view = ReadView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def summary(self, input: ReadInput) -> str:
        return os.path.basename(input.file_path)[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return (
            "Reads a file: text as numbered lines, images as pictures, notebooks as cells with their outputs, PDFs as "
            "pages. Long files come in parts: offset and limit, or for a PDF pages."
        )

    def is_read_only(self, input: ReadInput) -> bool:
        return True

    def is_concurrency_safe(self, input: ReadInput) -> bool:
        return True

    def permission_subjects(self, input: ReadInput, place: Place) -> tuple[PathSubject, ...]:
        return (PathSubject(input.file_path, "read"),)

    def observable_input(self, input: ReadInput, place: Place) -> dict[str, object]:
        return {**super().observable_input(input, place), "file_path": resolve(input.file_path, place)}

    async def validate_input(self, input: ReadInput, ctx: ToolContext) -> Validation:
        try:
            path = resolve(input.file_path, ctx.place)
            await in_own_thread(lambda: _refuse_missing(path), ANSWER_SECONDS)
        except ToolError as error:
            return Validation(error.message, error.code)
        except TimeoutError:
            error = does_not_answer(input.file_path)
            return Validation(error.message, error.code)
        return VALID

    async def preview(self, input: ReadInput, ctx: ToolContext) -> Preview:
        """Of a file elsewhere what it is; what lies in the workspace is read without asking."""
        path = resolve(input.file_path, ctx.place)
        if is_within(path, ctx.workspace.roots):
            return await super().preview(input, ctx)
        try:
            told_of_it = await in_own_thread(lambda: about(path), ANSWER_SECONDS)
        except TimeoutError:
            told_of_it = ""
        return Preview((line((told_of_it, "quiet")),) if told_of_it else ())

    async def call(self, input: ReadInput, ctx: ToolContext) -> ToolResult[ReadOutput]:
        path, first, limit = resolve(input.file_path, ctx.place), max(input.offset or 1, 1), input.limit or PAGE_LINES
        asked = Asked(path, first, limit, input.pages or "", input.page_images)
        try:
            return ToolResult(
                await in_own_thread(lambda: read(asked, ctx.seen, lambda: ctx.cancellation.requested), READ_SECONDS)
            )
        except TimeoutError:
            ctx.cancellation.request("it took too long")
            message = f"Reading {path} took longer than {READ_SECONDS:g} s. Ask for a part of it further ahead."
            raise ToolError(message, "timed_out") from None

    def to_result_block(self, data: ReadOutput) -> ResultContent:
        return told(data)

    def is_result_truncated(self, data: ReadOutput) -> bool:
        return not data.is_whole


def _refuse_missing(path: str) -> None:
    if look(path) is None:
        raise missing(path)
