"""The order of calls under random interleavings, against the rules of order said once more in another way.

The reference knows nothing of tasks, turns or events. It looks at which calls are open, what they may touch and what
the person has said, and tells which of them run once nothing moves by itself.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pipeline import FakeInput, Rig, Stage, Talk, exactly_one_end_each, fake, settled
from tools.context import ToolContext
from tools.contract import ToolError
from tools.events import CallEvent
from tools.executor import Executor


@dataclass(frozen=True)
class Kind:
    safe: bool
    writes: bool
    known: bool


KINDS = {
    "Look": Kind(safe=True, writes=False, known=True),
    "Change": Kind(safe=False, writes=True, known=True),
    "Command": Kind(safe=False, writes=True, known=False),
    "Command2": Kind(safe=True, writes=False, known=False),
    "Helper": Kind(safe=True, writes=True, known=True),
    "Solo": Kind(safe=False, writes=False, known=True),
}
# Some lie within others, some only look as if they did.
PATHS = ("a", "a/b", "ab", "c")


@dataclass(frozen=True)
class Planned:
    """A call of the plan, as the model would send it."""

    tool: str
    path: str
    asks: bool

    @property
    def kind(self) -> Kind:
        return KINDS[self.tool]

    def apart(self, other: Planned) -> bool:
        if not (self.kind.known and other.kind.known):
            return False
        mine, theirs = self.path.split("/"), other.path.split("/")
        shorter = min(len(mine), len(theirs))
        return mine[:shorter] != theirs[:shorter]


@dataclass
class Reference:
    """Which calls run, ask and wait, by the rules alone."""

    slots: int
    calls: dict[str, Planned] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)
    outcomes: dict[str, str] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)

    @property
    def open(self) -> list[str]:
        return [name for name in self.calls if name not in self.outcomes]

    def before(self, name: str) -> list[str]:
        """The open calls the model asked for earlier."""
        names = self.open
        return names[: names.index(name)]

    def waits_for_ground(self, name: str) -> bool:
        call = self.calls[name]
        return any(
            other.kind.writes and other.kind.known and call.kind.known and not other.apart(call)
            for other in (self.calls[earlier] for earlier in self.before(name))
        )

    @property
    def asking(self) -> set[str]:
        return {
            name
            for name in self.open
            if self.calls[name].asks and name not in self.allowed and not self.waits_for_ground(name)
        }

    def may_start(self, name: str) -> bool:
        if name in self.running or name in self.asking or self.waits_for_ground(name):
            return False
        if not self.calls[name].kind.safe:
            return not self.before(name) and not self.running
        return all(
            self.calls[earlier].kind.safe or (earlier in self.asking and self.calls[earlier].apart(self.calls[name]))
            for earlier in self.before(name)
        )

    def settle(self, seen_running: set[str]) -> None:
        """Compare with what runs, and take that over: which of several takes the last slot is free."""
        eligible = {name for name in self.open if self.may_start(name)}
        started = seen_running - self.running
        assert self.running <= seen_running, "what runs is not interrupted by others"
        assert started <= eligible, f"{started - eligible} ran out of order"
        assert len(seen_running) == min(self.slots, len(self.running) + len(eligible)), "something idles"
        self.running = set(seen_running)

    def end(self, name: str, outcome: str) -> None:
        self.outcomes[name] = outcome
        self.running.discard(name)


class Play:
    """One random session: the plan, the real executor and the reference beside it."""

    def __init__(self, folder: Path, slots: int) -> None:
        self.stage = Stage()
        tools = [fake(name=name, safe=k.safe, reads=not k.writes, work=self.stage) for name, k in KINDS.items()]
        self.rig = Rig(folder, *tools)
        self.talk: Talk = self.rig.talk()
        self.talk.executor = Executor(self.talk.pipeline, self.talk.context, lambda: self.rig.lock, slots)
        self.reference = Reference(slots)

    @property
    def events(self) -> list[CallEvent]:
        return [event for _, event in self.rig.events]

    def add(self, planned: Planned) -> None:
        name = f"c{len(self.reference.calls)}"
        self.reference.calls[name] = planned
        where = {"path": planned.path} if planned.kind.known else {"command": planned.path}
        self.talk.add(name, planned.tool, says="ask" if planned.asks else "allow", **where)

    def answer(self, name: str, kind: str) -> None:
        assert self.rig.answer(name, kind)
        if kind == "no":
            self.reference.end(name, "denied")
        else:
            self.reference.allowed.add(name)

    def end(self, name: str, how: str | BaseException) -> None:
        self.stage.end(name, how)
        self.reference.end(name, "ok" if isinstance(how, str) else "failed")

    def cancel(self, name: str) -> None:
        assert self.talk.executor.cancel(name, "not wanted any more")
        self.reference.end(name, "cancelled")

    async def compare(self) -> None:
        await settled()
        assert set(self.rig.asked) == self.reference.asking
        self.reference.settle(set(self.stage.running))

    async def finish(self) -> None:
        """Answer and end whatever is left; then all must be answered as the reference says."""
        while self.reference.open:
            for name in self.rig.asked:
                self.answer(name, "once")
            for name in list(self.stage.running):
                self.end(name, "done")
            await self.compare()
        answers = await self.talk.answers()
        assert {name: answer.outcome for name, answer in answers.items()} == self.reference.outcomes
        assert exactly_one_end_each(self.events, list(self.reference.calls))
        assert set(self.stage.began) >= {name for name, how in self.reference.outcomes.items() if how == "ok"}


# Mostly looks and changes: these overtake and are overtaken.
plans = st.builds(
    Planned, st.sampled_from(["Look", "Change", "Look", "Change", *KINDS]), st.sampled_from(PATHS), st.booleans()
)
ENDS = ("ok", ToolError("no luck"), RuntimeError("broken"))


def next_move(play: Play, left: int, data: st.DataObject) -> tuple[str, str] | None:
    """What the model, the person or the work does next; rarely a cancel, for it ends what could be interesting."""
    moves = {
        "add": [""] if left else [],
        "once": play.rig.asked,
        "end": sorted(play.stage.running),
        "no": play.rig.asked,
        "cancel": play.reference.open,
    }
    often = [*["add"] * 4, *["once"] * 3, *["end"] * 2, "no", "cancel"]
    possible = [kind for kind in often if moves[kind]]
    if not possible:
        return None
    kind = data.draw(st.sampled_from(possible))
    return kind, data.draw(st.sampled_from(moves[kind]))


@settings(max_examples=150, deadline=None)
@given(plan=st.lists(plans, min_size=1, max_size=9), slots=st.integers(1, 3), data=st.data())
def test_after_every_step_exactly_the_calls_run_that_the_rules_let_run(
    tmp_path_factory: pytest.TempPathFactory, plan: list[Planned], slots: int, data: st.DataObject
) -> None:
    async def body() -> None:
        play = Play(tmp_path_factory.getbasetemp(), slots)
        left = list(reversed(plan))
        for _ in range(4 * len(plan)):
            move = next_move(play, len(left), data)
            if move is None:
                break
            kind, name = move
            match kind:
                case "add":
                    play.add(left.pop())
                case "end":
                    play.end(name, data.draw(st.sampled_from(ENDS)))
                case "cancel":
                    play.cancel(name)
                case _:
                    play.answer(name, kind)
            await play.compare()
        await play.finish()

    asyncio.run(body())


class Witness(Stage):
    """Looks, at the moment a call begins, at what else is open and running."""

    def __init__(self) -> None:
        super().__init__()
        self.play: Storm | None = None

    async def __call__(self, input: FakeInput, ctx: ToolContext) -> str:
        assert self.play is not None
        self.play.look_at(input.text, [*self.running])
        return await super().__call__(input, ctx)


class Storm(Play):
    """Many things at once, so that steps of different calls fall between each other."""

    def __init__(self, folder: Path, slots: int) -> None:
        super().__init__(folder, slots)
        witness = Witness()
        witness.play = self
        for tool in self.rig.tools.tools:
            tool.work = witness
        self.stage = witness
        self.wrong: list[str] = []

    def look_at(self, name: str, running: list[str]) -> None:
        calls, states = self.reference.calls, self.talk.executor.states
        call = calls[name]
        earlier = [calls[one] for one in list(calls)[: list(calls).index(name)] if states[one] != "done"]
        alone = not running and not earlier
        behind = [one for one in earlier if not one.kind.safe and not (one.asks and one.apart(call))]
        with_unsafe = [one for one in running if not calls[one].kind.safe]
        if len(running) >= self.reference.slots:
            self.wrong.append(f"{name} found no slot")
        if not call.kind.safe and not alone:
            self.wrong.append(f"{name} must run alone, beside {running}")
        if call.kind.safe and (behind or with_unsafe):
            self.wrong.append(f"{name} ran before {behind} or beside {with_unsafe}")


@settings(max_examples=100, deadline=None)
@given(plan=st.lists(plans, min_size=2, max_size=12), slots=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_in_any_storm_nothing_runs_out_of_order_and_everything_is_answered_once(
    tmp_path_factory: pytest.TempPathFactory, plan: list[Planned], slots: int, seed: int
) -> None:
    async def body() -> None:
        chance = Random(seed)
        storm = Storm(tmp_path_factory.getbasetemp(), slots)
        executor, gate = storm.talk.executor, storm.rig.gate
        for planned in plan:
            storm.add(planned)
            await settled(chance.randint(0, 3))
        ended: set[str] = set()
        async with asyncio.timeout(60):
            while any(state != "done" for state in executor.states.values()):
                for pending in gate.waiting:
                    if chance.random() < 0.5:
                        storm.rig.answer(pending.request.call_id, chance.choice(["once", "no"]))
                for name in [one for one in storm.stage.running if one not in ended]:
                    if chance.random() < 0.5:
                        ended.add(name)
                        storm.stage.end(name, chance.choice(ENDS))
                if chance.random() < 0.1:
                    executor.cancel(chance.choice(list(storm.reference.calls)), "not wanted")
                await settled(chance.randint(1, 4))
        await storm.talk.answers()
        assert storm.wrong == []
        assert exactly_one_end_each(storm.events, list(storm.reference.calls))
        assert gate.waiting == ()

    asyncio.run(body())
