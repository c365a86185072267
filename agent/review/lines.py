"""Files as lines of bytes: how one becomes another, and where a change made for one belongs in another.

Bytes, because what is put back or staged must be what stood there, whatever its encoding and its line ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.diffs import line_matcher

Lines = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """The lines from `first` up to `last`, which is not among them, give way to `new`."""

    first: int
    last: int
    new: Lines

    @property
    def growth(self) -> int:
        return len(self.new) - (self.last - self.first)


def lines_of(data: bytes | None) -> Lines:
    r"""With their ends, which are \n alone; the last may have none."""
    parts = (data or b"").split(b"\n")
    return (*(part + b"\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else []))


def edits_between(old: Lines, new: Lines) -> list[Edit]:
    """What leads from one to the other, in order and apart. A small change in a large file costs little."""
    head = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if head is None:
        head = min(len(old), len(new))
    pairs = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)) - head)
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    opcodes = line_matcher(before, after).get_opcodes()
    return [Edit(head + i1, head + i2, after[j1:j2]) for tag, i1, i2, j1, j2 in opcodes if tag != "equal"]


def with_edits(lines: Lines, edits: Sequence[Edit]) -> Lines:
    """With the edits made, which are in order and apart."""
    parts: list[bytes] = []
    done = 0
    for edit in edits:
        parts += lines[done : edit.first]
        parts += edit.new
        done = edit.last
    return (*parts, *lines[done:])


def rebased(edits: Sequence[Edit], made_on: Lines, now: Lines) -> list[Edit] | None:
    """The same edits for what the lines are now. Those that are there already are left out.

    None where one of them meets a change that came since: it is not known then what it would mean.
    """
    since = [_slid_up(edit, made_on) for edit in edits_between(made_on, now)]
    there = set(since)
    wanted = [edit for edit in edits if _slid_up(edit, made_on) not in there]
    moved: list[Edit] = []
    shift, waiting = 0, iter(since)
    next_one = next(waiting, None)
    for edit in wanted:
        while next_one is not None and next_one.last < edit.first:
            shift += next_one.growth
            next_one = next(waiting, None)
        if next_one is not None and next_one.first <= edit.last:
            return None
        moved.append(Edit(edit.first + shift, edit.last + shift, edit.new))
    return moved


def same_edits(edits: Sequence[Edit], others: Sequence[Edit], lines: Lines) -> list[Edit]:
    """Those of the edits that are among the others too, however said."""
    said = {_slid_up(edit, lines) for edit in others}
    return [edit for edit in edits if _slid_up(edit, lines) in said]


def _slid_up(edit: Edit, lines: Lines) -> Edit:
    """Of the ways to say the same insertion or removal among lines that repeat, the one furthest up."""
    first, last, new = edit.first, edit.last, edit.new
    if first == last:
        while first and new and lines[first - 1] == new[-1]:
            first, new = first - 1, (lines[first - 1], *new[:-1])
        return Edit(first, first, new)
    if not new:
        while first and lines[first - 1] == lines[last - 1]:
            first, last = first - 1, last - 1
    return Edit(first, last, new)


def changed_places(old: Lines, new: Lines) -> Iterator[tuple[int, int, int, int]]:
    """Where the two differ: first and last in the one, first and last in the other."""
    shift = 0
    for edit in edits_between(old, new):
        yield edit.first, edit.last, edit.first + shift, edit.first + shift + len(edit.new)
        shift += edit.growth
