"""Textual's hold on the terminal: takes over from the first frame without a blank, a jump or a lost key.

Three things lose keys at such a hand-over, and each is answered here. A reader that goes on after it was told to stop:
the first frame's has left before this one begins. A terminal mode set with a flush: none is. And keys that arrive
before a widget has the focus, which Textual gives to nobody: they wait here until one has it.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
import time
from threading import Event
from typing import TYPE_CHECKING, Any

from textual.app import ScreenStackError
from textual.drivers.linux_driver import LinuxDriver

from tui.first_frame import FirstFrame, Terminal
from tui.in_turn import InTurn
from tui.keyboard import Keyboard

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message

ENTER_ALTERNATE = "\x1b[?1049h"
PIXELS_OFF = "\x1b[?1016l"
HUNG_UP = 129
# Without any focus for so long, keys go to whoever takes them.
FOCUS_SECONDS = 3.0
LOOK_AGAIN_SECONDS = 0.005


class ScreenDriver(LinuxDriver):
    """Use `taking_over(...)`, which says from whom."""

    terminal: Terminal
    first: FirstFrame | None = None

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)  # pyright: ignore[reportUnknownMemberType] (Textual leaves open of which App)
        self._leftover = b""
        self._on_alternate = False
        self._has_focus = Event()
        self._wake, self._waker = os.pipe()
        self._in_turn = InTurn(app)
        self._is_on = self._was_on = False
        signal.signal(signal.SIGTSTP, self._told_to_sleep)
        signal.signal(signal.SIGCONT, self._told_to_wake)

    def start_application_mode(self) -> None:
        """At the start, and again whenever the program comes back from sleep or from an editor."""
        first, self.first = self.first, None
        came_back = self._was_on
        if first is not None:
            self._leftover = first.leftover()
            self._on_alternate = True
        elif came_back:
            self.terminal.taken_again = time.monotonic()
        self.terminal.taken = self._is_on = self._was_on = True
        super().start_application_mode()
        if first is not None:
            # What Textual found is the first frame's mode.
            self.attrs_before = self.terminal.attributes
        elif came_back:
            # Others have written over it. Textual draws all of it anew only where the size is another.
            self._loop.call_soon(lambda: self._app.refresh(layout=True))
        self._wait_for_focus(time.monotonic() + FOCUS_SECONDS)

    def stop_application_mode(self) -> None:
        super().stop_application_mode()
        self.write(PIXELS_OFF)
        self.terminal.taken = self._is_on = False

    # Both signals may come in the midst of a write, which cannot be begun anew within itself: what they lead to waits
    # for its turn, unless the terminal is not ours, as while an editor has it.

    def _told_to_sleep(self, *_: object) -> None:
        if self._is_on:
            self._loop.call_soon_threadsafe(self._sleep)
        else:
            self._sleep()

    def _told_to_wake(self, *_: object) -> None:
        if self._was_on and self._auto_restart:
            self._loop.call_soon_threadsafe(self._wake_up)

    def _sleep(self) -> None:
        if self._is_on:
            self.suspend_application_mode()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _wake_up(self) -> None:
        """Who was put to sleep by somebody else, without a word, still holds the terminal, though it may have been
        another's meanwhile: it is let go, as it should have been, and taken anew."""
        if self._is_on:
            self.suspend_application_mode()
        self._must_signal_resume = True
        self.resume_application_mode()

    def send_message(self, message: Message) -> None:
        self._loop.call_soon_threadsafe(self._in_turn.take, message)

    def write(self, data: str) -> None:
        if self._on_alternate and data == ENTER_ALTERNATE:
            # Entering it twice would clear it.
            self._on_alternate = False
            return
        # A writer that is gone, because its terminal is, would let its queue run full and everybody wait.
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    def _get_terminal_size(self) -> tuple[int, int]:
        """The terminal's own, as in the first frame, whatever COLUMNS and LINES may say."""
        try:
            columns, lines = os.get_terminal_size(self.fileno)
        except OSError:
            return super()._get_terminal_size()
        return columns, lines

    def disable_input(self) -> None:
        self._has_focus.set()
        os.write(self._waker, b"x")
        super().disable_input()

    def close(self) -> None:
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().close()

    def run_input_thread(self) -> None:
        """Waits without a clock: nothing wakes it but a key, the rest of a sequence that is due, or the end."""
        self._has_focus.wait()
        keyboard = Keyboard(self._debug)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        due: float | None = None
        data, self._leftover = self._leftover, b""
        while True:
            if data:
                for message in keyboard.heard(decode(data)):
                    self.process_message(message)
                due = None if keyboard.patience is None else time.monotonic() + keyboard.patience
            elif due is not None and time.monotonic() >= due:
                for message in keyboard.waited():
                    self.process_message(message)
                due = None
            ready = self._wait(due)
            if self._wake in ready:
                os.read(self._wake, 1024)
                return
            data = b""
            if self.fileno in ready:
                data = self._read()
                if not data:
                    self._loop.call_soon_threadsafe(self._app.exit, None, HUNG_UP)
                    return

    def _wait(self, due: float | None) -> list[int]:
        seconds = None if due is None else max(due - time.monotonic(), 0)
        return select.select([self.fileno, self._wake], [], [], seconds)[0]

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _wait_for_focus(self, deadline: float) -> None:
        try:
            focused = self._app.focused
        except ScreenStackError:
            focused = None
        if focused is not None or time.monotonic() > deadline:
            self._has_focus.set()
        else:
            self._loop.call_later(LOOK_AGAIN_SECONDS, self._wait_for_focus, deadline)


def taking_over(terminal: Terminal, first: FirstFrame | None) -> type[ScreenDriver]:
    return type("TakingOver", (ScreenDriver,), {"terminal": terminal, "first": first})
