"""What files were before a command, and what it made of them: steps of the history like those of our own writes.

Before a command all files of the workspace are looked at, by their stat data alone. Those that came or changed since
the last look are kept, if they are small, git does not ignore them, and does not hold them as they are. What the
command touched becomes steps; what of it is not covered is noted as such. Where nothing is new this costs one look.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.checkpoints.folders import outermost_new
from agent.checkpoints.held import Held
from agent.checkpoints.history import SessionHistory, by_command, read_small
from agent.checkpoints.steps import Why
from agent.checkpoints.touched import Events, Touched, watch_folders
from agent.checkpoints.tree import (
    Sign,
    TooMuch,
    Tree,
    below,
    differing,
    is_regular,
    look,
    mode_of,
    put_in,
    settled,
    sign_in,
    sign_of,
    size_of,
)
from tools.files import KEPT_BYTES, hash_bytes
from tools.keeping import Image

KEPT_FILE_BYTES = 1 << 20
# Of so few git is not asked which it holds: a copy costs less.
FEW = 500
# So much is copied before one command at most; the next one goes on with the rest.
COPIED_BYTES = 256 << 20
COPY_SECONDS = 3.0
# Where more folders came and went than this, everything is looked at again.
FOLDERS_ONE_BY_ONE = 50
# Stands for a content that was not kept.
NOT_KEPT = "stat:"


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """Where commands run. `own` is our state folder, which is none of their doing; `copies` one for private files."""

    roots: Callable[[], Sequence[str]]
    own: str
    copies: str
    may_ask_git: Callable[[], bool]


@dataclass(slots=True, eq=False)
class Around:
    """One command. `tree` is how the files were before it; None: nobody looked, so nothing will be known."""

    touched: Touched | None = field(default_factory=watch_folders)
    roots: tuple[str, ...] = ()
    tree: Tree | None = None
    # What came or changed since the last look, and not by a command.
    news: tuple[str, ...] = ()
    looked_at: float = 0.0

    def covers(self, path: str) -> bool:
        return self.tree is not None and os.path.dirname(path) in self.tree

    def close(self) -> None:
        if self.touched is not None:
            self.touched.close()


@dataclass(frozen=True, slots=True)
class Change:
    path: str
    before: Sign | None
    after: Sign | None

    def differs(self, looked_at: float) -> bool:
        """In doubt it does."""
        return self.before != self.after or (self.before is not None and not settled(self.before, looked_at))


class CommandCheckpoints:
    """Blocking, from any thread."""

    def __init__(self, history: SessionHistory, place: CommandPlace) -> None:
        self._history = history
        self._place = place
        self._lock = threading.Lock()
        self._tree: Tree = {}
        # Contents that are kept, by the sign the file had then.
        self._kept: dict[str, tuple[Sign, str]] = {}
        # What was not kept yet, because it was too much at once.
        self._waiting: set[str] = set()
        # What git does not hold as it is, or is not known to: no content of git's is taken for theirs.
        self._unheld: set[str] = set()
        self._held: dict[str, Held] = {}
        self._given_up = False

    def before(self, around: Around) -> None:
        """Look at everything, and keep what is not held anywhere."""
        around.roots = _apart(os.path.realpath(root) for root in self._place.roots())
        if self._given_up:
            return
        with self._lock:
            # What was seen to change is kept before it changes again.
            self._history.settled()
            around.looked_at = time.time()
            try:
                tree = self._look(around.roots, around.touched.entered if around.touched is not None else None)
            except TooMuch:
                self._given_up = True
                return
            around.news = tuple(differing(self._tree, tree))
            self._keep(around, tree)
            around.tree = self._tree = tree

    def give_up(self) -> None:
        """Looking takes too long here: no command waits for it any more."""
        self._given_up = True

    def close(self) -> None:
        for held in self._held.values():
            held.close()

    def after(self, around: Around) -> dict[str, Change]:
        """What is other than before, by its path. Known at once only where the command has ended."""
        if around.tree is None:
            return {}
        with self._lock:
            try:
                paths = self._touched_in(around, around.tree)
            except TooMuch:
                self._given_up = True
                around.tree = None
                return {}
            found = [Change(path, sign_in(around.tree, path), sign_of(path)) for path in sorted(paths)]
            return {one.path: one for one in found if one.differs(around.looked_at)}

    def note(self, around: Around, changes: Mapping[str, Change], known: frozenset[str], call: str, said: str) -> None:
        """Make steps of them. Those `known` are told by whoever follows them."""
        if around.tree is None:
            self._history.note_gap(around.roots[0], 0, "many", call)
            return
        with self._lock:
            others = [change for path, change in changes.items() if path not in known]
            ignored = self._ignored(around.roots, [change.path for change in others])
            befores = self._befores([change for change in others if change.path not in ignored])
            gaps: dict[tuple[str, Why], Counter[str]] = {}
            for change in others:
                covered = change.path not in ignored
                why: Why | None = self._step(around.tree, change, befores, call, said) if covered else "ignored"
                if why is not None:
                    root = next((root for root in around.roots if _inside(root, [change.path])), "")
                    gaps.setdefault((root, why), Counter())[change.path] += 1
            for (root, why), paths in gaps.items():
                for path, count in _by_folder(root, paths):
                    self._history.note_gap(path, count, why, call)
            for change in changes.values():
                put_in(self._tree, change.path, change.after)
                self._unheld.add(change.path)

    # -- before

    def _keep(self, around: Around, tree: Tree) -> None:
        new = _regular(tree, {*around.news, *self._waiting})
        for path in around.news:
            self._kept.pop(path, None)
        for root in around.roots:
            held = self._held_in(root)
            # Once git goes another way, it may hold nothing any more of what it held.
            if anew := held.moved_on():
                new |= _regular(tree, below(tree, root))
            inside = _inside(root, new)
            if anew or len(inside) > FEW:
                unheld = held.unheld()
                needless = {path for path in inside if not unheld(path)}
                self._unheld -= needless
            else:
                needless = held.ignored(inside)
            self._unheld.update(path for path in inside if path not in needless)
            for path in needless:
                del new[path]
        self._waiting = self._copy({path: sign for path, sign in new.items() if size_of(sign) <= KEPT_FILE_BYTES})

    def _copy(self, wanted: dict[str, Sign]) -> set[str]:
        """The nearest first; what is left for the next time."""
        room, deadline = COPIED_BYTES, time.monotonic() + COPY_SECONDS
        left: set[str] = set()
        for path in sorted(wanted, key=lambda path: path.count("/")):
            sign = wanted[path]
            if path in self._kept:
                continue
            if room < 0 or time.monotonic() > deadline:
                left.add(path)
                continue
            data = read_small(path, KEPT_FILE_BYTES)
            if data is not None and sign_of(path) == sign:
                room -= len(data)
                self._kept[path] = (sign, self._keep_bytes(data))
        return left

    def _keep_bytes(self, data: bytes) -> str:
        hash = hash_bytes(data)
        self._history.keep(Image(hash, data))
        return hash

    def _held_in(self, root: str) -> Held:
        if root not in self._held:
            copy = os.path.join(self._place.copies, f"git-{len(self._held)}.index")
            self._held[root] = Held(root, copy, self._place.may_ask_git)
        return self._held[root]

    # -- after

    def _look(self, roots: Sequence[str], entered: Callable[[str], None] | None = None) -> Tree:
        return look(roots, frozenset((self._place.own,)), entered)

    def _touched_in(self, around: Around, tree: Tree) -> set[str]:
        told = around.touched.told(around.roots) if around.touched is not None else None
        if told is not None and all(map(os.path.isdir, around.roots)) and len(told.folders) <= FOLDERS_ONE_BY_ONE:
            return self._of_events(told, tree)
        young = {path for path, (sign, _) in self._kept.items() if not settled(sign, around.looked_at)}
        return young | set(differing(tree, self._look(around.roots)))

    def _of_events(self, told: Events, tree: Tree) -> set[str]:
        """What is in a folder that came or went came or went with it."""
        paths = set(told.files)
        for folder in told.folders:
            paths.update(below(tree, folder))
            paths.update(below(self._look([folder]), folder))
        own = self._place.own
        return {path for path in paths if not path.startswith(own + "/")}

    # -- steps

    def _ignored(self, roots: Sequence[str], paths: list[str]) -> set[str]:
        return {path for root in roots for path in self._held_in(root).ignored(_inside(root, paths))}

    def _befores(self, changes: Sequence[Change]) -> dict[str, str]:
        """The hashes of what those held that were there, as far as they are known."""
        there = {one.path: one.before for one in changes if one.before is not None and is_regular(one.before)}
        found = {path: self._kept[path][1] for path, sign in there.items() if self._kept.get(path, ((), ""))[0] == sign}
        sizes = {path: size_of(sign) for path, sign in there.items() if path not in found and path not in self._unheld}
        for root, held in self._held.items():
            for path, data in held.contents({path: sizes[path] for path in _inside(root, sizes)}):
                found[path] = self._keep_bytes(data)
        return found

    def _step(self, tree: Tree, change: Change, befores: Mapping[str, str], call: str, said: str) -> Why | None:
        """Note it; why it is not covered, if so."""
        signs = [sign for sign in (change.before, change.after) if sign is not None]
        if not all(map(is_regular, signs)):
            return "link"
        before = befores.get(change.path, f"{NOT_KEPT}{change.before}") if change.before is not None else None
        after = self._after(change)
        modes = (mode_of(change.before), mode_of(change.after))
        folder = outermost_new(change.path, lambda folder: folder not in tree) if change.before is None else ""
        by, note = by_command(call), self._history.note
        if note(change.path, before, after, by, call=call, attribution=said, modes=modes, folder=folder) is None:
            return None
        if any(size_of(sign) > KEPT_FILE_BYTES for sign in signs):
            return "large"
        return "missed" if before is not None and before.startswith(NOT_KEPT) else None

    def _after(self, change: Change) -> str | None:
        """The hash of what it holds now, which is kept if it is small."""
        if change.after is None:
            return None
        small = size_of(change.after) <= KEPT_FILE_BYTES
        data = read_small(change.path, KEPT_FILE_BYTES if small else KEPT_BYTES)
        if data is None:
            return f"{NOT_KEPT}{change.after}"
        hash = self._keep_bytes(data) if small else hash_bytes(data)
        self._kept[change.path] = (change.after, hash)
        return hash


def _apart(roots: Iterable[str]) -> tuple[str, ...]:
    """Without those that lie in another."""
    found: list[str] = []
    for root in sorted(set(roots)):
        if not any(root.startswith(one.rstrip("/") + "/") for one in found):
            found.append(root)
    return tuple(found)


def _regular(tree: Tree, paths: Iterable[str]) -> dict[str, Sign]:
    signs = ((path, sign_in(tree, path)) for path in paths)
    return {path: sign for path, sign in signs if sign is not None and is_regular(sign)}


def _inside(root: str, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.startswith(root.rstrip("/") + "/")]


def _by_folder(root: str, paths: Iterable[str]) -> list[tuple[str, int]]:
    """One file by its name; several of a folder at the top by that."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        first, slash, _ = path.removeprefix(root.rstrip("/") + "/").partition("/")
        groups.setdefault(os.path.join(root, first) + slash, []).append(path)
    return [(some[0] if len(some) == 1 else folder, len(some)) for folder, some in groups.items()]
