"""The gate by itself: open questions, their revisions, and which answers count."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from tools.contract import Ground
from tools.events import (
    CallEvent,
    Decision,
    PermissionRequest,
    PermissionRequested,
    PermissionUpdated,
    PermissionWithdrawn,
)
from tools.permissions.gate import Answer, Gate, Pending, Recheck

YES, NO = Answer("once"), Answer("no")


def request(name: str, problem: str = "") -> PermissionRequest:
    decision = Decision("ask", "Nobody has said yes.", by_default=True)
    return PermissionRequest(f"ask-{name}", name, "Edit", {}, name, decision, (), problem=problem)


def play(body: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await body()

    asyncio.run(bounded())


class Told:
    def __init__(self) -> None:
        self.events: list[tuple[str, CallEvent]] = []

    def __call__(self, event: CallEvent, agent: str) -> None:
        self.events.append((agent, event))


def gate_of() -> tuple[Gate, Told]:
    told = Told()
    return Gate(told), told


def ask(gate: Gate, name: str = "c1", *paths: str, agent: str = "main", problem: str = "") -> Pending:
    return gate.ask(request(name, problem), agent, tuple(Ground(path, "hash") for path in paths))


def test_a_question_is_told_with_its_first_revision_and_whose_it_is() -> None:
    gate, told = gate_of()
    pending = ask(gate, agent="helper")
    assert told.events == [("helper", PermissionRequested(request("c1"), 1))]
    assert gate.waiting == (pending,)


def test_several_questions_wait_oldest_first_and_are_answered_in_any_order() -> None:
    async def body() -> None:
        gate, _ = gate_of()
        first, second, third = ask(gate, "c1"), ask(gate, "c2", agent="helper"), ask(gate, "c3")
        assert gate.waiting == (first, second, third)
        assert gate.answer("ask-c2", 1, YES)
        assert await second.next_word() == YES
        gate.close(second)
        assert gate.waiting == (first, third)
        assert gate.answer("ask-c3", 1, NO) and gate.answer("ask-c1", 1, YES)

    play(body)


def test_an_answer_to_an_old_revision_does_not_count() -> None:
    async def body() -> None:
        gate, told = gate_of()
        pending = ask(gate)
        changed = replace(request("c1"), summary="something else now")
        gate.update(pending, changed, (), "the file was changed outside")
        assert told.events[-1] == ("main", PermissionUpdated(changed, 2, "the file was changed outside"))
        assert not gate.answer("ask-c1", 1, YES)
        assert gate.answer("ask-c1", 2, NO)
        assert await pending.next_word() == NO

    play(body)


def test_an_answer_that_was_on_its_way_when_the_question_changed_is_void() -> None:
    async def body() -> None:
        gate, _ = gate_of()
        pending = ask(gate)
        assert gate.answer("ask-c1", 1, YES)
        gate.update(pending, request("c1"), (), "the file was changed outside")
        assert gate.answer("ask-c1", 2, NO), "the person is asked again and may answer again"
        assert await pending.next_word() == NO

    play(body)


def test_a_second_answer_does_not_count() -> None:
    gate, _ = gate_of()
    ask(gate)
    assert gate.answer("ask-c1", 1, YES)
    assert not gate.answer("ask-c1", 1, NO)


@pytest.mark.parametrize("how", ["withdrawn", "closed", "never asked"])
def test_an_answer_to_a_question_that_is_not_open_does_not_count(how: str) -> None:
    gate, _ = gate_of()
    if how != "never asked":
        pending = ask(gate)
        if how == "withdrawn":
            gate.withdraw(pending, "not needed any more")
        else:
            gate.close(pending)
    assert not gate.answer("ask-c1", 1, YES)


def test_a_call_that_comes_back_asks_with_the_next_revision_so_that_a_late_answer_is_void() -> None:
    gate, _ = gate_of()
    gate.close(ask(gate))
    again = ask(gate)
    assert again.revision == 2
    assert not gate.answer("ask-c1", 1, YES)
    assert gate.answer("ask-c1", 2, YES)


def test_a_question_is_withdrawn_once_and_told_why() -> None:
    gate, told = gate_of()
    pending = ask(gate, agent="helper")
    gate.withdraw(pending, "the call was cancelled")
    gate.withdraw(pending, "again")
    assert told.events[1:] == [("helper", PermissionWithdrawn("ask-c1", "the call was cancelled"))]
    assert gate.waiting == ()


def test_what_can_no_longer_be_applied_can_be_refused_but_not_allowed() -> None:
    gate, _ = gate_of()
    ask(gate, problem="The text to replace has gone.")
    for kind in ("once", "turn", "always"):
        assert not gate.answer("ask-c1", 1, Answer(kind))
    assert gate.answer("ask-c1", 1, Answer("tell_model"))


def test_a_changed_file_wakes_only_the_questions_that_rest_on_it() -> None:
    async def body() -> None:
        gate, _ = gate_of()
        on_it, not_on_it = ask(gate, "c1", "/a", "/b"), ask(gate, "c2", "/ab")
        gate.file_changed("/b", "the file was changed outside")
        assert await on_it.next_word() == Recheck("the file was changed outside")
        assert gate.answer("ask-c2", 1, YES)
        assert await not_on_it.next_word() == YES

    play(body)


def test_changed_rules_and_every_taken_answer_wake_all_the_others() -> None:
    async def body() -> None:
        gate, _ = gate_of()
        first, second = ask(gate, "c1"), ask(gate, "c2")
        gate.rules_changed("the mode is now plan")
        assert await first.next_word() == await second.next_word() == Recheck("the mode is now plan")
        gate.close(first)
        assert await second.next_word() == Recheck("another question was answered")

    play(body)


def test_headless_answers_speak_at_once_and_again_after_an_update() -> None:
    async def body() -> None:
        asked: list[str] = []

        def no(request: PermissionRequest) -> Answer:
            asked.append(request.summary)
            return NO

        gate = Gate(Told(), no)
        pending = ask(gate)
        assert await pending.next_word() == NO
        gate.update(pending, replace(request("c1"), summary="changed"), (), "changed")
        assert await pending.next_word() == NO
        assert asked == ["c1", "changed"]

    play(body)


def test_a_headless_yes_to_what_cannot_be_applied_becomes_a_word_to_the_model() -> None:
    async def body() -> None:
        pending = ask(Gate(Told(), lambda _: YES), problem="The text to replace has gone.")
        assert await pending.next_word() == Answer("tell_model")

    play(body)
