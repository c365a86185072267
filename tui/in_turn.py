"""What comes from the terminal, handed to the app one after the other: a key first when the one before it is done.

Textual looks for a key's binding only after the key has gone from the widget with the focus up to the app, through the
queue of each on its way. A letter, or a paste, that comes in the same breath is in the text by then: in a burst the
letter would stand before the cursor has moved. So whatever follows a key waits until the key has come through.
"""

from __future__ import annotations

from asyncio import TimerHandle, get_running_loop
from collections import deque
from typing import TYPE_CHECKING, Any

from textual.events import Key

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.message import Message

# A key that is not through after so long, because what it went to is gone or at work, holds up no others.
STUCK_SECONDS = 0.5


class InTurn:
    """Used in the thread of the app's loop."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self.waiting: deque[Message] = deque()
        self._stuck: TimerHandle | None = None
        self._keys = 0

    def take(self, message: Message) -> None:
        self.waiting.append(message)
        if self._stuck is None:
            self._hand_over()

    def _hand_over(self) -> None:
        while self.waiting:
            message = self.waiting.popleft()
            self._app.post_message(message)
            if isinstance(message, Key):
                self._keys += 1
                self._stuck = get_running_loop().call_later(STUCK_SECONDS, self._through, self._keys)
                # Behind the key in the queue of the app, and then in those of all it goes through.
                self._app.call_later(self._set_out, self._keys)
                return

    def _set_out(self, key: int) -> None:
        self._follow((self._app.focused or self._app.screen).ancestors_with_self, key)

    def _follow(self, way: list[DOMNode], key: int) -> None:
        while way:
            at, *way = way
            if at.call_later(self._follow, way, key):
                return
        self._through(key)

    def _through(self, key: int) -> None:
        if key == self._keys and self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None
            self._hand_over()
