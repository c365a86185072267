"""NotebookEdit: one cell of a notebook replaced, put in or taken out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import Field

from tools.changing.change import Change, FileChanged, checked, made, previewed
from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, Preview, PromptOptions, Tool, ToolResult, Validation
from tools.files import Files
from tools.inputs import ToolInput
from tools.notebook_edit.plan import CellType, Mode, Wish, plan_cell
from tools.notebook_edit.view import NotebookEditView
from tools.paths import resolve
from tools.permissions.subjects import PathSubject


class NotebookEditInput(ToolInput):
    notebook_path: str = Field(description="The notebook to change: absolute, from the working folder, or from ~.")
    cell_id: str | None = Field(default=None, min_length=1, max_length=200, description="The cell's id.")
    cell_number: int | None = Field(default=None, ge=1, description="Or its number, counted from 1.")
    new_source: str | None = Field(default=None, description="What the cell holds afterwards; not for a delete.")
    cell_type: CellType | None = Field(default=None, description="The kind of a new cell, or another for this one.")
    edit_mode: Mode = Field(default="replace", description="An insert goes behind the named cell, or to the top.")


class NotebookEdit(Tool[NotebookEditInput, FileChanged]):
    name = "NotebookEdit"
    aliases = ("notebook_edit",)
    search_hint = "replace, insert or delete a cell of a Jupyter notebook"
    Input = NotebookEditInput
    Output = FileChanged
    max_result_chars = 100_000
    should_defer = True
    view = NotebookEditView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def __init__(self, files: Files) -> None:
        self._files = files

    def summary(self, input: NotebookEditInput) -> str:
        return os.path.basename(input.notebook_path)[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return "Replaces, inserts or deletes one cell of a Jupyter notebook that was read before."

    def classifier_text(self, input: NotebookEditInput) -> str:
        return f"{input.notebook_path}\n\n{input.edit_mode}\n\n{input.new_source or ''}"

    def permission_subjects(self, input: NotebookEditInput, place: Place) -> tuple[PathSubject, ...]:
        return (PathSubject(input.notebook_path, "edit"),)

    def observable_input(self, input: NotebookEditInput, place: Place) -> dict[str, Any]:
        return {**super().observable_input(input, place), "notebook_path": resolve(input.notebook_path, place)}

    async def validate_input(self, input: NotebookEditInput, ctx: ToolContext) -> Validation:
        return _contradiction(input) or await checked(lambda: _plan(input, ctx))

    async def preview(self, input: NotebookEditInput, ctx: ToolContext) -> Preview:
        return await previewed(lambda: _plan(input, ctx))

    async def call(self, input: NotebookEditInput, ctx: ToolContext) -> ToolResult[FileChanged]:
        return await made(lambda: _plan(input, ctx), input.notebook_path, self._files, ctx)

    def to_result_block(self, data: FileChanged) -> str:
        return data.for_model


def _plan(input: NotebookEditInput, ctx: ToolContext) -> Change:
    source = input.new_source or ""
    wish = Wish(input.notebook_path, input.edit_mode, input.cell_id, input.cell_number, source, input.cell_type)
    return plan_cell(wish, ctx)


def _contradiction(input: NotebookEditInput) -> Validation | None:
    """What the fields say together and cannot mean."""
    if input.cell_id is not None and input.cell_number is not None:
        return Validation("Name the cell by cell_id or by cell_number, not by both.", "invalid_input")
    named = input.cell_id is not None or input.cell_number is not None
    if input.edit_mode != "insert" and not named:
        return Validation(f"Say which cell to {input.edit_mode}: give cell_id or cell_number.", "invalid_input")
    if input.edit_mode != "delete" and input.new_source is None:
        return Validation(f"To {input.edit_mode} a cell, give new_source.", "invalid_input")
    return None
