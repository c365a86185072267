"""A change of one file: planned from what is there now, shown to the person, then written on exactly that."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tools.blocks import Block, Diff, line
from tools.changing.guards import CheckSettings, guard
from tools.changing.target import Target, snapshot_of
from tools.context import ToolContext
from tools.contract import VALID, Ground, Preview, ToolError, ToolResult, Validation
from tools.diffs import diff_of, unified
from tools.files import Files, missing_parents
from tools.inputs import ToolOutput
from tools.paths import real, resolve_file
from tools.regular import look
from tools.textfile import TextFile
from tools.threads import in_thread, to_the_end

SNIPPET_CHARS = 6_000


class FileChanged(ToolOutput):
    """What was written. `note` says what the model should know besides, such as that the file had changed."""

    file_path: str
    kind: Literal["created", "changed", "unchanged"]
    diff: Diff
    note: str = ""
    # What was done to it, where that is more than the diff shows.
    done: str = ""

    @property
    def for_model(self) -> str:
        if self.done:
            done = f"{self.file_path}: {self.done}"
        elif self.kind == "created":
            lines = "1 line" if self.diff.added == 1 else f"{self.diff.added} lines"
            done = f"Created {self.file_path} with {lines}."
        elif self.kind == "unchanged":
            done = f"{self.file_path} already holds exactly this."
        else:
            done = f"Changed {self.file_path}."
        snippet = unified(self.diff) if self.kind == "changed" else ""
        if len(snippet) > SNIPPET_CHARS:
            snippet = snippet[:SNIPPET_CHARS] + "\n… the rest of the change is not shown"
        return "\n".join(part for part in (done, self.note, snippet) if part)


@dataclass(frozen=True, slots=True)
class Change:
    """The plan. It holds as long as the file has the hash it was made from."""

    target: Target
    after: TextFile
    note: str = ""
    # It goes into a text that holds changes of somebody else, which the model was not shown.
    rebased: bool = False
    # What is done to the file, where that is more than the diff shows.
    done: str = ""

    @property
    def diff(self) -> Diff:
        return diff_of(self.target.path, self.target.text, self.after.text)

    @property
    def kind(self) -> Literal["created", "changed", "unchanged"]:
        if self.target.file is None:
            return "created"
        return "unchanged" if self.after == self.target.file else "changed"

    @property
    def known_whole(self) -> bool | None:
        """Whether the model knows all of what is written; None: as well as it knew the file before."""
        if self.target.file is None:
            return True
        return False if self.rebased else None


Plan = Callable[[], Change]


async def checked(plan: Plan) -> Validation:
    """Whether the change can be planned; may be asked as often as one likes."""
    try:
        await in_thread(plan)
    except ToolError as error:
        return Validation(error.message, error.code)
    return VALID


async def previewed(plan: Plan) -> Preview:
    return await in_thread(lambda: preview_of(plan()))


async def made(plan: Plan, path: str, files: Files, ctx: ToolContext) -> ToolResult[FileChanged]:
    """Plan once more and write. A write that has begun is brought to its end, also when the call is cancelled."""
    return ToolResult(await to_the_end(lambda: write(plan, path, files, ctx)))


def preview_of(change: Change) -> Preview:
    blocks: list[Block] = [change.diff]
    parents = missing_parents(change.target.real_path)
    if parents:
        blocks.insert(0, line("creates the folder ", (parents[-1], "path")))
    if _other_names(change.target.real_path):
        blocks.append(line(("This file has other names (hard links); they change with it.", "warning")))
    if change.note:
        blocks.append(line((change.note, "warning")))
    return Preview(tuple(blocks), (Ground(change.target.real_path, change.target.hash),))


def write(plan: Plan, path: str, files: Files, ctx: ToolContext) -> FileChanged:
    """In the file's turn from the plan on, so that of two changes at once the second is planned on the first."""
    with files.turn(real(resolve_file(path, ctx.place))):
        if ctx.cancellation.requested:
            raise ToolError("Cancelled before anything was written.", "cancelled")
        change = plan()
        target = change.target
        if change.kind != "unchanged":
            with files.parents(target.real_path):
                files.write(target.real_path, change.after.data, expected=target.hash, call_id=ctx.call_id)
        state = look(target.real_path)
        if state is not None:
            snapshot = snapshot_of(change.after.data, change.after, state)
            ctx.seen.follow(target.real_path, snapshot, change.known_whole)
    return FileChanged(file_path=target.path, kind=change.kind, diff=change.diff, note=change.note, done=change.done)


def guarded(change: Change, check_settings: CheckSettings | None) -> Change:
    """The last checks: a settings file must still be one, and a shared file must hold no secret."""
    for path in dict.fromkeys((change.target.path, change.target.real_path)):
        guard(path, change.target.text, change.after.text, check_settings)
    return change


def _other_names(real_path: str) -> bool:
    try:
        return os.stat(real_path).st_nlink > 1
    except OSError:  # not there yet
        return False
