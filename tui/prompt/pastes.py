"""Pasted text: what of it may enter the box, and the short labels that stand there for long blocks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_LINES = 10
# One endless line is as hard to read, and slow to wrap.
MOST_CHARACTERS = 10_000

# Every control character but tab and newline, what turns the direction of text, and halves of characters.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[\r\u2028\u2029]")


def plain(text: str) -> str:
    """The text as it may be typed: one kind of line end, no control characters."""
    return _UNWANTED.sub("", _LINE_END.sub("\n", text))


class Pastes:
    """The long blocks of one draft. In the box each is its label; a label stands for one block only."""

    def __init__(self) -> None:
        self.blocks: dict[str, str] = {}

    def shortened(self, text: str) -> str:
        """What to put into the box for this text: itself, or the label of a block."""
        lines = text.rstrip("\n").count("\n") + 1
        if lines > MOST_LINES:
            return self._labelled(text, f"pasted {lines} lines")
        if len(text) > MOST_CHARACTERS:
            return self._labelled(text, f"pasted {len(text)} characters")
        return text

    def expanded(self, text: str) -> str:
        """The text with every label replaced by its block."""
        if not self.blocks:
            return text
        return self._labels.sub(lambda found: self.blocks[found[0]], text)

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Where labels stand in a line of the box."""
        if self.blocks and "[pasted " in line:
            yield from (found.span() for found in self._labels.finditer(line))

    def _labelled(self, text: str, words: str) -> str:
        label, number = f"[{words}]", 1
        while self.blocks.get(label, text) != text:
            number += 1
            label = f"[{words}, {number}]"
        self.blocks[label] = text
        return label

    @property
    def _labels(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self.blocks)))
