"""What a session was opened with, for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass

from agent.context.instructions import InstructionFile


@dataclass(frozen=True, slots=True)
class About:
    model: str = ""
    instructions: tuple[InstructionFile, ...] = ()
