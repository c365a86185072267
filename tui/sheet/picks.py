"""Which parts of a change are to be made: its hunks, and the call's text with only some of them.

Of an Edit the hunks are those between its old and its new text; of a Write those between the file, as the preview knows
it, and the content. Each run of changed lines is one hunk, so that it can be taken or left by itself.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from tools.blocks import Diff, DiffLine, Hunk
from tools.diffs import NO_NEWLINE, line_matcher
from tools.events import PermissionRequest
from tui.sheet.view import changeable

CONTEXT = 3


@dataclass(frozen=True)
class Picking:
    """`old` and `new` are the lines, `first_line` is the file's number of the first of them."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    first_line: int = 1

    @cached_property
    def changes(self) -> list[tuple[int, int, int, int]]:
        """Where each hunk stands in the old and in the new lines."""
        opcodes = line_matcher(self.old, self.new).get_opcodes()
        return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in opcodes if tag != "equal"]

    def hunk(self, number: int) -> Diff:
        """One hunk as a diff of its own, with what stands around it."""
        i1, i2, j1, j2 = self.changes[number]
        before, after = max(i1 - CONTEXT, 0), min(i2 + CONTEXT, len(self.old))
        lines = [DiffLine("same", _shown(text)) for text in self.old[before:i1]]
        lines += [DiffLine("removed", _shown(text)) for text in self.old[i1:i2]]
        lines += [DiffLine("added", _shown(text)) for text in self.new[j1:j2]]
        lines += [DiffLine("same", _shown(text)) for text in self.old[i2:after]]
        start = self.first_line + before
        return Diff(self.path, (Hunk(start, start + j1 - i1, tuple(lines)),))

    def with_only(self, taken: Collection[int]) -> str:
        """The new text with only these hunks in it."""
        parts: list[str] = []
        done = 0
        for number, (i1, i2, j1, j2) in enumerate(self.changes):
            parts += self.old[done:i1]
            parts += self.new[j1:j2] if number in taken else self.old[i1:i2]
            done = i2
        return "".join([*parts, *self.old[done:]])


def picking_of(request: PermissionRequest) -> Picking | None:
    """None where the change cannot be taken apart: one hunk only, or no text to change."""
    new = changeable(request)
    diff = next((block for block in request.preview if isinstance(block, Diff)), None)
    if not new or diff is None or any(NO_NEWLINE in line.text for hunk in diff.hunks for line in hunk.lines):
        # A line end that comes or goes at the very end is no line: it cannot be left out by itself.
        return None
    match request.tool:
        case "Edit":
            old = str(request.input.get("old_string", ""))
            first = _first_line(diff, _lines(old), _lines(new))
            picking = Picking(diff.path, _lines(old), _lines(new), first)
        case "Write":
            picking = Picking(diff.path, _before(diff, _lines(new)), _lines(new))
        case _:
            return None
    return picking if len(picking.changes) > 1 else None


def _first_line(diff: Diff, old: tuple[str, ...], new: tuple[str, ...]) -> int:
    """Where the edit's text begins in the file: its first change is the first one of the preview."""
    if not diff.hunks:
        return 1
    first = diff.hunks[0]
    unchanged = next((at for at, line in enumerate(first.lines) if line.kind != "same"), 0)
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
    return max(first.old_start + unchanged - same, 1)


def _before(diff: Diff, new: tuple[str, ...]) -> tuple[str, ...]:
    """The file as it is: the content with every hunk of the preview taken back."""
    lines = list(new)
    for hunk in reversed(diff.hunks):
        size = sum(line.kind != "removed" for line in hunk.lines)
        there = [line.text + "\n" for line in hunk.lines if line.kind != "added"]
        lines[hunk.new_start - 1 : hunk.new_start - 1 + size] = there
    return tuple(lines)


def _lines(text: str) -> tuple[str, ...]:
    r"""With their ends; lines end at \n only."""
    parts = text.split("\n")
    whole = [f"{part}\n" for part in parts[:-1]]
    return tuple([*whole, parts[-1]] if parts[-1] else whole)


def _shown(text: str) -> str:
    return text.removesuffix("\n")
