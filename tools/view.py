"""How a call looks in each of its phases: the render contract, with a generic fallback for every part.

A view is a set of pure functions from data to blocks. It knows nothing of widths, colours or widgets.

`use` gives the subject of a call. Of the blocks that the other parts return the first, if it is a `Line`, is the
call's outcome: it stands on the call's own line behind the subject, in the fewest words that make opening the row
needless. The blocks after it, or all of them where the first is no `Line`, are the body below.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tools.blocks import Blocks, Code, Line, line
from tools.inputs import ToolOutput
from tools.short import failure, refusal

if TYPE_CHECKING:
    from tools.contract import Preview

Style = Literal["condensed", "verbose"]
LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class ViewContext:
    """What paths are shown relative to."""

    folder: str
    home: str
    # Whether there is such a file; None where that is not known, or not yet.
    exists: Callable[[str], bool | None] = lambda _: None

    def short(self, path: str) -> str:
        """The path as a person would say it: from the working folder, else from home."""
        for base, mark in ((self.folder, ""), (self.home, "~/")):
            if base and path.startswith(base.rstrip("/") + "/"):
                return mark + path[len(base.rstrip("/")) + 1 :]
        return path

    def in_words(self, sentence: str) -> str:
        """The same for every path that a sentence names."""
        for base, mark in ((self.folder, ""), (self.home, "~/")):
            if base.strip("/"):
                sentence = re.sub(rf"(?<![\w./~-]){re.escape(base.rstrip('/'))}/", mark, sentence)
        return sentence


@dataclass(frozen=True, slots=True)
class GroupedCall:
    """One of several parallel calls of a tool, as `grouped` sees it."""

    call_id: str
    input: Mapping[str, Any]
    outcome: Literal["queued", "asking", "running", "ok", "failed", "denied", "cancelled"]
    data: ToolOutput | None = None
    error: str = ""

    @property
    def counts(self) -> bool:
        """Whether it did its work, or may still do it."""
        return self.outcome not in ("failed", "denied", "cancelled")


class ToolView:
    """Each part has a default, so that a tool without a view still shows well."""

    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        """What the call is about, from any prefix of its input, also none of it."""
        return line(_pairs(partial_input))

    def writing(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Blocks | None:
        """What there is of a large input while it still streams in: drawn many times a second, so it must be cheap."""
        return None

    def queued(self, reason: str, ctx: ViewContext) -> Blocks | None:
        return (line((reason, "quiet")),) if reason else None

    def progress(self, progress: Sequence[ToolOutput], ctx: ViewContext) -> Blocks | None:
        if not progress:
            return None
        return (line((_pairs(progress[-1].model_dump(mode="json")), "quiet")),)

    def result(self, data: ToolOutput, progress: Sequence[ToolOutput], style: Style, ctx: ViewContext) -> Blocks | None:
        values = data.model_dump(mode="json")
        outcome = line((_pairs(values) or "done", "quiet"))
        if style == "condensed" or not values:
            return (outcome,)
        return (outcome, Code(data.model_dump_json(indent=2), "json"))

    def went_wrong(self, data: ToolOutput) -> bool:
        """Whether a call that came to its end is still marked as failed: a command that ended with an error."""
        return False

    def rejected(self, reason: str, ctx: ViewContext) -> Blocks | None:
        return (line((refusal(reason, ctx.short), "quiet")),)

    def failed(self, error: str, ctx: ViewContext, style: Style = "condensed") -> Blocks | None:
        return in_full(line((failure(error, ctx.short), "quiet")), error, style)

    def approval(self, preview: Preview, ctx: ViewContext) -> Blocks:
        return preview.blocks

    def grouped(self, calls: Sequence[GroupedCall], ctx: ViewContext) -> Blocks | None:
        """The words above parallel calls of this tool, whose names stand below; None: this tool does not group."""
        return None


def outcome_and_body(blocks: Blocks | None) -> tuple[Line | None, Blocks]:
    """What stands on the call's own line, and what stands below it."""
    first, *rest = blocks or (None,)
    return (first, tuple(rest)) if isinstance(first, Line) else (None, blocks or ())


def in_full(outcome: Line, error: str, style: Style) -> Blocks:
    """A failure in short, and in verbose style all that the model was told, where that is more."""
    told = error.strip()
    if style == "condensed" or told.rstrip(".").lower() == outcome.text.lower():
        return (outcome,)
    return (outcome, Code(told))


def text_of(values: Mapping[str, Any], key: str) -> str:
    """A string of an input that may be half written, or nonsense that is refused later; else empty."""
    value = values.get(key)
    return value if isinstance(value, str) else ""


def lexer_of(path: str) -> str:
    return os.path.splitext(path)[1].removeprefix(".").lower() or "text"


def _pairs(values: Mapping[str, Any]) -> str:
    return "  ".join(f"{key} {_brief(value)}".rstrip() for key, value in values.items())


def _brief(value: Any) -> str:
    # Cut before anything else: this is drawn many times a second while megabytes stream in.
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = whole[: LONGEST_VALUE + 1]
    first = text.split("\n", 1)[0]
    return first if first == text and len(text) <= LONGEST_VALUE else first[: LONGEST_VALUE - 1] + "⋯"
