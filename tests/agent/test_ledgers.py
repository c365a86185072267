"""What was shown permits an edit, in whichever way it was shown; what the session wrote is the truth for all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.events import ExternalEdit
from agent.model.scripted import ScriptedModel
from agent.session import Session
from tests.support.background import call, told, with_session
from tests.support.pipeline import text_of
from tests.support.sessions import Recorder, second_conversation
from tools.pipeline import ToolUse

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def shown_by(tmp_path: Path, command: str, tool: str, code: str = "") -> None:
    """After this command alone the file can be changed with this tool; with a code: it is refused with that."""
    (tmp_path / "a.txt").write_text(TEN)
    (tmp_path / "b.txt").write_text("other\n")

    async def work(session: Session, _: Recorder) -> None:
        await call(session, "Bash", command=command)
        if tool == "Edit":
            made = await call(session, "Edit", file_path="a.txt", old_string="line 3\n", new_string="three\n")
        else:
            made = await call(session, "Write", file_path="a.txt", content="mine\n")
        assert made.code == code, text_of(made)

    with_session(tmp_path, work)


@pytest.mark.parametrize(
    "command",
    [
        "cat a.txt",
        "cat ./a.txt;",
        "head -n 4 a.txt",
        "head a.txt",
        "tail -n 8 a.txt",
        "sed -n 2,4p a.txt",
        "grep 'line [34]' a.txt",
        "grep -n -A1 'line 3' a.txt",
    ],
)
def test_G15_a_plain_look_at_one_file_by_a_command_counts_as_read(tmp_path: Path, command: str) -> None:
    shown_by(tmp_path, command, "Edit")


@pytest.mark.parametrize(
    "command",
    [
        "cat a.txt | head -3",
        "cat a.txt b.txt",
        "cat < a.txt",
        "cat a.txt > c.txt",
        "cat a.txt && true",
        "cat -n a.txt",
        "cat *.txt",
        "F=a.txt; cat $F",
        "wc -l a.txt",
        "awk 1 a.txt",
        "grep -c line a.txt",
        "grep nothing a.txt",
        "sed -n s/line/LINE/p a.txt",
        "ls a.txt",
    ],
)
def test_G15_anything_less_plain_does_not(tmp_path: Path, command: str) -> None:
    shown_by(tmp_path, command, "Edit", "not_read")


@pytest.mark.parametrize(("command", "code"), [("cat a.txt", ""), ("head -n 9 a.txt", "not_read"), ("head a.txt", "")])
def test_G15_only_who_was_shown_all_of_it_may_write_it_whole(tmp_path: Path, command: str, code: str) -> None:
    shown_by(tmp_path, command, "Write", code)


def test_what_a_command_showed_is_shown_again_by_read_with_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)

    async def work(session: Session, _: Recorder) -> None:
        await told(session, "Bash", command="cat a.txt")
        assert "line 3" in await told(session, "Read", file_path="a.txt")
        assert "unchanged" in (await told(session, "Read", file_path="a.txt")).lower()

    with_session(tmp_path, work)


def test_G16_what_a_sub_agent_wrote_is_nobody_elses_and_still_not_known_to_its_parent(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)

    async def work(session: Session, seen: Recorder) -> None:
        second = second_conversation(session, ScriptedModel([]))

        async def by_second(tool: str, **input: str) -> str:
            return text_of((await second.run_calls([ToolUse(f"second-{tool}-{len(seen.stamped)}", tool, input)]))[0])

        await told(session, "Read", file_path="a.txt")
        assert "has not been read yet" in await by_second(
            "Edit", file_path="a.txt", old_string="line 3", new_string="3"
        )
        await by_second("Read", file_path="a.txt")
        await by_second("Edit", file_path="a.txt", old_string="line 3\n", new_string="three\n")
        apart = await told(session, "Edit", file_path="a.txt", old_string="line 9\n", new_string="nine\n")
        assert (
            "Another call of this session had changed the file (line 3); the edit is made in the current text" in apart
        )
        await by_second("Read", file_path="a.txt")
        await by_second("Edit", file_path="a.txt", old_string="line 5\n", new_string="five\n")
        refused = text_of(await call(session, "Edit", file_path="a.txt", old_string="line 5\n", new_string="5\n"))
        assert "was changed by another call of this session since you read it" in refused and "+five" in refused
        await told(session, "Edit", file_path="a.txt", old_string="five\n", new_string="5\n")
        assert not seen.all(ExternalEdit)

    with_session(tmp_path, work)
