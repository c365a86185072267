"""Glob: files by the pattern of their names, the newest first."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, VALID, PromptOptions, Tool, ToolError, ToolResult, Validation
from tools.glob.found import GlobOutput
from tools.glob.view import GlobView
from tools.inputs import ToolInput
from tools.permissions.subjects import PathSubject
from tools.search.patterns import path_test
from tools.search.root import looked_up
from tools.search.so_far import SoFar, teller

WILD = "*?[{"


class GlobInput(ToolInput):
    pattern: str = Field(
        min_length=1,
        max_length=1_000,
        description="Such as `**/*.py` or `src/**/*.{ts,tsx}`; without a slash it is looked for at every depth.",
    )
    path: str | None = Field(default=None, description="The folder to look in. Left out: the working folder.")


class Glob(Tool[GlobInput, GlobOutput]):
    name = "Glob"
    aliases = ("list_files",)
    search_hint = "find files by name pattern, newest first"
    Input = GlobInput
    Output = GlobOutput
    Progress = SoFar
    max_result_chars = 100_000
    view = GlobView()
    prompt_file = Path(__file__).with_name("prompt.md")

    def summary(self, input: GlobInput) -> str:
        return input.pattern[:SUMMARY_CHARS]

    def description(self, options: PromptOptions) -> str:
        return (
            "Finds files whose path matches a glob pattern. Returns at most 100, the most recently changed first, "
            "and leaves out what ignore files exclude."
        )

    def is_read_only(self, input: GlobInput) -> bool:
        return True

    def is_concurrency_safe(self, input: GlobInput) -> bool:
        return True

    def permission_subjects(self, input: GlobInput, place: Place) -> tuple[PathSubject, ...]:
        return (PathSubject(_where(input)[0] or place.folder, "read"),)

    async def validate_input(self, input: GlobInput, ctx: ToolContext) -> Validation:
        folder, pattern = _where(input)
        try:
            path_test(pattern)
            root = await looked_up(folder, ctx.place)
        except ToolError as error:
            return Validation(error.message, error.code)
        if root.is_file:
            return Validation(f"{folder} is a file. Give its folder as `path`, or read it.", "bad_path")
        return VALID

    async def call(self, input: GlobInput, ctx: ToolContext) -> ToolResult[GlobOutput]:
        from tools.glob.newest import newest_files  # starts processes: not needed to judge a call

        folder, pattern = _where(input)
        root = await looked_up(folder, ctx.place)
        return ToolResult(await newest_files(pattern, root, ctx.workspace.roots, tell=teller(ctx)))

    def to_result_block(self, data: GlobOutput) -> str:
        lines = list(data.files) or ["No files found."]
        if data.timed_out:
            lines.append("(The time was up before every folder was looked at. Give a `path` further down.)")
        if data.truncated:
            lines.append(f"(The {len(data.files)} newest of {data.total}. Use a narrower pattern or path for others.)")
        return "\n".join(lines)

    def is_result_truncated(self, data: GlobOutput) -> bool:
        return data.truncated or data.timed_out


def _where(input: GlobInput) -> tuple[str | None, str]:
    """The folder and the pattern within it: one that starts at the root or at home names its folder itself, and so
    does one that goes up before it looks."""
    names = input.pattern.split("/")
    fixed = next((index for index, name in enumerate(names) if any(char in name for char in WILD)), len(names) - 1)
    pattern = os.path.join("/", *names[fixed:])
    if input.pattern.startswith(("/", "~/")):
        return "/".join(names[:fixed]) or "/", pattern
    if ".." in names[:fixed]:
        return os.path.join(input.path or "", *names[:fixed]), pattern
    return input.path, input.pattern
