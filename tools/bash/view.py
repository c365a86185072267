"""How a command looks: its first line, its last lines while it runs, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tools.bash.data import CHANGED_NAMED, BashOutput, BashProgress, exit_text
from tools.blocks import Block, Blocks, Line, Role, Span, Tail, line
from tools.inputs import ToolOutput
from tools.ports import ChangedFile
from tools.safe import safe_output
from tools.short import counted, failure
from tools.view import Style, ToolView, ViewContext, text_of

CONDENSED_LINES = 5
# A last line up to this long may stand beside the exit code.
SHORT_LINE_CHARS = 60

_SPEAKS_OF_ERRORS = re.compile(
    r"error|fail|exception|traceback|panic|fatal|abort|cannot|could not|can't|unable|undefined|unexpected|invalid"
    r"|denied|not found|no such|missing|refused|timed out|killed|\*\*\*|^E\s",
    re.IGNORECASE,
)


class BashView(ToolView):
    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        first, more, _ = text_of(partial_input, "command").strip().partition("\n")
        return Line((Span(first, "code"), *([Span(" ⋯", "quiet")] if more else [])))

    def progress(self, progress: Sequence[ToolOutput], ctx: ViewContext) -> Blocks | None:
        last = progress[-1] if progress else None
        if not isinstance(last, BashProgress) or not last.lines:
            return None
        return (Tail(last.lines[-CONDENSED_LINES:], max(last.total_lines, len(last.lines))),)

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        if not isinstance(data, BashOutput):
            return super().result(data, progress, style, ctx)
        text = data.output.rstrip("\n")
        outcome = line((_outcome(data, text), "quiet"))
        body: tuple[Block, ...] = ()
        if text.strip():
            whole = Tail(tuple(text.split("\n")), data.total_lines)
            body = (whole if style == "verbose" else _tail(data, text, self.went_wrong(data)),)
        return (outcome, *body, *_closing(data, ctx))

    def went_wrong(self, data: ToolOutput) -> bool:
        return isinstance(data, BashOutput) and data.exit_code not in (0, None) and not data.meaning

    def failed(self, error: str, ctx: ViewContext, style: Style = "condensed") -> Blocks | None:
        """Ended before its own end: what it had written by then stands below what the tool says."""
        first, _, written = error.partition("\n")
        outcome = line((failure(first.removeprefix("The command was "), ctx.short), "quiet"))
        if style == "verbose":
            lines = error.rstrip("\n").split("\n")
            return (outcome, Tail(tuple(lines), len(lines)))
        lines = written.rstrip("\n").split("\n") if written.strip() else []
        return (outcome, Tail(tuple(lines[-CONDENSED_LINES:]), len(lines))) if lines else (outcome,)


def _outcome(data: BashOutput, text: str) -> str:
    if data.task:
        return f"in the background as {data.task}"
    if not data.exit_code:
        return counted(data.total_lines, "line") if text.strip() else "no output"
    if data.meaning:
        return data.meaning
    ended = f"exit {data.exit_code}" if data.exit_code > 0 else f"e{exit_text(data.exit_code)[1:]}"
    last = safe_output(text.rstrip().rpartition("\n")[2]).strip(" =-")
    return f"{ended}: {last}" if 0 < len(last) <= SHORT_LINE_CHARS else ended


def _tail(data: BashOutput, text: str, wrong: bool) -> Tail:
    """The last lines; of a failure, those that speak of it, and always the very last."""
    lines = text.split("\n")
    if wrong:
        lines = [one for one in lines[:-1] if _SPEAKS_OF_ERRORS.search(one)] + lines[-1:]
        lines = lines if len(lines) > 1 else text.split("\n")
    return Tail(tuple(lines[-CONDENSED_LINES:]), data.total_lines)


def _closing(data: BashOutput, ctx: ViewContext) -> list[Block]:
    """What stands below the output: where all of it is, what changed meanwhile, and what else there is to know."""
    closing: list[Block] = []
    if data.truncated:
        closing.append(line((f"{data.total_bytes:,} bytes in all, in ", "quiet"), (ctx.short(data.stored), "path")))
    if data.blocked:
        closing.append(line(("The sandbox seems to have stopped it; it can ask to run without.", "warning")))
    closing += [_changed(file, ctx) for file in data.changed[:CHANGED_NAMED]]
    if len(data.changed) > CHANGED_NAMED:
        closing.append(line((f"and {len(data.changed) - CHANGED_NAMED} more files changed", "quiet")))
    # What a task's note says is for the model; the task itself stands in its panel.
    return closing + [line((note, "quiet")) for note in data.note.split("\n") if note and not data.task]


def _changed(file: ChangedFile, ctx: ViewContext) -> Line:
    path: tuple[str, Role] = (ctx.short(file.path), "path")
    if file.deleted:
        return line(path, (" is gone", "quiet"))
    counts: list[tuple[str, Role]] = [(f" +{file.added}", "added")] if file.added else []
    if file.removed:
        counts.append((f" -{file.removed}", "removed"))
    return line(path, *counts) if counts else line(path, (" changed", "quiet"))
