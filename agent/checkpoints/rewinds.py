"""Going back to before a message: the plan of it, its doing, and its undoing. The files go through the one writer.

What is done is exactly what the plan showed: a file that changed since it was made is left alone, and that is said.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agent.checkpoints import folders
from agent.checkpoints.found import Going, going_in, held_at
from agent.checkpoints.history import SessionHistory
from agent.checkpoints.points import Point, Points, place_in
from agent.checkpoints.rewind import (
    FilePlan,
    Held,
    Ours,
    Outcome,
    Plan,
    each_once,
    is_ours,
    others_of,
    outcome_of,
    plan_of,
)
from agent.checkpoints.steps import Step
from agent.context.reminders import one_line
from agent.conversation import Conversation
from agent.events import Rewound, Stamped
from agent.model.base import Plain
from tools.contract import ToolError
from tools.files import Files, hash_bytes
from tools.ports import Task
from tools.short import counted
from tools.threads import in_thread, to_the_end

What = Literal["both", "files", "conversation"]
Choice = Literal["mine", "theirs"]
CALL = "rewind-"
BUSY = "Something is still at work; Esc stops it, then go back."
CHANGED = "it changed since you looked, and was left as it is"
# Of files that changed the model is told so many by name.
FILES_NAMED = 20


class NotRewound(Exception):
    """Why nothing was done: a sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Done:
    """How many files were changed, and those that could not be, with the reason. `text`: the message gone back to."""

    number: int
    files: int
    failed: tuple[tuple[str, str], ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Undoable:
    """The last rewind."""

    number: int
    turn: int
    text: str
    files: bool
    conversation: bool


@dataclass(slots=True)
class _Last:
    undoable: Undoable
    # The messages that went, how many the conversation held then, and what it had seen of files.
    gone: list[Plain] = field(default_factory=list[Plain])
    at: int = 0
    # None: not known any more.
    seen: list[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class RewindParts:
    """What a rewind works with. `lock` is the session's own; `turned` is told of each file that was changed."""

    history: SessionHistory
    files: Files
    lock: asyncio.Lock
    conversation: Callable[[], Conversation]
    busy: Callable[[], bool]
    tasks: Callable[[], Sequence[Task]]
    turned: Callable[[str, str | None], None]
    emit: Callable[[Rewound], None]


class Rewinds:
    """`plan` and `undo_plan` read files: not for the loop's thread."""

    def __init__(self, parts: RewindParts) -> None:
        self._parts = parts
        self._points = Points()
        self._last: _Last | None = None
        # The last rewind as it was told, unless it was undone.
        self._told: Rewound | None = None
        self._number = 0
        self._news: list[str] = []

    def heard(self, stamped: Stamped) -> None:
        """All events of the session, also those of its earlier runs."""
        self._points.heard(stamped)
        if isinstance(stamped.event, Rewound):
            self._number = max(self._number, stamped.event.number)
            self._told = None if stamped.event.undone else stamped.event

    def goes_on(self, cut: Sequence[Plain], at: int) -> None:
        """The session is resumed: its last rewind can still be undone. `cut`: messages that went, with none since;
        `at`: how many stayed."""
        told, text = self._told, self._points.text_of(self._told) if self._told is not None else ""
        if told is None or not text or (told.conversation and not cut):
            return
        files = any(step.call == f"{CALL}{told.number}" for step in self._parts.history.steps())
        undoable = Undoable(told.number, told.to_turn, text, files, told.conversation)
        self._last = _Last(undoable, list(cut), at)

    # -- looking

    def points(self) -> Sequence[Point]:
        """The messages that can be gone back to, the last first."""
        return [point for point in reversed(self._points.all()) if point.text]

    @property
    def undoable(self) -> Undoable | None:
        """The last rewind, as long as nothing was said since."""
        last = self._last
        if last is None or (last.undoable.conversation and len(self._parts.conversation().messages) != last.at):
            return None
        return last.undoable

    def made_in(self, turn: int) -> tuple[int, int, int]:
        """How many files a turn of ours changed, with the lines added and removed in them."""
        steps = [step for step in self._parts.history.steps() if step.turn == turn and is_ours(step)]
        plans = _by_path(steps)
        found = [_between(some, self._parts.history.content) for some in plans.values()]
        changed = [one for one in found if one is not None]
        return len(changed), sum(added for added, _ in changed), sum(removed for _, removed in changed)

    def plan(self, turn: int) -> Plan:
        """What would be taken back by going to before the message of this turn."""
        history, since = self._parts.history, self._points.since(turn)
        history.settled()
        steps = _by_path([step for step in history.steps() if step.turn >= turn])
        point = next(point for point in since if point.turn == turn)
        files, gaps = each_once(self._planned(steps, is_ours), [gap for gap in history.gaps() if gap.turn >= turn])
        return Plan(
            turn=turn,
            messages=sum(bool(one.text) for one in since),
            calls=sum(one.calls for one in since),
            files=files,
            gaps=gaps,
            commands=sum(one.commands for one in since),
            tasks=tuple(task.title for task in self._parts.tasks() if task.started >= point.time),
            conversation=place_in(self._parts.conversation().messages, point) is not None,
        )

    def undo_plan(self) -> Plan:
        """What would be brought back of what the last rewind took."""
        last = self._last
        assert last is not None, "there is one to be undone"
        number = last.undoable.number
        steps = _by_path(self._parts.history.steps())
        return Plan(last.undoable.turn, 0, 0, self._planned(steps, _of_rewind(number)), undoes=number)

    def outcome(self, plan: Plan, path: str) -> tuple[Held, Outcome]:
        """A file as it is, and what it would become: for those who want to see its lines."""
        ours = _of_rewind(plan.undoes) if plan.undoes else is_ours
        steps = [step for step in self._parts.history.steps(path) if step.turn >= plan.turn]
        held = held_at(path, lambda: going_in(plan.files))
        return held, outcome_of(_from_ours(steps, ours), self._parts.history.content, held, ours)

    def _planned(self, steps: Mapping[str, Sequence[Step]], ours: Ours) -> tuple[FilePlan, ...]:
        plans: dict[str, FilePlan] = {}
        # Whether a folder is in the way is known once it is known what of it goes.
        for path in sorted(steps, key=os.path.isdir):
            plan = self._plan_of(path, steps[path], ours, lambda: going_in(plans.values()))
            if plan is not None:
                plans[path] = plan
        return tuple(plans[path] for path in steps if path in plans)

    def _plan_of(self, path: str, steps: Sequence[Step], ours: Ours, going: Going) -> FilePlan | None:
        mine, content = _from_ours(steps, ours), self._parts.history.content
        if not mine:
            return None
        try:
            plan = plan_of(mine, content, held_at(path, going), ours)
        except OSError as error:
            return FilePlan(path, None, None, None, lost=error.strerror or str(error))
        if plan is None or ours is not is_ours:
            return plan
        # Also what they did before ours: that it stays is what one wants to know.
        return replace(plan, others=others_of(steps, content))

    # -- doing

    async def rewind(
        self,
        plan: Plan,
        what: What,
        choices: Mapping[str, Choice] | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Done:
        """Go back, as planned; where ours and theirs meet as chosen, theirs without a choice. Raises NotRewound."""
        point = next((one for one in self._points.since(plan.turn) if one.turn == plan.turn), None)
        place = place_in(self._parts.conversation().messages, point) if point is not None else None
        if point is None or (what != "files" and place is None):
            raise NotRewound("The conversation cannot be cut there any more; files alone can go back.")
        number = self._number + 1
        last = _Last(Undoable(number, plan.turn, point.text, what != "conversation", what != "files"))
        failed: list[tuple[str, str]] = []
        async with self._alone():
            changed: list[str] = []
            if what != "conversation":
                changed = await self._to_files(plan, number, choices or {}, progress, failed)
            if what != "files" and place is not None:
                last.at, last.seen = place, self._parts.conversation().seen.dump()
                last.gone = await self._parts.conversation().cut(place)
                self._news.clear()
        self._last = last
        self._tell_model(plan, what, changed)
        self._parts.emit(Rewound(plan.turn, number, what != "files", len(changed)))
        return Done(number, len(changed), tuple(failed), point.text if what != "files" else "")

    async def undo(
        self, plan: Plan, choices: Mapping[str, Choice] | None = None, progress: Callable[[int], None] = lambda _: None
    ) -> Done:
        """Bring back what the last rewind took. Raises NotRewound."""
        undoable, last = self.undoable, self._last
        if undoable is None or last is None:
            raise NotRewound("Something was said since: that rewind stays. What was changed can be undone in /review.")
        failed: list[tuple[str, str]] = []
        async with self._alone():
            # A number of its own, so that it is not taken for a part of what it takes back.
            changed = await self._to_files(plan, self._number + 1, choices or {}, progress, failed)
            if undoable.conversation:
                if last.seen is not None:
                    self._parts.conversation().seen.load(last.seen)
                await self._parts.conversation().put_back(last.gone)
        self._number += 1
        self._last = None
        heard = not self._news
        self._news.clear()
        if heard and not undoable.conversation:
            self._say("The person put changes back; these files are as you had left them", changed)
        self._parts.emit(Rewound(undoable.turn, undoable.number, undoable.conversation, len(changed), undone=True))
        return Done(undoable.number, len(changed), tuple(failed))

    def news(self) -> tuple[str, ...]:
        """What the model is to hear with its next message; once."""
        news, self._news = tuple(self._news), []
        return news

    # -- inside

    def _alone(self) -> asyncio.Lock:
        if self._parts.busy() or self._parts.lock.locked():
            raise NotRewound(BUSY)
        return self._parts.lock

    async def _to_files(
        self,
        plan: Plan,
        number: int,
        choices: Mapping[str, Choice],
        progress: Callable[[int], None],
        failed: list[tuple[str, str]],
    ) -> list[str]:
        """The files that were changed. One at a time, so that the screen hears how far it is."""
        changed: list[str] = []
        wanted = {one.path: one.mine if choices.get(one.path) == "mine" else one.theirs for one in plan.files}
        # What goes makes room for what comes: a file may stand where a folder was, and the other way round.
        for count, file in enumerate(sorted(plan.files, key=lambda one: wanted[one.path] is not None)):
            choice = choices.get(file.path, "theirs")
            if file.lost or (wanted[file.path] == file.now and file.mode is None):
                continue
            try:
                hash = await to_the_end(lambda file=file, choice=choice: self._write(plan, file, choice, number))
            except ToolError as error:
                failed.append((file.path, error.message))
            except OSError as error:
                failed.append((file.path, error.strerror or str(error)))
            else:
                changed.append(file.path)
                self._parts.turned(file.path, hash)
            progress(count + 1)
        await in_thread(self._parts.history.settled)
        return changed

    def _write(self, plan: Plan, file: FilePlan, choice: Choice, number: int) -> str | None:
        """The hash it has then. Raises ToolError."""
        files, path, call = self._parts.files, file.path, f"{CALL}{number}"
        with files.turn(path):
            held, outcome = self.outcome(plan, path)
            data = outcome.mine if choice == "mine" else outcome.theirs
            now = _hash(held.data)
            if outcome.lost or now != file.now or _hash(data) != (file.mine if choice == "mine" else file.theirs):
                raise ToolError(CHANGED, "stale")
            if data is None:
                if now is not None:
                    files.remove(path, expected=now, call_id=call)
                    folders.leave(path, self._folder_made_for(plan, path))
                return None
            if data != held.data:
                if os.path.isdir(path):
                    folders.clear(path)
                with files.parents(path):
                    files.write(path, data, expected=now, call_id=call, mode=outcome.mode)
            if held.data is not None and outcome.mode is not None and outcome.mode != held.mode:
                files.set_mode(path, outcome.mode, expected=hash_bytes(data))
                modes = (held.mode, outcome.mode)
                self._parts.history.note(path, _hash(data), _hash(data), "person", call=call, modes=modes)
            return hash_bytes(data)

    def _folder_made_for(self, plan: Plan, path: str) -> str:
        """The outermost that came with it, by what is taken back."""
        ours = _of_rewind(plan.undoes) if plan.undoes else is_ours
        steps = [step for step in self._parts.history.steps(path) if step.turn >= plan.turn and ours(step)]
        return min((step.folder for step in steps if step.folder), key=len, default="")

    def _tell_model(self, plan: Plan, what: What, changed: Sequence[str]) -> None:
        """It must know which files are not as it left them."""
        if what == "files":
            self._say("The person took changes back; these files are not as you left them. It is meant so", changed)
        elif what == "conversation":
            still = [file.path for file in plan.files if file.changes]
            self._say("The conversation was taken back to here, files were not. These changed since", still)
        else:
            others = [file.path for file in plan.files if file.others is not None]
            self._say("Somebody else changed these files meanwhile", others)

    def _say(self, what: str, paths: Sequence[str]) -> None:
        if paths:
            named = [f"- {one_line(path)}" for path in paths[:FILES_NAMED]]
            more = [f"- and {counted(len(paths) - FILES_NAMED, 'file')} more"] if len(paths) > FILES_NAMED else []
            self._news.append("\n".join([f"{what}; read before you rely on them:", *named, *more]))


def _by_path(steps: Sequence[Step]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in steps:
        found.setdefault(step.path, []).append(step)
    return found


def _of_rewind(number: int) -> Ours:
    return lambda step: step.call == f"{CALL}{number}"


def _from_ours(steps: Sequence[Step], ours: Ours) -> Sequence[Step]:
    """What others did before is none of it."""
    first = next((place for place, step in enumerate(steps) if ours(step)), len(steps))
    return steps[first:]


def _between(steps: Sequence[Step], content: Callable[[str], bytes | None]) -> tuple[int, int] | None:
    """Lines a file gained and lost over steps; None where it came out as it went in."""
    first, last = steps[0], steps[-1]
    if first.before == last.after:
        return None
    held = Held(content(last.after) if last.after is not None else None)
    plan = plan_of([Step(0, first.path, first.before, last.after, "call", 0, 0.0)], content, held)
    # Going back is the other way round.
    return (plan.removed, plan.added) if plan is not None else (0, 0)


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hash_bytes(data)
