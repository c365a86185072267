"""A saved session with as many rows as wanted, in the words of the session's own records."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent.events import Event, ModelAsked, Stamped, TextDone, TurnEnded, TurnStarted, UserMessage
from agent.store.sessions import new_session
from tools.bash.data import BashOutput
from tools.events import ToolFinished, ToolInputReady, ToolInputStarted, ToolStarted

ROWS_A_TURN = 5
LINES = "\n".join(f"tests/test_number_{number}.py ........ [ {number}%]" for number in range(20))
OUTPUT = BashOutput(
    output=LINES, exit_code=0, total_bytes=800, total_lines=20, truncated=False, stored="/tmp/o", folder="/tmp"
)
WORDS = "It goes on with **some words** about `what` was done, and about what is to be done next. " * 3


def save_long_session(home: str, folder: str, rows: int) -> str:
    """Its id."""
    store = new_session(os.path.join(home, ".local/state/agent-tui"), folder)
    store.messages().begin({"model": "claude-opus-5-5", "system": "", "tools": []})
    for seq, event in enumerate(_events(rows // ROWS_A_TURN), 1):
        store.save_event(Stamped(seq, 1_790_000_000.0 + seq, "main", event))
    store.close()
    return store.id


def _events(turns: int) -> Iterator[Event]:
    for turn in range(1, turns + 1):
        call = f"call-{turn}"
        yield TurnStarted(turn)
        yield UserMessage(f"This is message {turn}, please go on.")
        yield ModelAsked()
        yield TextDone(f"Answer {turn}. {WORDS}")
        yield ToolInputStarted(call, "Bash")
        yield ToolInputReady(call, {"command": f"pytest tests/test_{turn}.py"})
        yield ToolStarted(call)
        yield ToolFinished(call, "ok", data=OUTPUT.model_dump(), duration=1.5)
        yield ModelAsked()
        yield TextDone(f"That was {turn}. {WORDS}")
        yield TurnEnded("done")
