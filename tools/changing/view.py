"""How a change of a file looks: its path, how much it changes, and its diff."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tools.blocks import Blocks, Line, line
from tools.changing.change import FileChanged
from tools.inputs import ToolOutput
from tools.short import file_failure
from tools.view import Style, ToolView, ViewContext, in_full, text_of

# Of what streams in, this much of its end is handed on: more than any row shows.
WRITTEN_LINES = 30
WRITTEN_LINE_CHARS = 1_000
_MERGED = re.compile(r"Somebody else had changed the file \((.+)\); .*", re.DOTALL)
_BY_PERSON = re.compile(r"The person had changed the file \((.+)\); .*", re.DOTALL)
_BY_COMMAND = re.compile(r"While your command `.*` ran, the file changed \((.+)\); .*", re.DOTALL)


class ChangeView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        return line((ctx.short(text_of(partial_input, "file_path")), "path"))

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, FileChanged):
            return super().result(data, progress, style, ctx)
        diff = (data.diff,) if data.diff.hunks else ()
        notes = (line((_short(data.note), "quiet")),) if data.note else ()
        return (_how_much(data), *diff, *notes)

    def failed(self, error: str, ctx: ViewContext, style: Style = "condensed") -> Blocks | None:
        outcome = line((file_failure(error, ctx.short), "quiet"))
        if style == "condensed" and " What changed:\n" in error:
            return (outcome, line(("the changed lines went back with the answer", "quiet")))
        return in_full(outcome, error, style)


def _how_much(data: FileChanged) -> Line:
    added, removed = (f"+{data.diff.added}", f"-{data.diff.removed}")
    match data.kind:
        case "created" if data.diff.hunks:
            return line((added, "added"), (", new file", "quiet"))
        case "created":
            return line(("new file, empty", "quiet"))
        case "changed" if data.diff.hunks:
            if not data.diff.removed:
                return line((added, "added"))
            if not data.diff.added:
                return line((removed, "removed"))
            return line((added, "added"), " ", (removed, "removed"))
        case "changed":
            return line(("only line ends or encoding", "quiet"))
        case "unchanged":
            return line(("nothing to change", "quiet"))


def _short(note: str) -> str:
    """The row of the other change stands above; here it is enough that theirs is kept."""
    if found := _MERGED.fullmatch(note):
        return f"changed outside meanwhile, {found[1]}: theirs stays"
    if found := _BY_PERSON.fullmatch(note):
        return f"changed by you meanwhile, {found[1]}: that stays"
    if found := _BY_COMMAND.fullmatch(note):
        return f"changed while a command ran, {found[1]}: that stays"
    return note
