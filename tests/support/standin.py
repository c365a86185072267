"""A small app in the place of the real one, for what start, hand-over and end promise whatever the app is.

Beside typing: F2 says what it was started with, F8 fails, F9 ends with words. Started by `tests.support.starting`.
"""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Footer, Static, TextArea

from tui.start import Start


class Prompt(TextArea):
    def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.prevent_default()
            self.app.query_one("#said", Static).update(f"SENT {self.text!r}")


class AgentApp(App[str]):
    CSS = "Prompt { height: 5; border: none; } #said, #key { height: 1; }"
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar = [
        ("f2", "tell", "tell"),
        ("f8", "fail", "fail"),
        ("f9", "leave", "leave"),
        Binding("ctrl+z", "suspend_process", priority=True),
    ]

    def __init__(self, start: Start) -> None:
        super().__init__()
        self.start = start

    def compose(self) -> ComposeResult:
        yield VerticalScroll(Static("TEXTUAL IS HERE"), Static("", id="said"), Static("", id="key"), can_focus=False)
        yield Prompt(self.start.typed(), soft_wrap=True)
        yield Footer()

    def on_mount(self) -> None:
        prompt = self.query_one(Prompt)
        prompt.move_cursor(prompt.document.end)

    def on_paste(self, event: events.Paste) -> None:
        self.query_one("#key", Static).update(f"PASTED {event.text!r}")

    def action_tell(self) -> None:
        start = self.start
        wanted = start.wanted()
        told = (start.tour, start.theme, start.ascii, start.first_task, start.resumed, wanted.flags.mode, wanted.keep)
        self.query_one("#said", Static).update(f"START {told!r}")

    def action_fail(self) -> None:
        raise ZeroDivisionError("on purpose")

    def action_leave(self) -> None:
        self.exit("Session abc, agent-tui --continue goes on with it.")
