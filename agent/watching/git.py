"""What git has just done in a working tree, read from the files that it keeps: its log of HEAD, its index, its marks.

It changes the files first, then writes the index, then moves HEAD and logs that. So what is of git is newer than the
file, and the index holds the file as it is. While git works its lock is there: who waits for the end knows more.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from agent.git_folder import beginning, end, repository_of
from agent.watching.hands import PROBABLY, Hand, Trace
from tools.bash.environment import find_program, for_command

# Times of files tick that slowly.
SLACK_NS = 50_000_000
# Later than so long after the file was changed, what git did has nothing to do with it.
LATEST_NS = 30_000_000_000
_STASH_NS = 2_000_000_000
# From a stash that is there again to its being forgotten, git says how things stand.
_POP_SECONDS, _POP_STEP_SECONDS = 0.1, 0.01
# A lock that is older was left behind by a git that was killed.
LOCK_SECONDS = 60.0
LONGEST_NAME = 60
_LARGEST_INDEX = 64 << 20
_COUNT_SECONDS = 5.0
# In an entry of the index the stat takes 40 bytes; then comes a hash of either kind, flags, and perhaps more flags.
_AFTER_STAT = ((20, 0), (20, 2), (32, 0), (32, 2))
_EXTENDED, _CONFLICT = 0x4000, 0x3000
_LINE = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*> (\d+) [+-]\d{4}\t(.*)")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
# What these begin with is logged by the command of that name; others are not known.
_COMMANDS = frozenset(("am", "bisect", "cherry-pick", "merge", "pull", "rebase", "reset", "restore", "revert"))
# These go commit by commit, and log each.
_STEPWISE = frozenset((b"am", b"cherry-pick", b"pull", b"rebase", b"revert"))
# Files that are there, or new, while or after git does what is no move of HEAD.
_MARKS = (
    ("MERGE_HEAD", "git merge"),
    ("CHERRY_PICK_HEAD", "git cherry-pick"),
    ("REVERT_HEAD", "git revert"),
    ("rebase-merge", "git rebase"),
    ("rebase-apply", "git rebase"),
    ("logs/refs/stash", "git stash"),
)


@dataclass(frozen=True, slots=True)
class _Move:
    """What the log of HEAD tells last: in words, and from which commit to which."""

    words: str
    evidence: str
    before: str
    after: str


class Repository:
    """One look at a repository's own files, for all the files of it that have changed. Blocking."""

    def __init__(self, top: str, git: str) -> None:
        self.top = top
        self._git = git
        self._index: bytes | None = None
        self._counted: dict[tuple[str, str], int] = {}
        # Until when a stash may still be forgotten.
        self._pops_until = 0.0

    def hand_of(self, trace: Trace, may_ask_git: Callable[[str], bool]) -> Hand | None:
        """Where git may be asked, it counts what it changed."""
        if _is_held(self._path("index.lock")):
            return Hand("git", "its lock on the index is there", self.top, goes_on=True)
        written = self._time_of("index")
        if written is None or not _just_after(written, trace):
            return None
        agrees = self._index_agrees(trace)
        if agrees is False:
            return self._popped(trace) if written - trace.changed_at < _STASH_NS else None
        logged = self._time_of("logs/HEAD")
        if logged is not None and _just_after(logged, trace) and (move := self._last_move(trace)):
            files = self._count(move) if may_ask_git(self.top) else 0
            return Hand(move.words, move.evidence, self.top, files)
        for mark, words in _MARKS:
            marked = self._time_of(mark)
            if marked is not None and _just_after(marked, trace):
                return Hand(words, f"{mark} was written at the same time", self.top)
        if agrees:
            return Hand(f"{PROBABLY}git", "the index was written then, and holds the file as it is", self.top)
        return None

    # -- the log of HEAD

    def _last_move(self, trace: Trace) -> _Move | None:
        found = [parsed for line in end(self._path("logs/HEAD")).split(b"\n") if (parsed := _LINE.fullmatch(line))]
        if not found:
            return None
        last = found[-1]
        said = last[4].decode(errors="replace")
        words = _command_of(said)
        if not words:
            return None
        if words == "git reset HEAD" and self._is_stashed(trace):
            words = "git stash"
        command, since = _first_word(last[4]), trace.changed_at // 1_000_000_000 - 1
        first = last
        for line in reversed(found if command in _STEPWISE else ()):
            if _first_word(line[4]) != command or int(line[3]) < since:
                break
            first = line
        return _Move(words, f"the log of HEAD says: {_short(said)}", first[1].decode(), last[2].decode())

    def _is_stashed(self, trace: Trace) -> bool:
        """What was stashed is put away before the files are reset."""
        stashed = self._time_of("logs/refs/stash")
        return stashed is not None and abs(stashed - trace.changed_at) < _STASH_NS

    def _popped(self, trace: Trace) -> Hand | None:
        """What comes out of a stash is not in the index; then the stash is forgotten, and with the last one its log."""
        self._pops_until = self._pops_until or time.monotonic() + _POP_SECONDS
        while True:
            for mark in ("logs/refs/stash", "logs/refs"):
                marked = self._time_of(mark)
                if marked is not None and -SLACK_NS <= marked - trace.changed_at < _STASH_NS:
                    return Hand("git stash pop", f"{mark} was written at the same time", self.top)
            if time.monotonic() >= self._pops_until:
                return None
            time.sleep(_POP_STEP_SECONDS)

    def _count(self, move: _Move) -> int:
        """How many files differ between two commits; 0 where nobody can tell."""
        key = (move.before, move.after)
        if key not in self._counted:
            self._counted[key] = _count_between(self.top, *key)
        return self._counted[key]

    # -- the index

    def _index_agrees(self, trace: Trace) -> bool | None:
        """Whether it holds the file as it is on the disk; None where that cannot be told."""
        if self._index is None:
            self._index = beginning(self._path("index"), _LARGEST_INDEX)
        version = self._index[4:8]
        if self._index[:4] != b"DIRC" or version not in (b"\0\0\0\2", b"\0\0\0\3"):
            return None
        name = os.fsencode(os.path.relpath(trace.path, self.top))
        entry = _entry_of(self._index, name)
        if trace.hash is None or entry is None:
            return trace.hash is None and entry is None
        seconds, parts, size, flags = entry
        if flags & _CONFLICT:  # what the file holds is of git's making
            return True
        try:
            found = os.lstat(trace.path)
        except OSError:
            return None
        whole, rest = divmod(found.st_mtime_ns, 1_000_000_000)
        return (whole & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF) == (seconds, size) and parts in (0, rest)

    def _time_of(self, name: str) -> int | None:
        try:
            return os.stat(self._path(name)).st_mtime_ns
        except OSError:
            return None

    def _path(self, name: str) -> str:
        return os.path.join(self._git, name)


class Repositories:
    """Those that the files of one look lie in. Blocking."""

    def __init__(self) -> None:
        self._of_folder: dict[str, Repository | None] = {}

    def hand_of(self, trace: Trace, may_ask_git: Callable[[str], bool]) -> Hand | None:
        folder = trace.folder
        if folder not in self._of_folder:
            found = repository_of(folder)
            known = {one.top: one for one in self._of_folder.values() if one is not None}
            self._of_folder[folder] = (known.get(found[0]) or Repository(*found)) if found is not None else None
        repository = self._of_folder[folder]
        return repository.hand_of(trace, may_ask_git) if repository is not None else None


def is_at_work(folders: frozenset[str]) -> bool:
    """Whether git changes one of the working trees that these folders lie in. Blocking."""
    found = {where[1] for folder in folders if (where := repository_of(folder)) is not None}
    return any(_is_held(os.path.join(git, name)) for git in found for name in ("index.lock", "HEAD.lock"))


def _is_held(lock: str) -> bool:
    try:
        return abs(time.time() - os.lstat(lock).st_mtime) < LOCK_SECONDS
    except OSError:
        return False


def _just_after(written: int, trace: Trace) -> bool:
    return -SLACK_NS <= written - trace.changed_at <= LATEST_NS


def _command_of(said: str) -> str:
    """From what git logs, such as `checkout: moving from main to topic`; nothing where it changed no files."""
    head, _, rest = said.partition(": ")
    command = head.split(" ", 1)[0]
    if command == "checkout":
        return f"git checkout {_short(_place(rest.rpartition(' to ')[2]))}"
    if command == "commit":
        return ""
    if command == "reset":
        return f"git reset {_short(_place(rest.removeprefix('moving to ')))}"
    if command == "merge":
        return f"git {_short(head)}"
    return f"git {command}" if command in _COMMANDS else "git"


def _first_word(said: bytes) -> bytes:
    return re.split(rb"[ :]", said, maxsplit=1)[0]


def _place(name: str) -> str:
    return name[:9] if _COMMIT.fullmatch(name) else name


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "⋯"


def _entry_of(index: bytes, name: bytes) -> tuple[int, int, int, int] | None:
    """Its seconds, nanoseconds, size and flags. The name stands behind its own length, which tells it from others."""
    at = -1
    while (at := index.find(name + b"\0", at + 1)) >= 0:
        for of_hash, more in _AFTER_STAT:
            start = at - 42 - of_hash - more
            if start < 12:
                continue
            (flags,) = struct.unpack_from(">H", index, start + 40 + of_hash)
            if flags & 0xFFF == min(len(name), 0xFFF) and bool(flags & _EXTENDED) is bool(more):
                seconds, parts = struct.unpack_from(">II", index, start + 8)
                (size,) = struct.unpack_from(">I", index, start + 36)
                return seconds, parts, size, flags
    return None


def _count_between(top: str, before: str, after: str) -> int:
    git = find_program("git", os.environ, (top,))
    if git is None:
        return 0
    # Two trees are compared, which runs nothing of the repository's own and fetches nothing.
    env = {name: value for name, value in for_command(os.environ).items() if not name.startswith("GIT_")}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    asked = [git, "diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after]
    try:
        told = subprocess.run(
            asked, cwd=top, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_COUNT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    return told.stdout.count(b"\0")
