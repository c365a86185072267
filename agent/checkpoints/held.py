"""What git holds of the files of a folder: it need not be kept twice. Git is only asked, about a copy of its index.

Nothing here writes into the repository: no index is refreshed, no object is made, no lock is taken.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from agent.review.git import GitRefused, Repository, find_repository

# So many names still go as arguments; of more, everything is listed.
NAMED_AT_ONCE = 200
CONTENTS_AT_ONCE = 200
# Programs that a repository names are not started, and nothing is written.
_QUIETLY = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false")
# How git lists a file that it compares with the one on the disk, and what is a repository of its own.
_LOOKED_AT = "H 100"
_SUBMODULE = "160000"


class Held:
    """Blocking, for one thread at a time. Where git cannot or may not be asked it holds nothing and ignores nothing."""

    def __init__(self, folder: str, copy: str, may_ask: Callable[[], bool]) -> None:
        """`copy` is where the copy of the index goes; `close` removes it."""
        self._folder = folder
        self._copy = copy
        self._may_ask = may_ask
        self._repository: Repository | None = None
        self._index = ""
        self._index_sign: object = None

    def moved_on(self) -> bool:
        """Whether what git holds may be another than last time. Costs a look at one file where it is not."""
        if self._repository is not None and _sign(self._index) == self._index_sign:
            return False
        before = self._repository
        self._repository = self._index_sign = None
        with suppress(GitRefused, OSError):
            self._repository = self._found()
        return before is not None or self._repository is not None

    def unheld(self) -> Callable[[str], bool]:
        """Tells of a path whether git does not hold its content as it is now, and does not ignore it either."""
        repository = self._repository
        if repository is None:
            return lambda path: True
        try:
            told = self._ask(repository, "ls-files", "--others", "--exclude-standard", "-z", "--", self._folder)
            told += self._ask(repository, "diff-files", "--name-only", "-z", "--", self._folder)
            told += self._not_looked_at(repository)
        except GitRefused:
            return lambda path: True
        paths = {os.path.join(repository.top, name) for name in told}
        # A repository inside this one has a slash at its end, and no more is told of it.
        inner = tuple(path for path in paths if path.endswith("/"))
        outside = not_within(repository.top)
        return lambda path: path in paths or path.startswith(inner) or outside(path)

    def ignored(self, paths: Iterable[str]) -> set[str]:
        repository = self._repository
        if repository is None:
            return set()
        names = {name: path for path in paths if (name := repository.name_of(path)) is not None}
        try:
            return {names[name] for name in repository.ignored(names)}
        except (GitRefused, KeyError):
            return set()

    def contents(self, sizes: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
        """What the files held that git held unchanged: of those with the size that they had."""
        repository = self._repository
        if repository is None or not sizes:
            return
        names = {name: path for path in sizes if (name := repository.name_of(path)) is not None}
        with suppress(GitRefused):
            blobs = self._blobs(repository, names)
            for at in range(0, len(blobs), CONTENTS_AT_ONCE):
                some = list(blobs)[at : at + CONTENTS_AT_ONCE]
                for name, stored in zip(some, self._stored(repository, [blobs[name] for name in some]), strict=True):
                    size = sizes[names[name]]
                    # The repository may store it in another form, such as with other line ends.
                    other = stored is not None and len(stored) != size
                    data = self._filtered(repository, blobs[name], name) if other else stored
                    if data is not None and len(data) == size:
                        yield names[name], data

    def close(self) -> None:
        with suppress(OSError):
            os.unlink(self._copy)

    # -- inside

    def _found(self) -> Repository | None:
        if not self._may_ask():
            return None
        repository = find_repository(self._folder)
        if self._folder != repository.top and repository.ignored([os.path.relpath(self._folder, repository.top)]):
            return None
        self._index = repository.place_of("index")
        sign = _sign(self._index)
        # With its times: git compares them with those of files that are as young.
        shutil.copy2(self._index, self._copy)
        self._index_sign = sign
        return repository.with_index(self._copy)

    def _ask(self, repository: Repository, *arguments: str) -> list[str]:
        told = repository.run(*_QUIETLY, *arguments)
        return [os.fsdecode(name) for name in told.split(b"\0")[:-1]]

    def _not_looked_at(self, repository: Repository) -> Iterator[str]:
        """What git tells no change of: files it was told to leave out of sight, and what other repositories hold."""
        for line in self._ask(repository, "ls-files", "-v", "--stage", "-z", "--", self._folder):
            if line.startswith(_LOOKED_AT):
                continue
            about, _, name = line.partition("\t")
            yield f"{name}/" if about[2:].startswith(_SUBMODULE) else name

    def _blobs(self, repository: Repository, names: Mapping[str, str]) -> dict[str, str]:
        some = (f":(top,literal){name}" for name in names) if len(names) <= NAMED_AT_ONCE else ()
        blobs: dict[str, str] = {}
        for line in self._ask(repository, "ls-files", "--stage", "-z", "--", *some):
            about, _, name = line.partition("\t")
            mode, blob, stage = about.split(" ")
            if name in names and stage == "0" and mode.startswith("100"):
                blobs[name] = blob
        return blobs

    def _stored(self, repository: Repository, blobs: list[str]) -> Iterator[bytes | None]:
        asked = "".join(f"{blob}\n" for blob in blobs).encode()
        told, at = repository.run(*_QUIETLY, "cat-file", "--batch", input=asked), 0
        for _ in blobs:
            end = told.index(b"\n", at)
            head, at = told[at:end].split(b" "), end + 1
            if head[-1] == b"missing":
                yield None
                continue
            size = int(head[-1])
            yield told[at : at + size]
            at += size + 1

    def _filtered(self, repository: Repository, blob: str, name: str) -> bytes | None:
        with suppress(GitRefused):
            return repository.run(*_QUIETLY, "cat-file", "--filters", f"--path={name}", blob)
        return None


def not_within(folder: str) -> Callable[[str], bool]:
    inside = folder.rstrip("/") + "/"
    return lambda path: not path.startswith(inside)


def _sign(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ctime_ns, found.st_ino, found.st_size
