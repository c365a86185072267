"""The first frame: prompt and status line on the screen, and keys heard, long before Textual is imported.

The terminal is put into the mode Textual uses, so nothing changes for it when Textual takes over, and one reader has
it at a time: a thread here, until it is told to stop, then Textual's. It reads only what is already there and
leaves at once, so what comes later waits in the terminal for the next reader. Plain typing becomes the prompt's text;
from the first key that means anything else on, the bytes are kept as they came, for Textual's own parser.

Imports only what the interpreter has loaded anyway, or nearly so.
"""

from __future__ import annotations

import _thread
import os
import termios

from tui.first_paint import COLORS, FirstPaint
from tui.glance import glance

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Sequence
    from typing import Any, NoReturn
else:
    import _signal  # what `signal` is made of, without the enumerations that take it a while

LEAST_COLUMNS, LEAST_ROWS = 60, 15
# Everything a full-screen program of ours may have switched on, off; what is off already does not mind.
ALL_OFF = (
    b"\x1b[?2026l\x1b[?2004l\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[?1004l"
    b"\x1b[<u\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"
)


def first_frame(args: Sequence[str]) -> FirstFrame | None:
    """Painted, and listening; None where it is not to be or cannot be shown."""
    if not has_terminal():
        return None
    columns, rows = os.get_terminal_size(0)
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        return None
    seen = glance(args, os.environ)
    if seen is None or seen.theme not in COLORS:
        return None
    return FirstFrame(FirstPaint(seen, columns, rows))


def has_terminal() -> bool:
    return os.isatty(0) and os.isatty(1) and os.isatty(2)


class Terminal:
    """The terminal as it was found, to be given back the same whatever happens in between."""

    def __init__(self) -> None:
        self.attributes: list[Any] = termios.tcgetattr(0)
        # Whether something of ours is on now, which somebody must switch off again.
        self.taken = False
        # When it was last taken again, by a clock that only goes forward, after somebody else had it.
        self.taken_again = 0.0

    def take(self) -> None:
        """No line editing and no signals by key: the mode Textual uses. What was typed before stays in the queue."""
        raw: list[Any] = termios.tcgetattr(0)
        raw[0] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        raw[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        raw[6][termios.VMIN] = 1
        self.taken = True
        # Not TCSAFLUSH: that would throw away what was typed meanwhile.
        termios.tcsetattr(0, termios.TCSANOW, raw)

    def give_back(self) -> None:
        if not self.taken:
            return
        self.taken = False
        try:
            write(ALL_OFF)
            termios.tcsetattr(0, termios.TCSANOW, self.attributes)
        except (OSError, termios.error):
            # The window is gone, and everything in it.
            return


class FirstFrame:
    def __init__(self, paint: FirstPaint) -> None:
        self.terminal = Terminal()
        self._paint = paint
        self._typed = Typed()
        self._wake, self._waker = os.pipe()
        self._stopped = _thread.allocate_lock()
        leave_when_told()
        try:
            self.terminal.take()
            write(paint.frame().encode())
            self._stopped.acquire()
            _thread.start_new_thread(self._listen, ())
        except BaseException:
            self.terminal.give_back()
            raise

    def typed(self) -> str:
        """What was typed, from now on for good: keys that come later wait for the next reader."""
        self._stop()
        return self._typed.text

    def leftover(self) -> bytes:
        """What came after it and is not plain text, as it came."""
        self._stop()
        return self._typed.rest

    def give_back(self) -> None:
        """Leave the terminal as it was found, unless that has been done."""
        self._stop()
        self.terminal.give_back()

    def _stop(self) -> None:
        if self._waker >= 0:
            os.close(self._waker)
            self._waker = -1
            self._stopped.acquire()
            os.close(self._wake)

    def _listen(self) -> None:
        from select import select

        try:
            while True:
                ready, _, _ = select([0, self._wake], [], [])
                if self._wake in ready:
                    break
                data = os.read(0, 4096)
                if not data:
                    break
                if self._typed.take(data):
                    write(self._paint.prompt(self._typed.text).encode())
        except OSError:
            # The window is gone; SIGHUP says so to everybody else.
            return
        finally:
            self._typed.close()
            self._stopped.release()


class Typed:
    """Bytes as they come, made into the text of the prompt as far as they are plain typing."""

    def __init__(self) -> None:
        self.text = ""
        self.rest: bytes = b""
        self._begun: bytes = b""

    def take(self, data: bytes) -> bool:
        """True where the text is another one now."""
        if self.rest:
            self.rest += data
            return False
        before = self.text
        data = self._begun + data
        whole = _whole_characters(data)
        self._begun = data[whole:]
        text = data[:whole].decode("utf-8", "surrogateescape")
        for number, character in enumerate(text):
            if not self._type(character):
                self.rest = text[number:].encode("utf-8", "surrogateescape") + self._begun
                self._begun = b""
                break
        return self.text != before

    def close(self) -> None:
        """Half a character is left to who reads the other half."""
        self.rest += self._begun
        self._begun = b""

    def _type(self, character: str) -> bool:
        """Whether it was plain typing."""
        if character in "\x7f\b":
            self.text = self.text[:-1]
        elif character == "\x15":
            self.text = self.text[: self.text.rfind("\n") + 1]
        elif character == "\n" or (character.isprintable() and (self.text or character != "?")):
            self.text += character
        else:
            return False
        return True


def _whole_characters(data: bytes) -> int:
    """How many bytes are not the beginning of a character whose end has not come yet."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if back < needed else len(data)
    return len(data)


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def leave_when_told() -> None:
    """SIGTERM and SIGHUP are raised where the program stands, so that the terminal is given back on the way out."""
    for number in (_signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) is not _signal.SIG_IGN:
            _signal.signal(number, _leave)


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
