"""What is kept goes into the index, or into a commit, as exactly that; in real repositories."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from agent.review.git import GitRefused, Repository, find_repository
from agent.review.staging import Kept, Staged, commit, stage
from tests.support.repositories import Repo
from tools.bash.launcher import SessionLauncher

TEN = b"".join(b"%d\n" % number for number in range(1, 11))
FIVE = TEN.replace(b"5\n", b"five\n")
TWO_AND_FIVE = FIVE.replace(b"2\n", b"two\n")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.write("a.txt", TEN)
    repo.commit()
    return repo


def opened(repo: Repo) -> Repository:
    return find_repository(str(repo.folder))


def commits(repo: Repo, *kept: Kept, message: str = "ours", folder: Path | None = None) -> Staged:
    async def work() -> Staged:
        launcher = SessionLauncher()
        try:
            return await commit(find_repository(str(folder or repo.folder)), kept, message, launcher)
        finally:
            await launcher.close()

    return asyncio.run(work())


def changed(repo: Repo, name: str = "a.txt", start: bytes | None = TEN, kept: bytes | None = FIVE) -> Kept:
    return Kept(os.path.realpath(repo.folder / name), start, kept, 1)


# -- staging


def test_what_is_kept_is_staged_and_the_rest_of_the_file_is_not(repo: Repo) -> None:
    repo.write("a.txt", FIVE.replace(b"9\n", b"others\n"))
    assert stage(opened(repo), [changed(repo)]) == Staged(1, 1)
    assert repo.staged("a.txt") == FIVE
    assert repo.status() == ["MM a.txt"]


def test_what_was_staged_of_the_file_stays_beside_it(repo: Repo) -> None:
    repo.write("a.txt", TEN.replace(b"9\n", b"nine\n"))
    repo.git("add", "a.txt")
    stage(opened(repo), [changed(repo)])
    assert repo.staged("a.txt") == FIVE.replace(b"9\n", b"nine\n")


def test_what_is_staged_already_is_not_staged_twice(repo: Repo) -> None:
    repo.write("a.txt", TWO_AND_FIVE)
    stage(opened(repo), [changed(repo)])
    assert stage(opened(repo), [changed(repo)]).was_there
    stage(opened(repo), [changed(repo, kept=TWO_AND_FIVE)])
    assert repo.staged("a.txt") == TWO_AND_FIVE


def test_where_something_else_is_staged_in_its_place_nothing_is_done(repo: Repo) -> None:
    repo.write("b.txt", b"x\n")
    repo.write("a.txt", TEN.replace(b"5\n", b"FIVE\n"))
    repo.git("add", "a.txt")
    with pytest.raises(GitRefused, match=r"a\.txt: git holds something else where these hunks belong"):
        stage(opened(repo), [changed(repo, "b.txt", None, b"x\n"), changed(repo)])
    assert repo.staged("a.txt") == TEN.replace(b"5\n", b"FIVE\n")
    assert "A  b.txt" not in repo.status()


def test_a_new_file_is_staged_with_its_exec_bit(repo: Repo) -> None:
    repo.write("run.sh", b"#!/bin/sh\n", 0o755)
    repo.write("empty", b"")
    stage(opened(repo), [changed(repo, "run.sh", None, b"#!/bin/sh\n"), changed(repo, "empty", None, b"")])
    modes = [line.split()[0] for line in repo.git("ls-files", "--stage", "empty", "run.sh").splitlines()]
    assert modes == ["100644", "100755"]
    assert repo.status() == ["A  empty", "A  run.sh"]


def test_a_file_keeps_its_exec_bit(repo: Repo) -> None:
    repo.write("run.sh", b"one\n", 0o755)
    repo.commit()
    repo.write("run.sh", b"two\n", 0o755)
    stage(opened(repo), [changed(repo, "run.sh", b"one\n", b"two\n")])
    assert repo.status() == ["M  run.sh"]


def test_a_deleted_file_is_staged_as_gone(repo: Repo) -> None:
    (repo.folder / "a.txt").unlink()
    stage(opened(repo), [changed(repo, kept=None)])
    assert repo.status() == ["D  a.txt"]
    assert stage(opened(repo), [changed(repo, kept=None)]).was_there


def test_a_deleted_file_with_something_else_staged_is_left(repo: Repo) -> None:
    repo.write("a.txt", FIVE)
    repo.git("add", "a.txt")
    (repo.folder / "a.txt").unlink()
    with pytest.raises(GitRefused, match="git holds something else"):
        stage(opened(repo), [changed(repo, kept=None)])


def test_windows_line_ends_and_a_missing_last_one_stay(repo: Repo) -> None:
    repo.write("w.txt", b"one\r\ntwo\r\nthree")
    repo.commit()
    after = b"one\r\nTWO\r\nthree"
    repo.write("w.txt", after)
    stage(opened(repo), [changed(repo, "w.txt", b"one\r\ntwo\r\nthree", after)])
    assert repo.staged("w.txt") == after
    assert repo.status() == ["M  w.txt"]


def test_where_git_turns_line_ends_they_are_turned(repo: Repo) -> None:
    repo.write(".gitattributes", b"*.txt text eol=crlf\n")
    repo.write("w.txt", b"one\r\ntwo\r\n")
    repo.commit()
    repo.write("w.txt", b"one\r\nTWO\r\n")
    stage(opened(repo), [changed(repo, "w.txt", b"one\r\ntwo\r\n", b"one\r\nTWO\r\n")])
    assert repo.staged("w.txt") == b"one\nTWO\n"
    assert repo.status() == ["M  w.txt"]


NAMES = ["with blank.txt", "line\nend.txt", "ünder.txt", "no\udcfftext", '"quoted"', "-n", ":(top)x", "tab\there"]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_a_file_is_called(repo: Repo, name: str) -> None:
    path = os.path.join(str(repo.folder), name)
    with open(path, "wb") as file:
        file.write(FIVE)
    kept = Kept(os.path.realpath(path), None, FIVE, 1)
    stage(opened(repo), [kept])
    assert repo.status() == [f"A  {name}"]
    done = commits(repo, kept)
    assert done.commit and repo.status() == []


def test_from_a_folder_inside_the_repository(repo: Repo) -> None:
    repo.write("sub/deep/b.txt", TEN)
    repo.commit()
    repo.write("sub/deep/b.txt", FIVE)
    repo.write("a.txt", FIVE)
    inside = find_repository(str(repo.folder / "sub"))
    stage(inside, [changed(repo), changed(repo, "sub/deep/b.txt")])
    assert repo.status() == ["M  a.txt", "M  sub/deep/b.txt"]


def test_in_a_worktree_only_its_own_index_is_touched(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repo.git("worktree", "add", "-q", str(tree))
    (tree / "a.txt").write_bytes(FIVE)
    kept = Kept(os.path.realpath(tree / "a.txt"), TEN, FIVE, 1)
    stage(find_repository(str(tree)), [kept])
    assert repo.status() == []
    assert commits(repo, kept, folder=tree).commit
    assert repo.committed("a.txt", "tree") == FIVE and repo.committed("a.txt", "main") == TEN


def test_ignored_files_and_files_elsewhere_stay_out_and_are_named(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", b"*.log\n")
    repo.write("x.log", b"x\n")
    repo.write("a.txt", FIVE)
    inner = Repo(repo.folder / "inner")
    inner.write("i.txt", b"i\n")
    kept = [changed(repo, name, None, b"x\n") for name in ("x.log", "inner/i.txt", ".git/info/exclude", "../out.txt")]
    done = stage(opened(repo), [changed(repo), *kept])
    assert (done.files, len(done.left_out)) == (1, 4)
    assert [path.rsplit(" is ")[0].rsplit("/", 1)[1] for path in done.left_out] == [
        "i.txt",
        "exclude",
        "out.txt",
        "x.log",
    ]
    assert "M  a.txt" in repo.status() and not inner.git("ls-files")


def test_a_file_that_was_never_added_cannot_be_staged_in_part(repo: Repo) -> None:
    repo.write("b.txt", FIVE)
    with pytest.raises(GitRefused, match="was never added to git"):
        stage(opened(repo), [changed(repo, "b.txt")])


def test_a_file_that_shall_be_added_is_staged(repo: Repo) -> None:
    repo.write("b.txt", FIVE)
    repo.git("add", "-N", "b.txt")
    stage(opened(repo), [changed(repo, "b.txt", None, FIVE)])
    assert repo.staged("b.txt") == FIVE


def test_an_index_with_conflicts_is_left_alone(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.txt", FIVE)
    repo.commit("other")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", TEN.replace(b"5\n", b"FIVE\n"))
    repo.commit("mine")
    repo.git("merge", "-q", "other", check=False)
    for work in (lambda: stage(opened(repo), [changed(repo)]), lambda: commits(repo, changed(repo))):
        with pytest.raises(GitRefused, match=r"conflicts that are not resolved|A merge is under way"):
            work()
    assert repo.status() == ["UU a.txt"]


def test_without_a_repository_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(GitRefused, match="in no git repository"):
        find_repository(str(tmp_path))


def test_a_git_that_the_folder_brings_is_never_run(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = repo.folder / "git"
    fake.write_text(f"#!/bin/sh\ntouch {repo.folder}/ran\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{repo.folder}{os.pathsep}{os.environ['PATH']}")
    assert opened(repo).git == shutil.which("git", path=os.environ["PATH"].partition(os.pathsep)[2])
    assert not (repo.folder / "ran").exists()


def test_our_credentials_never_reach_git(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    repo.hook("pre-commit", "env > .git/seen")
    repo.write("a.txt", FIVE)
    commits(repo, changed(repo))
    assert "ANTHROPIC" not in (repo.folder / ".git" / "seen").read_text()


# -- committing


def test_a_commit_holds_the_hunks_and_what_was_staged_stays_staged(repo: Repo) -> None:
    repo.write("b.txt", b"theirs\n")
    repo.write("a.txt", TEN.replace(b"9\n", b"nine\n"))
    repo.git("add", "a.txt", "b.txt")
    repo.write("a.txt", FIVE.replace(b"9\n", b"nine\n").replace(b"1\n", b"unstaged\n", 1))
    done = commits(repo, changed(repo))
    assert repo.committed("a.txt") == FIVE
    assert repo.git("log", "-1", "--format=%h %s").split() == [done.commit, "ours"]
    assert repo.staged("a.txt") == FIVE.replace(b"9\n", b"nine\n")
    assert repo.status() == ["MM a.txt", "A  b.txt"]


def test_after_a_commit_nothing_of_it_is_left_to_commit(repo: Repo) -> None:
    repo.write("a.txt", FIVE)
    repo.write("new.txt", b"n\n")
    kept = [changed(repo), changed(repo, "new.txt", None, b"n\n")]
    commits(repo, *kept)
    assert repo.status() == []
    assert commits(repo, *kept).was_there and repo.git("rev-list", "--count", "HEAD") == "2\n"


def test_hunks_that_were_staged_before_go_into_the_commit_and_leave_the_index_as_committed(repo: Repo) -> None:
    repo.write("a.txt", TWO_AND_FIVE)
    stage(opened(repo), [changed(repo)])
    commits(repo, changed(repo, kept=TWO_AND_FIVE))
    assert repo.status() == []


def test_a_deleted_file_is_committed_as_gone(repo: Repo) -> None:
    (repo.folder / "a.txt").unlink()
    commits(repo, changed(repo, kept=None))
    assert repo.git("ls-tree", "HEAD") == "" and repo.status() == []


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "new")
    repo.write("a.txt", FIVE)
    repo.write("b.txt", b"b\n")
    repo.git("add", "b.txt")
    commits(repo, changed(repo, start=None))
    assert repo.git("ls-tree", "--name-only", "HEAD") == "a.txt\n"
    assert repo.status() == ["A  b.txt"]


def test_a_hook_that_says_no_leaves_everything_as_it_was_and_is_shown(repo: Repo) -> None:
    repo.hook("pre-commit", "echo the tests fail; exit 1")
    repo.write("b.txt", b"theirs\n")
    repo.git("add", "b.txt")
    repo.write("a.txt", FIVE)
    before = repo.status()
    with pytest.raises(GitRefused, match=r"git did not commit; everything is as it was\. It said:\nthe tests fail"):
        commits(repo, changed(repo))
    assert repo.status() == before and repo.git("rev-list", "--count", "HEAD") == "1\n"


def test_what_a_hook_makes_of_the_files_is_committed_and_in_the_index(repo: Repo) -> None:
    repo.hook("pre-commit", "sed -i s/five/FIVE/ a.txt && git add a.txt && echo formatted")
    repo.write("a.txt", FIVE)
    done = commits(repo, changed(repo))
    assert done.said == "formatted"
    assert repo.committed("a.txt") == FIVE.replace(b"five", b"FIVE") and repo.status() == []


def test_a_hook_sees_only_what_is_committed_as_staged(repo: Repo) -> None:
    repo.hook("pre-commit", "git diff --cached --name-only > .git/seen")
    repo.write("b.txt", b"theirs\n")
    repo.git("add", "b.txt")
    repo.write("a.txt", FIVE)
    commits(repo, changed(repo))
    assert (repo.folder / ".git" / "seen").read_text() == "a.txt\n"


def test_an_author_that_is_not_set_is_told_in_gits_words(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.git("config", "--unset", "user.email")
    repo.git("config", "user.useConfigOnly", "true")
    monkeypatch.setenv("HOME", str(repo.folder))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    repo.write("a.txt", FIVE)
    with pytest.raises(GitRefused, match="git did not commit"):
        commits(repo, changed(repo))
    assert repo.status() == [" M a.txt"]
