"""What a command changes, of all files of the workspace, becomes steps with what the files were before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.checkpoints import commands, touched
from agent.checkpoints.commands import Around
from agent.checkpoints.tree import TooMuch
from tests.support.workspaces import Workspace


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(tmp_path.resolve())
    yield workspace
    workspace.checkpoints.close()
    workspace.history.close()


@pytest.mark.parametrize("watched", [True, False], ids=["told by the system", "looked at again"])
def test_what_a_command_changes_makes_and_removes_is_there_with_its_bytes(place: Workspace, watched: bool) -> None:
    work = place.folder
    (work / "deep" / "er").mkdir(parents=True)
    for name in ("changed", "gone", "left", "deep/er/moved"):
        (work / name).write_text(f"{name} as it was\n")

    def command() -> None:
        (work / "changed").write_text("new\n")
        (work / "gone").unlink()
        (work / "made").mkdir()
        (work / "made" / "new").write_text("made\n")
        (work / "deep").rename(work / "shallow")
        os.utime(work / "left")

    assert place.run(command, watched=watched) == {
        "changed": (b"changed as it was\n", b"new\n"),
        "gone": (b"gone as it was\n", None),
        "made/new": (None, b"made\n"),
        "deep/er/moved": (b"deep/er/moved as it was\n", None),
        "shallow/er/moved": (None, b"deep/er/moved as it was\n"),
    }
    assert {(step.by, step.call, step.attribution) for step in place.history.steps()} == {
        ("command", "c1", "while `it` ran")
    }
    assert place.run(lambda: None, watched=watched) == {} and not place.gaps()


def test_no_more_folders_are_followed_than_leaves_others_theirs_and_all_is_found(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(touched, "MOST_FOLDERS", 3)
    for number in range(5):
        (place.folder / str(number)).mkdir()

    def command() -> None:
        for number in range(5):
            (place.folder / str(number) / "new").write_text("x")

    assert place.run(command) == {f"{number}/new": (None, b"x") for number in range(5)}


def test_what_the_person_typed_themselves_is_theirs(place: Workspace) -> None:
    around = Around()
    place.checkpoints.before(around)
    (place.folder / "new").write_text("x")
    place.checkpoints.note(around, place.checkpoints.after(around), frozenset(), "shell-1", "")
    around.close()
    assert [step.by for step in place.history.steps()] == ["person"]


def test_what_others_changed_between_two_commands_is_what_the_second_found(place: Workspace) -> None:
    file = place.folder / "a"
    file.write_text("one")
    place.run(lambda: file.write_text("two"))
    file.write_text("theirs, and nobody follows this file")
    assert place.run(lambda: file.write_text("three")) == {"a": (b"theirs, and nobody follows this file", b"three")}


def test_files_that_are_followed_are_told_by_whoever_follows_them(place: Workspace) -> None:
    known, other = place.folder / "known", place.folder / "other"

    def command() -> None:
        known.write_text("x")
        other.write_text("y")

    assert place.run(command, known) == {"other": (None, b"y")}


def test_a_mode_is_a_change_and_is_kept_for_what_went(place: Workspace) -> None:
    script, gone = place.folder / "script", place.folder / "gone"
    for file in (script, gone):
        file.write_text("#!/bin/sh\n")
        file.chmod(0o750)

    def command() -> None:
        script.chmod(0o700)
        gone.unlink()

    place.run(command)
    modes = {place.name(step.path): (step.mode_before, step.mode_after) for step in place.history.steps()}
    assert modes == {"script": (0o750, 0o700), "gone": (0o750, None)}


def test_what_is_too_large_or_no_file_is_named(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "KEPT_FILE_BYTES", 10)
    large, link = place.folder / "large", place.folder / "link"
    large.write_text("more than ten bytes")
    link.symlink_to("large")

    def command() -> None:
        large.write_text("other than those ten bytes")
        link.unlink()
        link.symlink_to("nowhere")

    assert place.run(command) == {"large": ("not kept", "not kept")}
    assert place.gaps() == {("large", 1, "large"), ("link", 1, "link")}


def test_a_large_file_that_comes_and_is_changed_again_is_known_by_one_name(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "KEPT_FILE_BYTES", 10)
    large = place.folder / "large"
    place.run(lambda: large.write_text("more than ten bytes"))
    place.run(lambda: large.write_text("other than those ten bytes"))
    first, second = place.history.steps(str(large))
    assert first.after == second.before


def test_what_is_too_much_at_once_is_kept_by_the_next_command_the_nearest_first(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "COPIED_BYTES", 0)
    near, far = place.folder / "near", place.folder / "deep" / "far"
    far.parent.mkdir()
    for file in (near, far):
        file.write_text("as it was")

    def both(text: str) -> Callable[[], None]:
        return lambda: [file.write_text(text) for file in (near, far)] and None

    assert place.run(lambda: far.write_text("lost")) == {"deep/far": ("not kept", b"lost")}
    assert place.gaps() == {("deep/far", 1, "missed")}
    assert place.run(both("x"))["near"] == (b"as it was", b"x")


def test_our_own_files_are_nobodys_change(place: Workspace) -> None:
    own = place.folder / "own"
    own.mkdir()
    assert place.run(lambda: (own / "log").write_text("x")) == {}
    assert place.run((own / "more").mkdir) == {}


@pytest.mark.parametrize("watched", [True, False])
def test_a_folder_that_is_too_much_to_look_through_is_named_and_left(
    place: Workspace, monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    def too_much(*_: object) -> None:
        raise TooMuch

    monkeypatch.setattr(commands, "look", too_much)
    assert place.run(lambda: (place.folder / "a").write_text("x"), watched=watched) == {}
    assert place.gaps() == {(".", 0, "many")}


def test_names_that_are_no_text_are_names(place: Workspace) -> None:
    odd = os.fsencode(place.folder) + b"/od\xffd\nname"

    def command() -> None:
        with open(odd, "wb") as file:
            file.write(b"x")

    assert place.run(command) == {"od\udcffd\nname": (None, b"x")}
    place.run(lambda: os.unlink(odd))
    assert [place.held(step) for step in place.history.steps()] == [(None, b"x"), (b"x", None)]


def test_where_too_many_folders_come_and_go_all_is_looked_at_again(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "FOLDERS_ONE_BY_ONE", 2)

    def command() -> None:
        for number in range(5):
            (place.folder / str(number)).mkdir()
            (place.folder / str(number) / "file").write_text("x")

    assert len(place.run(command)) == 5
    assert len(place.run(lambda: shutil.rmtree(place.folder / "3"))) == 1
