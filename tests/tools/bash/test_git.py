from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import run_command
from tools.bash.git_config import git_config_is_safe
from tools.bash.tool import Bash

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

Git = Callable[..., None]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("tools.bash.git_config._FRESH_SECONDS", -1.0)
    return home


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "config", "user.email", "a@example.com")
    git(folder, "config", "user.name", "A")
    (folder / "f").write_text("one\n")
    git(folder, "add", "f")
    git(folder, "commit", "-qm", "first")
    (folder / "f").write_text("two\n")
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, stdin=subprocess.DEVNULL)


def test_a_plain_repository_and_a_folder_without_one_are_safe(repository: Path, tmp_path: Path) -> None:
    assert git_config_is_safe(str(repository))
    assert git_config_is_safe(str(tmp_path / "home"))


@pytest.mark.parametrize(
    "key",
    [
        "core.fsmonitor", "core.hooksPath", "diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean",
        "filter.x.process", "merge.x.driver", "gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand",
        "remote.origin.uploadpack", "core.attributesFile",
    ],
)  # fmt: skip
def test_a_repository_that_names_a_program_is_not_safe(repository: Path, key: str) -> None:
    git(repository, "config", key, "./evil.sh")
    assert not git_config_is_safe(str(repository))


@pytest.mark.parametrize(
    ("key", "value", "safe"),
    [
        ("format.pretty", "%h %G?", False), ("format.pretty", "oneline", True), ("pretty.mine", "format:%+GS", False),
        ("pretty.mine", "%h %s", True), ("log.diffMerges", "remerge", False), ("log.diffMerges", "first-parent", True),
        ("log.showSignature", "true", False), ("remote.origin.promisor", "true", False), ("core.worktree", "..", False),
        ("gpg.format", "ssh", True), ("core.sshCommand", "ssh -i key", True), ("alias.status", "!./evil.sh", True),
        ("core.pager", "./evil.sh", True), ("core.editor", "./evil.sh", True),
    ],
)  # fmt: skip
def test_what_reads_do_not_start_is_safe_and_what_a_value_brings_about_counts(
    repository: Path, key: str, value: str, safe: bool
) -> None:
    git(repository, "config", key, value)
    assert git_config_is_safe(str(repository)) is safe


def test_a_setting_that_is_off_is_safe(repository: Path) -> None:
    git(repository, "config", "core.fsmonitor", "false")
    git(repository, "config", "log.showSignature", "false")
    assert git_config_is_safe(str(repository))


def test_an_included_file_counts(repository: Path) -> None:
    (repository / "tracked.cfg").write_text("[core]\n\tfsmonitor = ./evil.sh\n")
    git(repository, "config", "include.path", "../tracked.cfg")
    assert not git_config_is_safe(str(repository))


def test_worktree_settings_count(repository: Path) -> None:
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(repository, "config", "--worktree", "core.fsmonitor", "./evil.sh")
    assert not git_config_is_safe(str(repository))


def test_what_the_person_set_for_all_repositories_is_theirs(repository: Path, own_home: Path) -> None:
    (own_home / ".gitconfig").write_text('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n')
    assert git_config_is_safe(str(repository))


@pytest.mark.parametrize(
    ("setting", "safe"),
    [
        ('[diff]\n\texternal = difft\n', True), ('[diff "pdf"]\n\ttextconv = /usr/bin/pdftotext\n', True),
        ("[core]\n\tfsmonitor = .git/hooks/fsmonitor-watchman\n", False), ("[core]\n\thooksPath = .githooks/x\n", False),
        ('[filter "x"]\n\tclean = sh -c \'./evil.sh\'\n', False), ("[core]\n\thooksPath = ~/hooks\n", True),
    ],
)  # fmt: skip
def test_what_the_person_set_is_not_theirs_where_the_repository_brings_the_program(
    repository: Path, own_home: Path, setting: str, safe: bool
) -> None:
    (own_home / ".gitconfig").write_text(setting)
    assert git_config_is_safe(str(repository)) is safe


def test_settings_for_all_repositories_that_lie_in_this_one_are_not_the_persons(
    repository: Path, own_home: Path
) -> None:
    (repository / "shared.cfg").write_text("[diff]\n\texternal = evil\n")
    (own_home / ".gitconfig").write_text(f"[include]\n\tpath = {repository}/shared.cfg\n")
    assert not git_config_is_safe(str(repository))


@pytest.mark.parametrize("below", [".", "src"])
def test_a_submodule_with_a_program_of_its_own_counts(repository: Path, tmp_path: Path, below: str) -> None:
    top = tmp_path / "top"
    (top / "src").mkdir(parents=True)
    git(top, "init", "-q")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "library")
    assert git_config_is_safe(str(top / below))
    assert git_config_is_safe(str(top / "library"))
    git(top / "library", "config", "filter.x.clean", "./evil.sh")
    assert not git_config_is_safe(str(top / below))
    assert not git_config_is_safe(str(top / "library"))


def test_a_folder_that_looks_like_a_bare_repository_counts(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    git(tmp_path, "init", "-q", "--bare", "bare")
    with open(bare / "config", "a", encoding="utf-8") as config:
        config.write("[core]\n\tfsmonitor = ./evil.sh\n")
    assert not git_config_is_safe(str(bare))


def test_a_folder_that_is_gone_is_not_safe(tmp_path: Path) -> None:
    assert not git_config_is_safe(str(tmp_path / "gone"))


def test_an_answer_is_asked_for_again_soon(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.bash.git_config._FRESH_SECONDS", float("inf"))
    assert git_config_is_safe(str(repository))
    git(repository, "config", "core.fsmonitor", "./evil.sh")
    assert git_config_is_safe(str(repository))
    monkeypatch.setattr("tools.bash.git_config._FRESH_SECONDS", 0.0)
    assert not git_config_is_safe(str(repository))


def test_a_git_command_is_read_only_where_git_is_safe(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bash = Bash(None, None)  # pyright: ignore[reportArgumentType] (nothing is run)
    status, listing = bash.parse_input({"command": "git status"}), bash.parse_input({"command": "ls"})
    monkeypatch.chdir(repository)
    assert bash.is_read_only(status) and bash.is_concurrency_safe(status)
    git(repository, "config", "diff.external", "./evil.sh")
    assert not bash.is_read_only(status) and not bash.is_concurrency_safe(status)
    assert bash.is_read_only(listing)


@pytest.mark.parametrize("command", ["git status", "git diff", "git log -p", "git blame f", "git ls-files -m"])
def test_a_reading_git_writes_nothing_and_runs_no_monitor_or_hook(repository: Path, command: str) -> None:
    evil = repository / "evil.sh"
    evil.write_text("#!/bin/sh\ntouch pwned\n")
    evil.chmod(0o755)
    git(repository, "config", "core.fsmonitor", "./evil.sh")
    shutil.copy(evil, repository / ".git" / "hooks" / "post-index-change")
    (repository / "pwned").unlink(missing_ok=True)
    index = repository / ".git" / "index"
    # An index that is older than the file it knows would be written anew.
    os.utime(repository / "f")
    before = index.read_bytes(), index.stat().st_mtime_ns
    assert run_command(command, repository).data.exit_code == 0
    assert not (repository / "pwned").exists()
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
