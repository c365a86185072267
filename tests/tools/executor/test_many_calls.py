"""A hundred calls in one reply: bounded, in order, each with its own answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.pipeline import FakeInput, Rig, Stage, Talk, fake, message, text_of, until
from tools.context import ToolContext
from tools.executor import SLOTS

NAMES = [f"c{number}" for number in range(100)]
# Every seventh call changes something, every tenth has to be asked for.
CHANGES = set(NAMES[::7])
ASKS = set(NAMES[::10])


class Eager(Stage):
    """Work that takes a few turns, and remembers who ran beside whom."""

    def __init__(self) -> None:
        super().__init__()
        self.beside: dict[str, set[str]] = {}

    async def __call__(self, input: FakeInput, ctx: ToolContext) -> str:
        self.beside[input.text] = set(self.running)
        asyncio.get_running_loop().call_later(0.0005, self.end, input.text)
        return await super().__call__(input, ctx)


def hundred(folder: Path, stage: Stage) -> tuple[Rig, Talk]:
    rig = Rig(folder, fake(name="Look", safe=True, reads=True, work=stage), fake(name="Change", work=stage))
    talk = rig.talk()
    for name in NAMES:
        tool = "Change" if name in CHANGES else "Look"
        talk.add(name, tool, path=name, says="ask" if name in ASKS else "allow")
    return rig, talk


def test_T21_a_hundred_calls_run_bounded_and_in_order_and_answer_in_one_message(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Eager()
        rig, talk = hundred(tmp_path, stage)
        await until(lambda: len(rig.asked) == len(ASKS))
        assert rig.asked == [name for name in NAMES if name in ASKS], "the questions stand in the order of the calls"
        for name in rig.asked:
            assert rig.answer(name, "once")
        answers = await talk.answers()
        assert 1 < stage.most_at_once <= SLOTS
        assert [name for name in stage.began if name in CHANGES] == [name for name in NAMES if name in CHANGES]
        for name in CHANGES:
            assert stage.beside[name] == set(), "a call that changes something runs alone"
        assert all(not (others & CHANGES) for others in stage.beside.values())
        blocks = message(answers, rig)
        assert [block["tool_use_id"] for block in blocks] == NAMES
        assert [block["content"] for block in blocks] == ["done"] * 100

    asyncio.run(body())


def test_T22_a_denied_call_of_a_hundred_is_denied_alone(tmp_path: Path) -> None:
    async def body() -> None:
        rig = Rig(tmp_path, fake())
        talk = rig.talk()
        for name in NAMES:
            talk.add(name, says="ask" if name == "c2" else "allow")
        await until(lambda: rig.asked == ["c2"])
        rig.answer("c2", "no", comment="Not that one.")
        answers = await talk.answers()
        outcomes = {name: answer.outcome for name, answer in answers.items()}
        assert outcomes == {name: "denied" if name == "c2" else "ok" for name in NAMES}
        assert "Not that one." in text_of(answers["c2"])

    asyncio.run(body())


def test_T22_a_person_who_stops_the_turn_leaves_the_rest_not_executed(tmp_path: Path) -> None:
    async def body() -> None:
        rig = Rig(tmp_path, fake())
        talk = rig.talk()
        for name in NAMES:
            talk.add(name, says="ask" if name == "c2" else "allow")
        await until(lambda: rig.asked == ["c2"] and talk.state("c1") == "done")
        rig.answer("c2", "stop")
        answers = await talk.answers()
        assert [answers[name].outcome for name in NAMES[:3]] == ["ok", "ok", "denied"]
        for name in NAMES[3:]:
            assert answers[name].outcome == "cancelled"
            assert "It was not executed." in text_of(answers[name])
        assert rig.started == NAMES[:2]
        assert [block["tool_use_id"] for block in message(answers, rig)] == NAMES

    asyncio.run(body())
