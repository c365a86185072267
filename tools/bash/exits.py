"""What it means when a command ends with 1 although nothing went wrong: a search without a find, files that differ."""

from __future__ import annotations

from tools.bash.parse import parse
from tools.bash.script import SimpleCommand
from tools.bash.words import names

_SEARCH = names("grep egrep fgrep zgrep rg ag ack pgrep")
_COMPARE = names("diff cmp colordiff")
_TEST = names("test [ [[")


def meaning_of(command: str, exit_code: int, output: str) -> str:
    """The meaning in words; empty where the code is a failure, or may be one."""
    if exit_code != 1:
        return ""
    script = parse(command)
    if not script.commands or script.problems or command.lstrip().startswith("!"):
        return ""
    last = script.commands[-1]
    # Who failed would have said so: a silent 1 can come only from the search.
    if not output.strip() and (_program(last) in _SEARCH or _is_git(last, "grep")):
        return "nothing found"
    if len(script.commands) > 1:
        return ""
    if _program(last) in _COMPARE or _is_git(last, "diff"):
        return "the files differ"
    return "it is not so" if _program(last) in _TEST and not output.strip() else ""


def _program(command: SimpleCommand) -> str:
    return command.name.rpartition("/")[2] or command.name


def _is_git(command: SimpleCommand, verb: str) -> bool:
    return command.name == "git" and len(command.words) > 1 and command.words[1].text == verb
