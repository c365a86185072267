"""The field of the prompt: editing, long pastes as labels that stay whole, and how it looks.

It knows nothing of sending, history and completion; the box built on it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import EditResult, Location, Selection

from tui.prompt.edge import EdgeMarks, EdgeStyles, marks, with_edge
from tui.prompt.pastes import MOST_CHARACTERS, Pastes, plain
from tui.prompt.styles import CSS, mode_class
from tui.render.look import ROOMY

_MENTION = re.compile(r'(?:^|(?<=\s))@(?:"[^"]*"|\S+)')

EDITABLE_LINES = 200


def keys(keys: str, action: str) -> Binding:
    return Binding(keys, action, show=False)


class PromptArea(TextArea, inherit_bindings=False):
    """1 to 8 lines. `mode` gives it its colour; the class `quiet` makes it one grey line."""

    DEFAULT_CSS = CSS
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt-area--bar", "prompt-area--chevron", "prompt-area--mention"}
    # Those of readline where it has one; what is missing here belongs to the app.
    BINDINGS: ClassVar[list[BindingType]] = [
        keys("up", "cursor_up"),
        keys("down", "cursor_down"),
        keys("left", "cursor_left"),
        keys("right,ctrl+f", "cursor_right"),
        keys("ctrl+left,alt+left,alt+b", "cursor_word_left"),
        keys("ctrl+right,alt+right,alt+f", "cursor_word_right"),
        keys("home,ctrl+a", "cursor_line_start"),
        keys("end,ctrl+e", "cursor_line_end"),
        keys("shift+left", "cursor_left(True)"),
        keys("shift+right", "cursor_right(True)"),
        keys("shift+up", "select_up"),
        keys("shift+down", "select_down"),
        keys("ctrl+shift+left", "cursor_word_left(True)"),
        keys("ctrl+shift+right", "cursor_word_right(True)"),
        keys("shift+home", "cursor_line_start(True)"),
        keys("shift+end", "cursor_line_end(True)"),
        keys("backspace,ctrl+h,shift+backspace", "delete_left"),
        keys("delete,ctrl+d", "delete_right"),
        keys("ctrl+w,ctrl+backspace,alt+backspace", "delete_word_left"),
        keys("alt+d,alt+delete,ctrl+delete", "delete_word_right"),
        keys("ctrl+u,super+backspace", "delete_to_start_of_line"),
        keys("ctrl+k", "delete_to_end_of_line_or_delete_line"),
        keys("ctrl+y", "bring_back"),
        keys("ctrl+underscore,ctrl+shift+underscore,ctrl+shift+minus,super+z", "undo"),
        keys("alt+underscore,super+shift+z", "redo"),
        keys("ctrl+c,super+c", "copy"),
        keys("super+x", "cut"),
        keys("ctrl+v,super+v", "paste"),
    ]

    mode: reactive[str] = reactive("default")

    def __init__(self, placeholder: str = "", ascii: bool = False, id: str | None = None) -> None:
        # The base class already moves the cursor while it is made.
        self.pastes = Pastes()
        self._ascii = ascii
        self._taken_out = ""
        super().__init__(placeholder=placeholder, highlight_cursor_line=False, id=id)
        self.match_cursor_bracket = False
        self.cursor_blink = False

    # -- text

    @property
    def draft(self) -> str:
        """What would be sent: pasted blocks in full."""
        return self.pastes.expanded(self.text)

    @draft.setter
    def draft(self, text: str) -> None:
        pastes = Pastes()
        # A longer one would make every key slow.
        long = text.count("\n") > EDITABLE_LINES or len(text) > MOST_CHARACTERS
        self.show(pastes.shortened(plain(text)) if long else text, pastes)

    def show(self, text: str, pastes: Pastes) -> None:
        """Put this text into the box instead of what is there, the cursor at its end."""
        self.pastes = pastes
        self.load_text(plain(text))
        self.move_cursor(self.document.end)

    def add_text(self, text: str) -> None:
        """Insert at the cursor, as if it had been typed."""
        self.replace(plain(text), *self.selection, maintain_selection_offset=False)

    def paste(self, text: str) -> None:
        """Insert at the cursor; a long text as a block."""
        self.add_text(self.pastes.shortened(plain(text)))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste(event.text)

    def delete(self, start: Location, end: Location, *, maintain_selection_offset: bool = True) -> EditResult:
        """As anywhere; what was more than one character can be brought back."""
        result = super().delete(start, end, maintain_selection_offset=maintain_selection_offset)
        if len(result.replaced_text) > 1:
            self._taken_out = self.pastes.expanded(result.replaced_text)
        return result

    # -- keys

    def action_select_up(self) -> None:
        super().action_cursor_up(select=True)

    def action_select_down(self) -> None:
        super().action_cursor_down(select=True)

    def action_cursor_line_end(self, select: bool = False) -> None:
        if self.cursor_at_end_of_text and not select:
            # There is nowhere to go: End then belongs to the transcript.
            raise SkipAction
        super().action_cursor_line_end(select)

    def action_delete_right(self) -> None:
        if not self.text:
            raise SkipAction
        super().action_delete_right()

    def action_bring_back(self) -> None:
        if self._taken_out:
            self.paste(self._taken_out)

    def action_paste(self) -> None:
        self.paste(self.app.clipboard)  # pyright: ignore[reportUnknownMemberType]  # the app's type is left open

    # -- a label is one thing: the cursor never stands in it, and it goes as a whole

    def get_cursor_left_location(self) -> Location:
        return self._outside_labels(super().get_cursor_left_location(), to_start=True)

    def get_cursor_right_location(self) -> Location:
        return self._outside_labels(super().get_cursor_right_location(), to_start=False)

    def get_cursor_word_left_location(self) -> Location:
        return self._outside_labels(super().get_cursor_word_left_location(), to_start=True)

    def get_cursor_word_right_location(self) -> Location:
        return self._outside_labels(super().get_cursor_word_right_location(), to_start=False)

    def get_cursor_line_start_location(self, smart_home: bool = False) -> Location:
        return self._outside_labels(super().get_cursor_line_start_location(smart_home), to_start=True)

    def get_cursor_line_end_location(self) -> Location:
        return self._outside_labels(super().get_cursor_line_end_location(), to_start=False)

    def validate_selection(self, selection: Selection) -> Selection:
        if not self.pastes.blocks:
            return selection
        to_start = selection.end < self.selection.end
        return Selection(*(self._outside_labels(location, to_start) for location in selection))

    def action_delete_word_right(self) -> None:
        if self.pastes.blocks and self.selection.is_empty:
            # The base class goes its own way here, into the label.
            self.delete(self.cursor_location, self.get_cursor_word_right_location(), maintain_selection_offset=False)
        else:
            super().action_delete_word_right()

    def _outside_labels(self, location: Location, to_start: bool) -> Location:
        row, column = location
        if self.pastes.blocks and row < self.document.line_count:
            for start, end in self.pastes.spans(self.document[row]):
                if start < column < end:
                    return row, start if to_start else end
        return location

    # -- the look

    def on_mount(self) -> None:
        self._make_room()
        # A terminal that only gets higher or lower leaves the box as large as it was, and so without a Resize.
        # (What a screen returns when it closes, which its type leaves open, is of no interest here.)
        self.screen.screen_layout_refresh_signal.subscribe(self, self._make_room)  # pyright: ignore[reportUnknownMemberType]

    def _make_room(self, _screen: object = None) -> None:
        self.set_class(self.screen.size.height >= ROOMY, "roomy")

    def watch_mode(self, before: str, after: str) -> None:
        self.remove_class(mode_class(before))
        self.add_class(mode_class(after))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        spans = list(self._special(line.plain))
        if spans:
            style = self.get_component_rich_style("prompt-area--mention", partial=True)
            for start, end in spans:
                line.stylize(style, start, end)
        return line

    def _special(self, line: str) -> Iterator[tuple[int, int]]:
        yield from self.pastes.spans(line)
        if "@" in line:
            yield from (found.span() for found in _MENTION.finditer(line))

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        styles = EdgeStyles(
            self.get_component_rich_style("prompt-area--bar"),
            self.get_component_rich_style("prompt-area--chevron"),
            self.rich_style,
        )
        in_sight, top = self.content_size.height, self.scroll_offset.y
        is_shell = self.document[0].startswith("!")
        signs = marks(in_sight, top, self.wrapped_document.height, is_shell, self._ascii)
        strips = with_edge(strips, crop, EdgeMarks(signs, self.gutter.top), styles, self._ascii)
        # What comes from above has been through these; the edge, too, has to be grey where there are no colours.
        for each in self.get_line_filters():
            strips = [strip.apply_filter(each, self.background_colors[1]) for strip in strips]
        return strips
