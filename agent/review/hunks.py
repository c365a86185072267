"""What a session changed in one file, as hunks: each with the steps that made it and whose they are. Pure.

Line by line, through all steps of the file, it is kept who removed which line of the start and who added which line of
now. A line that others wrote over one of ours belongs to both; what was taken back to how it stood is no change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from agent.checkpoints.steps import Step
from agent.review.lines import Edit, Lines, changed_places, edits_between, lines_of
from tools.files import hash_bytes

Whose = Literal["ours", "others", "mixed"]
# Changes of the same steps with no more unchanged lines between them are one hunk.
NEAR_LINES = 2
# Larger files are not taken apart by their lines.
LARGEST_BYTES = 4 << 20
SNIFFED_BYTES = 8_192
UNNOTICED = "external"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of the start, from `was` on, that gave way to lines of now, from `at` on; both count from 0."""

    was: int
    at: int
    removed: Lines
    added: Lines
    steps: tuple[Step, ...]
    whose: Whose
    # The file as a whole: it came to be, it went, or it cannot be taken apart.
    whole: bool = False

    @property
    def forth(self) -> Edit:
        """What it does to the start."""
        return Edit(self.was, self.was + len(self.removed), self.added)

    @property
    def back(self) -> Edit:
        """What takes it out of now."""
        return Edit(self.at, self.at + len(self.added), self.removed)


@dataclass(frozen=True, slots=True)
class FileChanges:
    """`start` and `now` are None where there was, or is, no such file. `unread` says why it has no lines to show."""

    path: str
    start: bytes | None
    now: bytes | None
    hunks: tuple[Hunk, ...]
    steps: tuple[Step, ...]
    unread: str = ""
    # What it was is not kept: nothing of it can be taken back.
    lost: bool = False

    @property
    def others(self) -> bool:
        return any(hunk.whose != "ours" for hunk in self.hunks)

    def whose_line(self, number: int) -> Whose | None:
        """Whose a line of now is, counted from 0; None: it stood there at the start."""
        for hunk in self.hunks:
            if hunk.at <= number < hunk.at + len(hunk.added):
                return hunk.whose
        return None


Content = Callable[[str], bytes | None]


def changes_of(steps: Sequence[Step], content: Content, now: bytes | None, seen_at: float) -> FileChanges:
    """The changes of the file whose steps these are, from before the first of them to what it holds now.

    What nobody noted, between the steps or after them, somebody else did.
    """
    links = _links(steps, None if now is None else hash_bytes(now), seen_at)
    last = len(links) - 1
    contents = [_held(links[0].before, content), *(_held(link.after, content) for link in links[:last]), (True, now)]
    path, all_steps = steps[0].path, tuple(links)
    (kept, start) = contents[0]
    if not kept:
        return unread(all_steps, "what it was at the start is not kept")
    if start == now:
        return FileChanges(path, start, now, (), all_steps)
    why = next((why for known, data in contents if known and (why := _unreadable(data))), "")
    if why:
        return FileChanges(path, start, now, (_whole(all_steps),), all_steps, why)
    return FileChanges(path, start, now, _hunks(links, contents, start, now), all_steps)


def unread(steps: Sequence[Step], why: str) -> FileChanges:
    """The same where the file, or what it was, is not to be had."""
    return FileChanges(steps[0].path, None, None, (_whole(tuple(steps)),), tuple(steps), why, lost=True)


def _links(steps: Sequence[Step], now: str | None, seen_at: float) -> list[Step]:
    """The steps without a gap between them, up to now."""
    links: list[Step] = []
    at = steps[0].before
    for step in steps:
        if step.before != at:
            links.append(Step(step.number, step.path, at, step.before, "outside", step.turn, step.time, "", UNNOTICED))
        links.append(step)
        at = step.after
    if at != now:
        end = links[-1]
        links.append(Step(end.number + 1, end.path, at, now, "outside", end.turn, seen_at, "", UNNOTICED))
    return links


def _held(hash: str | None, content: Content) -> tuple[bool, bytes | None]:
    """Whether it is known what the file held, and what; nothing, where there was no file."""
    if hash is None:
        return True, None
    data = content(hash)
    return data is not None, data


def _unreadable(data: bytes | None) -> str:
    if data is None:
        return ""
    if len(data) > LARGEST_BYTES:
        return f"larger than {LARGEST_BYTES >> 20} MiB"
    return "binary" if b"\0" in data[:SNIFFED_BYTES] else ""


def _whole(steps: tuple[Step, ...]) -> Hunk:
    made = _without_person(steps)
    return Hunk(0, 0, (), (), made, _whose(made), whole=True)


# -- blame


@dataclass(frozen=True, slots=True)
class _Line:
    """`by`: which steps made it what it is; none: it stands as it stood. `gone`: it is one of the start's."""

    text: bytes
    by: frozenset[int] = frozenset()
    gone: bool = False


def _hunks(
    links: list[Step], contents: list[tuple[bool, bytes | None]], start: bytes | None, now: bytes | None
) -> tuple[Hunk, ...]:
    old, new = lines_of(start), lines_of(now)
    hunks = [
        Hunk(run.was, run.at, old[run.was : run.was_end], new[run.at : run.at_end], run.steps, run.whose)
        for run in _near(_runs(_settled(_blamed(links, contents)), links))
    ]
    if start is not None and now is not None:
        return tuple(hunks)
    if not hunks:
        return (_whole(tuple(links)),)
    only = hunks[0]
    return (Hunk(0, 0, old, new, only.steps, only.whose, whole=True),) if len(hunks) == 1 else tuple(hunks)


def _blamed(links: list[Step], contents: list[tuple[bool, bytes | None]]) -> list[_Line]:
    """All lines that were at the start or are there now, in their order."""
    lines = [_Line(text) for text in lines_of(contents[0][1])]
    # Contents the file had before, and whose its lines were: who goes back to one of them makes nothing new.
    earlier = {links[0].before: lines}
    put_away: dict[bytes, frozenset[int]] = {}
    pending = frozenset[int]()
    for number, (link, (known, data)) in enumerate(zip(links, contents[1:], strict=True)):
        pending |= {number}
        if not known:
            continue
        steps, pending = pending, frozenset[int]()
        taking_back = all(_takes_back(links[step]) for step in steps)
        if taking_back:
            put_away.update((line.text, line.by) for line in lines if line.by and not line.gone)
        back = earlier.get(link.after)
        if back is not None and (link.by in ("person", "outside") or link.after == links[0].before):
            lines = back
        else:
            lines = _stepped(lines, lines_of(data), steps, put_away if taking_back else {})
        earlier[link.after] = lines
    return lines


def _stepped(
    lines: list[_Line], new: Lines, steps: frozenset[int], put_away: dict[bytes, frozenset[int]]
) -> list[_Line]:
    """`put_away`: lines that were taken out and may now be put back, and whose those were."""
    live = [place for place, line in enumerate(lines) if not line.gone]
    result: list[_Line] = []
    done = 0
    for edit in _line_by_line(edits_between(tuple(lines[place].text for place in live), new)):
        first = live[edit.first] if edit.first < len(live) else len(lines)
        last = live[edit.last - 1] + 1 if edit.last > edit.first else first
        over = frozenset[int]().union(*(line.by for line in lines[first:last] if not line.gone))
        # What such a line had replaced is now replaced by both.
        while over and first > done and lines[first - 1].gone and lines[first - 1].by & over:
            first -= 1
        while over and last < len(lines) and lines[last].gone and lines[last].by & over:
            last += 1
        by = over | steps
        result += lines[done:first]
        result += _replaced(lines[first:last], over, by)
        result += [_Line(text, by if over else put_away.get(text, by)) for text in edit.new]
        done = last
    return [*result, *lines[done:]]


def _replaced(lines: list[_Line], over: frozenset[int], by: frozenset[int]) -> Iterator[_Line]:
    """What is left of lines that gave way: those of the start, which are now gone."""
    for line in lines:
        if line.gone:
            yield _Line(line.text, line.by | by, True) if line.by & over else line
        elif not line.by:
            yield _Line(line.text, by, True)


def _line_by_line(edits: list[Edit]) -> Iterator[Edit]:
    """As many out as in: each line has its counterpart."""
    for edit in edits:
        if edit.growth or len(edit.new) < 2:
            yield edit
        else:
            yield from (Edit(edit.first + n, edit.first + n + 1, (text,)) for n, text in enumerate(edit.new))


def _settled(lines: list[_Line]) -> Iterator[_Line]:
    """Lines that went and came again in one place are as they were."""
    for changed, group in groupby(lines, key=lambda line: bool(line.by)):
        run = list(group)
        gone, come = [line for line in run if line.gone], [line for line in run if not line.gone]
        if not changed or not {line.text for line in gone} & {line.text for line in come}:
            yield from run
            continue
        old, new = tuple(line.text for line in gone), tuple(line.text for line in come)
        done = 0
        for i1, i2, j1, j2 in changed_places(old, new):
            yield from (_Line(text) for text in old[done:i1])
            yield from (*gone[i1:i2], *come[j1:j2])
            done = i2
        yield from (_Line(text) for text in old[done:])


# -- from lines to hunks


@dataclass(frozen=True, slots=True)
class _Run:
    was: int
    was_end: int
    at: int
    at_end: int
    steps: tuple[Step, ...]
    whose: Whose


def _runs(lines: Iterator[_Line], links: list[Step]) -> Iterator[_Run]:
    """Changed lines that follow each other and are of the same owner."""
    was = at = 0

    def owner(line: _Line) -> Whose | None:
        return _whose(_made(line.by, links)) if line.by else None

    for whose, group in groupby(lines, key=owner):
        run = list(group)
        gone = sum(line.gone for line in run)
        if whose is None:
            was, at = was + len(run), at + len(run)
            continue
        steps = _made(frozenset[int]().union(*(line.by for line in run)), links)
        yield _Run(was, was + gone, at, at + len(run) - gone, steps, whose)
        was, at = was + gone, at + len(run) - gone


def _near(runs: Iterator[_Run]) -> list[_Run]:
    """Those of the same steps with next to nothing between them as one."""
    joined: list[_Run] = []
    for run in runs:
        before = joined[-1] if joined else None
        if before is not None and before.steps == run.steps and run.at - before.at_end <= NEAR_LINES:
            joined[-1] = _Run(before.was, run.was_end, before.at, run.at_end, run.steps, run.whose)
        else:
            joined.append(run)
    return joined


def _made(by: frozenset[int], links: list[Step]) -> tuple[Step, ...]:
    return _without_person(tuple(links[number] for number in sorted(by)))


def _without_person(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """What the person took back and put back through us is of those who made it."""
    return tuple(step for step in steps if not _takes_back(step)) or steps


def _takes_back(step: Step) -> bool:
    """In review or rewind; a shell line of theirs is a change like any other."""
    return step.by == "person" and not step.call.startswith("shell-")


def _whose(steps: tuple[Step, ...]) -> Whose:
    others = sum(step.by == "outside" for step in steps)
    return "others" if others == len(steps) else "mixed" if others else "ours"
