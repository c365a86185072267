"""A sub-operation of a running call asks like any call, through `ctx.may_i`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import FakeInput, Rig, fake, one_call, settled, text_of, until
from tools.context import ToolContext
from tools.events import PermissionDecided, ToolFinished

PARTS: dict[str, dict[str, Any]] = {
    "allowed": {"text": "x"},
    "asked": {"text": "x", "says": "ask"},
    "denied": {"text": "x", "says": "deny"},
    "invalid": {"nonsense": 1},
    "by rule": {"text": "x", "path": "secret/a"},
}


async def _asks(input: FakeInput, ctx: ToolContext) -> str:
    allowed = await ctx.may_i(input.path or "Edit", PARTS[input.text])
    return "may" if allowed else "may not"


def _rig(folder: Path) -> Rig:
    rig = Rig(folder, fake(work=_asks, touches_nothing=True), fake(name="Edit"))
    rig.policy.add_rule("Edit(secret/**)", "deny")
    return rig


@pytest.mark.parametrize(
    ("part", "word"), [("allowed", "may"), ("denied", "may not"), ("invalid", "may not"), ("by rule", "may not")]
)
def test_may_i_judges_the_part_by_the_same_rules(tmp_path: Path, part: str, word: str) -> None:
    rig = _rig(tmp_path)
    assert text_of(one_call(rig, text=part)) == word
    assert [event.id for event in rig.of(ToolFinished)] == ["c1"], "a part is no call: it has no end of its own"


def test_may_i_for_a_tool_that_is_not_there_is_no(tmp_path: Path) -> None:
    assert text_of(one_call(_rig(tmp_path), text="allowed", path="Gone")) == "may not"


@pytest.mark.parametrize(("answer", "word"), [("once", "may"), ("no", "may not")])
def test_may_i_asks_the_person_where_a_call_would_be_asked(tmp_path: Path, answer: str, word: str) -> None:
    async def all_of_it() -> None:
        rig = _rig(tmp_path)
        talk = rig.talk()
        talk.add("c1", text="asked")
        await until(lambda: rig.asked)
        (asked,) = rig.gate.waiting
        assert asked.request.tool == "Edit"
        rig.answer(asked.request.call_id, answer)
        answered = (await talk.answers())["c1"]
        assert (answered.outcome, text_of(answered)) == ("ok", word)

    asyncio.run(all_of_it())


def test_may_i_for_two_parts_at_once_are_two_questions(tmp_path: Path) -> None:
    async def both(input: FakeInput, ctx: ToolContext) -> str:
        return str(await asyncio.gather(*(ctx.may_i("Edit", PARTS["asked"]) for _ in range(2))))

    async def all_of_it() -> None:
        rig = Rig(tmp_path, fake(work=both, touches_nothing=True), fake(name="Edit"))
        talk = rig.talk()
        talk.add("c1")
        await until(lambda: len(rig.asked) == 2)
        first, second = rig.asked
        rig.answer(second, "once")
        await settled()
        assert rig.asked == [first]
        rig.answer(first, "no")
        assert text_of((await talk.answers())["c1"]) == "[False, True]"

    asyncio.run(all_of_it())


def test_may_i_answered_with_stop_ends_the_call_and_the_turn(tmp_path: Path) -> None:
    async def all_of_it() -> None:
        rig = _rig(tmp_path)
        talk = rig.talk()
        talk.add("c1", text="asked")
        talk.add("c2", "Edit")
        await until(lambda: rig.asked)
        rig.answer(rig.asked[0], "stop")
        answers = await talk.answers()
        assert (answers["c1"].outcome, answers["c1"].stop) == ("denied", True)
        assert answers["c2"].outcome == "cancelled"

    asyncio.run(all_of_it())


def test_may_i_of_a_cancelled_call_withdraws_its_question(tmp_path: Path) -> None:
    async def all_of_it() -> None:
        rig = _rig(tmp_path)
        talk = rig.talk()
        talk.add("c1", text="asked")
        await until(lambda: rig.asked)
        talk.executor.cancel("c1", "enough")
        assert (await talk.answers())["c1"].outcome == "cancelled"
        assert rig.asked == []

    asyncio.run(all_of_it())


def test_may_i_is_told_as_decided_under_a_name_of_its_own(tmp_path: Path) -> None:
    rig = _rig(tmp_path)
    one_call(rig, text="allowed")
    ids = [event.call_id for event in rig.of(PermissionDecided)]
    assert ids[0] == "c1"
    assert len(set(ids)) == 2
