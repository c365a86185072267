"""Edit: an exact replacement in a file that was read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import Field

from tools.changing.change import Change, FileChanged, checked, guarded, made, previewed
from tools.changing.guards import CheckSettings
from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, Preview, PromptOptions, Tool, ToolResult, Validation
from tools.edit.plan import plan_edit, wish_of
from tools.edit.view import EditView
from tools.files import Files
from tools.inputs import ToolInput
from tools.paths import resolve
from tools.permissions.subjects import PathSubject


class EditInput(ToolInput):
    file_path: str = Field(description="The file to change: absolute, from the working folder, or from ~.")
    old_string: str = Field(description="The exact text to replace, unique in the file. Empty: create the file.")
    new_string: str = Field(description="The text that takes its place.")
    replace_all: bool = Field(default=False, description="Replace every occurrence instead of exactly one.")


class Edit(Tool[EditInput, FileChanged]):
    name = "Edit"
    aliases = ("edit_file",)
    search_hint = "replace an exact piece of text in a file"
    Input = EditInput
    Output = FileChanged
    max_result_chars = 100_000
    view = EditView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def __init__(self, files: Files, check_settings: CheckSettings | None = None) -> None:
        self._files = files
        self._check_settings = check_settings

    def summary(self, input: EditInput) -> str:
        return os.path.basename(input.file_path)[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Replaces an exact, unique piece of text in a file that was read before; replace_all replaces each one."

    def classifier_text(self, input: EditInput) -> str:
        return f"{input.file_path}\n\nreplace:\n{input.old_string}\n\nby:\n{input.new_string}"

    def permission_subjects(self, input: EditInput, place: Place) -> tuple[PathSubject, ...]:
        return (PathSubject(input.file_path, "edit"),)

    def observable_input(self, input: EditInput, place: Place) -> dict[str, Any]:
        return {**super().observable_input(input, place), "file_path": resolve(input.file_path, place)}

    async def validate_input(self, input: EditInput, ctx: ToolContext) -> Validation:
        return await checked(lambda: self._plan(input, ctx))

    async def preview(self, input: EditInput, ctx: ToolContext) -> Preview:
        return await previewed(lambda: self._plan(input, ctx))

    async def call(self, input: EditInput, ctx: ToolContext) -> ToolResult[FileChanged]:
        return await made(lambda: self._plan(input, ctx), input.file_path, self._files, ctx)

    def to_result_block(self, data: FileChanged) -> str:
        return data.for_model

    def _plan(self, input: EditInput, ctx: ToolContext) -> Change:
        wish = wish_of(input.file_path, input.old_string, input.new_string, input.replace_all)
        return guarded(plan_edit(wish, ctx), self._check_settings)
