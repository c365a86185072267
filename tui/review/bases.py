"""What a file is compared with: its state when the session began, what the model saw last, or git's last commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agent.checkpoints.steps import History
from agent.review.git import NOT_TRUSTED, GitRefused, find_repository
from agent.review.hunks import SNIFFED_BYTES
from tools.blocks import Diff
from tools.contract import ToolError
from tools.diffs import diff_of
from tools.files import KEPT_BYTES
from tools.regular import look, read_whole

Base = Literal["start", "read", "commit"]
BASES: tuple[Base, ...] = ("start", "read", "commit")
WORDS: dict[Base, str] = {
    "start": "the start of the session",
    "read": "what the model saw last",
    "commit": "git's last commit",
}


class NotThere(Exception):
    """What is to be compared cannot be had: a sentence."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`problem` says why there is no diff."""

    diff: Diff
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the contents come from. `seen`: the hash of what the model saw last of a file, if it saw any."""

    history: History
    seen: Callable[[str], str | None]
    folder: str
    trusted: Callable[[], bool]


def compared(sources: Sources, path: str, base: Base) -> Compared:
    """Blocking."""
    try:
        now = _now(path)
        before = _before(sources, path, base, now)
        return Compared(diff_of(path, _text(before), _text(now)))
    except (NotThere, GitRefused) as problem:
        return Compared(Diff(path, ()), str(problem))
    except ToolError as problem:
        return Compared(Diff(path, ()), problem.message)


def _now(path: str) -> bytes | None:
    there = look(path)
    if there is None:
        return None
    if there.st_size > KEPT_BYTES:
        raise NotThere(f"It is larger than {KEPT_BYTES >> 20} MiB; e opens it.")
    return read_whole(path)[0]


def _before(sources: Sources, path: str, base: Base, now: bytes | None) -> bytes | None:
    match base:
        case "start":
            steps = sources.history.steps(path)
            return _kept(sources, steps[0].before, "at the start") if steps else now
        case "read":
            hash = sources.seen(path)
            if hash is None:
                raise NotThere("The model has not seen this file.")
            return _kept(sources, hash, "when the model saw it last")
        case "commit":
            return _committed(sources, path)


def _kept(sources: Sources, hash: str | None, when: str) -> bytes | None:
    data = sources.history.content(hash) if hash is not None else None
    if hash is not None and data is None:
        raise NotThere(f"What it held {when} is not kept.")
    return data


def _committed(sources: Sources, path: str) -> bytes | None:
    repository = find_repository(sources.folder)
    if not sources.trusted() and not repository.runs_nothing_of_its_own(hooks=False):
        raise NotThere(NOT_TRUSTED)
    name, commit = repository.name_of(path), repository.head()
    if name is None:
        raise NotThere("It lies outside the repository.")
    return repository.checked_out(commit, name) if commit is not None else None


def _text(data: bytes | None) -> str:
    if data is not None and b"\0" in data[:SNIFFED_BYTES]:
        raise NotThere("It is no text; e opens it.")
    return (data or b"").decode(errors="replace")
