"""One stream of events out of a session, for as many consumers as want it.

Loops, executors, the watcher, tasks and servers all emit here, also between turns. Each consumer has a queue of its
own, so that a slow one holds up nobody; what must not miss anything, such as the record on disk, listens directly.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager

from agent.events import MAIN, Event, Stamped

Listener = Callable[[Stamped], None]


class Subscription:
    """One consumer's queue. Iterating ends when the bus is closed or the subscription is."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Stamped | None] = asyncio.Queue()

    def put(self, stamped: Stamped | None) -> None:
        self._queue.put_nowait(stamped)

    def waiting(self) -> list[Stamped]:
        """What has arrived and was not taken yet, without waiting."""
        taken: list[Stamped] = []
        while not self._queue.empty():
            stamped = self._queue.get_nowait()
            if stamped is None:
                self.put(None)
                break
            taken.append(stamped)
        return taken

    async def __aiter__(self) -> AsyncIterator[Stamped]:
        while (stamped := await self._queue.get()) is not None:
            yield stamped
        # The end stays the end, for whoever looks again.
        self.put(None)


class Bus:
    def __init__(self, clock: Callable[[], float] = time.time, first_seq: int = 1) -> None:
        self._clock = clock
        self._next = first_seq
        self._subscriptions: list[Subscription] = []
        self._listeners: list[Listener] = []
        self._outgoing: deque[Stamped] = deque()
        self._delivering = False
        self._closed = False

    def emit(self, event: Event, agent: str = MAIN) -> Stamped:
        """Everybody gets the events in the order of their numbers, also those a listener emits while it listens."""
        stamped = Stamped(self._next, self._clock(), agent, event)
        self._next += 1
        self._outgoing.append(stamped)
        if not self._delivering:
            self._deliver_all()
        return stamped

    def _deliver_all(self) -> None:
        self._delivering = True
        try:
            while self._outgoing:
                stamped = self._outgoing.popleft()
                for subscription in self._subscriptions:
                    subscription.put(stamped)
                for listener in tuple(self._listeners):
                    listener(stamped)
        finally:
            self._delivering = False

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def subscribe(self) -> Subscription:
        """From now on; after the close there is nothing to come, and iterating ends at once."""
        subscription = Subscription()
        if self._closed:
            subscription.put(None)
        else:
            self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """What has arrived can still be taken. A second time, or after the close, it does nothing."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
            subscription.put(None)

    @contextmanager
    def subscribed(self) -> Generator[Subscription]:
        subscription = self.subscribe()
        try:
            yield subscription
        finally:
            self.unsubscribe(subscription)

    def close(self) -> None:
        self._closed = True
        for subscription in list(self._subscriptions):
            self.unsubscribe(subscription)
