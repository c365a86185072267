"""What the terminal sends, taken apart into what a person typed, pasted or clicked, and what is nobody's key.

Textual's parser knows the keys. But what it does not know it types out letter by letter, also the Enter in a paste that
holds an escape sequence, and some of what a terminal may say ends it. So it is given one whole sequence at a time: a
paste never passes through it, and a sequence it makes nothing of, or breaks at, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from itertools import chain

from textual import constants, events
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual.drivers.linux_driver import XTermParser  # pyright: ignore[reportPrivateImportUsage] (whose bytes these are decides who parses them)
from textual.message import Message

# A sequence that nobody can have typed may come in pieces over a slow line.
REST_SECONDS = 1.0
# No key or click is longer, and Textual types out what is.
LONGEST = 32
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_PLAIN = re.compile(r"[^\x1b]+")
_SEQUENCE = re.compile(
    r"\x1b(?:\[(?:\[[A-E]|M[^\x1b]{3}|\d{1,2}\$(?!y)|[0-?]*[ -/]*[@-LN-Z\\-~]|[0-?]+M)|O[\d;]*[A-Za-z])"
)
# What a terminal answers when it is asked about itself.
_ANSWER = re.compile(r"\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)")
_BEGUN = re.compile(r"\x1b(?:\[(?:\[|M[^\x1b]{0,2}|[0-?]*[ -/]*)?|O[\d;]*|[\]PX^_][^\x07\x1b]{0,4096}\x1b?)?")
_NOBODY_TYPED = re.compile(r"\x1b\[(?:[0-?]|M)")
# A key with what it would be under another layout and whether it went down or up, which nobody asked the terminal for.
_KEY_AT_LENGTH = re.compile(r"\x1b\[(\d*)(?::[\d:]*)?(?:;(\d*)(?::(\d*))?)?(;[\d:]*)?([u~A-HPQS])")
_WENT_UP = "3"
_ALT_ENTER = ("\x1b\r", "\x1b\n")


class Keyboard:
    """Used by one thread. `patience` is how long to wait, with nothing coming, before `waited` is called."""

    def __init__(self, debug: bool = False) -> None:
        self._debug = debug
        self._parser = XTermParser(debug)
        self._begun = ""
        self._pasted: list[str] | None = None

    @property
    def patience(self) -> float | None:
        """None where nothing is waited for."""
        if not self._begun or self._pasted is not None:
            return None
        return REST_SECONDS if _NOBODY_TYPED.match(self._begun) else constants.ESCAPE_DELAY

    def heard(self, text: str) -> Iterator[Message]:
        text, self._begun = self._begun + text, ""
        at: int = 0
        while at < len(text):
            if self._pasted is not None:
                at = yield from self._in_paste(text, at)
            elif found := _PLAIN.match(text, at) or _SEQUENCE.match(text, at):
                at = found.end()
                yield from self._said(found[0])
            elif found := _ANSWER.match(text, at):
                at = found.end()
            elif _BEGUN.fullmatch(text, at):
                self._begun = text[at:]
                return
            else:
                # Alt is sent as Esc before the key; before the next sequence it is Esc itself.
                after = at + 1 if text.startswith("\x1b", at + 1) else at + 2
                yield from self._typed(text[at:after])
                at = after

    def waited(self) -> Iterator[Message]:
        """Nothing came for so long: what has begun was keys."""
        begun, self._begun = self._begun, ""
        if begun:
            yield from self._typed(begun[:2])
            yield from self._said(begun[2:].replace("\x1b", ""))

    def _in_paste(self, text: str, at: int) -> Generator[Message, None, int]:
        """Where it goes on."""
        pasted = self._pasted or []
        end = text.find(_PASTE_ENDS, at)
        if end < 0:
            # Its last letters may be the first ones of its end.
            begun = next(n for n in range(len(_PASTE_ENDS) - 1, -1, -1) if text.endswith(_PASTE_ENDS[:n], at))
            pasted.append(text[at : len(text) - begun])
            self._pasted, self._begun = pasted, text[len(text) - begun :]
            return len(text)
        pasted.append(text[at:end])
        self._pasted = None
        yield events.Paste("".join(pasted).replace("\x00", ""))
        return end + len(_PASTE_ENDS)

    def _said(self, said: str) -> Iterator[Message]:
        """Text, or one whole sequence."""
        if said == _PASTE_BEGINS:
            self._pasted = []
        elif said := _shorter(said):
            yield from self._parsed(said)

    def _typed(self, keys: str) -> Iterator[Message]:
        """Esc, alone or as the Alt of one more key."""
        if keys in _ALT_ENTER:
            yield events.Key("alt+enter", None)
            return
        parser = XTermParser(self._debug)
        # The end of everything is how it is told that no more of this one comes.
        yield from chain(parser.feed(keys), parser.feed(""))

    def _parsed(self, said: str) -> Iterator[Message]:
        parser = self._parser
        try:
            messages = list(parser.feed(said))
        except Exception:  # a number too large, a size of nothing: whatever it is, the program goes on
            messages = []
        if not messages:
            # It may still wait for more.
            self._parser = _like(parser, XTermParser(self._debug))
        yield from messages


def _shorter(said: str) -> str:
    """A key as Textual knows it; nothing of one that only went up, or that it would take for a letter."""
    if said.startswith("\x1b") and len(said) > LONGEST:
        return ""
    found = _KEY_AT_LENGTH.fullmatch(said)
    if found is None:
        return said
    code, modifiers, way, text, end = found.groups(default="")
    is_letter = end == "u" or text
    if way == _WENT_UP or not (is_letter or f"{code or 1}{end}" in FUNCTIONAL_KEYS):
        return ""
    return f"\x1b[{code}{';' if modifiers or text else ''}{modifiers}{text}{end}"


def _like(before: XTermParser, after: XTermParser) -> XTermParser:
    """With what the other knew of the mouse and of the terminal's size."""
    after.last_x, after.last_y, after.mouse_pixels = before.last_x, before.last_y, before.mouse_pixels
    after.terminal_size, after.terminal_pixel_size = before.terminal_size, before.terminal_pixel_size
    return after
