"""A small terminal on paper: takes the bytes a program writes and knows what stands in each cell, and in which colours.

It understands what Textual and the first frame write: cursor moves, colours, erasing, scrolling, the alternate screen,
wide characters. Anything else is skipped, or noted (`modes`, `title`, `clipboard`) for the tests that ask for it.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NamedTuple

Color = str  # "" the terminal's own, "#rrggbb", or the number of a palette entry


class Style(NamedTuple):
    color: Color = ""
    ground: Color = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False


class Cell(NamedTuple):
    """The second half of a wide character has no text."""

    text: str = " "
    style: Style = Style()


PLAIN = Style()
ALTERNATE = 1049

_CSI = re.compile(r"\x1b\[([<-?]?)([\d;:]*)([ -/]*)([@-~])")
_STRING = re.compile(r"\x1b([\]PX^_])(.*?)(?:\x07|\x1b\\)", re.DOTALL)
_SHORT = re.compile(r"\x1b(?:[()*+#%].|[ -/]?[0-9=>A-Zac-~])")
_WORDS = re.compile(r"[^\x00-\x1f\x7f]+")
_BEGUN = re.compile(r"\x1b(?:|\[[<-?]?[\d;:]*[ -/]*|[\]PX^_].*|[()*+#%])", re.DOTALL)


class Emulator:
    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cursor = (0, 0)
        # Private modes that are on: 25 the cursor, 1049 the alternate screen, 2004 bracketed paste, 1000.. the mouse.
        self.modes: set[int] = {7, 25}
        self.kitty_depth = 0
        self.title = ""
        self.clipboard = ""
        # What a real terminal would send back for the questions it was asked.
        self.answers: list[bytes] = []
        self._cells = self._blank()
        self._main: tuple[list[list[Cell]], tuple[int, int]] | None = None
        self._saved = (0, 0)
        self._style = PLAIN
        self._top, self._bottom = 0, rows - 1
        self._wrap_next = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""

    # -- what stands there

    def cell(self, row: int, column: int) -> Cell:
        return self._cells[row][column]

    def lines(self) -> list[str]:
        return ["".join(cell.text for cell in line).rstrip() for line in self._cells]

    @property
    def alternate(self) -> bool:
        return ALTERNATE in self.modes

    # -- bytes in

    def feed(self, data: bytes) -> None:
        text = self._pending + self._decoder.decode(data)
        place = 0
        while place < len(text):
            if words := _WORDS.match(text, place):
                for character in words[0]:
                    self._put(character)
            elif text[place] != "\x1b":
                self._control(text[place])
                place += 1
                continue
            elif words := _CSI.match(text, place):
                self._csi(*words.groups())
            elif words := _STRING.match(text, place):
                self._string(words[1], words[2])
            elif _BEGUN.fullmatch(text, place):
                break
            elif words := _SHORT.match(text, place):
                self._short(words[0][1:])
            else:
                place += 1
                continue
            place = words.end()
        self._pending = text[place:]

    def resize(self, columns: int, rows: int) -> None:
        """Cells keep their places; what lies outside is gone."""
        old, self.columns, self.rows = self._cells, columns, rows
        self._cells = [(line + [Cell()] * columns)[:columns] for line in (old + self._blank())[:rows]]
        self._top, self._bottom = 0, rows - 1
        self._move(*self.cursor)

    # -- text

    def _put(self, character: str) -> None:
        if unicodedata.combining(character) or character in "\u200d\ufe0e\ufe0f":
            row, column = self.cursor
            before = self._cells[row][max(column - 1, 0)]
            self._cells[row][max(column - 1, 0)] = before._replace(text=before.text + character)
            return
        wide = unicodedata.east_asian_width(character) in "WF"
        if self._wrap_next or (wide and self.cursor[1] == self.columns - 1):
            if 7 in self.modes:
                self.cursor = (self.cursor[0], 0)
                self._line_feed()
            self._wrap_next = False
        row, column = self.cursor
        line = self._cells[row]
        line[column] = Cell(character, self._style)
        if wide and column + 1 < self.columns:
            line[column + 1] = Cell("", self._style)
        column += 2 if wide else 1
        self._wrap_next = column >= self.columns
        self.cursor = (row, min(column, self.columns - 1))

    def _control(self, character: str) -> None:
        row, column = self.cursor
        match character:
            case "\r":
                self._move(row, 0)
            case "\n" | "\x0b" | "\x0c":
                self._line_feed()
            case "\b":
                self._move(row, column - 1)
            case "\t":
                self._move(row, (column // 8 + 1) * 8)
            case _:
                return

    def _line_feed(self) -> None:
        row, column = self.cursor
        if row == self._bottom:
            self._scroll(1)
        else:
            self.cursor = (min(row + 1, self.rows - 1), column)

    # -- sequences

    def _csi(self, private: str, words: str, between: str, final: str) -> None:
        numbers = [int(word.partition(":")[0] or 0) for word in words.split(";")] if words else []
        first = numbers[0] if numbers else 0
        if private == "?" and between == "$" and final == "p":
            # Known and off (2) or on (1): what a modern terminal says of synchronised output and the like.
            self.answers.append(f"\x1b[?{first};{1 if first in self.modes else 2}$y".encode())
        elif private == "?" and final in "hl":
            self._set_modes(numbers, final == "h")
        elif final == "u" and private in "<>" and private:
            self.kitty_depth += 1 if private == ">" else -1
        elif final == "m" and not private:
            self._sgr(words)
        elif not private and not between:
            self._plain_csi(final, first, numbers)

    def _plain_csi(self, final: str, first: int, numbers: list[int]) -> None:
        row, column = self.cursor
        count = max(first, 1)
        second = numbers[1] if len(numbers) > 1 else 0
        match final:
            case "J" | "K" | "X" | "P" | "@":
                self._erase(final, first)
            case "S" | "T":
                self._scroll(count if final == "S" else -count)
            case "L" | "M":
                self._scroll(-count if final == "L" else count, top=row)
            case "r":
                self._top, self._bottom = count - 1, min(second or self.rows, self.rows) - 1
                self._move(0, 0)
            case "s":
                self._saved = self.cursor
            case "u":
                self._move(*self._saved)
            case "n" if first == 6:
                self.answers.append(f"\x1b[{row + 1};{column + 1}R".encode())
            case _:
                self._move_by(final, count, second)

    def _move_by(self, final: str, count: int, second: int) -> None:
        row, column = self.cursor
        places = {
            "H": (count - 1, max(second, 1) - 1),
            "f": (count - 1, max(second, 1) - 1),
            "A": (row - count, column),
            "B": (row + count, column),
            "C": (row, column + count),
            "D": (row, column - count),
            "E": (row + count, 0),
            "F": (row - count, 0),
            "G": (row, count - 1),
            "d": (count - 1, column),
        }
        if final in places:
            self._move(*places[final])

    def _short(self, what: str) -> None:
        match what:
            case "7":
                self._saved = self.cursor
            case "8":
                self._move(*self._saved)
            case "D" | "E":
                self._line_feed()
            case "M" if self.cursor[0] == self._top:
                self._scroll(-1)
            case "M":
                self._move(self.cursor[0] - 1, self.cursor[1])
            case "c":
                self.__init__(self.columns, self.rows)
            case _:
                return

    def _string(self, kind: str, content: str) -> None:
        number, _, rest = content.partition(";")
        if kind == "]" and number in ("0", "2"):
            self.title = rest
        elif kind == "]" and number == "52":
            self.clipboard = rest.partition(";")[2]

    def _set_modes(self, numbers: list[int], on: bool) -> None:
        for number in numbers:
            if number == ALTERNATE and on != self.alternate:
                self._switch_screen(on)
            elif number == ALTERNATE and on:
                self._cells = self._blank()  # as most terminals do
            (self.modes.add if on else self.modes.discard)(number)

    def _switch_screen(self, on: bool) -> None:
        if on:
            self._main = (self._cells, self.cursor)
            self._cells = self._blank()
        elif self._main is not None:
            columns, rows = self.columns, self.rows
            self._cells, cursor = self._main
            self.resize(columns, rows)
            self._move(*cursor)

    # -- cells

    def _blank(self) -> list[list[Cell]]:
        return [[Cell()] * self.columns for _ in range(self.rows)]

    def _empty(self) -> Cell:
        return Cell(" ", Style(ground=self._style.ground))

    def _move(self, row: int, column: int) -> None:
        self.cursor = (min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1))
        self._wrap_next = False

    def _erase(self, kind: str, how: int) -> None:
        row, column = self.cursor
        line, empty = self._cells[row], self._empty()
        match kind, how:
            case "J", 0 | 1:
                rows = range(row + 1, self.rows) if how == 0 else range(row)
                for other in rows:
                    self._cells[other] = [empty] * self.columns
                self._erase("K", how)
            case "J", _:
                self._cells = [[empty] * self.columns for _ in range(self.rows)]
            case "K", 0:
                line[column:] = [empty] * (self.columns - column)
            case "K", 1:
                line[: column + 1] = [empty] * (column + 1)
            case "K", _:
                self._cells[row] = [empty] * self.columns
            case "X", _:
                end = min(column + max(how, 1), self.columns)
                line[column:end] = [empty] * (end - column)
            case "P", _:
                self._cells[row] = (line[:column] + line[column + max(how, 1) :] + [empty] * self.columns)[
                    : self.columns
                ]
            case _:
                self._cells[row] = (line[:column] + [empty] * max(how, 1) + line[column:])[: self.columns]

    def _scroll(self, lines: int, top: int | None = None) -> None:
        """Up, or down when negative, inside the scroll region."""
        top = self._top if top is None else top
        region = self._cells[top : self._bottom + 1]
        count = min(abs(lines), len(region))
        new = [[self._empty()] * self.columns for _ in range(count)]
        region = region[count:] + new if lines > 0 else new + region[: len(region) - count]
        self._cells[top : self._bottom + 1] = region

    # -- colours

    def _sgr(self, words: str) -> None:
        parts = (words or "0").replace(":", ";").split(";")
        while parts:
            number = int(parts.pop(0) or 0)
            if number in (38, 48):
                color = _long_color(parts)
                self._style = self._style._replace(**{"color" if number == 38 else "ground": color})
            elif number == 0:
                self._style = PLAIN
            else:
                self._style = self._style._replace(**_short_style(number))


def _long_color(parts: list[str]) -> Color:
    kind = parts.pop(0) if parts else ""
    if kind == "5" and parts:
        return parts.pop(0)
    if kind == "2" and len(parts) >= 3:
        red, green, blue = (int(parts.pop(0) or 0) for _ in range(3))
        return f"#{red:02x}{green:02x}{blue:02x}"
    return ""


_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {23: "italic", 24: "underline", 27: "reverse", 29: "strike"}


def _short_style(number: int) -> dict[str, bool | str]:
    if number in _ON:
        return {_ON[number]: True}
    if number in _OFF:
        return {_OFF[number]: False}
    if number == 22:
        return {"bold": False, "dim": False}
    for start, name, first in ((30, "color", 0), (90, "color", 8), (40, "ground", 0), (100, "ground", 8)):
        if start <= number < start + 8:
            return {name: str(number - start + first)}
    return {"color": ""} if number == 39 else {"ground": ""} if number == 49 else {}
