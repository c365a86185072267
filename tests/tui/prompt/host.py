"""A tiny app around the prompt, with the theme's words it needs and a list of what the box said."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from tui.prompt.box import PromptBox
from tui.prompt.completion import Completion
from tui.prompt.files import FileNames
from tui.prompt.history import History

COLOURS = {
    "dim": "#939cab",
    "line": "#3a404c",
    "block": "#20242d",
    "pick": "#2c3340",
    "run": "#7db4f0",
    "mode-default": "#9fb4d6",
    "mode-edits": "#85c795",
    "mode-plan": "#6fc3c9",
    "mode-auto": "#c9b46f",
    "mode-dontask": "#b9bfca",
    "mode-bypass": "#f07f7f",
}
PASSED_ON = ("escape", "tab", "ctrl+c", "ctrl+d", "ctrl+o", "f2", "pageup", "pagedown", "end", "ctrl+z", "ctrl+t")


class Host(App[None]):
    CSS = "Static { height: 1fr; }"
    AUTO_FOCUS = "PromptBox"
    BINDINGS: ClassVar[list[BindingType]] = [Binding(key, f"hear('{key}')", show=False) for key in PASSED_ON]

    def __init__(
        self, history: History | None = None, files: FileNames | None = None, ascii: bool = False, placeholder: str = ""
    ) -> None:
        super().__init__()
        self.box = PromptBox(history, files, ascii=ascii, placeholder=placeholder)
        self.said: list[Message] = []
        self.heard: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return COLOURS

    def compose(self) -> ComposeResult:
        yield Static()
        yield self.box

    def action_hear(self, key: str) -> None:
        self.heard.append(key)

    def on_prompt_box_sent(self, message: PromptBox.Sent) -> None:
        self.said.append(message)

    def on_prompt_box_take_back(self, message: PromptBox.TakeBack) -> None:
        self.said.append(message)

    def on_prompt_box_keys(self, message: PromptBox.Keys) -> None:
        self.said.append(message)

    def on_prompt_box_edit_outside(self, message: PromptBox.EditOutside) -> None:
        self.said.append(message)

    def on_prompt_box_put_aside(self, message: PromptBox.PutAside) -> None:
        self.said.append(message)

    @property
    def sent(self) -> list[str]:
        return [message.text for message in self.said if isinstance(message, PromptBox.Sent)]

    def row(self, y: int) -> str:
        """A line of the box as it is drawn."""
        region = self.box.region
        return self.box.render_lines(region.reset_offset)[y].text

    def colours(self, y: int, x: int) -> tuple[str, str]:
        """Foreground and background of a cell of the box."""
        strip = self.box.render_lines(self.box.region.reset_offset)[y].crop(x, x + 1)
        style = next(iter(strip)).style
        assert style is not None and style.bgcolor is not None and style.bgcolor.triplet is not None
        colour = style.color.triplet.hex if style.color is not None and style.color.triplet is not None else ""
        return colour, style.bgcolor.triplet.hex


def play(host: Host, steps: Callable[[Pilot[None]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    """Run the app and do the steps in it."""

    async def run() -> None:
        async with host.run_test(size=size) as pilot:
            await steps(pilot)

    asyncio.run(run())


def names(menu: Completion | None) -> list[str]:
    return [candidate.name for candidate in menu.candidates] if menu is not None else []


def write_files(folder: Path, paths: Sequence[str]) -> None:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
