"""Asks whether a folder is trusted, before anything of it is used. A key that belongs to typing does not answer it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from textual import events
from textual.timer import Timer

from tui.screens.page import Page
from tui.screens.trust import Brought, most_scroll, trust_lines
from tui.sheet.keys import AFTER, ARMING, BEFORE

YES, NO, QUIT = "y", "n", "quit"


class TrustPage(Page):
    """Dismissed with YES, NO or QUIT; `typed` gets what was no answer."""

    def __init__(self, folder: str, brought: Sequence[Brought], kept: bool, typed: Callable[[str], None]) -> None:
        super().__init__(
            lambda look, scroll: trust_lines(folder, brought, look, scroll, kept),
            lambda look: most_scroll(folder, brought, look),
        )
        self._typed = typed
        self._counts_from: float | None = None
        self._last = 0.0
        self._held = ""
        self._answer: Timer | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._painted)

    @property
    def counts(self) -> bool:
        """Whether a key may answer by now."""
        return self._counts_from is not None and time.monotonic() >= self._counts_from

    def takes(self, event: events.Key) -> bool:
        if event.key == "escape":
            self.dismiss(QUIT)
            return True
        character = event.character if event.is_printable else None
        if character is None or event.key == "space":
            return False
        now = event.time
        alone, self._last = now - self._last >= BEFORE, now
        if alone and self.counts and character in (YES, NO):
            self._held = character
            self._answer = self.set_timer(AFTER, self._give_answer)
            return True
        if self._answer is not None:
            self._answer.stop()
        self._typed(self._held + character)
        self._held = ""
        return True

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._typed(event.text)

    def _give_answer(self) -> None:
        self.dismiss(self._held)

    def _painted(self) -> None:
        self._counts_from = time.monotonic() + ARMING
