"""Every key, what it does and what the person is told of it: the bindings of the app and the help are made from here.

A key without an action is heard elsewhere, by the prompt, the sheet or the transcript; it stands here to be told.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding

from tui.screens.help import KeyGroup


class Key(NamedTuple):
    """`shown` is how a person says it. `first`: heard before whatever has the focus."""

    shown: str
    words: str
    keys: str = ""
    action: str = ""
    first: bool = False


WRITE = (
    Key("Enter", "send"),
    Key("Ctrl+J", "new line"),
    Key("/", "commands"),
    Key("@", "files"),
    Key("!", "a shell line"),
    Key("Up Down", "history"),
    Key("Ctrl+R", "search history"),
    Key("Ctrl+G", "open in $EDITOR"),
    Key("Ctrl+S", "draft aside"),
    Key("Ctrl+_", "undo"),
)
STEER = (
    Key("Esc", "stop the turn", "escape", "escape"),
    Key("Esc Esc", "clear, or rewind"),
    Key("Shift+Tab", "next mode", "shift+tab", "next_mode", first=True),
    Key("Ctrl+B", "background", "ctrl+b", "background"),
    Key("Up", "unqueue"),
    Key("Ctrl+C", "stop, clear", "ctrl+c", "stop_or_quit", first=True),
    Key("Ctrl+D", "quit", "ctrl+d", "quit_empty"),
    Key("Ctrl+Z", "suspend", "ctrl+z", "suspend_process", first=True),
)
LOOK = (
    Key("Ctrl+O", "more, less detail", "ctrl+o", "verbose"),
    Key("F2", "side panel", "f2", "side"),
    Key("Ctrl+T", "todos", "ctrl+t", "todos"),
    Key("PgUp PgDn", "scroll", "pageup", "page(-1)"),
    Key("", "", "pagedown", "page(1)"),
    Key("Ctrl+Home", "to the start", "ctrl+home", "to_start"),
    Key("End", "follow again", "end,ctrl+end", "follow"),
    Key("Ctrl+P", "all commands", "ctrl+p", "palette"),
    Key("Ctrl+L", "redraw", "ctrl+l", "redraw"),
    Key("?", "this page"),
)
ANSWER = (
    Key("y", "yes, once"),
    Key("a", "always"),
    Key("n", "no"),
    Key("Esc", "no, and stop"),
    Key("t", "for this turn"),
    Key("Tab", "with a comment"),
    Key("Left Right", "narrow, widen"),
    Key("s", "save elsewhere"),
    Key("e", "change it first"),
    Key("d", "full diff"),
    Key("w", "why am I asked"),
    Key("r", "tell the model"),
    Key("A N", "all of this kind"),
)
ROWS = (
    Key("Tab", "rows, or answer", "tab", "tab", first=True),
    Key("Up Down", "choose, k j"),
    Key("Enter", "open or close"),
    Key("x", "stop this call"),
    Key("c", "copy"),
    Key("e", "open in $EDITOR"),
    Key("/ n N", "search, again"),
    Key("] [", "next to look at"),
    Key("Esc", "back to prompt"),
)
PANEL = (
    Key("Up Down", "choose, k j"),
    Key("Enter", "diff, or output"),
    Key("b", "other base"),
    Key("n p", "hunks of the diff"),
    Key("e", "open in $EDITOR"),
    Key("x", "stop a task"),
    Key("Esc", "back"),
)
REVIEW = (
    Key("k", "keep, or not"),
    Key("K", "all of the file"),
    Key("u", "undo, put back"),
    Key("c", "comment"),
    Key("n p", "next, previous"),
    Key("Left Right", "other file"),
    Key("Enter", "send the comments"),
    Key("s", "stage the kept"),
    Key("m", "commit it"),
    Key("e", "open in $EDITOR"),
    Key("Ctrl+O", "more, less detail"),
    Key("Esc", "back"),
)
REWIND = (
    Key("Up Down", "choose"),
    Key("Enter", "its files, lines"),
    Key("b", "both"),
    Key("f", "files only"),
    Key("c", "conversation only"),
    Key("m t", "mine, theirs"),
    Key("u", "undo the last one"),
    Key("Esc", "back"),
)
GROUPS = (
    KeyGroup("Write", tuple((key.shown, key.words) for key in WRITE)),
    KeyGroup("Steer", tuple((key.shown, key.words) for key in STEER)),
    KeyGroup("Look", tuple((key.shown, key.words) for key in LOOK if key.shown)),
    KeyGroup("Answer", tuple((key.shown, key.words) for key in ANSWER)),
    KeyGroup("Rows", tuple((key.shown, key.words) for key in ROWS)),
    KeyGroup("Panel", tuple((key.shown, key.words) for key in PANEL)),
    KeyGroup("Review", tuple((key.shown, key.words) for key in REVIEW)),
    KeyGroup("Rewind", tuple((key.shown, key.words) for key in REWIND)),
)


def bindings() -> list[Binding]:
    return [
        Binding(key.keys, key.action, key.words, show=False, priority=key.first)
        for key in (*STEER, *LOOK, *ROWS)
        if key.action
    ]
