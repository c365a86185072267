"""How an Edit looks: the lines that go and come while they stream in, then the diff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.blocks import Blocks, Diff, DiffLine, Hunk, line
from tools.changing.view import WRITTEN_LINE_CHARS, WRITTEN_LINES, ChangeView
from tools.short import counted, last_lines
from tools.view import ViewContext, text_of


class EditView(ChangeView):
    def writing(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Blocks | None:
        """Where in the file it will be is not known yet: the lines are numbered from 1."""
        out, out_before = last_lines(text_of(partial_input, "old_string"), WRITTEN_LINES, WRITTEN_LINE_CHARS)
        come, come_before = last_lines(text_of(partial_input, "new_string"), WRITTEN_LINES, WRITTEN_LINE_CHARS)
        if not out and not come:
            return None
        words = counted(len(out) + out_before, "line") + " out" if out else ""
        if "new_string" in partial_input:
            inside = len(come) + come_before
            words = f"{words}, {inside} in" if out else f"{counted(inside, 'line')} in"
        lines = [DiffLine("removed", text) for text in out] + [DiffLine("added", text) for text in come]
        diff = Diff(text_of(partial_input, "file_path"), (Hunk(out_before + 1, come_before + 1, tuple(lines)),))
        return (line((f"{words} so far", "quiet")), diff)
