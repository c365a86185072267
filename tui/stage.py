"""A session on the screen: its events as the data everything is drawn from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from agent.events import Stamped, TaskChanged, TurnStarted, UserMessage
from agent.model.prices import window_of
from agent.session import Session
from tools.events import ToolInputStarted
from tools.ports import Todo
from tools.view import ViewContext
from tui.faults import problems_in_words
from tui.panels.activity import Doing
from tui.panels.files import Files
from tui.panels.side import SideFacts, TaskFact, WatcherFacts
from tui.panels.status import StatusFacts
from tui.review.makers import Makers
from tui.sheet.model import SheetModel
from tui.tails import tail_of
from tui.transcript.arrangement import Arrangement
from tui.transcript.doing import doing_of
from tui.transcript.kinds import Kinds
from tui.transcript.presence import Presence
from tui.transcript.rows import Faults, Row
from tui.transcript.store import Transcript

# A screen full of rows comes from fewer events than this; a turn may have many more.
LAST_EVENTS = 300
MOST_LAST_EVENTS = 3_000

Heard = Callable[[Stamped, int], None]


class Stage:
    """`model` is empty where none is paid for. `heard` is called for every event with how much text
    came with it."""

    def __init__(self, session: Session, model: str, heard: Heard, faults: Faults) -> None:
        self.session = session
        self._presence = Presence(session.main.place.folder)
        ctx = ViewContext(session.main.place.folder, session.main.place.home, self._presence)
        self.kinds = Kinds(session.pool, ctx)
        self.arrangement = Arrangement(self.kinds, faults)
        self.transcript = Transcript(self.arrangement, self.kinds)
        self.transcript.model = model
        self.transcript.mode = session.policy.mode
        self.files = Files(ctx.short)
        self.makers = Makers()
        self.sheet = SheetModel(ctx, session.rulebook)
        self._heard = heard
        # What was told before all of the past is known; None from then on.
        self._too_early: list[Stamped] | None = []
        session.bus.listen(self._listen)

    def catch_up(self, past: Sequence[Stamped]) -> Iterator[None]:
        """Take what was shown before, one event a step. What is told meanwhile comes after it; all of it has to be
        gone through before anything else is said."""
        for stamped in past:
            self._take(stamped)
            yield
        if past:
            self.transcript.end_of_past(past[-1].time)
        early, self._too_early = self._too_early or [], None
        for stamped in early:
            self._listen(stamped)

    def end_of(self, past: Sequence[Stamped]) -> Sequence[Row]:
        """The last rows of it, to be seen until all of it is known: the same as then, for they begin with a turn."""
        at = _turn_near_the_end(past)
        if not at:
            return ()
        arrangement = Arrangement(self.kinds, lambda fault: None)
        transcript = Transcript(arrangement, self.kinds)
        transcript.model = self.transcript.model
        for stamped in past[at:]:
            transcript.take(stamped)
        transcript.end_of_past(past[-1].time)
        return arrangement.rows

    def doing(self) -> Doing:
        return doing_of(self.transcript, self.kinds, time.time())

    def todos(self) -> tuple[Todo, ...]:
        return tuple(Todo(str(one.get("content", "")), str(one.get("status", ""))) for one in self.transcript.todos)

    def status(self, facts: StatusFacts, faults: int = 0) -> StatusFacts:
        """The status line's facts with what the session knows. `faults`: how many of our own there were."""
        watcher, tokens = self.session.watcher, self.transcript.tally.tokens
        model = self.transcript.model
        return replace(
            facts,
            watching=watcher.following,
            outside=self.files.outside,
            trouble=problems_in_words(faults + self._problems(), self.session.sandbox.state.lacks),
            watch_trouble=watcher.trouble.word,
            context_percent=round(100 * tokens.context / window_of(model)),
            cost=self.transcript.tally.cost(model),
        )

    def _problems(self) -> int:
        failed = [one for one in self.session.hooks.listed() if one.last is not None and one.last.failed]
        return len(self.session.policy.problems) + len(failed)

    def side(self) -> SideFacts:
        watcher = self.session.watcher
        told = WatcherFacts(watcher.following, watcher.folders, None, watcher.problem)
        return SideFacts(self.files.facts(), self.todos(), told, self.tasks())

    @property
    def has_running_tasks(self) -> bool:
        return any(task.state == "running" for task in self.transcript.tasks.values())

    def tasks(self) -> tuple[TaskFact, ...]:
        """What runs in the background first, then what has ended, latest first."""
        facts = [_fact(one) for one in self.transcript.tasks.values()]
        return tuple(sorted(facts, key=lambda fact: (fact.state != "running", -fact.started)))

    @property
    def folder(self) -> str:
        return self.kinds.ctx.folder

    def _listen(self, stamped: Stamped) -> None:
        if self._too_early is not None:
            self._too_early.append(stamped)
        else:
            self._heard(stamped, self._take(stamped))

    def _take(self, stamped: Stamped) -> int:
        if isinstance(stamped.event, ToolInputStarted):
            self._presence.forget()
        self.files.heard(stamped)
        self.makers.heard(stamped)
        return self.transcript.take(stamped)


def _turn_near_the_end(past: Sequence[Stamped]) -> int:
    """Where a turn begins about so many events before the end; 0 where none does."""
    for at in range(len(past) - LAST_EVENTS, max(len(past) - MOST_LAST_EVENTS, 0), -1):
        if isinstance(past[at].event, TurnStarted):
            # The words that began it may stand before it.
            return at - isinstance(past[at - 1].event, UserMessage)
    return 0


def _fact(task: TaskChanged) -> TaskFact:
    running = task.state == "running"
    lines = tail_of(task.output, 1)[0] if running else []
    last = lines[0] if lines else ""
    return TaskFact(task.task, task.title, task.state, task.started, task.ended, task.exit_code, task.output, last)
