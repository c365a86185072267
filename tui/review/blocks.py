"""The hunks below the list of files, as blocks of lines: those of one file in its order, then what others made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.review.review import Item
from tui.render.lines import Drawn
from tui.render.look import Look
from tui.review.item_lines import item_lines, portions_of
from tui.review.looked import Looked, LookedFile, ours
from tui.review.makers import Makers


@dataclass(frozen=True, slots=True)
class Naming:
    """How files and those who changed them are called."""

    makers: Makers
    short: Callable[[str], str]


class ItemBlocks:
    """`tui.review.window.Blocks`. `drawings` outlives this: what was drawn for the same look at the same items."""

    def __init__(
        self, looked: Looked, here: Item, naming: Naming, look: Look, drawings: dict[object, Sequence[Drawn]]
    ) -> None:
        file = looked.file_of(here)
        self.items = (*ours(file), *looked.apart)
        self._here = here
        self._naming = naming
        self._look = look
        self._drawings = drawings
        self._blocks: list[tuple[LookedFile, Item, int]] = []
        # The first block of each item, and one more for the end.
        self._begins: list[int] = []
        for item in self.items:
            self._begins.append(len(self._blocks))
            of = file if item.path == file.path else looked.file_of(item)
            self._blocks += [(of, item, portion) for portion in range(portions_of(of, item, item is here))]
        self._begins.append(len(self._blocks))

    def __len__(self) -> int:
        return len(self._blocks)

    def lines(self, number: int) -> Sequence[Drawn]:
        file, item, portion = self._blocks[number]
        here = item is self._here
        known = (id(item), portion, here)
        if known not in self._drawings:
            made = self._naming.makers.in_words(item.hunk.steps)
            name = self._naming.short(file.path) if item.hunk.whose != "ours" else ""
            self._drawings[known] = item_lines(file, item, made, name, here, portion, self._look)
        return self._drawings[known]

    @property
    def range_here(self) -> tuple[int, int]:
        """The first and the last block of the chosen item."""
        at = next(number for number, item in enumerate(self.items) if item is self._here)
        return self._begins[at], self._begins[at + 1] - 1

    def item_at(self, block: int) -> Item:
        return self._blocks[block][1]
