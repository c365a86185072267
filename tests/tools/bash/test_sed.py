"""A `sed -i` that edits one file is shown and asked as the diff it makes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from agent.model.scripted import text, tool_use
from tests.support.calls import context
from tests.support.sessions import play, session_in
from tools.bash.sed import SedEdit, sed_edit
from tools.bash.tool import Bash
from tools.blocks import Code, Diff, Line
from tools.contract import Preview
from tools.events import PermissionRequested, PermissionUpdated
from tools.permissions.gate import Answer

BASH = Bash.__new__(Bash)


def shown(folder: Path, command: str) -> Preview:
    return asyncio.run(BASH.preview(BASH.parse_input({"command": command}), context(folder, seen=object())))


@pytest.mark.parametrize(
    ("command", "edit"),
    [
        ("sed -i s/a/b/ f", SedEdit(("s/a/b/", "f"), "f")),
        ("sed -E -i 's/(a)/\\1b/g' 'the file'", SedEdit(("-E", "s/(a)/\\1b/g", "the file"), "the file")),
        ("sed --in-place -e s/a/b/ -e 2d f", SedEdit(("-e", "s/a/b/", "-e", "2d", "f"), "f")),
        ("sed s/a/b/ f", None),
        ("sed -i s/a/b/ f g", None),
        ("sed -i.bak s/a/b/ f", None),
        ("sed -i s/a/b/ *.py", None),
        ("sed -i s/a/$x/ f", None),
        ("sed -i 's/a/b/e' f", None),
        ("sed -i 'w other' f", None),
        ("sed -i s/a/b/ f && rm f", None),
        ("sed -i s/a/b/ f > log", None),
        ("LANG=C sed -i s/a/b/ f", None),
    ],
)
def test_only_an_edit_of_one_file_that_does_nothing_else_is_foreseen(command: str, edit: SedEdit | None) -> None:
    assert sed_edit(command) == edit


def test_the_diff_is_shown_and_the_file_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one\ntwo\nthree\n")
    preview = shown(tmp_path, "sed -i -e s/two/TWO/ -e 3d f")
    code, where, diff = preview.blocks
    assert code == Code("sed -i -e s/two/TWO/ -e 3d f", "bash") and isinstance(where, Line)
    assert isinstance(diff, Diff) and (diff.added, diff.removed) == (1, 2) and diff.path == str(tmp_path / "f")
    assert [ground.path for ground in preview.ground] == [str(tmp_path / "f")]
    assert (tmp_path / "f").read_text() == "one\ntwo\nthree\n" and os.listdir(tmp_path) == ["f"]


def test_an_edit_without_effect_says_so(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one\n")
    last = shown(tmp_path, "sed -i s/x/y/ f").blocks[-1]
    assert isinstance(last, Line) and last.text == "It changes nothing there."


@pytest.mark.parametrize(
    "command", ["sed -i s/a/b/ none", "sed -i s/a/b/ ../outside", "sed -i s/a/b/ pipe", "sed -i 's/(/' f"]
)
def test_what_cannot_be_foreseen_is_asked_as_the_command_alone(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "f").write_text("a\n")
    (tmp_path / "outside").write_text("a\n")
    os.mkfifo(folder / "pipe")
    preview = shown(folder, command)
    assert len(preview.blocks) == 2 and preview.ground == ()


def test_D8_an_expression_that_takes_for_ever_holds_up_the_question_only_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.bash.sed.DEADLINE_SECONDS", 0.1)
    (tmp_path / "f").write_text("a\n")
    assert len(shown(tmp_path, "sed -i ':x;bx' f").blocks) == 2


def test_a_file_that_changes_while_it_is_asked_about_is_asked_anew(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one\ntwo\n")

    async def body() -> None:
        script = [
            [tool_use("r", "Read", file_path="f")],
            [tool_use("c", "Bash", command="sed -i s/two/TWO/ f")],
            [text("done")],
        ]
        async with session_in(tmp_path, script) as (session, seen):
            session.submit("go")
            asked = await seen.first(PermissionRequested)
            (tmp_path / "f").write_text("one\ntwo and more\n")
            updated = await seen.first(PermissionUpdated)
            assert not session.decide(asked.request.id, asked.revision, Answer("once"))
            assert updated.request.preview != asked.request.preview
            assert session.decide(updated.request.id, updated.revision, Answer("once"))
            await session.turn_ended()
            assert (tmp_path / "f").read_text() == "one\nTWO and more\n"

    play(body)
