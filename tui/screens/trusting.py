"""Asks whether a folder is trusted, before anything of it is used. A key that belongs to typing does not answer it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from textual import events
from textual.timer import Timer

from tui.screens.page import Page
from tui.screens.trust import Brought, most_scroll, trust_lines
from tui.sheet.keys import AFTER, ARMING, BEFORE, LATE

YES, NO, QUIT = "y", "n", "quit"


class TrustPage(Page):
    """Dismissed with YES, NO or QUIT; `typed` gets what was no answer."""

    def __init__(
        self,
        folder: str,
        brought: Sequence[Brought],
        kept: bool,
        typed: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            lambda look, scroll: trust_lines(folder, brought, look, scroll, kept),
            lambda look: most_scroll(folder, brought, look),
        )
        self._typed = typed
        self._now = now
        self._counts_from = math.inf
        self._last = 0.0
        # An answer that may still turn out to be the start of a word, and until when.
        self._held = ""
        self._due = 0.0
        self._waiting: Timer | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._painted)

    @property
    def counts(self) -> bool:
        """Whether a key may answer by now."""
        return self._now() >= self._counts_from

    def takes(self, event: events.Key) -> bool:
        if event.key == "escape":
            self.dismiss(QUIT)
            return True
        character = event.character if event.is_printable else None
        alone = event.time - self._last >= BEFORE
        if character is None or (character == " " and alone):
            self._let_go("")
            return False
        self._last = event.time
        # A key may have been typed before it counted, and only be heard now.
        if alone and event.time >= self._counts_from and character in (YES, NO):
            self._held, self._due = character, event.time + AFTER
            self._waiting = self.set_timer(AFTER, self._give_answer)
        else:
            self._let_go(character)
        return True

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._let_go(event.text)

    def _let_go(self, more: str) -> None:
        """What was held is no answer: with what follows it belongs to the prompt."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        words, self._held = self._held + more, ""
        if words:
            self._typed(words)

    def _give_answer(self) -> None:
        if self._now() > self._due + LATE:
            # The program was busy: keys typed meanwhile may still wait behind this.
            self._due = math.inf
            self._waiting = self.set_timer(AFTER, self._give_answer)
        else:
            self.dismiss(self._held)

    def _painted(self) -> None:
        self._counts_from = self._now() + ARMING
