"""Who gets a key while a sheet is shown: the person's draft, or the sheet. A small machine without a clock of its own.

The rule it keeps: a keystroke that belongs to typing never answers a question. A key answers only if the sheet has the
keys, if it was painted long enough ago, and if the key stands alone; what does not count goes into the prompt, in order
and whole. Times are seconds of any clock that only goes forward, given by whoever calls.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

# A prompt typed into this lately keeps the keys.
TYPING = 1.0
# From the paint on, until the keys count.
ARMING = 0.4
# Nothing typed for so long before a key that counts, nothing for so long after it.
BEFORE = 0.5
AFTER = 0.15
# Keys closer than this were not pressed one by one: it is a paste that the terminal sent as keys.
TOGETHER = 0.05
# A tick later than this says that the program was busy: keys typed meanwhile may still wait behind it.
LATE = 0.05

State = Literal["prompt", "arming", "armed", "held", "field"]


@dataclass(frozen=True, slots=True)
class Press:
    """A key that counts: an answer key, or "tab", "escape", "enter" where they are the sheet's."""

    key: str


@dataclass(frozen=True, slots=True)
class ToPrompt:
    """These characters belong into the prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class ToField:
    """These characters belong into the sheet's open field."""

    text: str


@dataclass(frozen=True, slots=True)
class Send:
    """Enter is the prompt's own."""


@dataclass(frozen=True, slots=True)
class TakeFocus:
    """The sheet has the keys now."""


@dataclass(frozen=True, slots=True)
class GiveFocus:
    """The prompt has the keys again."""


@dataclass(frozen=True, slots=True)
class ShowState:
    """Only the look changes: the keys have begun to count."""


Action = Press | ToPrompt | ToField | Send | TakeFocus | GiveFocus | ShowState


class SheetKeys:
    """`state` says where keys go: the prompt, or the sheet whose keys do not count yet (arming), count (armed), are
    waited out (held: one was pressed and may still turn out to be typing), or are typed into its field.

    Whatever is called answers with what is to be done, in order. `deadline` is when `tick` must be called next.
    """

    def __init__(self) -> None:
        self._state: State = "prompt"
        self._is_shown = False
        self._answers: Collection[str] = ()
        self._draft = False
        # When a key was last typed at all, and when last into the prompt.
        self._typed: float | None = None
        self._typed_into_prompt: float | None = None
        self._tabbed: float | None = None
        self._held = ""
        # What went to the prompt from here is a burst until half a second is quiet: its Enter does not send.
        self._burst = False
        self._due: float | None = None
        self._waited_longer = False
        # From the last paint: before it, also a field's Enter sends nothing.
        self._counts_from = 0.0
        # Whether somebody who writes the call anew has stopped to look at it.
        self._looked = False
        # Keys that came to mean more than when it was painted, and from when on they count.
        self._wider: Collection[str] = ()
        self._wider_from = 0.0

    @property
    def state(self) -> State:
        return self._state

    @property
    def lit(self) -> bool:
        """Whether the answers are to be drawn as keys that count."""
        return self._state in ("armed", "held")

    # -- what happens around the sheet

    def shown(
        self, now: float, draft: bool, last_typed: float | None = None, answers: Collection[str] = ()
    ) -> list[Action]:
        """A sheet or a new revision of it was painted. `answers`: the printable keys that mean something to it."""
        self._is_shown, self._answers, self._draft = True, answers, draft
        self._wider = ()
        self._counts_from = now + ARMING
        if last_typed is not None:
            self._typed_into_prompt = max(last_typed, self._typed_into_prompt or last_typed)
            self._typed = max(last_typed, self._typed or last_typed)
        if self._state == "field":
            return []
        if self._held:
            return self._to_prompt("", now)
        if draft or self._was_typing(now):
            return self._give()
        return self._take(now)

    def unseen(self, now: float, is_field_open: bool = False) -> list[Action]:
        """Something else is asked than was painted, or nothing can be seen of it: no key counts until it can."""
        self._is_shown, self._counts_from = False, math.inf
        if self._held:
            # It was meant for what stood there before.
            return self._to_prompt("", now)
        if self._state in ("arming", "armed") or (self._state == "field" and not is_field_open):
            self._become("arming")
            return [ShowState()]
        return []

    def widened(self, now: float, answers: Collection[str], wider: Collection[str]) -> list[Action]:
        """Others wait behind what is shown: the `wider` keys answer for more than they did, and are armed anew."""
        self._answers, self._wider, self._wider_from = answers, wider, now + ARMING
        return self._to_prompt("", now) if self._held and self._held in wider else []

    def gone(self, now: float) -> list[Action]:
        """Nothing asks any more."""
        self._is_shown = False
        return self._to_prompt("", now) if self._held else self._give()

    def give_away(self) -> list[Action]:
        """The sheet gives the keys to the prompt by itself, where the call is written anew."""
        self._draft, self._looked = True, False
        return self._give()

    def wrote(self, now: float, *, typing: bool) -> None:
        """A key where the call is written anew, Enter apart; one that moves or erases is not how a word goes on."""
        self._looked = self._looked or not typing or not self._within(self._typed, BEFORE, now)
        self._typed = self._typed_into_prompt = now

    def runs(self, now: float) -> bool:
        """Whether Enter runs what was written anew. The key that led there may have been the start of a word: where
        typing simply went on, without half a second's pause, nobody has looked yet."""
        looked = self._looked or not self._within(self._typed, BEFORE, now)
        return looked and now >= self._counts_from

    def draft_changed(self, now: float, draft: bool) -> list[Action]:
        """The prompt became empty, or got its first text from elsewhere than a key."""
        appeared = draft and not self._draft
        self._draft = draft
        if appeared and self._state in ("arming", "armed", "held"):
            return self._to_prompt("", now) if self._held else self._give()
        return []

    def field(self, now: float, is_open: bool) -> list[Action]:
        """The sheet has opened or closed its comment field."""
        if self._state == "prompt" or is_open == (self._state == "field"):
            return []
        if is_open:
            self._become("field")
        elif now < self._counts_from:
            self._become("arming", self._counts_from if self._is_shown else None)
        else:
            self._become("armed")
        return [ShowState()]

    # -- keys

    def key(self, char: str, now: float) -> list[Action]:
        """A printable key."""
        alone = not self._within(self._typed, BEFORE, now) and not self._within(self._tabbed, TOGETHER, now)
        self._burst = self._burst and not alone
        self._typed = now
        if self._state == "field":
            return [ToField(char)]
        # A key may have been typed before it counted, and only be heard now.
        counts = alone and now >= max(self._counts_from, self._wider_from if char in self._wider else 0.0)
        if self._state == "armed" and counts and char in self._answers:
            self._held = char
            self._become("held", now + AFTER)
            return []
        return self._to_prompt(char, now)

    def typed(self, now: float) -> list[Action]:
        """The prompt took a key by itself, printable or not."""
        actions = self._to_prompt("", now) if self._held else []
        self._burst = self._burst and self._within(self._typed, BEFORE, now)
        self._typed = self._typed_into_prompt = now
        return actions

    def moved(self, now: float) -> list[Action]:
        """Another key that types nothing, like an arrow. It is no typing, but a key held with it was not alone."""
        return self._to_prompt("", now) if self._held else []

    def paste(self, text: str, now: float) -> list[Action]:
        self._typed = now
        return [ToField(text)] if self._state == "field" else self._to_prompt(text, now)

    def enter(self, now: float) -> list[Action]:
        in_burst = self._within(self._typed, BEFORE, now)
        match self._state:
            case "field":
                return [Press("enter")] if now >= self._counts_from else []
            case "prompt":
                goes_on = self._burst and in_burst
                self._typed = self._typed_into_prompt = now
                return [ToPrompt("\n")] if goes_on else [Send()]
            case _:
                self._typed = now
                # Alone it means nothing here; in a burst it is a line break of what is being typed.
                return self._to_prompt("\n", now) if in_burst else []

    def tab(self, now: float) -> list[Action]:
        """From the prompt: deliberately to the sheet, whose keys then count at once. In the sheet: its field."""
        if self._state != "field" and self._within(self._typed, TOGETHER, now):
            return self._to_prompt("\t", now)
        if self._held:
            return self._to_prompt("", now)
        match self._state:
            case "prompt" if self._is_shown:
                self._typed, self._tabbed, self._burst = None, now, False
                self._counts_from = now
                self._become("armed")
                return [TakeFocus()]
            case "armed" | "field":
                return [Press("tab")]
            case _:
                return []

    def escape(self, now: float) -> list[Action]:
        """Counts at once wherever the sheet has the keys; in the prompt it is not ours."""
        if self._state == "prompt":
            return []
        return [*(self._to_prompt("", now) if self._held else ()), Press("escape")]

    # -- time

    def deadline(self, now: float) -> float | None:
        if self._state == "prompt":
            if not self._is_shown or self._draft:
                return None
            return now if self._typed_into_prompt is None else self._typed_into_prompt + TYPING
        return self._due

    def tick(self, now: float) -> list[Action]:
        due = self.deadline(now)
        if due is None or now < due:
            return []
        if self._state == "prompt":
            return self._take(now)
        if now > due + LATE and not self._waited_longer:
            self._due, self._waited_longer = now + AFTER, True
            return []
        pressed, self._held = self._held, ""
        self._become("armed")
        return [Press(pressed)] if pressed else [ShowState()]

    # -- how it is done

    def _take(self, now: float) -> list[Action]:
        had = self._state != "prompt"
        self._become("arming", now + ARMING)
        return [ShowState()] if had else [TakeFocus()]

    def _give(self) -> list[Action]:
        had = self._state != "prompt"
        self._become("prompt")
        return [GiveFocus()] if had else []

    def _to_prompt(self, text: str, now: float) -> list[Action]:
        """What was held and what came goes into the prompt, which from then on has a draft and the keys."""
        whole, self._held = self._held + text, ""
        self._draft = True
        self._burst = self._burst or self._state != "prompt"
        self._typed_into_prompt = now
        # First the focus, so that the text is written where the cursor already stands.
        return [*self._give(), ToPrompt(whole)]

    def _become(self, state: State, due: float | None = None) -> None:
        self._state, self._due, self._waited_longer = state, due, False

    def _was_typing(self, now: float) -> bool:
        return self._within(self._typed_into_prompt, TYPING, now)

    @staticmethod
    def _within(then: float | None, span: float, now: float) -> bool:
        return then is not None and now - then < span
