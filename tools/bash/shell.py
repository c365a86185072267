"""What the commands of a session run with: who starts them, where their output goes, and what the settings say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

from tools.ports import Changes, ChangeWindow, Launcher, OutputFiles, Sandbox, Tasks


@dataclass(frozen=True, slots=True)
class ShellSettings:
    """`variables` are set for every command, `hidden_variables` are seen by none."""

    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    hidden_variables: frozenset[str] = frozenset()
    # What takes long goes to the background by itself.
    auto_background: bool = False


@dataclass(frozen=True, slots=True)
class Shell:
    """Without `tasks` nothing can go to the background, without `changes` nothing is credited, and without `sandbox`
    commands run as they are."""

    launcher: Launcher
    outputs: OutputFiles
    tasks: Tasks | None = None
    changes: Changes | None = None
    sandbox: Sandbox | None = None
    # As they are now: they change when a folder is trusted.
    settings: Callable[[], ShellSettings] = ShellSettings


class NoWindow(NamedTuple):
    """For a command that changes nothing, or of which nobody wants to know."""

    changed: tuple[()] = ()


def window_for(
    shell: Shell, call_id: str, agent: str, command: str, reads: bool
) -> AbstractAsyncContextManager[ChangeWindow]:
    if reads or shell.changes is None:
        return nullcontext(NoWindow())
    return shell.changes.window(call_id, agent, command)
