"""What the person said while the model works, until the model is told of it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

from agent.events import Event, MessageQueued, MessageTakenBack, Notice, UserMessage
from agent.hooks import PromptWord


class Waiting:
    """`hear` asks the hooks about a message; None says that somebody stopped that."""

    def __init__(self, emit: Callable[[Event], None], hear: Callable[[str], Awaitable[PromptWord | None]]) -> None:
        self._emit = emit
        self._hear = hear
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str) -> None:
        self._texts.append(text)
        self._emit(MessageQueued(text))

    def take_back(self) -> list[str]:
        """To the person who wrote them."""
        taken, self._texts = self._texts, []
        for text in taken:
            self._emit(MessageTakenBack(text))
        return taken

    def take_first(self) -> str:
        return self._texts.pop(0)

    async def take(self, most: int = sys.maxsize) -> list[str]:
        """The first ones for the model, with what hooks add; after an interruption the rest goes on waiting."""
        taken: list[str] = []
        while self._texts and most > 0:
            most -= 1
            text = self._texts.pop(0)
            word = await self._hear(text)
            if word is None:
                self._texts.insert(0, text)
                break
            self._emit(UserMessage(text))
            if word.refusal:
                self._emit(Notice(f"The message was not sent. {word.refusal}", "warning"))
            else:
                taken += [word.context, text]
        return taken
