"""The transcript as data: one `match` over the session's events into entries. Rows draw themselves from these.

The same events, live or from a saved session, give the same entries. What a screen shows beside the transcript (who
runs, what waits, the todo list, the mode) is kept here too, since it comes from the same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agent.events import (
    Burst,
    Event,
    ExternalEdit,
    MessageQueued,
    MessageTakenBack,
    ModeChanged,
    ModelAsked,
    ModelWaiting,
    Notice,
    Rewound,
    Stamped,
    TaskChanged,
    TextDelta,
    TextDone,
    ThinkingDelta,
    ThinkingDone,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Usage,
    UserMessage,
)
from tools.blocks import Diff
from tools.events import ToolFinished, ToolInputReady, ToolInputStarted
from tui.transcript.back import GoneBack
from tui.transcript.entries import Answer, Entry, Note, Outside, Thought, Together, Words
from tui.transcript.kinds import COMMANDS, Kinds
from tui.transcript.progress import Calls
from tui.transcript.tally import Queue, Tally

if TYPE_CHECKING:
    from tui.transcript.arrangement import Arrangement

# Shorter thoughts without a word are not worth a row.
LEAST_THOUGHT_SECONDS = 1.0
OWN_SHELL = "shell-"
# In a flood so much of an answer is read at once: reading all that comes between two frames would be felt.
PORTION_CHARS = 4_000


class Transcript:
    """`take` everything the bus says, then `settle` before something is drawn."""

    def __init__(self, rows: Arrangement, kinds: Kinds) -> None:
        self.rows = rows
        self.kinds = kinds
        self.calls = Calls(rows.add, self._touched, kinds.ctx.folder)
        self.tally = Tally()
        self.queue = Queue()
        self.todos: Sequence[Any] = ()
        # The background, by task.
        self.tasks: dict[str, TaskChanged] = {}
        self.mode = ""
        # What answers, where that costs something.
        self.model = ""
        # Since when: the turn, and what goes on in it when no call does.
        self.busy = False
        self.since = 0.0
        self.thinking = False
        self.waiting = False
        self.retry: tuple[ModelWaiting, float] | None = None
        self.last_answer = ""
        self._reply = 0
        self._answer: Answer | None = None
        self._pieces: list[str] = []
        self._unsettled = 0
        self._thinking_since: float | None = None
        self._outside: list[Outside | Together] = []
        self._back = GoneBack(rows)

    def take(self, stamped: Stamped) -> int:
        """How much text came with it."""
        time, event = stamped.time, stamped.event
        match event:
            case TextDelta(text):
                self._say(text, time, stamped.agent)
                return len(text)
            case ThinkingDelta(text):
                self._think(time)
                return 0
            case TextDone(text):
                self._said(text, time, stamped.agent)
            case ThinkingDone(text):
                self._thought(text, time, stamped.agent)
            case _:
                return self._other(event, time, stamped.agent)
        return 0

    def settle(self) -> None:
        """Join what streamed in: text is copied once a frame or portion, not once a piece."""
        self._unsettled = 0
        if self._pieces and self._answer is not None:
            self._answer.text += "".join(self._pieces)
            self._pieces.clear()
            self._touched(self._answer)

    def end_of_past(self, time: float) -> None:
        """What was shown before has ended, also where the program was ended in the middle of it."""
        if self.busy:
            self._ended("interrupted", "", time)
        self.calls.break_off(time)
        self.tally.forget_tokens()
        self.queue.texts.clear()

    @property
    def answering(self) -> bool:
        return self._answer is not None

    # -- what the model says

    def _say(self, text: str, time: float, agent: str) -> None:
        self._moved(time)
        if self._answer is None:
            self._answer = Answer(time=time, agent=agent)
            self.rows.add(self._answer)
            self.since = time
        self._pieces.append(text)
        self._unsettled += len(text)
        if self._unsettled >= PORTION_CHARS:
            self.settle()

    def _said(self, text: str, time: float, agent: str) -> None:
        if self._answer is None:
            if not text.strip():
                return
            self._answer = Answer(time=time, agent=agent)
            self.rows.add(self._answer)
        answer, self._answer = self._answer, None
        self._pieces.clear()
        answer.text, answer.done = text, True
        self.last_answer = text
        self._touched(answer)

    def _think(self, time: float) -> None:
        self._moved(time)
        self.thinking = True
        if self._thinking_since is None:
            self._thinking_since = self.since = time

    def _thought(self, text: str, time: float, agent: str) -> None:
        began = self._thinking_since if self._thinking_since is not None else self.since
        self.thinking, self._thinking_since = False, None
        seconds = max(time - began, 0.0) if began else 0.0
        if text.strip() or seconds >= LEAST_THOUGHT_SECONDS:
            self.rows.add(Thought(text=text, seconds=seconds, done=True, time=time, agent=agent))

    def _moved(self, time: float) -> None:
        self.waiting, self.retry = False, None

    # -- everything else

    def _other(self, event: Event, time: float, agent: str) -> int:
        match event:
            case ToolInputStarted(id) if id.startswith(OWN_SHELL):
                # The person's words stand above it, and come with the input.
                return 0
            case ToolInputReady(id, input):
                self._moved(time)
                if id.startswith(OWN_SHELL):
                    self.rows.add(Words(text=str(input.get("command", "")), shell=True, time=time, agent=agent))
                    self.calls.take(ToolInputStarted(id, COMMANDS), time, agent, self._reply)
                self.calls.take(event, time, agent, self._reply)
            case ToolFinished(id):
                self.calls.take(event, time, agent, self._reply)
                self._count(id)
            case ExternalEdit():
                self._changed_outside(event, time)
            case ModelAsked():
                self._asked(time)
            case ModelWaiting(_, retry):
                self._waits(event, time, retry)
            case Usage():
                self.tally.usage(event)
            case Notice(text, level):
                self._note(text, level, time)
            case _:
                return self._of_turn(event, time, agent)
        return 0

    def _of_turn(self, event: Event, time: float, agent: str) -> int:
        match event:
            case Rewound():
                said, more = self._back.take(event)
                self.rows.add(Note(text=said, detail=more, time=time))
            case TurnStarted(turn):
                self._back.turn_starts(turn)
                self.tally.turn_started(turn, time)
                self.busy, self.since = True, time
            case TurnEnded(reason, detail):
                self._ended(reason, detail, time)
            case UserMessage(text):
                self.queue.gone(text)
                self.rows.add(Words(text=text, time=time, agent=agent))
            case MessageQueued(text):
                self.queue.add(text)
            case MessageTakenBack(text):
                self.queue.gone(text)
            case TaskChanged(task):
                self.tasks[task] = event
            case TodosChanged(todos):
                self.todos = todos
            case ModeChanged(mode):
                self.mode = mode
            case _:
                self._moved(time)
                return self.calls.take(event, time, agent, self._reply)
        return 0

    def _asked(self, time: float) -> None:
        """A new request: it carries the news of every outside edit so far."""
        self._reply += 1
        self.waiting, self.since, self.retry = True, time, None
        self.tally.reply_started()
        for outside in self._outside:
            outside.told = True
            self._touched(outside)
        self._outside.clear()

    def _waits(self, event: ModelWaiting, time: float, retry: int) -> None:
        if not retry:
            return
        # Of the first try only its tokens count, which are paid for: its text is written over, its calls never closed.
        self.tally.reply_started()
        self.retry = (event, time + event.seconds)
        self.waiting, self.thinking, self._thinking_since = True, False, None
        self.calls.forget_unready(time)
        if self._answer is not None:
            self._pieces.clear()
            self._answer.text = ""
            self._touched(self._answer)

    def _ended(self, reason: str, detail: str, time: float) -> None:
        self.settle()
        if self._answer is not None:
            self._said(self._answer.text, time, self._answer.agent)
        self.calls.forget_unready(time)
        self.busy = self.waiting = self.thinking = False
        self.retry = None
        if reason == "failed":
            kept = "What was done stays. Up brings your message back, Enter sends it again."
            self.rows.add(Note(text=detail.rstrip("."), level="error", detail=kept, time=time))
        elif reason in ("refused", "max_turns", "cut"):
            self._note(detail, "warning", time)
        ended = self.tally.ended(time, reason)
        ended.cost = self.tally.cost_of_turn(self.model)
        self.rows.add(ended)

    def _count(self, call_id: str) -> None:
        call = self.calls.by_id.get(call_id)
        if call is None:
            return
        output = self.kinds.output(call.name, call.data) if call.data is not None else None
        call.wrong = output is not None and self.kinds.went_wrong(call.name, output)
        # A look at what is not there breaks nothing.
        wrong = call.failed and self.kinds.folds(call.name, call.input) is None
        diff = getattr(output, "diff", None)
        subject = self.kinds.subject(call.name, call.input).text.split("\n", 1)[0]
        label = f"{self.kinds.shown_name(call.name, call.input)} {subject}".strip()
        self.tally.call_ended(call, label, wrong, diff if isinstance(diff, Diff) else None)

    def _changed_outside(self, event: ExternalEdit, time: float) -> None:
        outdates = self.calls.file_changed(event.path, event.diff, time)
        edit = Outside(
            event.path,
            _diff_of(event),
            event.attribution,
            event.kind,
            outdates=outdates,
            evidence=event.evidence,
            as_seen=event.as_seen,
            time=time,
        )
        last = self.rows.entries[-1] if self.rows.entries else None
        if event.burst is not None:
            self._changed_together(edit, event.burst, last)
        elif isinstance(last, Outside) and last.path == event.path and not last.told:
            # Saved again with nothing in between.
            last.goes_on(edit)
            self._touched(last)
        else:
            self._outside.append(edit)
            self.rows.add(edit)

    def _changed_together(self, edit: Outside, burst: Burst, last: Entry | None) -> None:
        many = last if isinstance(last, Together) and last.burst == burst.id and not last.told else None
        if many is None:
            many = Together(burst.id, edit.attribution, evidence=edit.evidence, time=edit.time)
            self._outside.append(many)
            self.rows.add(many)
        many.take(edit, burst.files)
        self._touched(many)

    def _note(self, text: str, level: Any, time: float) -> None:
        text = self.kinds.ctx.in_words(text)
        head, dot, rest = text.partition(". ")
        note = Note(text=head.rstrip("."), level=level, detail=rest, time=time) if dot else None
        self.rows.add(note or Note(text=text.rstrip("."), level=level, time=time))

    def _touched(self, entry: Entry) -> None:
        entry.touch()
        self.rows.changed(entry)


def _diff_of(event: ExternalEdit) -> Diff | None:
    """A file that went has no lines to show, but those of before are known when it comes back."""
    return Diff(event.path, ()) if event.kind == "deleted" else event.diff
