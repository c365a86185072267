"""What it takes to bring files back to before a message: ours is taken out, what others did since stays. Pure.

The steps of a file are gone back one by one, the last first. A step of ours is taken out of what the file holds by
then; one of others is left in it, so what a command of ours threw away of theirs comes back, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agent.checkpoints.merging import merged
from agent.checkpoints.steps import Gap, Step
from agent.review.lines import edits_between, lines_of
from tools.files import hash_bytes

Content = Callable[[str], bytes | None]
# Larger files, and those that are no text, are taken as a whole.
LARGEST_BYTES = 4 << 20
SNIFFED_BYTES = 8_192
NOT_KEPT = "what it was is not kept"


@dataclass(frozen=True, slots=True)
class Held:
    """A file as it is on the disk; `data` is None where there is none."""

    data: bytes | None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a file would hold: with theirs where the two meet, or with mine. `lost` says why nothing can be done."""

    theirs: bytes | None
    mine: bytes | None
    met: int = 0
    mode: int | None = None
    lost: str = ""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What would become of a file. Hashes name what it holds now, and would hold with theirs or with mine."""

    path: str
    now: str | None
    theirs: str | None
    mine: str | None
    # In how many places ours and theirs meet.
    met: int = 0
    # Lines that come and go, as things are kept as theirs; of a file that is no text none are counted.
    added: int = 0
    removed: int = 0
    # What others changed in it since, in lines; None: nothing.
    others: tuple[int, int] | None = None
    # The permission bits it gets, where they change.
    mode: int | None = None
    lost: str = ""
    # While which command of ours something of it changed, in words: there nobody can tell ours from others'.
    during: str = ""

    @property
    def changes(self) -> bool:
        return not self.lost and (self.theirs != self.now or self.mode is not None)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that would be taken back with a message: `messages` and `calls` of the conversation, and files."""

    turn: int
    messages: int
    calls: int
    files: tuple[FilePlan, ...]
    gaps: tuple[Gap, ...] = ()
    # Commands may have done anything outside the workspace.
    commands: int = 0
    # Titles of what ran in the background since: nobody knows what of all changes was its doing.
    tasks: tuple[str, ...] = ()
    # Whether the conversation can be cut there.
    conversation: bool = True
    # The number of the rewind that this takes back; 0: it is none of that kind.
    undoes: int = 0


Ours = Callable[[Step], bool]


def is_ours(step: Step) -> bool:
    return step.by != "outside"


def outcome_of(steps: Sequence[Step], content: Content, held: Held, ours: Ours = is_ours) -> Outcome:
    """`steps` are those of one file from the message on."""
    try:
        theirs, met = _gone_back(steps, content, held.data, ours, mine=False)
        mine, _ = _gone_back(steps, content, held.data, ours, mine=True) if met else (theirs, 0)
    except _LostError as lost:
        return Outcome(held.data, held.data, lost=str(lost))
    return Outcome(theirs, mine, met, _mode_of(steps, held, ours))


def plan_of(steps: Sequence[Step], content: Content, held: Held, ours: Ours = is_ours) -> FilePlan | None:
    """None where nothing of it would change."""
    outcome = outcome_of(steps, content, held, ours)
    if not outcome.lost and outcome.theirs == held.data == outcome.mine and _same_mode(outcome, held):
        return None
    added, removed = _counted(held.data, outcome.theirs)
    return FilePlan(
        path=steps[0].path,
        now=_hash(held.data),
        theirs=_hash(outcome.theirs),
        mine=_hash(outcome.mine),
        met=outcome.met,
        added=added,
        removed=removed,
        others=others_of(steps, content, ours),
        mode=None if _same_mode(outcome, held) else outcome.mode,
        lost=outcome.lost,
        during=next((step.attribution for step in reversed(steps) if step.by == "command" and ours(step)), ""),
    )


def others_of(steps: Sequence[Step], content: Content, ours: Ours = is_ours) -> tuple[int, int] | None:
    """Lines that others added and removed; None where they did nothing."""
    counts = [
        _counted(_or_nothing(step.before, content), _or_nothing(step.after, content))
        for step in steps
        if not ours(step)
    ]
    return (sum(added for added, _ in counts), sum(removed for _, removed in counts)) if counts else None


def each_once(files: Sequence[FilePlan], gaps: Sequence[Gap]) -> tuple[tuple[FilePlan, ...], tuple[Gap, ...]]:
    """What cannot be taken back is named once, with the reason that says more; what can is no gap by now."""
    why_not = {gap.path for gap in gaps}
    told = tuple(file for file in files if file.lost != NOT_KEPT or file.path not in why_not)
    planned = {file.path for file in told}
    joined: dict[tuple[str, str], Gap] = {}
    for gap in gaps:
        before = joined.get((gap.path, gap.why), gap)
        joined[gap.path, gap.why] = replace(gap, count=max(gap.count, before.count))
    return told, tuple(gap for gap in joined.values() if gap.path not in planned)


# -- inside


class _LostError(Exception):
    """Why it cannot be said what the file was."""


def _gone_back(
    steps: Sequence[Step], content: Content, now: bytes | None, ours: Ours, *, mine: bool
) -> tuple[bytes | None, int]:
    met, there, held = 0, _hash(now), {_hash(now): now}
    for step in reversed(steps):
        if not ours(step) or step.before in (step.after, there):
            continue
        if there == step.after:
            # As it left it. What it was is looked up only once more than its name is needed.
            there = step.before
            continue
        data, meets = _without(step, content, held[there] if there in held else _known(there, content), mine)
        met, there, held = met + meets, _hash(data), {_hash(data): data}
    return held[there] if there in held else _known(there, content), met


def _without(step: Step, content: Content, now: bytes | None, mine: bool) -> tuple[bytes | None, int]:
    """The file without what the step did, and in how many places that meets what others did since."""
    if step.after is None or step.before is None or now is None:
        # It came or went as a whole, and others had a hand in it: there are no hunks to be kept apart.
        return (_known(step.before, content), 1) if mine else (now, 1)
    after, before = _known(step.after, content), _known(step.before, content)
    assert after is not None and before is not None, "both are named"
    if any(_no_text(data) for data in (after, before, now)):
        return before if mine else now, 1
    result = merged(lines_of(after), lines_of(before), lines_of(now), mine=mine)
    return b"".join(result.lines), result.met


def _known(hash: str | None, content: Content) -> bytes | None:
    if hash is None:
        return None
    data = content(hash)
    if data is None:
        raise _LostError(NOT_KEPT)
    return data


def _mode_of(steps: Sequence[Step], held: Held, ours: Ours) -> int | None:
    """The permission bits it had before, where they are known and nobody else has set others since."""
    mode = held.mode
    for step in reversed(steps):
        if ours(step) and step.mode_before is not None and mode in (None, step.mode_after):
            mode = step.mode_before
    return mode


def _same_mode(outcome: Outcome, held: Held) -> bool:
    # A file that goes needs none.
    return outcome.theirs is None or outcome.mode is None or outcome.mode == held.mode


def _or_nothing(hash: str | None, content: Content) -> bytes | None:
    return content(hash) if hash is not None else None


def _counted(before: bytes | None, after: bytes | None) -> tuple[int, int]:
    """Lines added and removed."""
    if _no_text(before) or _no_text(after) or before == after:
        return 0, 0
    edits = edits_between(lines_of(before), lines_of(after))
    return sum(len(edit.new) for edit in edits), sum(edit.last - edit.first for edit in edits)


def _no_text(data: bytes | None) -> bool:
    return data is not None and (len(data) > LARGEST_BYTES or b"\0" in data[:SNIFFED_BYTES])


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hash_bytes(data)
