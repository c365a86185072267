"""What a Glob call found."""

from __future__ import annotations

from tools.inputs import ToolOutput


class GlobOutput(ToolOutput):
    """The newest files first. `total` counts all that matched before the time was up."""

    files: tuple[str, ...]
    total: int
    truncated: bool = False
    timed_out: bool = False
