"""The command line as data."""

from __future__ import annotations

import pytest

from agent.scripts.options import Options
from tools.version import __version__
from tui.arguments import HELP, OPTIONS, Command, Help, Screen, Wrong, read_arguments


def sentence(*args: str) -> str:
    asked = read_arguments(args)
    assert isinstance(asked, Wrong), asked
    return asked.sentence


def options(*args: str) -> Options:
    asked = read_arguments(args)
    assert isinstance(asked, Options), asked
    return asked


def test_nothing_at_all_starts_the_screen():
    assert isinstance(read_arguments([]), Screen)


@pytest.mark.parametrize("name", ["explain", "call", "tour"])
def test_a_command_stands_first_and_all_after_it_is_its_own(name: str):
    assert read_arguments([name, "--json", "-p", "--", "x"]) == Command(name, ("--json", "-p", "--", "x"))  # pyright: ignore[reportArgumentType] (the names are the literals)


def test_the_name_of_a_command_after_p_is_a_task():
    assert options("-p", "explain") == Options(task="explain")


def test_all_options_in_one_line():
    line = (
        "-p --output-format json --resume abc --model opus --effort high --permission-mode plan --read-only --simple "
        "--trust --allowed-tools Read --disallowed-tools Bash --add-dir ../b --add-dir /c --append-system-prompt brief "
        "--max-turns 7 task"
    )
    assert options(*line.split()) == Options(
        task="task",
        output_format="json",
        resume="abc",
        model="opus",
        effort="high",
        permission_mode="plan",
        read_only=True,
        simple=True,
        trust=True,
        allowed_tools=("Read",),
        disallowed_tools=("Bash",),
        add_dir=("../b", "/c"),
        append_system_prompt="brief",
        max_turns=7,
    )


@pytest.mark.parametrize("line", [["-p", "task", "-c"], ["task", "--continue", "--print"], ["-c", "--print=task"]])
def test_the_task_stands_anywhere(line: list[str]):
    assert options(*line) == Options(task="task", continue_=True)


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        ("Read,Edit", ("Read", "Edit")),
        ("Read Edit", ("Read", "Edit")),
        ("Bash(git log *), Read", ("Bash(git log *)", "Read")),
        ("Bash(echo (a, b)) Edit(/x y/**)", ("Bash(echo (a, b))", "Edit(/x y/**)")),
    ],
)
def test_rules_are_parted_outside_brackets_only(value: str, rules: tuple[str, ...]):
    assert options("-p", "x", "--allowed-tools", value).allowed_tools == rules


def test_rules_may_be_repeated_and_spelled_as_elsewhere():
    asked = options("-p", "x", "--disallowedTools", "Bash", "--disallowed-tools=Write,Edit")
    assert asked.disallowed_tools == ("Bash", "Write", "Edit")


@pytest.mark.parametrize("line", [["--append-system-prompt=--trust"], ["--append-system-prompt", "--trust"]])
def test_E14_an_option_inside_a_value_stays_a_value(line: list[str]):
    asked = options("-p", "x", *line)
    assert asked.append_system_prompt == "--trust"
    assert not asked.trust


def test_E14_an_option_in_place_of_the_task_leaves_no_task_to_run():
    assert options("-p", "--permission-mode=bypassPermissions").task == ""


@pytest.mark.parametrize("task", ["--trust", "-p", "--no-such"])
def test_E14_a_task_after_two_dashes_or_attached_is_never_an_option(task: str):
    assert options("-p", "--", task) == Options(task=task)
    assert options(f"--print={task}") == Options(task=task)


@pytest.mark.parametrize("task", ["- one\n- two", "-1 is wrong", "-", "--- a/x\n+++ b/x", "-- what?", "--why not"])
def test_a_dash_that_begins_no_option_begins_a_task(task: str):
    assert options("-p", task).task == task


def test_an_unknown_option_is_one_sentence_with_the_nearest():
    assert sentence("-p", "x", "--modle=a") == (
        "there is no option --modle (did you mean --model?); `agent-tui --help` lists them all."
    )


def test_an_option_is_never_guessed_from_its_beginning():
    assert "there is no option --perm" in sentence("-p", "x", "--perm", "plan")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-p x --model", "--model needs a value: --model NAME."),
        ("-p x --output-format xml", "--output-format is one of text, json, stream-json, not 'xml'."),
        ("-p x --max-turns -3", "--max-turns takes a number from 1 on, not '-3'."),
        ("-p x --max-turns 1_0", "--max-turns takes a number from 1 on, not '1_0'."),
        ("-p x --read-only=no", "--read-only takes no value."),
        ("-p x --allowed-tools Bash(ls", "--allowed-tools has a bracket without its other half: 'Bash(ls'."),
        ("-p x --allowed-tools ls)(", "--allowed-tools has a bracket without its other half: 'ls)('."),
        ("-p x -c -r abc", "--continue and --resume name two sessions; choose one."),
        ("-p fix it", "the task must be one word to the shell: put it in quotes (found also 'it')."),
    ],
)
def test_what_cannot_be_followed_is_one_sentence_that_says_what_to_do(line: str, said: str):
    assert sentence(*line.split()) == said


@pytest.mark.parametrize("option", ["--model", "--effort", "--append-system-prompt"])
def test_bytes_that_are_no_text_are_refused_before_a_model_is_asked(option: str):
    assert sentence("-p", "x", option, "a\udcffb") == f"{option} takes text, and 'a\\udcffb' holds bytes that are none."
    assert options("-p", "x", option, "grün\n\tweiter").task == "x"


@pytest.mark.parametrize("option", ["--model", "--effort", "--resume", "--add-dir"])
@pytest.mark.parametrize("value", ["", "  "])
def test_a_value_that_a_script_left_empty_is_told_and_never_taken_for_none(option: str, value: str):
    assert sentence("-p", "go", option, value) == f"{option} needs a value, and this one is empty."
    assert sentence("-p", "go", f"{option}={value}") == f"{option} needs a value, and this one is empty."


def test_the_version_is_told_wherever_it_is_asked_for():
    assert read_arguments(["-p", "go", "--version"]) == Help(f"agent-tui {__version__}")
    assert options("-p", "go", "--append-system-prompt", "--version").append_system_prompt == "--version"


def test_a_mistyped_command_is_told_the_nearest():
    assert "(did you mean explain?)" in sentence("explian", "Read", "{}")


def test_help_is_short_and_names_every_option():
    assert read_arguments(["-p", "x", "--help"]) == Help(HELP)
    assert HELP.count("\n") < 40
    assert [option for option in OPTIONS if option not in HELP] == []


def test_a_command_has_help_of_its_own():
    asked = read_arguments(["explain", "--help"])
    assert isinstance(asked, Help)
    assert asked.text.startswith("Usage: agent-tui explain")
