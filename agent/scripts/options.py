"""What a command line asks for, as data: already read, checked and of the right kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tools.permissions.modes import Mode

OutputFormat = Literal["text", "json", "stream-json"]


@dataclass(frozen=True, slots=True)
class Options:
    """One run of `agent-tui -p`. None and empty mean: not said, settings decide."""

    # What was written on the command line, and after it what came from standard input.
    task: str = ""
    output_format: OutputFormat = "text"
    continue_: bool = False
    resume: str | None = None
    model: str | None = None
    effort: str | None = None
    permission_mode: Mode | None = None
    read_only: bool = False
    simple: bool = False
    trust: bool = False
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    add_dir: tuple[str, ...] = ()
    append_system_prompt: str = ""
    max_turns: int | None = None
