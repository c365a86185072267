"""From the hunks that were kept to the index, or to a commit: exactly these, and nothing of others.

A file's kept hunks lead from what it was at the start to that with them made. The same edits are made on what the
index, or the last commit, holds of the file; where something else was staged in their place, that is said and nothing
is done. All is compared as git stores it, after the filters of the repository, so that line ends are no difference.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.review.git import Entry, GitRefused, Repository
from agent.review.lines import edits_between, lines_of, rebased, with_edits
from tools.ports import Launcher
from tools.threads import in_thread

COMMIT_SECONDS = 600.0
# Of what git and its hooks say, the end.
SAID_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it was at the start, and with the kept hunks alone; None: no such file."""

    path: str
    start: bytes | None
    kept: bytes | None
    hunks: int
    # It cannot be taken apart by its lines.
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Staged:
    """What was done: how many hunks and files it was about, and files that had to stay out, each with its reason."""

    hunks: int
    files: int
    left_out: tuple[str, ...] = ()
    # Nothing had to be done: it was there already.
    was_there: bool = False
    commit: str = ""
    # What hooks and git said.
    said: str = ""


def stage(repository: Repository, kept: Sequence[Kept]) -> Staged:
    """Put the hunks into the index, beside what is staged there. Raises GitRefused; then the index is as it was."""
    index = repository.index()
    named, left_out = _named(repository, kept, index)
    wanted = _on(repository, named, index)
    if wanted:
        repository.set_index(wanted)
    return Staged(sum(one.hunks for one in named.values()), len(named), left_out, was_there=not wanted)


async def commit(repository: Repository, kept: Sequence[Kept], message: str, launcher: Launcher) -> Staged:
    """Commit the hunks alone. What was staged stays staged, and out of it. Hooks run, as always.

    Raises GitRefused; then nothing is committed and the index is as it was.
    """
    plan = await in_thread(_Plan.of, repository, kept)
    if not plan.wanted:
        return plan.staged
    with tempfile.TemporaryDirectory(prefix="agent-tui-commit-") as folder:
        index_file = os.path.join(folder, "index")
        await in_thread(plan.fill, index_file)
        said = await _run_commit(repository.with_index(index_file), message, folder, launcher)
    return await in_thread(plan.after, said)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What goes into the commit (`wanted`), and what the index is to hold afterwards (`staying`)."""

    repository: Repository
    tree: Mapping[str, Entry]
    index: Mapping[str, Entry]
    wanted: Mapping[str, Entry]
    staying: Mapping[str, Entry]
    staged: Staged

    @classmethod
    def of(cls, repository: Repository, kept: Sequence[Kept]) -> _Plan:
        if what := repository.under_way():
            raise GitRefused(f"{what.capitalize()} is under way, and a commit would end it; finish it first, or stage.")
        index = repository.index()
        tree = repository.tree(repository.head())
        named, left_out = _named(repository, kept, {**tree, **index})
        wanted = _on(repository, named, tree)
        staging = {name: one for name, one in named.items() if index.get(name) != tree.get(name)}
        staying = _on(repository, staging, index)
        staged = Staged(sum(one.hunks for one in named.values()), len(named), left_out, was_there=not wanted)
        return cls(repository, tree, index, wanted, staying, staged)

    def fill(self, index_file: str) -> None:
        """An index that holds the last commit and the hunks. It begins as a copy, for what that knows of files."""
        there = self.repository.place_of("index")
        if os.path.exists(there):
            shutil.copyfile(there, index_file)
        added = {name: entry.gone for name, entry in self.index.items() if name not in self.tree}
        committed = {name: entry for name, entry in self.tree.items() if self.index.get(name) != entry}
        self.repository.with_index(index_file).set_index({**added, **committed, **self.wanted})

    def after(self, said: str) -> Staged:
        """The index holds both: the commit, and what had been staged beside it."""
        head = self.repository.head()
        tree = self.repository.tree(head)
        entries = dict(self.staying)
        for name in self.wanted:
            # Nothing else was staged of it: then it is as committed, also where a hook had its say.
            if self.index.get(name) == self.tree.get(name):
                entries[name] = tree[name] if name in tree else self.wanted[name]
        try:
            self.repository.set_index(entries)
        except GitRefused as problem:
            said = f"{said}\nIt is committed, but the index could not follow ({problem}); `git reset -q` puts it right."
        done = self.staged
        return Staged(done.hunks, done.files, done.left_out, commit=(head or "")[:7], said=said.strip())


def _named(
    repository: Repository, kept: Sequence[Kept], known: Mapping[str, Entry]
) -> tuple[dict[str, Kept], tuple[str, ...]]:
    """The files by the names the repository has for them, without those that are none of its business."""
    names = [(one, repository.name_of(one.path)) for one in kept]
    ignored = repository.ignored(name for _, name in names if name is not None and name not in known)
    left_out = [f"{one.path} is in another place than this repository" for one, name in names if name is None]
    left_out += [f"{one.path} is ignored by git" for one, name in names if name in ignored]
    return {name: one for one, name in names if name is not None and name not in ignored}, tuple(left_out)


def _on(repository: Repository, named: Mapping[str, Kept], entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """What the files' entries become with the hunks in them; only those that become another."""
    wanted: dict[str, Entry] = {}
    for name, kept in named.items():
        entry = entries.get(name)
        new = _gone(repository, name, kept, entry) if kept.kept is None else _with_hunks(repository, name, kept, entry)
        if new is not None and new != entry:
            wanted[name] = new
    return wanted


def _gone(repository: Repository, name: str, kept: Kept, entry: Entry | None) -> Entry | None:
    if entry is None:
        return None
    if entry.blob != repository.store(kept.start or b"", name):
        raise _otherwise(kept)
    return entry.gone


def _with_hunks(repository: Repository, name: str, kept: Kept, entry: Entry | None) -> Entry:
    assert kept.kept is not None, "a file that goes is another case"
    after = repository.store(kept.kept, name)
    if entry is None:
        if kept.start is not None:
            raise GitRefused(f"{kept.path} was never added to git: add it first, then its hunks can be told apart.")
        return Entry(_mode(kept.path), after)
    if entry.blob == after:
        return entry
    before = repository.store(kept.start or b"", name)
    if entry.blob == before:
        return Entry(entry.mode, after)
    if kept.whole and kept.start is not None:
        raise _otherwise(kept)
    return Entry(entry.mode, _made_on(repository, before, after, entry.blob, kept))


def _made_on(repository: Repository, before: str, after: str, there: str, kept: Kept) -> str:
    old, new, now = (lines_of(repository.content(blob)) for blob in (before, after, there))
    edits = rebased(edits_between(old, new), old, now)
    if edits is None:
        raise _otherwise(kept)
    return repository.store_raw(b"".join(with_edits(now, edits))) if edits else there


def _otherwise(kept: Kept) -> GitRefused:
    return GitRefused(
        f"{kept.path}: git holds something else where these hunks belong, staged or committed meanwhile. "
        "Look at `git diff --cached` and at the last commit; nothing was done."
    )


def _mode(path: str) -> str:
    try:
        return "100755" if os.stat(path).st_mode & 0o100 else "100644"
    except OSError:
        return "100644"


async def _run_commit(repository: Repository, message: str, folder: str, launcher: Launcher) -> str:
    """What was said. Whatever hooks start ends with the session, however that ends."""
    words, output = os.path.join(folder, "message"), os.path.join(folder, "said")
    await in_thread(_write, words, message)
    # Nothing of git's own housekeeping: it would go on behind the command, and be ended with it.
    argv = (repository.git, "-c", "maintenance.auto=false", "-c", "gc.auto=0", "commit", "-q", "-F", words)
    command = await launcher.start(argv, repository.top, repository.env, output)
    exit_code: int | None = None
    try:
        async with asyncio.timeout(COMMIT_SECONDS):
            exit_code = await command.wait()
    except TimeoutError:
        pass
    finally:
        if exit_code is None:
            await asyncio.shield(command.end())
    said = await in_thread(_end_of, output)
    if exit_code is None:
        raise GitRefused(f"git commit took longer than {COMMIT_SECONDS / 60:g} minutes and was ended.\n{said}")
    if exit_code:
        raise GitRefused(f"git did not commit; everything is as it was. It said:\n{said}")
    return said


def _write(path: str, text: str) -> None:
    with open(path, "xb") as file:
        file.write(text.encode(errors="surrogateescape"))


def _end_of(path: str) -> str:
    with open(path, "rb") as file:
        file.seek(max(os.path.getsize(path) - SAID_BYTES, 0))
        return file.read().decode(errors="replace").strip()
