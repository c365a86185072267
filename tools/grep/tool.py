"""Grep: text in files, by regular expression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, VALID, PromptOptions, Tool, ToolError, ToolResult, Validation
from tools.grep.found import GrepOutput, Mode
from tools.grep.text import as_text
from tools.grep.view import GrepView
from tools.inputs import ToolInput
from tools.permissions.subjects import PathSubject
from tools.search.patterns import path_test
from tools.search.root import looked_up
from tools.search.so_far import SoFar, teller

HEAD_LIMIT = 250
MOST_CONTEXT_LINES = 1_000


class GrepInput(ToolInput):
    pattern: str = Field(min_length=1, max_length=10_000, description="The regular expression to look for.")
    path: str | None = Field(default=None, description="The file or folder to search. Left out: the working folder.")
    glob: str | None = Field(
        default=None,
        min_length=1,
        max_length=1_000,
        description="Only files that match, such as `*.{ts,tsx}`; `!*.min.js` leaves some out.",
    )
    type: str | None = Field(
        default=None, max_length=100, description="Only files of a type, such as py, js, rust, go."
    )
    output_mode: Mode = Field(
        default="files_with_matches", description="Paths of files, the lines themselves, or how many lines per file."
    )
    after: int | None = Field(
        default=None, alias="-A", ge=0, le=MOST_CONTEXT_LINES, description="Lines after each match (mode content)."
    )
    before: int | None = Field(
        default=None, alias="-B", ge=0, le=MOST_CONTEXT_LINES, description="Lines before each match (mode content)."
    )
    around: int | None = Field(
        default=None, alias="-C", ge=0, le=MOST_CONTEXT_LINES, description="Lines on both sides (mode content)."
    )
    line_numbers: bool = Field(default=True, alias="-n", description="Line numbers (mode content).")
    ignore_case: bool = Field(default=False, alias="-i", description="Whether upper and lower case are the same.")
    multiline: bool = Field(default=False, description="Let a match span lines; `.` then matches line ends, too.")
    head_limit: int = Field(
        default=HEAD_LIMIT, ge=0, description="How many files or lines to return at most; 0 for as many as possible."
    )
    offset: int = Field(default=0, ge=0, description="How many of them to pass over first.")


class Grep(Tool[GrepInput, GrepOutput]):
    name = "Grep"
    aliases = ("grep_search",)
    search_hint = "search text inside files by regular expression"
    Input = GrepInput
    Output = GrepOutput
    Progress = SoFar
    max_result_chars = 20_000
    view = GrepView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def summary(self, input: GrepInput) -> str:
        return input.pattern[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return (
            "Searches the text of files for a regular expression. Returns the files that match, or with `output_mode` "
            "their lines or counts. Leaves out what ignore files exclude."
        )

    def is_read_only(self, input: GrepInput) -> bool:
        return True

    def is_concurrency_safe(self, input: GrepInput) -> bool:
        return True

    def permission_subjects(self, input: GrepInput, place: Place) -> tuple[PathSubject, ...]:
        return (PathSubject(input.path or place.folder, "read"),)

    async def validate_input(self, input: GrepInput, ctx: ToolContext) -> Validation:
        if "\0" in input.pattern or any("\ud800" <= char <= "\udfff" for char in input.pattern):
            return Validation("The pattern holds a character that no text has. Write it as an escape.", "invalid_input")
        try:
            if input.glob:
                path_test(input.glob.removeprefix("!"))
            await looked_up(input.path, ctx.place)
        except ToolError as error:
            return Validation(error.message, error.code)
        return VALID

    async def call(self, input: GrepInput, ctx: ToolContext) -> ToolResult[GrepOutput]:
        from tools.grep.engine import search  # starts processes: not needed to judge a call

        root = await looked_up(input.path, ctx.place)
        return ToolResult(await search(input, root, ctx.workspace.roots, tell=teller(ctx)))

    def to_result_block(self, data: GrepOutput) -> str:
        return as_text(data)

    def is_result_truncated(self, data: GrepOutput) -> bool:
        return data.truncated or data.timed_out

    def observable_input(self, input: GrepInput, place: Place) -> dict[str, Any]:
        return input.model_dump(mode="json", exclude_none=True, by_alias=True)
