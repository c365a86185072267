"""What the commands for scripts print that is no data."""

from __future__ import annotations

from typing import TextIO

from tools.safe import safe_output


def say(text: str, stream: TextIO) -> None:
    """For a program as it is. At a terminal, what came from a model, a file or a command could steer it."""
    print(safe_output(text) if stream.isatty() else text, file=stream)
