"""What a Grep call found."""

from __future__ import annotations

from typing import Literal

from tools.inputs import ToolOutput

Mode = Literal["files_with_matches", "content", "count"]


class FoundLine(ToolOutput):
    """A line that matches, or one shown around it."""

    number: int
    text: str
    matches: bool = True


class FoundFile(ToolOutput):
    """`count` is set in the mode `count`, `lines` in the mode `content`."""

    path: str
    count: int = 0
    lines: tuple[FoundLine, ...] = ()


class GrepOutput(ToolOutput):
    mode: Mode
    files: tuple[FoundFile, ...]
    line_numbers: bool = True
    # Whether lines around the matches were asked for, too.
    context: bool = False
    # How many entries (files or lines) were passed over, and whether there are more after these.
    offset: int = 0
    truncated: bool = False
    timed_out: bool = False
    some_unreadable: bool = False
    # The one file that was searched is no text: it matches, but has no lines to show.
    matches_unshown: bool = False

    @property
    def entries(self) -> int:
        """What `head_limit` and `offset` count: lines in the mode `content`, else files."""
        return sum(len(file.lines) for file in self.files) if self.mode == "content" else len(self.files)
