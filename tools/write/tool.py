"""Write: a whole file, new or in place of one that was read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import Field

from tools.changing.change import Change, FileChanged, checked, guarded, made, previewed
from tools.changing.guards import CheckSettings
from tools.changing.target import (
    Target,
    is_stale,
    last_seen,
    named,
    opened,
    refuse_no_folder,
    refuse_stale,
    refuse_too_large,
    size_of,
)
from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, Preview, PromptOptions, Tool, ToolError, ToolResult, Validation
from tools.files import Files
from tools.inputs import ToolInput
from tools.paths import resolve
from tools.permissions.subjects import PathSubject
from tools.textfile import TextFile, refuse_no_characters
from tools.write.view import WriteView


class WriteInput(ToolInput):
    file_path: str = Field(description="The file to write: absolute, from the working folder, or from ~.")
    content: str = Field(description="The whole new content.")


class Write(Tool[WriteInput, FileChanged]):
    name = "Write"
    aliases = ("write_file",)
    search_hint = "create a file or replace its whole content"
    Input = WriteInput
    Output = FileChanged
    max_result_chars = 100_000
    view = WriteView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def __init__(self, files: Files, check_settings: CheckSettings | None = None) -> None:
        self._files = files
        self._check_settings = check_settings

    def summary(self, input: WriteInput) -> str:
        return os.path.basename(input.file_path)[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Creates a file, or replaces the whole content of a file that was read before."

    def classifier_text(self, input: WriteInput) -> str:
        return f"{input.file_path}\n\n{input.content}"

    def permission_subjects(self, input: WriteInput, place: Place) -> tuple[PathSubject, ...]:
        return (PathSubject(input.file_path, "edit"),)

    def observable_input(self, input: WriteInput, place: Place) -> dict[str, Any]:
        return {**super().observable_input(input, place), "file_path": resolve(input.file_path, place)}

    async def validate_input(self, input: WriteInput, ctx: ToolContext) -> Validation:
        return await checked(lambda: self._plan(input, ctx))

    async def preview(self, input: WriteInput, ctx: ToolContext) -> Preview:
        return await previewed(lambda: self._plan(input, ctx))

    async def call(self, input: WriteInput, ctx: ToolContext) -> ToolResult[FileChanged]:
        return await made(lambda: self._plan(input, ctx), input.file_path, self._files, ctx)

    def to_result_block(self, data: FileChanged) -> str:
        return data.for_model

    def _plan(self, input: WriteInput, ctx: ToolContext) -> Change:
        target = named(input.file_path, ctx, input.content)
        refuse_no_characters(input.content, "The content")
        size = size_of(target)
        if size is None:
            refuse_no_folder(target, ctx)
            return guarded(Change(target, TextFile(input.content)), self._check_settings)
        refuse_too_large(target, size)
        target = opened(target)
        seen = last_seen(target, ctx)
        if is_stale(target, seen):
            raise refuse_stale(target, seen, ctx, "writing it whole would undo that")
        if not seen.complete:
            message = f"Only a part of {target.path} was read; read all of it, or change a part of it with Edit."
            raise ToolError(message, "not_read")
        return guarded(_rewritten(target, input.content), self._check_settings)


def _rewritten(target: Target, content: str) -> Change:
    assert target.file is not None, "an existing file was opened"
    after = target.file.rewritten(content)
    kept = "\r\n" in after.stored and "\r\n" not in content
    return Change(target, after, "The file's line ends (CRLF) were kept." if kept else "")
