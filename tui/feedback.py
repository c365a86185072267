"""A report about how the program fares here, for whoever mends it. It says nothing of what was talked about: no words
of the person or the model, no commands, no names of files, no addresses."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from textual.geometry import Size

from agent.settings.locations import state_folder
from tools.version import __version__
from tui.checkup import checkup
from tui.screens.health import Item
from tui.transcript.entries import Call
from tui.transcript.kinds import SERVER_PREFIX

if TYPE_CHECKING:
    from tui.stage import Stage

# Of these the health page may say where something is or who answers.
_SAID_WITHOUT_DETAIL = frozenset({"model", "settings", "hook", "session", "ripgrep", "git", "watcher", "sandbox"})
LIBRARIES = ("textual", "anthropic", "pydantic", "watchfiles")


def write_feedback(stage: Stage, faults: Sequence[str], size: Size) -> str:
    """Writes it into the state folder; what to tell the person. Blocking."""
    path = state_folder() / f"feedback-{time.strftime('%Y-%m-%d-%H%M%S')}.txt"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(feedback_text(stage, faults, size))
    except OSError as error:
        return f"the report cannot be written: {error.strerror}"
    return f"look through {stage.kinds.ctx.short(str(path))}, add what happened, and send it"


def feedback_text(stage: Stage, faults: Sequence[str], size: Size) -> str:
    return "\n\n".join(
        [
            f"agent-tui {__version__}\n\nWhat happened, and what should have:\n\n",
            "\n".join(_machine(size)),
            "\n".join(_health(checkup(stage, faults))),
            "\n".join(_session(stage)),
            "",
        ]
    )


def _machine(size: Size) -> list[str]:
    names = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "NO_COLOR")
    said = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    return [
        f"{platform.system()} {platform.release()} {platform.machine()}, Python {sys.version.split()[0]}",
        ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        f"terminal {size.width}x{size.height}, {' '.join(said)}, {'in tmux' if 'TMUX' in os.environ else 'no tmux'}",
    ]


def _health(items: Sequence[Item]) -> list[str]:
    return [
        f"{item.state} {item.name}" if item.name in _SAID_WITHOUT_DETAIL else f"{item.state} {item.name} {item.what}"
        for item in items
    ]


def _session(stage: Stage) -> list[str]:
    calls = [entry for entry in stage.arrangement.entries if isinstance(entry, Call)]
    counts = Counter((_tool(call.name), call.phase) for call in calls)
    policy, tokens = stage.session.policy, stage.transcript.tally.tokens
    return [
        f"mode {policy.mode}, folder {'trusted' if policy.trusted else 'not trusted'}",
        f"{stage.transcript.tally.turn} turns, {len(stage.arrangement.rows)} rows, {tokens.context} tokens in context",
        *(f"{tool} {phase}: {count}" for (tool, phase), count in sorted(counts.items())),
    ]


def _tool(name: str) -> str:
    return "a server's tool" if name.startswith(SERVER_PREFIX) else name
