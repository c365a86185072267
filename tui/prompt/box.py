"""The box the person types into: the field, what was sent before, and what can be completed.

What is done with a message is the app's affair. Keys the box has no use for go on to whoever stands above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets.text_area import Location

from tui.commands.catalog import COMMANDS, Command
from tui.prompt.area import PromptArea, keys
from tui.prompt.completion import Candidate, Completion, Trigger, command_menu, trigger_at
from tui.prompt.files import FileNames
from tui.prompt.history import History, HistorySearch
from tui.prompt.pastes import Pastes
from tui.work import begin

# What a terminal may send for a new line; `shift+\r` is xterm's way.
NEW_LINE = frozenset({"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter", "shift+\r", "alt+\r"})


class _Kept(NamedTuple):
    """A draft put away as it stands."""

    text: str
    pastes: Pastes
    cursor: Location


def _nothing() -> _Kept:
    return _Kept("", Pastes(), (0, 0))


class PromptBox(PromptArea):
    """`menu` is what it offers just now; the app draws that above the box whenever MenuChanged says so."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys("ctrl+s", "put_aside"),
        keys("ctrl+r", "search_history"),
        keys("ctrl+g", "edit_outside"),
    ]

    class Sent(Message):
        """The person pressed Enter. The box is empty again and the history has the text."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class EnterAlone(Message):
        """Enter in an empty box."""

    class TakeBack(Message):
        """Up was pressed while messages are queued: the person wants them back in the box."""

    class Keys(Message):
        """`?` in an empty box."""

    class EditOutside(Message):
        """The draft is to be written in the person's editor. Put the outcome into `draft`."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class PutAside(Message):
        """The draft was put aside (`away`), or one that was is back."""

        def __init__(self, away: bool) -> None:
            self.away = away
            super().__init__()

    class MenuChanged(Message):
        """Draw this menu, or none, above the box."""

        def __init__(self, menu: Completion | None) -> None:
            self.menu = menu
            super().__init__()

    def __init__(
        self,
        history: History | None = None,
        files: FileNames | None = None,
        commands: Sequence[Command] = COMMANDS,
        placeholder: str = "",
        ascii: bool = False,
        id: str | None = None,
    ) -> None:
        self.past = history or History()
        self.files = files
        self.commands = commands
        self.menu: Completion | None = None
        # Messages wait to be delivered: Up takes them back.
        self.queued = False
        self._aside: _Kept | None = None
        self._search: HistorySearch | None = None
        self._before_search = _nothing()
        self._is_looking = False
        # What stood in the box before it was given another text.
        self._kept_draft: _Kept | None = None
        # The word whose menu was shut or needs none: it is not opened for that one.
        self._shut: tuple[str, int] | None = None
        super().__init__(placeholder, ascii, id)

    def show(self, text: str, pastes: Pastes) -> None:
        super().show(text, pastes)
        # Whoever brings back a command wants to go on with the keys, not choose once more.
        self._shut = _place(self._trigger())

    def clear_to_history(self) -> str:
        """Empty the box and return what was in it; Up brings it back. A search only ends."""
        if self._search is not None:
            self._end_search()
            return ""
        draft = self.draft
        self.past.add(draft)
        self.draft = ""
        return draft

    # -- text that is not a draft

    def take_other_text(self, text: str) -> None:
        """Hold something else for a while: what would run, to be written anew. The draft is kept."""
        self._end_search()
        self._kept_draft = self._kept()
        self.show(text, Pastes())
        self._shut = _place(self._trigger())

    def leave_other_text(self, remember: bool = False) -> None:
        """The draft is back. `remember`: what was written stays in the history."""
        if self._kept_draft is None:
            return
        if remember:
            self.past.add(self.draft)
        kept, self._kept_draft = self._kept_draft, None
        self._restore(kept)

    # -- keys

    def on_key(self, event: events.Key) -> None:
        """The keys that mean something else here than in any text area; the rest is typed."""
        key = event.key
        if key == "enter":
            self._enter()
        elif key in NEW_LINE:
            self.add_text("\n")
        elif self.menu is not None and key == "tab":
            self._take()
        elif self.menu is not None and key == "escape":
            self._shut_menu()
        elif event.character == "?" and not self.text and self._search is None:
            self.post_message(self.Keys())
        else:
            if key.startswith("alt+"):
                # It may be bound to something; it is never typed.
                event.prevent_default()
            return
        event.stop()
        event.prevent_default()

    def _enter(self) -> None:
        row, column = self.cursor_location
        if self._is_to_take():
            self._take()
        elif self._search is not None:
            return
        elif self.document[row][:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
        elif self.text.strip():
            self.post_message(self.Sent(self.draft if self._kept_draft is not None else self.clear_to_history()))
        else:
            self.post_message(self.EnterAlone())

    def action_cursor_up(self, select: bool = False) -> None:
        if self.menu is not None:
            self._set_menu(self.menu.moved(-1))
        elif self._line_of_cursor() > 0:
            super().action_cursor_up(select)
        elif self.queued:
            self.post_message(self.TakeBack())
        elif (text := self.past.older(self.draft)) is not None:
            self.draft = text
            # At the first line, so that the next Up goes on to the message before.
            self.move_cursor((0, 0))
            self.move_cursor(self.get_cursor_line_end_location())

    def action_cursor_down(self, select: bool = False) -> None:
        if self.menu is not None:
            self._set_menu(self.menu.moved(1))
        elif self._line_of_cursor() < self.wrapped_document.height - 1:
            super().action_cursor_down(select)
        elif (text := self.past.newer(self.draft)) is not None:
            self.draft = text

    def _line_of_cursor(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    def action_put_aside(self) -> None:
        """Exchange the draft with the one put aside earlier; either may be empty."""
        self._end_search()
        away, back = self._kept(), self._aside
        if not away.text and back is None:
            return
        self._aside = away if away.text else None
        self._restore(back or _nothing())
        self.post_message(self.PutAside(away=bool(away.text)))

    def action_edit_outside(self) -> None:
        self._end_search()
        self.post_message(self.EditOutside(self.draft))

    def action_search_history(self) -> None:
        """The box becomes the field of the search; pressed again, the next older one is chosen."""
        if self._search is not None and self.menu is not None:
            self._set_menu(self.menu.moved(1))
            return
        self._before_search = self._kept()
        self._search = self.past.search()
        self.draft = ""
        self._offer()

    # -- the menu

    def on_text_area_changed(self) -> None:
        self._offer()

    def on_text_area_selection_changed(self) -> None:
        if self.menu is not None:
            self._offer()

    def _offer(self) -> None:
        """Open, narrow or close the menu for what now stands before the cursor."""
        if self._search is not None:
            if self.menu is None or self.menu.kind != "history" or self.menu.word != self.text:
                self._set_menu(self._search.menu(self.text))
            return
        trigger = self._trigger()
        if trigger is None or self._shut == _place(trigger):
            self._shut = _place(trigger)
            self._set_menu(None)
            return
        self._shut = None
        if self._is_for(trigger):
            return
        if trigger.kind == "command":
            self._set_menu(command_menu(self.commands, trigger))
        elif self.files is not None and not self._is_looking:
            self._is_looking = True
            begin(self, "looking for files", self._offer_files(self.files))

    async def _offer_files(self, files: FileNames) -> None:
        """Look for what is typed until nothing new was typed meanwhile."""
        looked_for: Trigger | None = None
        try:
            while (trigger := self._file_trigger()) not in (None, looked_for):
                candidates = await files.matching(trigger.word)
                looked_for = trigger
                if self._file_trigger() == trigger:
                    self._set_menu(Completion("file", trigger.start, trigger.word, candidates) if candidates else None)
        finally:
            self._is_looking = False

    def _file_trigger(self) -> Trigger | None:
        trigger = self._trigger() if self._search is None else None
        return trigger if trigger is not None and trigger.kind == "file" and self._shut != _place(trigger) else None

    def _trigger(self) -> Trigger | None:
        row, column = self.cursor_location
        return trigger_at(self.document[row][:column], first_line=row == 0)

    def _is_for(self, trigger: Trigger | None) -> bool:
        """Whether the open menu is the one for this word; it may be that of a letter ago."""
        menu = self.menu
        return menu is not None and trigger == Trigger(menu.kind, menu.start, menu.word)

    def _set_menu(self, menu: Completion | None) -> None:
        if menu != self.menu:
            self.menu = menu
            self.post_message(self.MenuChanged(menu))

    def _choice(self) -> Candidate | None:
        is_current = self._search is not None or self._is_for(self._trigger())
        return self.menu.choice if self.menu is not None and is_current else None

    def _is_to_take(self) -> bool:
        """Whether Enter takes from the menu. A name typed in full is as good as taken."""
        choice = self._choice()
        if choice is None or self.menu is None or self._search is not None:
            return choice is not None
        row, column = self.cursor_location
        return self.document[row][self.menu.start : column] != choice.put.rstrip()

    def _take(self) -> None:
        choice, menu = self._choice(), self.menu
        if choice is None or menu is None:
            return
        self._set_menu(None)
        if self._search is not None:
            self._search = None
            self.draft = choice.put
            return
        row, column = self.cursor_location
        self.replace(choice.put, (row, menu.start), (row, column), maintain_selection_offset=False)
        self._shut = _place(self._trigger())

    def _shut_menu(self) -> None:
        if self._search is not None:
            self._end_search()
        else:
            self._shut = _place(self._trigger())
            self._set_menu(None)

    def _end_search(self) -> None:
        if self._search is not None:
            self._search = None
            self._set_menu(None)
            self._restore(self._before_search)

    def _kept(self) -> _Kept:
        return _Kept(self.text, self.pastes, self.cursor_location)

    def _restore(self, kept: _Kept) -> None:
        self.show(kept.text, kept.pastes)
        self.move_cursor(kept.cursor)


def _place(trigger: Trigger | None) -> tuple[str, int] | None:
    return (trigger.kind, trigger.start) if trigger is not None else None
