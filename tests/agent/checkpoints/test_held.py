"""What git holds unchanged is not copied before a command, and comes back from git; what it only seems to hold is copied."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.checkpoints import commands
from agent.checkpoints.commands import CommandCheckpoints, CommandPlace
from tests.support.repositories import Repo
from tests.support.workspaces import Workspace

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to ask")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(tmp_path.resolve())
    yield workspace
    workspace.checkpoints.close()
    workspace.history.close()


@pytest.fixture
def repo(place: Workspace) -> Repo:
    return Repo(place.folder)


@needs_git
def test_what_git_holds_unchanged_is_not_copied_and_comes_back_from_it(place: Workspace, repo: Repo) -> None:
    for name in ("a", "odd\nname", "with blank"):
        repo.write(name, f"{name} committed\n".encode())
    repo.commit()
    place.run(lambda: None)
    assert not place.kept()

    def command() -> None:
        for name in ("a", "odd\nname"):
            (place.folder / name).write_text("other\n")
        (place.folder / "with blank").unlink()
        # Also when git itself knows nothing of it any more.
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", "by the command")

    assert place.run(command) == {
        "a": (b"a committed\n", b"other\n"),
        "odd\nname": (b"odd\nname committed\n", b"other\n"),
        "with blank": (b"with blank committed\n", None),
    }


@needs_git
def test_what_is_changed_or_not_added_is_copied_and_what_is_ignored_is_named(place: Workspace, repo: Repo) -> None:
    repo.write(".gitignore", b"build/\n*.log\n")
    repo.write("tracked", b"committed\n")
    repo.commit()
    repo.write("tracked", b"changed since\n")
    repo.write("untracked", b"never added\n")
    repo.write("build/out", b"ignored\n")

    def command() -> None:
        for name in ("tracked", "untracked", "build/out", "build/more", "a.log"):
            (place.folder / name).write_text("by the command\n")

    assert place.run(command) == {
        "tracked": (b"changed since\n", b"by the command\n"),
        "untracked": (b"never added\n", b"by the command\n"),
    }
    assert place.gaps() == {("build", 2, "ignored"), ("a.log", 1, "ignored")}


@needs_git
def test_a_commit_or_reset_between_two_commands_makes_nothing_wrong(place: Workspace, repo: Repo) -> None:
    repo.write("a", b"first\n")
    repo.commit("one")
    repo.write("a", b"second\n")
    repo.commit("two")
    place.run(lambda: None)
    # The file stays as it was, what git holds of it does not.
    repo.git("reset", "-q", "--soft", "HEAD~1")
    repo.git("reset", "-q")
    assert place.run(lambda: (place.folder / "a").write_text("third\n")) == {"a": (b"second\n", b"third\n")}
    # And with the same length.
    blob = hash_object(repo, b"fifth\n")
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},a")
    assert place.run(lambda: (place.folder / "a").write_text("fourth\n")) == {"a": (b"third\n", b"fourth\n")}


def hash_object(repo: Repo, data: bytes) -> str:
    path = repo.folder.parent / "to-hash"
    path.write_bytes(data)
    return repo.git("hash-object", "-w", str(path)).strip()


@needs_git
def test_a_checkout_of_another_branch_can_be_taken_back(place: Workspace, repo: Repo) -> None:
    repo.write("a", b"main\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a", b"other\n")
    repo.write("b", b"only there\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    steps = place.run(lambda: repo.git("checkout", "-q", "other"))
    assert steps == {"a": (b"main\n", b"other\n"), "b": (None, b"only there\n")}


@needs_git
def test_line_ends_that_git_stores_otherwise_come_back_as_they_were(place: Workspace, repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.write("a", b"one\r\ntwo\r\n")
    repo.commit()
    place.run(lambda: None)
    assert not place.kept()
    assert place.run((place.folder / "a").unlink) == {"a": (b"one\r\ntwo\r\n", None)}


@needs_git
def test_a_repository_inside_is_copied(place: Workspace, repo: Repo) -> None:
    repo.write("a", b"outer\n")
    repo.commit()
    Repo(place.folder / "inner").write("b", b"inner\n")
    assert place.run((place.folder / "inner" / "b").unlink) == {"inner/b": (b"inner\n", None)}


@needs_git
def test_many_files_at_once_are_kept_as_few_are(place: Workspace, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "FEW", 0)
    repo.write(".gitignore", b"ignored\n")
    repo.commit()
    place.run(lambda: None)
    repo.write("untracked", b"x")
    repo.write("ignored", b"x")
    place.run(lambda: None)
    assert len(place.kept()) == 1
    assert place.run((place.folder / "untracked").unlink) == {"untracked": (b"x", None)}


@needs_git
def test_git_is_not_touched(place: Workspace, repo: Repo) -> None:
    repo.write("a", b"first\n")
    repo.commit()
    repo.write("b", b"not added\n")
    os.utime(place.folder / "a")

    def all_of_git() -> dict[str, tuple[bytes, float]]:
        files = [path for path in (place.folder / ".git").rglob("*") if path.is_file()]
        return {str(path): (path.read_bytes(), path.stat().st_mtime) for path in files}

    before = all_of_git()
    place.run(lambda: (place.folder / "a").write_text("other\n"))
    place.run((place.folder / "b").unlink)
    assert all_of_git() == before


@needs_git
def test_git_that_may_not_be_asked_holds_nothing(tmp_path: Path) -> None:
    place = Workspace(tmp_path.resolve())
    repo = Repo(place.folder)
    repo.write("a", b"committed\n")
    repo.commit()
    place.checkpoints = CommandCheckpoints(
        place.history, CommandPlace(lambda: [str(place.folder)], "/nowhere", str(tmp_path), lambda: False)
    )
    assert place.run((place.folder / "a").unlink) == {"a": (b"committed\n", None)}
    assert stat.S_ISREG(place.kept()[0].stat().st_mode)
    place.history.close()


@needs_git
@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_not_to_look_at_is_copied(place: Workspace, repo: Repo, flag: str) -> None:
    repo.write("settings", b"flag=0\n")
    repo.commit()
    repo.git("update-index", flag, "settings")
    repo.write("settings", b"flag=1\n")
    changed = place.run(lambda: (place.folder / "settings").write_text("flag=2\n"))
    assert changed == {"settings": (b"flag=1\n", b"flag=2\n")}


@needs_git
def test_what_a_submodule_holds_is_copied(place: Workspace, repo: Repo, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    inner.write("b", b"committed\n")
    inner.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.folder), "deep/inner")
    repo.commit()
    repo.write("deep/inner/b", b"changed since\n")
    assert place.run((place.folder / "deep/inner/b").unlink) == {"deep/inner/b": (b"changed since\n", None)}


@needs_git
def test_a_large_file_that_git_does_not_hold_as_it_was_is_not_taken_for_what_git_holds(
    place: Workspace, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "KEPT_FILE_BYTES", 3)
    repo.write("held", b"committed\n")
    repo.write("large", b"committed\n")
    repo.commit()
    repo.write("large", b"not added\n")

    def command(name: str, data: bytes) -> dict[str, tuple[object, object]]:
        return place.run(lambda: (place.folder / name).write_bytes(data))

    assert command("large", b"otherwise\n") == {"large": ("not kept", "not kept")}
    # Also where it became so only while the session ran.
    assert command("held", b"rewritten\n") == {"held": (b"committed\n", "not kept")}
    repo.write("held", b"once again")
    assert command("held", b"the end...") == {"held": ("not kept", "not kept")}


@needs_git
def test_a_file_that_was_not_copied_in_time_is_not_taken_for_what_git_holds(
    place: Workspace, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a", b"committed\n")
    repo.commit()
    repo.write("a", b"not added\n")
    monkeypatch.setattr(commands, "COPIED_BYTES", -1)
    assert place.run((place.folder / "a").unlink) == {"a": ("not kept", None)}
    assert place.gaps() == {("a", 1, "missed")}
