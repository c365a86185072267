"""Whether a shell line only reads. Fail-closed: whatever is not known to be harmless is not read-only.

Here are the rules of the shell; what each program does with its words stands in `judge/`.
"""

from __future__ import annotations

import posixpath
import re

from tools.bash.judge.conditions import CONDITIONS, NUMERIC
from tools.bash.judge.programs import program_only_reads
from tools.bash.judge.shown import gives_nothing_away, names_secret_file
from tools.bash.script import START, Assignment, Folders, Redirect, Script, SimpleCommand, is_own_name
from tools.bash.words import Word, names
from tools.bash.wrappers import DEEPEST, looked_through

_WRAPPERS = frozenset(("time", "timeout", "nice", "stdbuf", "command", "builtin"))
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")
_RECURSIVE = frozenset(("rg", "ag"))
_RECURSIVE_WHEN_ASKED = frozenset(("grep", "egrep", "fgrep"))
_ASKS_FOR_FOLDERS = re.compile(r"-[^-]*[rRd]|--[rd]", re.DOTALL)
# What may stand before a read-only command. In their values no path, or a library would read files of the folder.
_LANGUAGE_VARIABLES = frozenset(("LANG", "LANGUAGE", "NO_COLOR"))
_LANGUAGE = re.compile(r"[\w.@:,+-]*", re.ASCII)
_TIME_ZONE = re.compile(r"(?!.*\.\.)[A-Za-z0-9][\w/+:<>,.-]*", re.ASCII)
_READ_OPTIONS = names("-r -s -a -d -n -t -rd")
_FD = re.compile(r"[0-9]+-?|-")


def only_reads(script: Script) -> bool:
    """Whether all of it is understood and read-only, git assumed to be safe here (`git_config.py` tells)."""
    return (
        not script.problems
        and bool(script.commands)
        and all(command_only_reads(command) for command in script.commands)
        and all(redirect_only_reads(redirect, folders) for redirect, folders in script.redirects)
    )


def runs_git(script: Script) -> bool:
    return any(word.text.rpartition("/")[2] == "git" for command in script.commands for word in command.words)


def command_only_reads(command: SimpleCommand, *, apart_from_files: bool = False) -> bool:
    """`apart_from_files`: leave out the ordinary files its output is redirected to."""
    redirects = [one for one in command.redirects if not (apart_from_files and _writes_file(one, command.folders))]
    return (
        not command.problem
        and all(_assignment_is_harmless(one, command) for one in command.assignments)
        and all(redirect_only_reads(redirect, command.folders) for redirect in redirects)
        and all(gives_nothing_away(word, command) for word in command.fed)
        and _words_give_nothing_away(command)
        and _words_only_read(command.words, command)
    )


def _assignment_is_harmless(one: Assignment, command: SimpleCommand) -> bool:
    """Alone, it sets a variable of the line's own; before a command, it speaks of language and time only."""
    if not command.words:
        return is_own_name(one.name) and not one.value.raw.startswith("(") and gives_nothing_away(one.value, command)
    if one.name == "TZ":
        return one.value.fixed and bool(_TIME_ZONE.fullmatch(one.value.text))
    of_language = one.name in _LANGUAGE_VARIABLES or one.name.startswith("LC_")
    return of_language and one.value.fixed and bool(_LANGUAGE.fullmatch(one.value.text))


def _words_give_nothing_away(command: SimpleCommand) -> bool:
    words = command.words
    if command.name in CONDITIONS and not any(word.text in NUMERIC for word in words):
        # It prints nothing of what it is asked about; of a text that should be a number it would.
        return not any(word.opaque or names_secret_file(word, command.folders) for word in words)
    return all(gives_nothing_away(word, command) for word in words)


def redirect_only_reads(redirect: Redirect, folders: Folders) -> bool:
    target = redirect.target
    if target is None:
        return redirect.operator in ("<<", "<<<", ">&-", "<&-")
    if redirect.operator == "<" and target.stream:
        return True
    if not target.fixed:
        return False
    if redirect.operator in (">&", "<&") and _FD.fullmatch(target.text):
        return True
    if redirect.operator == "<":
        return not names_secret_file(target, folders)
    return target.text == "/dev/null" and redirect.operator in (">", ">>", "&>", "&>>", ">|", ">&")


def _writes_file(redirect: Redirect, folders: Folders) -> bool:
    """Whether it writes a file that is then judged as a file. A device, however spelled, is none."""
    target = redirect.target
    if target is None or not target.fixed or redirect.operator not in (">", ">>", "&>", "&>>", ">|"):
        return False
    seen = {posixpath.normpath(posixpath.join("/", folder, target.text)) for folder in folders or ("",)}
    is_device = any(re.match(r"/+dev(/|$)", path) for path in seen)
    return not is_device and not names_secret_file(target, folders)


# -- commands


def _words_only_read(words: tuple[Word, ...], command: SimpleCommand, depth: int = 0) -> bool:
    if not words:
        # What is fed to nothing, set for the line alone or only redirected was judged already.
        return bool(command.redirects or command.fed or command.assignments)
    inner = _looked_through(words)
    if inner is not None:
        return depth < DEEPEST and _words_only_read(inner, command, depth + 1)
    name, arguments = _plain_name(words[0].text), words[1:]
    if not words[0].fixed or (name == "[[" and (depth or words[0].raw != name)):
        # Quoted, or behind a wrapper, `[[` is the name of a program.
        return False
    if _descends(name, arguments) and any(posixpath.normpath(word.text) == "/" for word in arguments if word.text):
        # Below the root stands /proc.
        return False
    if name == "read":
        return command.in_condition and _sets_own_variables(arguments)
    if name == "git" and command.folders != START:
        return False
    return program_only_reads(name, arguments)


def _descends(name: str, arguments: tuple[Word, ...]) -> bool:
    """Whether it may go into the folders it is given."""
    asked = any(not word.fixed or _ASKS_FOR_FOLDERS.match(word.text) for word in arguments)
    return name in _RECURSIVE or (name in _RECURSIVE_WHEN_ASKED and asked)


def _looked_through(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    texts = [word.text for word in words[:3]]
    if texts[:2] == ["env", "-i"] and len(texts) == 3 and texts[2].startswith(_SYSTEM_FOLDERS) and words[2].fixed:
        # It would take away what keeps git from writing and from running what a repository names.
        return words[2:] if _plain_name(texts[2]) != "git" else None
    return looked_through(words, _WRAPPERS)


def _plain_name(name: str) -> str:
    folder, slash, last = name.rpartition("/")
    return last if folder + slash in _SYSTEM_FOLDERS else name


def _sets_own_variables(arguments: tuple[Word, ...]) -> bool:
    """`read -r line` as a loop's condition; in a name with a bracket it would run what stands there."""
    return all(word.fixed and (word.text in _READ_OPTIONS or is_own_name(word.text)) for word in arguments)
