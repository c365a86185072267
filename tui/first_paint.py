"""The first frame as bytes: an empty screen with the prompt and the status line, as Textual will draw them."""

from __future__ import annotations

import os

from tui.glance import MODES, Glance, shown_model

# The few colours it needs of each theme, and their nearest of the 256; a test compares them with the theme's file.
COLORS = {
    "slate": {
        "background": ("#14161b", 233),
        "foreground": ("#d9dde5", 188),
        "block": ("#20242d", 16),
        "dim": ("#939cab", 247),
        "mode-default": ("#9fb4d6", 146),
        "mode-edits": ("#85c795", 114),
        "mode-plan": ("#6fc3c9", 80),
        "mode-auto": ("#c9b46f", 179),
        "mode-dontask": ("#b9bfca", 250),
        "mode-bypass": ("#f07f7f", 210),
    },
    "paper": {
        "background": ("#fbfaf7", 231),
        "foreground": ("#23262d", 235),
        "block": ("#eceae3", 224),
        "dim": ("#5f6773", 241),
        "mode-default": ("#41608c", 60),
        "mode-edits": ("#22703a", 23),
        "mode-plan": ("#0f6a73", 24),
        "mode-auto": ("#7a5c00", 94),
        "mode-dontask": ("#5f6773", 241),
        "mode-bypass": ("#b3261e", 124),
    },
}
MODE_WORDS = {
    "default": "default",
    "acceptEdits": "accept edits",
    "plan": "plan",
    "auto": "auto",
    "dontAsk": "don't ask",
    "bypassPermissions": "bypass permissions",
}
# What each means, in a few words.
MODE_REMARKS = {
    "default": "edits and commands ask first",
    "acceptEdits": "edits are made, commands ask first",
    "plan": "reads and plans, changes nothing",
    "auto": "what looks harmless is not asked",
    "dontAsk": "what would ask is denied",
    "bypassPermissions": "only rules and protected places ask",
}
WIDE, ROOMY = 100, 30
MOST_LINES = 8
# Bar, mark and a blank before the text; after it a cell for the cursor and one at the edge.
EDGE, AFTER = 3, 2
_RESET = "\x1b[0m"


def placeholder(columns: int) -> str:
    """What stands in the empty box; its first cell is under the cursor."""
    hints = "/ commands   @ files   ! shell   ? keys"
    return f"  What shall we do?   {hints}" if columns >= WIDE else f"  {hints}"


class FirstPaint:
    def __init__(self, seen: Glance, columns: int, rows: int) -> None:
        self._seen = seen
        self._columns, self._rows = columns, rows
        self._colors = COLORS[seen.theme]
        self._mode = f"mode-{MODES[seen.mode]}"
        self._pad = 1 if rows >= ROOMY else 0
        # Lines of text the prompt had when it was painted last.
        self._height = 1

    def frame(self) -> str:
        """The whole screen; the terminal's own cursor is hidden, ours is a painted cell."""
        background = self._style("background", "foreground")
        return f"\x1b[?1049h\x1b[?25l\x1b[?2004h{background}\x1b[2J{self._status()}{self.prompt('')}"

    def prompt(self, text: str) -> str:
        lines = self._lines(text)
        block = self._style("block", "foreground")
        empty = f"{self._bar()}{block}{' ' * (self._columns - 1)}"
        marks = [self._mark(text)] + [" "] * (len(lines) - 1)
        rows = [f"{self._bar()}{self._chevron(mark)} {line}" for mark, line in zip(marks, lines, strict=True)]
        rows = [*[empty] * self._pad, *rows, *[empty] * self._pad]
        # What a taller box left above is empty again.
        above = max(self._height - len(lines), 0)
        blank = f"{self._style('background', 'foreground')}{' ' * self._columns}"
        rows = [blank] * above + rows
        self._height = len(lines)
        top = self._rows - len(rows)
        return "".join(f"\x1b[{top + number};1H{row}" for number, row in enumerate(rows)) + _RESET

    def _lines(self, text: str) -> list[str]:
        """The last lines that have room, in colours, each as wide as the box."""
        block, cursor = self._style("block", "foreground"), self._style("foreground", "block")
        room = self._columns - EDGE
        if not text:
            hint = placeholder(self._columns)[: room - 1]
            dim = self._style("block", "dim")
            return [f"{cursor}{hint[0]}{dim}{hint[1:]}{block}{' ' * (room - len(hint))}"]
        lines = [part for line in text.split("\n") for part in _chopped(line, room - AFTER)][-MOST_LINES:]
        *before, last = [f"{block}{line}" for line in lines]
        padded = [f"{line}{' ' * (room - _cells(words))}" for line, words in zip(before, lines, strict=False)]
        return [*padded, f"{last}{cursor} {block}{' ' * (room - 1 - _cells(lines[-1]))}"]

    def _status(self) -> str:
        seen = self._seen
        mode = f"{self._style('background', self._mode, bold=True)}{MODE_WORDS[seen.mode]}"
        words = f"  {shown_model(seen.model)}"
        if self._columns >= WIDE:
            words += f"  {_printable(os.path.basename(seen.folder))}"
        room = self._columns - 2 - len(MODE_WORDS[seen.mode])
        return f"\x1b[{self._rows};2H{mode}{self._style('background', 'dim')}{_printable(words)[:room]}"

    def _bar(self) -> str:
        return f"{self._style('block', self._mode, bold=True)}|" if self._seen.ascii else f"{self._style(self._mode)} "

    def _chevron(self, mark: str) -> str:
        return f"{self._style('block', self._mode, bold=True)}{mark}{self._style('block', 'foreground')}"

    def _mark(self, text: str) -> str:
        return "!" if text.startswith("!") else ">" if self._seen.ascii else "❯"

    def _style(self, ground: str, color: str = "foreground", bold: bool = False) -> str:
        return f"\x1b[0;{'1;' if bold else ''}{self._color(38, color)};{self._color(48, ground)}m"

    def _color(self, kind: int, role: str) -> str:
        exact, nearest = self._colors[role]
        if not self._seen.deep:
            return f"{kind};5;{nearest}"
        red, green, blue = (int(exact[start : start + 2], 16) for start in (1, 3, 5))
        return f"{kind};2;{red};{green};{blue}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)


def _chopped(line: str, width: int) -> list[str]:
    """Pieces of at most `width` cells, at least one."""
    pieces, used = [""], 0
    for character in line:
        size = _cells(character)
        if used + size > width:
            pieces.append("")
            used = 0
        pieces[-1] += character
        used += size
    return pieces


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)
