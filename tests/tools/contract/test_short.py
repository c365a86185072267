"""Sentences for a model, in the few words that stand on a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.calls import context, run
from tools.contract import ToolError, build_tool
from tools.read.tool import Read
from tools.short import counted, failure, file_failure, last_lines, refusal
from tools.view import ViewContext

short = ViewContext("/project", "/home/ada").short


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("", "failed"),
        ("It has gone.", "it has gone"),
        ("EOF came too early.", "EOF came too early"),
        ("A rule says no; ask the person.", "a rule says no"),
        ("The path is empty; give the path of a file.", "the path is empty"),
        ("Permission denied for /project/src/a.py; ask the person if it is needed.", "permission denied for src/a.py"),
        ("/home/ada/x is not a folder, so nothing can be below it; give another.",
         "~/x is not a folder, so nothing can be below it"),
        ("There is no tool named Foo. Available: Read.", "there is no tool named Foo"),
        ("Read was not run: its input has 9 bytes, at most 8; split the work.",
         "not run: its input has 9 bytes, at most 8"),
        ("Read failed unexpectedly: KeyError: 'x' (call, line 3). Try another way.",
         "failed unexpectedly: KeyError: 'x' (call, line 3)"),
        ("Two lines:\nof which the first counts", "two lines"),
    ],
)  # fmt: skip
def test_a_failure_is_its_first_statement_without_advice(error: str, words: str) -> None:
    assert failure(error, short) == words


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("/project/a.py does not exist. Look for it with Glob, or list the folder.", "no such file"),
        ("/project/a.py was changed by somebody else since you read it, and it is empty now. Nothing was written.",
         "not applied: the file is not the one it read"),
        ("/project/a.py has not been read yet; read it first, then change it.",
         "not applied: the file was not read before"),
        ("The text to replace was not found in /project/a.py. Read it again and copy it exactly.", "text not found"),
        ("The text to replace was not found in /project/a.py. Only white space differs; the file has, at line 3:\nx",
         "text not found: only white space differs"),
        ("The text to replace stands 3 times in /project/a.py (lines 1, 2, 3). Give more.",
         "not unique: the text stands 3 times"),
        ("The text to replace stands more than 100000 times in /project/a.py (line 1 and more). Give more.",
         "not unique: the text stands more than 100000 times"),
        ("The path is empty; give the path of a file.", "the path is empty"),
    ],
)  # fmt: skip
def test_what_failed_for_a_file_does_not_name_it_again(error: str, words: str) -> None:
    assert file_failure(error, short) == words


def test_a_file_that_is_not_there_is_said_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "test_cache.py").write_text("x")
    with pytest.raises(ToolError) as refused:
        run(build_tool(Read), {"file_path": "test_cahce.py"}, context(tmp_path))
    place = ViewContext(str(tmp_path), "/home/ada")
    assert file_failure(refused.value.message, place.short) == "no such file, nearest: test_cache.py"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("The person denied Bash and said: use make clean", "you said no: use make clean"),
        ("The person denied Bash and stopped the turn.", "you said no and stopped the turn"),
        ("The person denied Bash and stopped the turn. Not now", "you said no and stopped the turn: not now"),
        ("Read was denied: read .env: The deny rule `Read(.env*)` matches (/home/ada/.config/s.json:9).",
         "denied by Read(.env*)  ~/.config/s.json:9"),
        ("Edit was denied: edit a.py: Plan mode changes nothing.", "denied: plan mode changes nothing"),
        ("The person denied Bash. Do it another way or ask what to do instead.", "you said no"),
        ("Bash was denied: nobody allowed it (npm ci: No rule allows it.). Do it another way or ask what to do "
         "instead.", "not allowed: no rule allows it"),
        ("Cancelled: the person stopped the turn. It was not executed.", "not run: you stopped the turn"),
        ("Cancelled: the program ends. It was not executed.", "not run: the program ends"),
        ("Cancelled: cancelled by the person. It had started; what it did so far stays.",
         "stopped by you, what it did so far stays"),
        ("A hook says no.", "a hook says no"),
        ("", "not run"),
    ],
)  # fmt: skip
def test_a_refusal_says_who_said_so(reason: str, words: str) -> None:
    assert refusal(reason, short) == words


def test_counts_have_their_words() -> None:
    assert [counted(number, "match") for number in (0, 1, 2)] == ["no matches", "1 match", "2 matches"]


def test_the_last_lines_come_with_how_many_stand_before_them() -> None:
    assert last_lines("", 2, 9) == ([], 0)
    assert last_lines("a\nb\nc\n", 2, 9) == (["b", "c"], 1)
    assert last_lines("a\nb", 2, 9) == (["a", "b"], 0)
    assert last_lines("a\n\n", 2, 9) == (["a", ""], 0)
    assert last_lines("a\n" * 50 + "x" * 99, 2, 9) == (["a", "x" * 9], 49)
