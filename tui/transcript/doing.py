"""What goes on just now, for the activity line, from the transcript's data."""

from __future__ import annotations

from tools.permissions.names import COMMAND_TOOLS
from tools.view import text_of
from tui.panels.activity import Doing, Retry, Work
from tui.transcript.calls import input_of, subject_text
from tui.transcript.entries import Call
from tui.transcript.kinds import Kinds
from tui.transcript.store import Transcript

_SEARCHES = frozenset({"Grep", "Glob"})
_EVERYWHERE = "the project"
# A command that has run so long may be wanted in the background.
HINT_SECONDS = 15.0


def doing_of(told: Transcript, kinds: Kinds, now: float = 0.0) -> Doing:
    calls = list(told.calls.open.values())
    running = [call for call in calls if call.phase == "run"]
    writing = [call for call in calls if call.phase == "stream" and not call.ready]
    works = tuple(_work(call, kinds) for call in running)
    may_leave = any(call.name in COMMAND_TOOLS and now - call.started_at >= HINT_SECONDS for call in running)
    if not told.busy:
        # The person's own command: no turn goes on.
        started = min((call.started_at for call in running), default=0.0)
        asking = bool(told.calls.questions)
        return Doing(running=works, asking=asking, may_leave=may_leave, started=started)
    retry, at = told.retry if told.retry is not None else (None, 0.0)
    return Doing(
        running=works,
        writing=tuple(_work(call, kinds) for call in writing),
        thinking=told.thinking,
        answering=told.answering,
        waiting=told.waiting,
        asking=bool(told.calls.questions),
        retry=Retry(retry.retry, 0, at, retry.reason) if retry is not None else None,
        may_leave=may_leave,
        started=told.tally.started,
        since=0.0 if running or writing else told.since,
    )


def _work(call: Call, kinds: Kinds) -> Work:
    input = input_of(call)
    if call.name in _SEARCHES:
        return Work(call.name, text_of(input, "path") or _EVERYWHERE)
    return Work(kinds.shown_name(call.name, input), subject_text(call, kinds))
