"""The calls of a session as they go through their phases, from the events of `tools/events.py`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tools.blocks import Diff
from tools.events import (
    PermissionDecided,
    PermissionRequested,
    PermissionUpdated,
    PermissionWithdrawn,
    ToolFinished,
    ToolInputDelta,
    ToolInputReady,
    ToolInputStarted,
    ToolProgress,
    ToolQueued,
    ToolStarted,
)
from tui.sheet.keys import ARMING
from tui.sheet.model import Open
from tui.sheet.view import Changed
from tui.transcript.entries import Call, Entry, Phase

_PHASES: dict[str, Phase] = {"ok": "ok", "failed": "failed", "denied": "denied", "cancelled": "stopped"}
ASKS_NEXT = "asks next"
BROKEN_OFF = "not run: the reply broke off"
PROGRAM_ENDED = "the program ended meanwhile"


class Calls:
    """`by_id` has every call; `open` those that are not over; `questions` what asks the person, in order."""

    def __init__(self, add: Callable[[Entry], None], touched: Callable[[Entry], None], folder: str) -> None:
        self.by_id: dict[str, Call] = {}
        self.open: dict[str, Call] = {}
        self.questions: list[Open] = []
        self._add = add
        self._touched = touched
        self._folder = folder
        # What somebody else did to the file of a question, by the question's id, and when.
        self._changed: dict[str, tuple[Diff | None, float]] = {}

    def take(self, event: Any, time: float, agent: str, reply: int) -> int:
        """How much text came with it."""
        match event:
            case ToolInputStarted(id, name):
                call = Call(id=id, name=name, time=time, agent=agent, reply=reply)
                self.by_id[id] = self.open[id] = call
                self._add(call)
            case ToolInputDelta(id, text):
                if call := self.open.get(id):
                    call.raw += text.encode("utf-8", "replace")
                    call.touch()
                return len(text)
            case ToolInputReady(id, input):
                if call := self.open.get(id):
                    call.input, call.ready = input, True
                    # What was kept to show it half written is not needed any more.
                    call.raw = bytearray()
                    self._touched(call)
            case PermissionRequested() | PermissionUpdated() | PermissionWithdrawn() | PermissionDecided():
                self._asks(event, time, agent)
            case _:
                self._runs(event, time)
        return 0

    def forget_unready(self, time: float) -> None:
        """Calls whose input never came to its end: they were not run and never will be."""
        for call in [call for call in self.open.values() if not call.ready]:
            self._end(call, "stopped", time)
            call.error = BROKEN_OFF
            self._touched(call)

    def break_off(self, time: float) -> None:
        """The program ended while these were open: what became of them is not known."""
        for call in list(self.open.values()):
            self._end(call, "stopped", time)
            call.error = call.error or PROGRAM_ENDED
            self._touched(call)

    def file_changed(self, path: str, diff: Diff | None, time: float) -> bool:
        """Somebody else changed a file; whether an open question is about it."""
        about = [one for one in self.questions if self._is_file(one.request.input.get("file_path"), path)]
        for question in about:
            self._changed[question.request.id] = (diff, time)
        return bool(about)

    def open_questions(self, now: float) -> list[Open]:
        """As the sheet shows them, with what happened to their files meanwhile."""
        return [self._with_change(question, now) for question in self.questions]

    def _with_change(self, question: Open, now: float) -> Open:
        # The first revision was asked after the change it may know of.
        if question.revision <= 1 or question.request.id not in self._changed:
            return question
        diff, time = self._changed[question.request.id]
        return replace(question, changed=Changed(max(now - time, 0.0), diff))

    def _is_file(self, asked: Any, path: str) -> bool:
        if not isinstance(asked, str) or not asked:
            return False
        return os.path.realpath(os.path.join(self._folder, os.path.expanduser(asked))) == path

    def _runs(self, event: Any, time: float) -> None:
        match event:
            case ToolQueued(id, why):
                if (call := self.open.get(id)) and call.phase != "ask":
                    call.phase, call.why = "queued", why
                    self._touched(call)
            case ToolStarted(id):
                if call := self.open.get(id):
                    call.phase, call.started_at, call.why = "run", time, ""
                    self._touched(call)
            case ToolProgress(id, data):
                if call := self.open.get(id):
                    call.progress = data
                    call.touch()
            case ToolFinished(id):
                if call := self.open.get(id):
                    self._end(call, _PHASES[event.outcome], time)
                    call.code, call.data, call.error = event.code, event.data, event.error
                    call.stored, call.seconds = event.stored, event.duration
                    # Of a call that was stopped it is all there is to show.
                    call.progress = call.progress if event.outcome == "cancelled" else None
                    self._touched(call)
            case _:
                return

    def _end(self, call: Call, phase: Phase, time: float) -> None:
        self.open.pop(call.id, None)
        self._close_question(call.id)
        call.phase, call.ended_at = phase, time

    def _asks(self, event: Any, time: float, agent: str) -> None:
        match event:
            case PermissionRequested(request, revision):
                whose = "" if agent == "main" else agent
                self.questions = [one for one in self.questions if one.request.id != request.id]
                asked = Open(request, revision, whose)
                self.questions.insert(self._place_of(asked, time), asked)
                if call := self.open.get(request.call_id):
                    call.request, call.asked_at = request, time
            case PermissionUpdated(request, revision):
                self.questions = [
                    Open(request, revision, one.agent) if one.request.id == request.id else one
                    for one in self.questions
                ]
                if call := self.open.get(request.call_id):
                    call.request = request
            case PermissionWithdrawn(request_id):
                self.questions = [one for one in self.questions if one.request.id != request_id]
            case PermissionDecided(call_id, decision, answered):
                self._close_question(call_id)
                if call := self.by_id.get(call_id):
                    call.decision, call.answered, call.answered_at = decision, answered, time
                    if call.phase == "ask":
                        call.phase, call.why = "queued", ""
                    self._touched(call)
            case _:
                return
        self._line_up()

    def _place_of(self, asked: Open, time: float) -> int:
        """Calls are asked about as soon as they can be, but in the model's order. What somebody looks at stays."""
        order = {id: number for number, id in enumerate(self.open)}
        number = order.get(asked.request.call_id, len(order))
        for place, other in enumerate(self.questions):
            call = self.open.get(other.request.call_id)
            is_looked_at = place == 0 and call is not None and time - call.asked_at >= ARMING
            later = other.agent == asked.agent and order.get(other.request.call_id, -1) > number
            if later and not is_looked_at:
                return place
        return len(self.questions)

    def _close_question(self, call_id: str) -> None:
        if any(one.request.call_id == call_id for one in self.questions):
            self.questions = [one for one in self.questions if one.request.call_id != call_id]
            self._line_up()

    def _line_up(self) -> None:
        """The first question is the one on the sheet; the calls of the others wait behind it."""
        for place, question in enumerate(self.questions):
            call = self.open.get(question.request.call_id)
            phase: Phase = "queued" if place else "ask"
            if call is not None and (call.phase != phase or call.why != (ASKS_NEXT if place else "")):
                call.phase, call.why = phase, ASKS_NEXT if place else ""
                self._touched(call)
