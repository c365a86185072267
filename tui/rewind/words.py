"""What going back would do to each file, and what of it nothing can take back, in the few words a line has room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.checkpoints.rewind import FilePlan, Plan
from agent.checkpoints.rewinds import Choice
from agent.checkpoints.steps import Why
from tools.short import counted

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WHY: dict[Why, str] = {
    "ignored": "ignored by git",
    "large": "too large to be kept",
    "link": "a link",
    "missed": "changed before it could be kept",
    "many": "in a folder with too many files",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line about a file. `kind` gives it its colour: what of others is in it, what goes, comes, changes, stays."""

    mark: str
    words: str
    kind: Literal["gone", "back", "changed", "theirs", "stays"]


def file_facts(file: FilePlan, choice: Choice, undoes: bool) -> tuple[Fact, ...]:
    """What becomes of a file as chosen, and then what becomes of others' changes in it."""
    if file.lost:
        return (Fact("!", f"stays as it is: {file.lost}", "stays"),)
    own = _own(file, choice, "" if undoes or file.during else "my ")
    if file.during and own.kind in ("changed", "gone"):
        own = replace(own, words=f"{own.words}   changed {file.during}")
    return (own,) if file.others is None else (own, Fact(own.mark, _of_others(file, choice, undoes), "theirs"))


def facts_of(file: FilePlan) -> int:
    """How many there are."""
    return 1 if file.lost or file.others is None else 2


def beyond(plan: Plan) -> Iterator[tuple[str, str]]:
    """What stays, whatever is chosen: where, or what it was, and why."""
    for gap in plan.gaps:
        many = f"{counted(gap.count, 'file')} stay as they are" if gap.count > 1 else "stays as it is"
        yield gap.path, f"{many}, {WHY[gap.why]}"
    for title in plan.tasks:
        yield title, "ran in the background: what it changed counts as someone else's"
    if plan.commands:
        doer = "it" if plan.commands == 1 else "they"
        yield counted(plan.commands, "command"), f"what {doer} did outside the workspace stays"


def taken_back(plan: Plan) -> str:
    """`2 messages, 9 calls`."""
    if plan.undoes:
        return counted(sum(file.changes for file in plan.files), "file")
    return ", ".join((counted(plan.messages, "message"), counted(plan.calls, "call")))


def made_in_words(made: tuple[int, int, int]) -> str:
    """`1 file +3 -3` of what a turn changed; nothing where it changed no file."""
    files, added, removed = made
    return " ".join((counted(files, "file"), *_sizes(added, removed))) if files else ""


def failed_in_words(failed: Sequence[tuple[str, str]]) -> str:
    named = [f"{path}: {why}" for path, why in failed]
    return "\n".join([f"{counted(len(named), 'file')} could not be brought back.", *named])


def _own(file: FilePlan, choice: Choice, my: str) -> Fact:
    after = file.mine if choice == "mine" else file.theirs
    if after is None and file.now is not None:
        return Fact("-", "removed", "gone")
    if file.now is None and after is not None:
        return Fact("A", "comes back", "back")
    if after == file.now:
        return Fact("M", "permissions as before" if file.mode is not None else "stays as it is", "changed")
    if choice == "mine" and file.met:
        return Fact("M", "as it was before, where the two meet too", "changed")
    return Fact("M", _lines(file.added, file.removed, my) or "as it was before", "changed")


def _lines(come: int, go: int, my: str) -> str:
    goes = f"{my}{_counted(go)} {'goes' if go == 1 else 'go'}" if go else ""
    comes = f"{_in_words(come) if go else _counted(come)} {'comes' if come == 1 else 'come'} back" if come else ""
    return ", ".join(part for part in (goes, comes) if part)


def _of_others(file: FilePlan, choice: Choice, undoes: bool) -> str:
    if file.met:
        kept = "kept as theirs" if choice == "theirs" else "mine goes back, theirs is lost there"
        return f"theirs overlap: {kept}"
    size = " ".join(_sizes(*(file.others or (0, 0))))
    if undoes:
        return f"what changed since{f', {size},' if size else ''} stays; they do not overlap"
    return f"someone else's {size or 'change'} stays; they do not overlap"


def _sizes(added: int, removed: int) -> list[str]:
    return [f"{sign}{count}" for sign, count in (("+", added), ("-", removed)) if count]


def _counted(lines: int) -> str:
    return f"{_in_words(lines)} line{'' if lines == 1 else 's'}"


def _in_words(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)
