"""Markdown read line by line: each line is looked at once and ends up in parts that know no width yet.

The shape of CommonMark's own method: containers (quotes, list items) are matched from the outside in, what is left of
the line goes to the open leaf (paragraph, fence, table) or begins a new one. Kept small on purpose: no reference
links, and HTML is text. Nothing is read twice, so a list, table or paragraph without end costs no more per line than
a short one.
"""

from __future__ import annotations

import re
from copy import copy

from tui.render.glyphs import LANE
from tui.render.inline import Pieces, inline
from tui.render.lines import BLANK, Drawn, drawn
from tui.render.parts import (
    LONGEST,
    CodeLine,
    Container,
    Fence,
    Flow,
    Paragraph,
    Part,
    TableRows,
    align_of,
    cells_of,
    prefix_of,
)
from tui.render.safe import safe

RULE = drawn((LANE * 8, "$line"))
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_HEADING = re.compile(r"#{1,6}(?: +(.*?))?(?: +#+)? *$")
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)])( +|$)")
_RULER = re.compile(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_DELIMITER = re.compile(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_UNDERLINE = re.compile(r"(?:=+|-+) *$")


class Prose:
    """The reader. `parts` are final; `preview` tells what would follow if the text ended here."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._containers: list[Container] = []
        self._leaf: Paragraph | Fence | TableRows | None = None
        # A blank line came since the last part, and how many of the containers have been open since then.
        self._gap = False
        self._shared = 0
        # The line so far was long enough to be taken in before its end.
        self._mid_line = False

    @property
    def in_fence(self) -> bool:
        return isinstance(self._leaf, Fence)

    def line(self, text: str) -> None:
        """A whole line, or what is left of one that came in parts."""
        while len(text) > LONGEST:
            self.part_of_line(text[:LONGEST])
            text = text[LONGEST:]
        text = safe(text.removesuffix("\r"))
        if self._mid_line:
            self._go_on(text)
            self._mid_line = False
        else:
            self._line(text)

    def part_of_line(self, text: str) -> None:
        """The next part of a line that is too long to wait for its end."""
        text = safe(text)
        if self._mid_line:
            self._go_on(text)
        else:
            self._line(text, long=True)
            self._mid_line = isinstance(self._leaf, Paragraph | Fence)

    def end(self, live: bool = False) -> None:
        """Whatever is open is closed. `live`: only for now, so a fence is not worth being read as a whole."""
        self._close_leaf(live)
        self._close_containers(0)
        self._mid_line = False

    def preview(self, rest: str) -> list[Part]:
        """The parts to come, if the text ended with this."""
        ahead = copy(self)
        ahead.parts = [BLANK] if self.parts else []
        ahead._containers = [copy(each) for each in self._containers]
        ahead._leaf = copy(self._leaf)
        if isinstance(ahead._leaf, Fence):
            ahead._leaf.lines = [*ahead._leaf.lines]
        elif isinstance(ahead._leaf, TableRows):
            ahead._leaf.rows = [*ahead._leaf.rows]
        if rest or ahead._mid_line:
            ahead.line(rest)
        if isinstance(ahead._leaf, Paragraph):
            # One line that begins like this is most often the head of a table whose next line is on its way.
            ahead._leaf.text = "" if re.match(r"\|[^\n]*$", ahead._leaf.text) else ahead._leaf.text
            ahead._leaf.settled()
        ahead.end(live=True)
        return ahead.parts[1:] if self.parts else ahead.parts

    def _line(self, text: str, long: bool = False) -> None:
        matched, text = self._match(text)
        if isinstance(self._leaf, Fence):
            if matched == len(self._containers):
                self._in_fence(self._leaf, text)
                return
            self._close_leaf()
        if not text.strip(" "):
            self._blank(matched)
            return
        matched, text = self._new_containers(matched, text)
        if text and (long or not (self._goes_with_leaf(matched, text) or self._begins(matched, text))):
            self._words(matched, text)

    def _match(self, text: str) -> tuple[int, str]:
        """How many of the open containers this line is in, and what it holds for them."""
        for index, each in enumerate(self._containers):
            blanks = _blanks(text)
            if not each.mark:
                if blanks > 3 or text[blanks : blanks + 1] != ">":
                    return index, text
                text = text[blanks + 1 :].removeprefix(" ")
            elif blanks == len(text):
                continue
            elif blanks >= each.indent or (blanks >= each.at + 2 and _ITEM.match(text, blanks)):
                text = text[min(blanks, each.indent) :]
            else:
                return index, text
        return len(self._containers), text

    def _new_containers(self, matched: int, text: str) -> tuple[int, str]:
        while (blanks := _blanks(text)) <= 3:
            rest = text[blanks:]
            item = _ITEM.match(rest)
            if rest.startswith(">"):
                self._leave(matched)
                self._containers.append(Container())
                text = rest[1:].removeprefix(" ")
            elif item and not _RULER.match(rest) and not self._is_part_of_paragraph(matched, rest, item):
                mark, spaces = item.group(1), len(item.group(2))
                spaces = spaces if 1 <= spaces <= 4 else 1
                number = self._number(matched, mark)
                self._leave(matched)
                self._containers.append(Container(mark, blanks, blanks + len(mark) + spaces, number))
                text = rest[len(mark) + spaces :].rstrip(" ") and rest[len(mark) + spaces :]
            else:
                break
            matched += 1
        return matched, text

    def _is_part_of_paragraph(self, matched: int, rest: str, item: re.Match[str]) -> bool:
        """Inside a paragraph a number that does not begin a list, or a mark with nothing behind it, is text."""
        if not isinstance(self._leaf, Paragraph) or matched < len(self._containers):
            return False
        mark = item.group(1)
        return not rest[item.end() :] or (mark[0].isdigit() and int(mark[:-1]) != 1)

    def _number(self, matched: int, mark: str) -> int:
        """Numbers count on from the item before, as every reader of lists does."""
        if not mark[0].isdigit():
            return 0
        before = self._containers[matched] if matched < len(self._containers) else None
        return before.number + 1 if before and before.mark[-1:] == mark[-1] else int(mark[:-1])

    def _goes_with_leaf(self, matched: int, text: str) -> bool:
        """Is this line a row of the open table, or does it make the paragraph's last line a title or a table's head?"""
        leaf = self._leaf
        if leaf is None or matched < len(self._containers):
            return False
        if isinstance(leaf, TableRows):
            if "|" in text and leaf.take(text):
                self._emit_table(leaf)
            return "|" in text
        return isinstance(leaf, Paragraph) and (self._is_table(leaf, text) or self._is_title(leaf, text))

    def _is_table(self, leaf: Paragraph, text: str) -> bool:
        before, _, last = leaf.text.rpartition("\n")
        if "|" not in last or "|" not in text or not _DELIMITER.match(text.strip(" ")):
            return False
        header, marks = cells_of(last), cells_of(text)
        if len(header) != len(marks):
            return False
        leaf.text = before
        self._close_leaf()
        self._leaf = TableRows(tuple(inline(cell) for cell in header), "".join(map(align_of, marks)))
        return True

    def _is_title(self, leaf: Paragraph, text: str) -> bool:
        if not _UNDERLINE.match(text) or "\n" in leaf.text or leaf.going_on or not leaf.text.strip(" "):
            return False
        self._leaf = None
        self._heading(leaf.text)
        return True

    def _begins(self, matched: int, text: str) -> bool:
        """Does this line begin something that is neither words nor rows?"""
        blanks = _blanks(text)
        rest = text[blanks:]
        if blanks > 3:
            if isinstance(self._leaf, Paragraph):
                return False
            self._leave(matched)
            prefix = self._prefix()
            self._emit(CodeLine(prefix, ((text[4:], ""),)))
        elif fence := _FENCE.match(rest):
            self._leave(matched)
            self._leaf = Fence(fence.group(1), (fence.group(2).split() or [""])[0], blanks)
        elif heading := _HEADING.match(rest):
            self._leave(matched)
            self._heading(heading.group(1) or "")
        elif _RULER.match(rest):
            self._leave(matched)
            self._emit(drawn(self._prefix(), RULE))
        else:
            return False
        return True

    def _words(self, matched: int, text: str) -> None:
        if isinstance(self._leaf, Paragraph):
            self._leaf.text += "\n" + text.lstrip(" ")
        else:
            self._leave(matched)
            self._leaf = Paragraph(text.lstrip(" "))
        self._split(self._leaf)

    def _go_on(self, text: str) -> None:
        if isinstance(self._leaf, Paragraph):
            self._leaf.text += text
            self._split(self._leaf)
        elif isinstance(self._leaf, Fence):
            self._code(self._leaf, text)

    def _split(self, leaf: Paragraph) -> None:
        for pieces, more in leaf.split_off():
            self._flow(pieces, more)

    def _in_fence(self, leaf: Fence, text: str) -> None:
        if leaf.is_end(text):
            self._close_leaf()
        else:
            self._code(leaf, text)

    def _code(self, leaf: Fence, text: str) -> None:
        if leaf.take(text) or leaf.begun:
            self._emit_code(leaf, whole=True)

    def _blank(self, matched: int) -> None:
        self._close_leaf()
        quotes = [index for index, each in enumerate(self._containers) if not each.mark and index >= matched]
        if quotes:
            self._close_containers(quotes[0])
        self._gap = True

    def _leave(self, matched: int) -> None:
        self._close_leaf()
        self._close_containers(matched)

    def _close_leaf(self, live: bool = False) -> None:
        leaf, self._leaf = self._leaf, None
        match leaf:
            case Paragraph() if pieces := leaf.pieces():
                self._flow(pieces, leaf.going_on)
            case Fence() if leaf.lines or not leaf.begun:
                self._emit_code(leaf, whole=not live)
            case TableRows():
                self._emit_table(leaf)
            case _:
                return

    def _close_containers(self, left: int) -> None:
        if any(each.mark and not each.shown for each in self._containers[left:]):
            self._flow((), False)
        del self._containers[left:]
        self._shared = min(self._shared, left)

    def _heading(self, text: str) -> None:
        self._gap = True
        self._flow(inline(text.strip(" "), "bold"), False)

    def _flow(self, pieces: Pieces, more: bool) -> None:
        first = prefix_of(self._containers, with_marks=True)
        for each in self._containers:
            each.shown = True
        self._emit(Flow(first, prefix_of(self._containers), pieces, more))

    def _emit_code(self, leaf: Fence, whole: bool) -> None:
        prefix = self._prefix()
        for part in leaf.parts(prefix, whole):
            self._emit(part)

    def _emit_table(self, leaf: TableRows) -> None:
        if part := leaf.part(self._prefix()):
            self._emit(part)

    def _prefix(self) -> Drawn:
        """For what cannot stand on the line of a list's mark: that gets a line of its own."""
        if any(each.mark and not each.shown for each in self._containers):
            self._flow((), False)
        return prefix_of(self._containers)

    def _emit(self, part: Part) -> None:
        if self._gap and self.parts:
            shared = self._containers[: self._shared]
            self.parts.append(BLANK if all(each.mark for each in shared) else prefix_of(shared))
        self._gap = False
        self._shared = len(self._containers)
        self.parts.append(part)


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
