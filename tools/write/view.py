"""How a Write looks: the end of the content while it streams in, then the diff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.blocks import Blocks, Code, line
from tools.changing.view import WRITTEN_LINE_CHARS, WRITTEN_LINES, ChangeView
from tools.short import counted, last_lines
from tools.view import ViewContext, lexer_of, text_of


class WriteView(ChangeView):
    def writing(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Blocks | None:
        lines, before = last_lines(text_of(partial_input, "content"), WRITTEN_LINES, WRITTEN_LINE_CHARS)
        if not lines:
            return None
        path = text_of(partial_input, "file_path")
        # Its end is known once another field has begun.
        is_new = next(iter(partial_input)) == "file_path" and ctx.exists(path) is False
        words = f"{'new file, ' if is_new else ''}{counted(before + len(lines), 'line')} so far"
        return (line((words, "quiet")), Code("\n".join(lines), lexer_of(path), before + 1))
