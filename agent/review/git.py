"""The person's git, asked and told by argument lists alone: never a shell, never a git of the workspace's own.

Names are bytes on the way in and out, so that blanks, line ends and what is no text stay what they are.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tools.bash.environment import find_program, for_command, is_within
from tools.bash.git_config import git_config_is_safe
from tools.bash.words import names

SECONDS = 60.0
# What would make git look at another repository than the one of the folder.
_ELSEWHERE = names(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR "
    "GIT_NAMESPACE GIT_PREFIX GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_GRAFT_FILE GIT_SHALLOW_FILE "
    "GIT_INTERNAL_SUPER_PREFIX GIT_REPLACE_REF_BASE GIT_NO_REPLACE_OBJECTS GIT_IMPLICIT_WORK_TREE"
)
# While one of these is there, a commit would end something else.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


NOT_TRUSTED = (
    "This folder is not trusted, and its git settings or hooks name programs that git would run. "
    "Start agent-tui with --trust, or use git in a shell."
)


class GitRefused(Exception):
    """What git, or we before it, would not do: a sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in the index or in a commit."""

    mode: str
    blob: str

    @property
    def gone(self) -> Entry:
        """Says to the index that it shall be no more."""
        return Entry("0", self.blob)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a working tree. Blocking."""

    git: str
    top: str
    index_file: str = ""

    def run(self, *arguments: str, input: bytes = b"", fine: tuple[int, ...] = (0,)) -> bytes:
        """What git answers. Raises GitRefused with its own words where its exit code is not a fine one."""
        try:
            told = subprocess.run(
                [self.git, *arguments],
                cwd=self.top,
                env=self.env,
                input=input,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise GitRefused(f"git did not answer ({error}); try again.") from None
        if told.returncode not in fine:
            raise GitRefused(f"git did not take it: {_words(told.stderr)}")
        return told.stdout

    @property
    def env(self) -> Mapping[str, str]:
        env = {name: value for name, value in for_command(os.environ).items() if name not in _ELSEWHERE}
        return env | ({"GIT_INDEX_FILE": self.index_file} if self.index_file else {})

    def with_index(self, index_file: str) -> Repository:
        """The same repository with another index."""
        return Repository(self.git, self.top, index_file)

    # -- names

    def name_of(self, real_path: str) -> str | None:
        """How the repository calls the file; None where it is none of its files, or of a repository inside it."""
        if not real_path.startswith(self.top.rstrip("/") + "/"):
            return None
        name = os.path.relpath(real_path, self.top)
        folders = name.split("/")[:-1]
        if ".git" in name.split("/"):
            return None
        inner = (os.path.join(self.top, *folders[: depth + 1], ".git") for depth in range(len(folders)))
        return None if any(map(os.path.lexists, inner)) else name

    def place_of(self, name: str) -> str:
        """Where git keeps a file of its own, such as the index."""
        told = self.run("rev-parse", "--git-path", name)
        return os.path.join(self.top, os.fsdecode(told.removesuffix(b"\n")))

    # -- what it would run

    def runs_nothing_of_its_own(self, hooks: bool) -> bool:
        """Whether the repository names no program that git then runs. Its hooks count only for what writes."""
        return git_config_is_safe(self.top) and not (hooks and self._has_hooks())

    def _has_hooks(self) -> bool:
        """Those that the person set for all their repositories lie elsewhere, and are theirs."""
        folder = self.place_of("hooks")
        common = os.path.join(self.top, os.fsdecode(self.run("rev-parse", "--git-common-dir").removesuffix(b"\n")))
        if not is_within(folder, (self.top, common)) or not os.path.isdir(folder):
            return False
        return any(not name.endswith(".sample") for name in os.listdir(folder))

    # -- reading

    def index(self) -> dict[str, Entry]:
        """Raises GitRefused where it holds conflicts."""
        entries: dict[str, Entry] = {}
        for line in self.run("ls-files", "--stage", "-z").split(b"\0")[:-1]:
            about, _, name = line.partition(b"\t")
            mode, blob, stage = about.decode().split(" ")
            if stage != "0":
                raise GitRefused("The index holds conflicts that are not resolved; resolve them first.")
            entries[os.fsdecode(name)] = Entry(mode, blob)
        return entries

    def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        try:
            return self.run("rev-parse", "--verify", "-q", "HEAD^{commit}").decode().strip()
        except GitRefused:
            return None

    def tree(self, commit: str | None) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", commit) if commit else b""
        for line in listing.split(b"\0")[:-1]:
            about, _, name = line.partition(b"\t")
            mode, _, blob = about.decode().split(" ")
            entries[os.fsdecode(name)] = Entry(mode, blob)
        return entries

    def content(self, blob: str) -> bytes:
        """As git stores it."""
        return self.run("cat-file", "blob", blob)

    def checked_out(self, commit: str, name: str) -> bytes | None:
        """A file of a commit as it would lie in the working tree; None where it is not in it."""
        if not self.run("ls-tree", "-z", "--full-tree", commit, "--", name):
            return None
        return self.run("cat-file", "--filters", f"{commit}:{name}")

    def ignored(self, names: Iterable[str]) -> set[str]:
        # Behind ./ a name is a name, whatever it begins with.
        asked = b"".join(b"./" + os.fsencode(name) + b"\0" for name in names)
        if not asked:
            return set()
        told = self.run("check-ignore", "-z", "--stdin", input=asked, fine=(0, 1))
        return {os.fsdecode(name[2:]) for name in told.split(b"\0")[:-1]}

    def under_way(self) -> str:
        """What a commit would end besides: a merge, a rebase; empty for nothing."""
        return next((words for name, words in _UNDER_WAY.items() if os.path.lexists(self.place_of(name))), "")

    # -- writing

    def store(self, data: bytes, name: str) -> str:
        """The blob of a file of the working tree with this content, through the filters that `git add` would use."""
        return self.run("hash-object", "-w", "--stdin", f"--path={name}", input=data).decode().strip()

    def store_raw(self, data: bytes) -> str:
        """The blob of exactly these bytes."""
        return self.run("hash-object", "-w", "--stdin", "--no-filters", input=data).decode().strip()

    def set_index(self, entries: Mapping[str, Entry]) -> None:
        """Put entries into the index, all or none."""
        lines = [
            f"{entry.mode} {entry.blob} 0\t".encode() + os.fsencode(name) + b"\0" for name, entry in entries.items()
        ]
        self.run("update-index", "-z", "--index-info", input=b"".join(lines))


def find_repository(folder: str) -> Repository:
    """The repository the folder lies in. Raises GitRefused where there is none to work with."""
    git = find_program("git", os.environ, (folder,))
    if git is None:
        raise GitRefused("git is not installed.")
    try:
        told = Repository(git, folder).run("rev-parse", "--show-toplevel")
    except GitRefused:
        raise GitRefused("This folder is in no git repository.") from None
    return Repository(git, os.path.realpath(os.fsdecode(told.removesuffix(b"\n"))))


def _words(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return " ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in lines[:3]) or "it said nothing."
