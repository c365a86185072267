"""One stream out of a session: the same for everybody, in one order, whatever the consumers do."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from agent.bus import Bus, Subscription
from agent.events import MAIN, Event, Notice, Stamped, TextDelta, TurnEnded, TurnStarted, UserMessage
from agent.model.scripted import text, tool_use
from agent.store.codec import from_plain, to_plain
from tests.support.sessions import play as play_session
from tests.support.sessions import session_in, turn, yes
from tools.events import ToolFinished, ToolStarted


def play(body: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await body()

    asyncio.run(bounded())


async def all_of(subscription: Subscription) -> list[Stamped]:
    return [stamped async for stamped in subscription]


def test_every_event_gets_the_next_number_the_time_and_its_owner() -> None:
    times = itertools.count(100.0, 0.5)
    bus = Bus(lambda: next(times), first_seq=7)
    first = bus.emit(UserMessage("hello"))
    second = bus.emit(ToolStarted("c1"), "helper")
    assert first == Stamped(7, 100.0, MAIN, UserMessage("hello"))
    assert second == Stamped(8, 100.5, "helper", ToolStarted("c1"))


def test_each_consumer_gets_everything_from_its_own_beginning() -> None:
    async def body() -> None:
        bus = Bus()
        early = bus.subscribe()
        one = bus.emit(TurnStarted(1))
        late = bus.subscribe()
        two, three = bus.emit(TextDelta("a")), bus.emit(TurnEnded("done"))
        bus.close()
        assert await all_of(early) == [one, two, three]
        assert await all_of(late) == [two, three]

    play(body)


def test_a_slow_consumer_holds_up_nobody_and_misses_nothing() -> None:
    async def body() -> None:
        bus = Bus()
        slow, fast = bus.subscribe(), bus.subscribe()
        taken: list[Stamped] = []

        async def take() -> None:
            async for stamped in fast:
                taken.append(stamped)

        taking = asyncio.create_task(take())
        sent: list[Stamped] = []
        for number in range(1_000):
            sent.append(bus.emit(TextDelta(str(number))))
            if number % 100 == 0:
                await asyncio.sleep(0)
                assert taken == sent, "the fast one has it all while the slow one took nothing"
        bus.close()
        await taking
        assert taken == await all_of(slow) == sent

    play(body)


def test_what_has_arrived_can_be_taken_without_waiting() -> None:
    async def body() -> None:
        bus = Bus()
        subscription = bus.subscribe()
        assert subscription.waiting() == []
        one, two = bus.emit(TextDelta("a")), bus.emit(TextDelta("b"))
        assert subscription.waiting() == [one, two]
        assert subscription.waiting() == []
        three = bus.emit(TextDelta("c"))
        bus.close()
        assert subscription.waiting() == [three]
        assert subscription.waiting() == []
        assert await all_of(subscription) == []

    play(body)


def test_a_consumer_that_leaves_gets_no_more_and_the_others_do() -> None:
    async def body() -> None:
        bus = Bus()
        stays = bus.subscribe()
        with bus.subscribed() as leaves:
            one = bus.emit(TextDelta("a"))
        two = bus.emit(TextDelta("b"))
        bus.unsubscribe(leaves)
        bus.close()
        bus.unsubscribe(stays)
        assert await all_of(leaves) == [one]
        assert await all_of(stays) == [one, two]
        assert await all_of(stays) == [], "the end stays the end"

    play(body)


def test_after_the_close_there_is_nothing_to_come() -> None:
    async def body() -> None:
        bus = Bus()
        bus.close()
        bus.close()
        assert await all_of(bus.subscribe()) == []

    play(body)


def test_who_listens_directly_hears_at_once_also_after_the_close() -> None:
    bus = Bus()
    heard: list[Stamped] = []
    bus.listen(heard.append)
    one = bus.emit(TurnStarted(1))
    assert heard == [one]
    bus.close()
    two = bus.emit(Notice("The record could not be written."))
    assert heard == [one, two]


def test_what_a_listener_emits_while_it_listens_comes_after_for_everybody() -> None:
    async def body() -> None:
        bus = Bus()
        heard: list[int] = []

        def answers(stamped: Stamped) -> None:
            if isinstance(stamped.event, UserMessage):
                bus.emit(Notice("first"))
                bus.emit(Notice("second"))

        bus.listen(answers)
        bus.listen(lambda stamped: heard.append(stamped.seq))
        subscription = bus.subscribe()
        bus.emit(UserMessage("hello"))
        assert heard == [1, 2, 3]
        assert [stamped.seq for stamped in subscription.waiting()] == [1, 2, 3]

    play(body)


def test_a_listener_that_fails_is_not_silenced_and_the_bus_goes_on() -> None:
    bus = Bus()
    heard: list[Stamped] = []

    def broken(stamped: Stamped) -> None:
        if isinstance(stamped.event, UserMessage):
            raise RuntimeError("broken")

    bus.listen(heard.append)
    bus.listen(broken)
    with pytest.raises(RuntimeError, match="broken"):
        bus.emit(UserMessage("hello"))
    bus.emit(TurnStarted(1))
    assert [stamped.seq for stamped in heard] == [1, 2]


def test_events_are_plain_data_that_nobody_can_change() -> None:
    for kind in get_args(Event):
        assert dataclasses.is_dataclass(kind)
        assert kind.__dataclass_params__.frozen, kind  # type: ignore[attr-defined]  # every dataclass has them
    with pytest.raises(dataclasses.FrozenInstanceError):
        UserMessage("a").text = "b"  # type: ignore[misc]  # that is the point


def through_a_file(stamped: Stamped) -> Stamped | None:
    found: Any = json.loads(json.dumps(to_plain(stamped)))
    return from_plain(found)


def test_the_stream_of_a_real_session_replays_into_the_same_data(tmp_path: Path) -> None:
    async def body() -> None:
        script = [
            [text("Let me see."), tool_use("c1", "Bash", command="echo one; sleep 0.01; echo two")],
            [tool_use("c2", "Write", file_path="a.txt", content="new\n"), tool_use("c3", "Nope")],
            [text("Done.")],
        ]
        async with session_in(tmp_path, script, yes) as (session, seen):
            with session.bus.subscribed() as subscription:
                await turn(session)
                arrived = subscription.waiting()
            assert arrived == seen.stamped[-len(arrived) :]
            numbers = [stamped.seq for stamped in seen.stamped]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            assert {stamped.agent for stamped in seen.stamped} == {MAIN}
            assert [through_a_file(stamped) for stamped in seen.stamped] == seen.stamped
            ends = {event.id: event.outcome for event in seen.all(ToolFinished)}
            assert ends == {"c1": "ok", "c2": "ok", "c3": "failed"}

    play_session(body)
