"""A change as lines: numbers, signs, code in colours on its ground, and the words that differ.

The ground is part of the pieces and reaches to the given width, so that a line can stand behind a rail or beside
another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from tools.blocks import Diff, DiffLine, Hunk
from tui.render.code import GUTTER, Pieces, highlight, number
from tui.render.lines import CUT, Drawn, cut, drawn, fit, grounded, wrap
from tui.render.safe import safe

Kind = Literal["same", "added", "removed"]
Range = tuple[int, int]

GAP = drawn((f"   {CUT}", "$dim"))
SIGNS: dict[Kind, tuple[str, str]] = {"same": ("  ", "$dim"), "added": ("+ ", "$add"), "removed": ("- ", "$del")}
GROUNDS: dict[Kind, str] = {"same": "", "added": "$add-bg", "removed": "$del-bg"}
WORDS: dict[Kind, str] = {"same": "", "added": "$foreground on $add-word", "removed": "$foreground on $del-word"}
# Longer lines are not compared word by word; in larger changes lines are not looked for far away.
MOST_WORDS = 400
FARTHEST = 8
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Row:
    """`was`: the number that an unchanged line had in the old file."""

    kind: Kind
    number: int
    code: Pieces
    words: tuple[Range, ...] = ()
    was: int = 0


def diff_lines(
    diff: Diff,
    width: int,
    context: int | None = None,
    side_by_side: bool = False,
    wrap_long: bool = False,
    limit: int | None = None,
    ground: bool | None = None,
) -> list[Drawn]:
    """`context`: at most so many unchanged lines around a change, of those the hunks have. `limit`: only the first
    lines; `diff_size` knows how many there are. Long lines are cut, or wrapped under their text. `ground`: whether
    changes lie on one, else as it is fit for the diff."""
    new_file = is_new_file(diff) if ground is None else not ground
    lines: list[Drawn] = []
    for hunk in _near(diff.hunks, context):
        if limit is not None and len(lines) >= limit:
            break
        lines += [GAP] if lines else []
        rows = _rows(hunk, diff.path, None if limit is None else 2 * limit)
        if side_by_side and not new_file:
            lines += [line for old, new in _beside(rows) for line in _two(old, new, width, wrap_long)]
        else:
            lines += [line for row in rows for line in _drawing(row, width, wrap_long, ground=not new_file)]
    return lines[:limit]


def diff_size(diff: Diff, context: int | None = None) -> int:
    """How many lines `diff_lines` would draw, one below the other and none of them wrapped."""
    sizes = [len(hunk.lines) for hunk in _near(diff.hunks, context)]
    return sum(sizes) + max(len(sizes) - 1, 0)


def is_new_file(diff: Diff) -> bool:
    """Everything in it is new: then a ground would tell nothing."""
    return [(hunk.new_start, {line.kind for line in hunk.lines}) for hunk in diff.hunks] == [(1, {"added"})]


def counts(diff: Diff) -> Drawn:
    """`+3 -3`"""
    added, removed = diff.added, diff.removed
    gap = " " if added and removed else ""
    return drawn((f"+{added}" if added else "", "$add"), gap, (f"-{removed}" if removed else "", "$del"))


def _near(hunks: tuple[Hunk, ...], context: int | None) -> Iterator[Hunk]:
    """The hunks with no more than this around their changes: one with changes far apart becomes several."""
    for hunk in hunks:
        if context is None:
            yield hunk
            continue
        old, new, done = hunk.old_start, hunk.new_start, 0
        for start, end in _spans([index for index, line in enumerate(hunk.lines) if line.kind != "same"], context):
            old += sum(line.kind != "added" for line in hunk.lines[done:start])
            new += sum(line.kind != "removed" for line in hunk.lines[done:start])
            done = start
            yield Hunk(old, new, hunk.lines[start:end])


def _spans(changed: list[int], context: int) -> Iterator[Range]:
    start, end = 0, -1
    for index in changed:
        if index - context > end >= 0:
            yield start, end
        if index - context > end:
            start = max(index - context, 0)
        end = index + context + 1
    if changed:
        yield start, end


def _rows(hunk: Hunk, path: str, most: int | None) -> list[Row]:
    lines = _without_returns(hunk.lines)
    partners = _partners(lines)
    shown = lines[:most]
    old_code = iter(highlight("\n".join(line.text for line in shown if line.kind != "added"), path))
    new_code = iter(highlight("\n".join(line.text for line in shown if line.kind != "removed"), path))
    old, new = hunk.old_start, hunk.new_start
    rows: list[Row] = []
    for index, line in enumerate(shown):
        partner = partners.get(index)
        match line.kind:
            case "removed":
                words = changed_words(line.text, lines[partner].text)[0] if partner is not None else ()
                rows.append(Row("removed", old, next(old_code), words))
            case "added":
                words = changed_words(lines[partner].text, line.text)[1] if partner is not None else ()
                rows.append(Row("added", new, next(new_code), words))
            case "same":
                next(old_code)
                rows.append(Row("same", new, next(new_code), was=old))
        old += line.kind != "added"
        new += line.kind != "removed"
    return rows


def _without_returns(lines: tuple[DiffLine, ...]) -> tuple[DiffLine, ...]:
    """Safe lines. Where every one ends in a carriage return, that is the file's way and no news."""
    end = "\r" if all(line.text.endswith("\r") for line in lines) else ""
    return tuple(DiffLine(line.kind, safe(line.text.removesuffix(end))) for line in lines)


def _partners(lines: tuple[DiffLine, ...]) -> dict[int, int]:
    """Which removed line became which added one, both ways."""
    partners: dict[int, int] = {}
    at = 0
    while at < len(lines):
        middle = _end_of_run(lines, at, "removed")
        end = _end_of_run(lines, middle, "added")
        for old, new in _matched(lines, range(at, middle), range(middle, end)):
            partners[old], partners[new] = new, old
        at = max(end, at + 1)
    return partners


def _end_of_run(lines: tuple[DiffLine, ...], at: int, kind: Kind) -> int:
    while at < len(lines) and lines[at].kind == kind:
        at += 1
    return at


def _matched(lines: tuple[DiffLine, ...], removed: range, added: range) -> Iterator[tuple[int, int]]:
    """As many out as in: each with its counterpart. Else the next that resembles it."""
    if len(removed) == len(added):
        yield from zip(removed, added, strict=True)
        return
    start = added.start
    for old in removed:
        near = range(start, min(start + FARTHEST, added.stop))
        found = next((new for new in near if any(changed_words(lines[old].text, lines[new].text))), None)
        if found is not None:
            yield old, found
            start = found + 1


@lru_cache(maxsize=4096)
def changed_words(old: str, new: str) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Where the two lines differ; nowhere, if they share less than half of the shorter one."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if max(len(before), len(after)) > MOST_WORDS:
        return (), ()
    matcher = SequenceMatcher(str.isspace, before, after, autojunk=False)
    opcodes = matcher.get_opcodes()
    shared = sum(_ink(before[i1:i2]) for tag, i1, i2, _, _ in opcodes if tag == "equal")
    if 2 * shared < min(_ink(before), _ink(after)) or not shared:
        return (), ()
    changes = [code[1:] for code in opcodes if code[0] != "equal"]
    return _ranges(before, [each[:2] for each in changes]), _ranges(after, [each[2:] for each in changes])


def _ink(words: list[str]) -> int:
    return sum(len(word) for word in words if not word.isspace())


def _ranges(words: list[str], changes: list[Range]) -> tuple[Range, ...]:
    """From words to characters; blanks at the ends do not count, and those between two changes do."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    text = "".join(words)
    ranges: list[Range] = []
    for first, last in changes:
        part = text[starts[first] : starts[last]]
        start = starts[first] + len(part) - len(part.lstrip())
        end = starts[first] + len(part.rstrip())
        if start >= end:
            continue
        if ranges and text[ranges[-1][1] : start].isspace():
            start = ranges.pop()[0]
        ranges.append((start, end))
    return tuple(ranges)


def _beside(rows: list[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    out: list[Row] = []
    into: list[Row] = []
    for row in rows:
        if row.kind == "removed" and not into:
            out.append(row)
        elif row.kind == "added":
            into.append(row)
        else:
            yield from zip_longest(out, into)
            out, into = ([row], []) if row.kind == "removed" else ([], [])
            if row.kind == "same":
                yield replace(row, number=row.was), row
    yield from zip_longest(out, into)


def _two(old: Row | None, new: Row | None, width: int, wrap_long: bool) -> Iterator[Drawn]:
    half = (width - 2) // 2
    empty = drawn(" " * half)
    left = _drawing(old, half, wrap_long) if old else []
    right = _drawing(new, half, wrap_long) if new else []
    for one, other in zip_longest(left, right, fillvalue=empty):
        yield drawn(fit(half, one), "  ", other)


def _drawing(row: Row, width: int, wrap_long: bool, ground: bool = True) -> list[Drawn]:
    room = max(width - GUTTER, 1)
    code = Drawn(tuple(_marked(row.code, row.words, WORDS[row.kind])))
    parts = wrap(code, room) if wrap_long else [cut(code, room)]
    lines = [drawn(number(row.number), SIGNS[row.kind], parts[0]), *(drawn(" " * GUTTER, part) for part in parts[1:])]
    return [grounded(line, width, GROUNDS[row.kind]) for line in lines] if ground and row.kind != "same" else lines


def _marked(code: Pieces, words: tuple[Range, ...], style: str) -> Iterator[tuple[str, str]]:
    """The code with the changed words in one style, whatever their own was."""
    at = 0
    for text, own in code:
        done = 0
        for start, end in words:
            first, last = max(start - at, done), min(end - at, len(text))
            if first < last:
                yield text[done:first], own
                yield text[first:last], style
                done = last
        yield text[done:], own
        at += len(text)
