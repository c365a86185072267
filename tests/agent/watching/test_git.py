"""What git did to a file is told from the files that git keeps; who saves beside it is not taken for git."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.watching.git import Repositories, is_at_work
from agent.watching.hands import Hand, trace_of
from tests.support.repositories import Repo
from tools.files import hash_file

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def two_branches(folder: Path) -> Repo:
    """On main; the branch `topic` has another a.txt, another sub/b.txt and no gone.txt."""
    repo = Repo(folder)
    for name in ("a.txt", "sub/b.txt", "gone.txt", "same.txt"):
        repo.write(name, b"one\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("a.txt", b"one\ntwo\n")
    repo.write("sub/b.txt", b"two\n")
    (folder / "gone.txt").unlink()
    repo.commit("second")
    repo.git("checkout", "-q", "main")
    # Nothing of this has just been done.
    for path in folder.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    return repo


def hand(repo: Repo, name: str = "a.txt", trusted: bool = True) -> Hand | None:
    path = str(repo.folder / name)
    return Repositories().hand_of(trace_of(path, hash_file(path), frozenset()), lambda _: trusted)


def words(repo: Repo, name: str = "a.txt") -> str:
    found = hand(repo, name)
    return found.words if found is not None else ""


@pytest.mark.parametrize(
    ("does", "said"),
    [
        (lambda repo: repo.git("checkout", "-q", "topic"), "git checkout topic"),
        (lambda repo: repo.git("merge", "-q", "topic"), "git merge topic"),
        (lambda repo: repo.git("reset", "-q", "--hard", "topic"), "git reset topic"),
        (lambda repo: repo.git("checkout", "-q", "topic", "--", "a.txt"), "probably git"),
        (lambda repo: (repo.write("a.txt", b"mine\n"), repo.git("stash", "-q")), "git stash"),
        (
            lambda repo: (repo.write("c.txt", b"c\n"), repo.commit(), repo.git("cherry-pick", "topic")),
            "git cherry-pick",
        ),
        (lambda repo: (repo.write("c.txt", b"c\n"), repo.commit(), repo.git("rebase", "-q", "topic")), "git rebase"),
    ],
)
def test_what_git_does_is_named_as_the_person_said_it(
    tmp_path: Path, does: Callable[[Repo], object], said: str
) -> None:
    repo = two_branches(tmp_path)
    does(repo)
    assert words(repo) == said


@pytest.mark.parametrize("stashes", [1, 2])
def test_what_comes_out_of_a_stash_is_named_also_where_the_stash_is_forgotten_later(
    tmp_path: Path, stashes: int
) -> None:
    repo = two_branches(tmp_path)
    for number in range(stashes):
        repo.write("a.txt", f"mine {number}\n".encode())
        repo.git("stash", "-q")
    time.sleep(0.1)
    repo.git("stash", "apply", "-q")
    threading.Timer(0.03, lambda: repo.git("stash", "drop", "-q")).start()
    assert words(repo) == "git stash pop"


def test_who_saves_just_when_the_index_is_written_is_not_git(tmp_path: Path) -> None:
    repo = two_branches(tmp_path)
    repo.write("a.txt", b"mine\n")
    repo.git("stash", "-q")
    time.sleep(0.1)
    repo.write("a.txt", b"by hand\n")
    repo.git("add", "same.txt")
    os.utime(tmp_path / ".git" / "index")
    assert words(repo) == ""


def test_a_merge_that_stops_at_a_conflict_is_named_too(tmp_path: Path) -> None:
    repo = two_branches(tmp_path)
    repo.write("a.txt", b"other\n")
    repo.commit("other")
    repo.git("merge", "-q", "topic", check=False)
    assert b"<<<<<<<" in (tmp_path / "a.txt").read_bytes()
    assert words(repo) == "git merge"


def test_all_files_of_a_checkout_are_counted_also_one_that_is_gone(tmp_path: Path) -> None:
    repo = two_branches(tmp_path)
    repo.git("checkout", "-q", "topic")
    for name in ("a.txt", "sub/b.txt", "gone.txt"):
        found = hand(repo, name)
        assert found is not None and (found.words, found.files) == ("git checkout topic", 3)
        assert found.evidence == "the log of HEAD says: checkout: moving from main to topic"
    untrusted = hand(repo, trusted=False)
    assert untrusted is not None and untrusted.files == 0, "git is not run in a folder nobody trusts"


def test_who_saves_after_git_was_there_is_not_git(tmp_path: Path) -> None:
    repo = two_branches(tmp_path)
    repo.git("checkout", "-q", "topic")
    repo.write("a.txt", b"saved by hand\n")
    assert words(repo) == ""
    # A program that only looks refreshes the index, and a commit of something else logs a move of HEAD.
    repo.git("status")
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert words(repo) == ""


def test_git_is_named_in_a_linked_worktree(tmp_path: Path) -> None:
    repo = two_branches(tmp_path / "main")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "topic")
    assert words(repo, "../linked/a.txt") == "git reset" or "git" in words(repo, "../linked/a.txt")


def test_without_a_repository_or_with_a_broken_one_nothing_is_said(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    path = repo.write("a.txt", b"one\n")
    for name, data in (("index", b"DIRC\0\0\0\2\0\0\0\1abc"), ("logs/HEAD", b"nonsense\n")):
        file = tmp_path / "r" / ".git" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
        assert Repositories().hand_of(trace_of(path, "h", frozenset()), True) is None
    outside = tmp_path / "a.txt"
    outside.write_text("x")
    assert Repositories().hand_of(trace_of(str(outside), "h", frozenset()), True) is None


def test_git_is_at_work_as_long_as_its_lock_is_there_and_young(tmp_path: Path) -> None:
    repo = two_branches(tmp_path)
    folders = frozenset((str(tmp_path / "sub"), "/"))
    lock = tmp_path / ".git" / "index.lock"
    assert not is_at_work(folders)
    lock.touch()
    assert is_at_work(folders)
    os.utime(lock, (1, 1))
    assert not is_at_work(folders), "left behind by one that was killed"
    assert repo.status() == []
