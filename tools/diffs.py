"""From two texts to the hunks a Diff block shows, and to the unified text a model reads."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeVar

from tools.blocks import Diff, DiffLine, Hunk

L = TypeVar("L", str, bytes)
Tag = Literal["equal", "delete", "insert", "replace"]
# As difflib says it: what becomes of which lines of the one, and which lines of the other that makes.
Opcode = tuple[Tag, int, int, int, int]

CONTEXT_LINES = 3
# Pairs of equal lines above which the exact comparison would take seconds.
COSTLY_PAIRS = 2_000_000
# Lines of both together above which those that stand once in each are paired up first: the exact comparison looks
# through all of what is left for every change it finds.
MANY_LINES = 4_000
NO_NEWLINE = " \\ no newline at the end of the file"


def diff_of(path: str, before: str, after: str, context: int = CONTEXT_LINES) -> Diff:
    skipped, old, new = _where_they_differ(before, after, context)
    groups = line_matcher(old, new).get_grouped_opcodes(context)
    return Diff(path, tuple(_hunk(group, old, new, skipped) for group in groups))


def unified(diff: Diff) -> str:
    """The diff as text, with headers a reader of patches knows."""
    parts: list[str] = []
    marks = {"same": " ", "added": "+", "removed": "-"}
    for hunk in diff.hunks:
        old = sum(line.kind != "added" for line in hunk.lines)
        new = sum(line.kind != "removed" for line in hunk.lines)
        parts.append(f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@")
        parts += [marks[line.kind] + line.text for line in hunk.lines]
    return "\n".join(parts)


def changed_ranges(before: str, after: str) -> list[tuple[int, int]]:
    """The line ranges of `after`, counted from 1, that differ from `before`; an empty range marks a removal."""
    skipped, old, new = _where_they_differ(before, after, 0)
    opcodes = line_matcher(old, new).get_opcodes()
    return [(skipped + j1 + 1, skipped + j2) for tag, _, _, j1, j2 in opcodes if tag != "equal"]


def _where_they_differ(before: str, after: str, context: int) -> tuple[int, list[str], list[str]]:
    """How many lines both begin with, and the lines of each from there to where both end the same.

    A small change in a large file must not cost the comparison of all its lines. `context` lines around stay.
    """
    before, after = _ends_told_apart(before, after)
    shorter = min(len(before), len(after))
    head = common_start(before, after, shorter)
    tail = common_end(before, after, shorter - head)
    start = before.rfind("\n", 0, head) + 1
    for _ in range(context):
        start = before.rfind("\n", 0, max(start - 1, 0)) + 1
    end = len(before) - tail
    for _ in range(context + 1):
        end = before.find("\n", end) + 1 or len(before)
    skipped = before.count("\n", 0, start)
    return skipped, _lines(before[start:end]), _lines(after[start : len(after) - (len(before) - end)])


def _ends_told_apart(before: str, after: str) -> tuple[str, str]:
    """A line end at the very end that comes or goes is a change to be seen, though no line differs by it."""
    if not before or not after or before.endswith("\n") == after.endswith("\n"):
        return before, after
    return (before, after + NO_NEWLINE) if before.endswith("\n") else (before + NO_NEWLINE, after)


def common_start(one: str, other: str, most: int) -> int:
    """How many characters both begin with, found by halving: slices compare at the speed of memory."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_end(one: str, other: str, most: int) -> int:
    """The same from the end."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def line_matcher(old: Sequence[L], new: Sequence[L]) -> difflib.SequenceMatcher[L]:
    """Exact, unless there are so many lines, or they repeat so much, that it would take too long.

    Then lines that stand once in each are matched first, and frequent ones are not matched up."""
    if len(old) + len(new) > MANY_LINES:
        return _Anchored(old, new)
    often = Counter(new)
    pairs = sum(often[line] for line in old)
    return difflib.SequenceMatcher(None, old, new, autojunk=pairs > COSTLY_PAIRS)


class _Anchored(difflib.SequenceMatcher[L]):
    """Compares what lies between lines that stand once in each and in the same order."""

    def __init__(self, old: Sequence[L], new: Sequence[L]) -> None:
        super().__init__(None, (), ())
        self._opcodes = list(_merged(_between_anchors(old, new)))

    def get_opcodes(self) -> list[Opcode]:
        return self._opcodes


def _between_anchors(old: Sequence[L], new: Sequence[L]) -> Iterator[Opcode]:
    old_at = new_at = 0
    for i, j in (*_anchors(old, new), (len(old), len(new))):
        if old_at < i and new_at < j:
            before, after = old[old_at:i], new[new_at:j]
            often = Counter(after)
            costly = sum(often[line] for line in before) > COSTLY_PAIRS
            for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, costly).get_opcodes():
                yield tag, old_at + i1, old_at + i2, new_at + j1, new_at + j2
        elif old_at < i or new_at < j:
            yield "delete" if old_at < i else "insert", old_at, i, new_at, j
        if i < len(old):
            yield "equal", i, i + 1, j, j + 1
        old_at, new_at = i + 1, j + 1


def _anchors(old: Sequence[L], new: Sequence[L]) -> list[tuple[int, int]]:
    """The longest run of such lines that both have in the same order, as places in both."""
    once = {line: j for j, line in enumerate(new)}
    often_old, often_new = Counter(old), Counter(new)
    pairs = [(i, once[line]) for i, line in enumerate(old) if often_old[line] == 1 == often_new[line]]
    # Of runs as long as each other, the one that ends earliest in the new text; and what stood before its last.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [number]
    run: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _merged(opcodes: Iterable[Opcode]) -> Iterator[Opcode]:
    """Equal lines that follow each other as one; and changes that touch, which are one change."""
    kept: Opcode | None = None
    for code in opcodes:
        if kept is None:
            kept = code
        elif (kept[0] == "equal") == (code[0] == "equal"):
            kept = (_tag(kept[0], code[0]), kept[1], code[2], kept[3], code[4])
        else:
            yield kept
            kept = code
    if kept is not None:
        yield kept


def _tag(one: Tag, other: Tag) -> Tag:
    return one if one == other else "replace"


def _lines(text: str) -> list[str]:
    """Lines end at \\n only: VT, FF, NEL and U+2028 are data (str.splitlines would split there)."""
    return text.removesuffix("\n").split("\n") if text else []


def _hunk(group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str], skipped: int) -> Hunk:
    lines: list[DiffLine] = []
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            lines += [DiffLine("same", text) for text in old[i1:i2]]
        else:
            lines += [DiffLine("removed", text) for text in old[i1:i2]]
            lines += [DiffLine("added", text) for text in new[j1:j2]]
    return Hunk(skipped + group[0][1] + 1, skipped + group[0][3] + 1, tuple(lines))
