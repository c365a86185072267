"""A screen's height out of blocks of lines, anchored to one of them: only what is in sight is ever drawn.

So it costs the same for ten blocks and for thousands, and what is being read stays where it is when others change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tui.render.lines import Drawn


class Blocks(Protocol):
    def __len__(self) -> int: ...

    def lines(self, number: int) -> Sequence[Drawn]:
        """Of one block; it may be asked again and again."""
        ...


class Window:
    def __init__(self) -> None:
        # The block that stands first, and how many of its lines are above the window.
        self.block = 0
        self.line = 0

    def shown(self, blocks: Blocks, height: int) -> list[Drawn]:
        """Never past the end, as long as there is more above."""
        self._settle(blocks, height)
        found: list[Drawn] = []
        for number in range(self.block, len(blocks)):
            found += blocks.lines(number)[self.line if number == self.block else 0 :]
            if len(found) >= height:
                break
        return found[:height]

    def key(self, blocks: Blocks, key: str, height: int) -> None:
        """Keys that scroll; others do nothing."""
        page = max(height - 2, 1)
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "pagedown": page, "space": page}
        match key:
            case "home":
                self.to(0)
            case "end":
                self.to_end(blocks, height)
            case _:
                self.scroll(blocks, steps.get(key, 0), height)

    def scroll(self, blocks: Blocks, by: int, height: int) -> None:
        self.line += by
        self._settle(blocks, height)

    def to_end(self, blocks: Blocks, height: int) -> None:
        self.block, self.line = _begin_for(blocks, len(blocks) - 1, height)

    def to(self, block: int) -> None:
        self.block, self.line = block, 0

    def reveal(self, blocks: Blocks, first: int, last: int, height: int) -> None:
        """Bring these into sight, by as little as it takes; the first of them where they do not all fit."""
        self._settle(blocks, height)
        highest = _begin_for(blocks, last, height)
        if (first, 0) < (self.block, self.line) or highest > (first, 0):
            self.to(first)
        elif (self.block, self.line) < highest:
            self.block, self.line = highest

    def begun(self, blocks: Blocks, height: int) -> range:
        """The blocks whose first line is in sight."""
        self._settle(blocks, height)
        number, seen = self.block, -self.line
        while number < len(blocks) and seen < height:
            seen += len(blocks.lines(number))
            number += 1
        return range(self.block + bool(self.line), number)

    def _settle(self, blocks: Blocks, height: int) -> None:
        if not len(blocks):
            self.to(0)
            return
        if self.block >= len(blocks):
            self.to(len(blocks) - 1)
        while self.line < 0 and self.block:
            self.block -= 1
            self.line += len(blocks.lines(self.block))
        self.line = max(self.line, 0)
        while self.block < len(blocks) - 1 and self.line >= len(blocks.lines(self.block)):
            self.line -= len(blocks.lines(self.block))
            self.block += 1
        self.block, self.line = min((self.block, self.line), _begin_for(blocks, len(blocks) - 1, height))


def _begin_for(blocks: Blocks, last: int, height: int) -> tuple[int, int]:
    """Where to begin so that this block's last line is the last one shown."""
    left = height
    for number in range(last, -1, -1):
        size = len(blocks.lines(number))
        if size >= left:
            return number, size - left
        left -= size
    return 0, 0
