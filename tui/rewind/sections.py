"""The lines of one file that would change by going back; where others changed the same ones, both ways it could go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.checkpoints.rewind import Held, Outcome
from agent.checkpoints.rewinds import Choice
from agent.review.hunks import SNIFFED_BYTES
from tools.blocks import Diff
from tools.diffs import diff_of
from tui.render.glyphs import mark
from tui.render.lines import BLANK, Drawn, drawn
from tui.review.diff_blocks import INDENT, DiffBlocks

NO_TEXT = "It is no text: it changes as a whole."
SAME = "Its lines stay as they are."
TITLES: dict[Choice, str] = {
    "theirs": "theirs stays where the two overlap",
    "mine": "mine goes back there, too, and theirs is lost there",
}
KEYS: dict[Choice, str] = {"theirs": "t", "mine": "m"}


@dataclass(frozen=True, slots=True)
class Section:
    """One way it could go. `problem` says why there is no diff."""

    choice: Choice
    diff: Diff
    problem: str = ""


def sections_of(path: str, held: Held, outcome: Outcome) -> tuple[Section, ...]:
    ways: tuple[tuple[Choice, bytes | None], ...] = (("theirs", outcome.theirs), ("mine", outcome.mine))
    return tuple(_section(path, held.data, after, choice) for choice, after in (ways if outcome.met else ways[:1]))


class SectionBlocks:
    """`tui.review.window.Blocks`: a title where there are two ways, then the lines of each."""

    def __init__(self, sections: Sequence[Section], chosen: Choice, width: int, ascii: bool) -> None:
        self._blocks: list[tuple[DiffBlocks, int] | list[Drawn]] = []
        for section in sections:
            if len(sections) > 1:
                self._blocks.append(_title(section.choice, section.choice == chosen, ascii))
            words = section.problem or ("" if section.diff.hunks else SAME)
            if words:
                self._blocks.append([drawn(" " * INDENT, (words, "$dim"))])
            diff = DiffBlocks(section.diff, width)
            self._blocks += [(diff, number) for number in range(len(diff))]
            self._blocks.append([BLANK])

    def __len__(self) -> int:
        return len(self._blocks)

    def lines(self, number: int) -> Sequence[Drawn]:
        block = self._blocks[number]
        if isinstance(block, tuple):
            diff, part = block
            return diff.lines(part)
        return block


def _title(choice: Choice, chosen: bool, ascii: bool) -> list[Drawn]:
    sign = mark("ok", ascii) if chosen else (" ", "")
    style = "bold" if chosen else "$dim"
    return [drawn(" ", sign, " ", (KEYS[choice], "bold"), " ", (TITLES[choice], style)), BLANK]


def _section(path: str, before: bytes | None, after: bytes | None, choice: Choice) -> Section:
    if any(data is not None and b"\0" in data[:SNIFFED_BYTES] for data in (before, after)):
        return Section(choice, Diff(path, ()), NO_TEXT)
    return Section(choice, diff_of(path, _text(before), _text(after)))


def _text(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")
