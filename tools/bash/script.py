"""A shell line taken apart, as data: its simple commands, wherever they stand in it, and what is not understood."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from tools.bash.words import Word, names
from tools.bash.wrappers import looked_through

# The folders a command may stand in, relative to where the line starts ("" is there); None: not known.
Folders = tuple[str, ...] | None
START: Folders = ("",)
_MANY_FOLDERS = 4

# Names a line may give to variables of its own: no program obeys them, whatever the environment holds.
_OWN_NAME = re.compile(r"[a-z_][a-z0-9_]*|[A-Z]")
_OWN_NOUNS = names(
    "FILE FILES DIR DIRS FOLDER SRC DST DEST NAME NAMES LINE ITEM ITEMS WORD WORDS ENTRY COUNT TOTAL SUM INDEX NUM "
    "TARGET BASE ROOT MSG TEXT PATTERN RESULT OUTPUT EXT BRANCH COMMIT"
)

# The shell decides only when it runs them what these run.
_RUN_TEXT = frozenset(("eval", "source", ".", "coproc"))
_LOOKED_THROUGH = frozenset(("command", "builtin", "time"))
_SET_BY_THE_SHELL = re.compile(r"[@*]|[0-9]+|IFS")


class Assignment(NamedTuple):
    name: str
    value: Word
    raw: str


class Redirect(NamedTuple):
    """`operator` without its file descriptor. A heredoc has no target."""

    operator: str
    target: Word | None = None


class SimpleCommand(NamedTuple):
    """One command with its words, or only assignments or redirections, which the shell also carries out."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    folders: Folders = START
    # Variables that the line has set before it: their values stand in this very line.
    variables: frozenset[str] = frozenset()
    # What the shell expands for it besides its words: heredocs, `<<<`, the list of a loop, the word of a `case`.
    fed: tuple[Word, ...] = ()
    # Whether it stands where a loop asks whether to go on.
    in_condition: bool = False
    # Why the shell alone knows what this runs; empty when we do.
    problem: str = ""

    @property
    def name(self) -> str:
        return self.words[0].text if self.words else ""

    @property
    def raw(self) -> str:
        own = [one.raw for one in self.assignments] + [one.raw for one in self.words]
        return " ".join(own or [one.raw for one in self.fed])


class Script(NamedTuple):
    text: str
    commands: tuple[SimpleCommand, ...]
    # Redirections of groups and loops, with the folders they are seen from.
    redirects: tuple[tuple[Redirect, Folders], ...] = ()
    # Why the line as a whole is not understood; empty when it is.
    problems: tuple[str, ...] = ()
    # All that the line gives to each of its own variables; None: something only the shell will know.
    values: Mapping[str, tuple[Word, ...] | None] = {}
    # Whether commands or redirections may have been missed.
    gaps: bool = False


def is_own_name(name: str) -> bool:
    return bool(_OWN_NAME.fullmatch(name)) or name in _OWN_NOUNS


def joined(folder: str, path: str) -> str:
    """A path seen from a folder, both as spelled."""
    if not folder or path.startswith(("/", "~")):
        return path
    return posixpath.normpath(posixpath.join(folder, path))


def either(one: Folders, other: Folders) -> Folders:
    """Where a command may stand when it is not known which of two ways led to it."""
    if one is None or other is None:
        return None
    both = tuple(dict.fromkeys(one + other))
    return both if len(both) <= _MANY_FOLDERS else None


def after_cd(folders: Folders, words: tuple[Word, ...]) -> Folders:
    """Where a `cd` leads when it succeeds."""
    operands = [word for word in words[1:] if word.text not in ("--", "-L", "-P", "-e", "-@")]
    if not operands:
        return ("~",)
    target = operands[0]
    if any(word.text == "-P" for word in words) and target.text not in (".", "./"):
        # Where a link leads, and what is above it there, is not what the spelling says.
        return None
    if folders is None or len(operands) > 1 or not target.fixed or target.text.startswith("-") or not target.text:
        return None
    moved = (posixpath.normpath(joined(folder, target.path)) for folder in folders)
    return tuple(dict.fromkeys("" if folder == "." else folder for folder in moved))


def after(words: tuple[Word, ...], folders: Folders) -> Folders:
    """Where the shell stands after a command that succeeded."""
    while inner := looked_through(words, _LOOKED_THROUGH):
        words = inner
    name = words[0].text if words else ""
    if name == "cd":
        return after_cd(folders, words)
    return None if name in _RUN_TEXT or name in ("pushd", "popd") else folders


def problem_of(command: SimpleCommand) -> str:
    words = command.words
    while inner := looked_through(words, _LOOKED_THROUGH):
        words = inner
    if words and not words[0].fixed:
        return "Which program this is, is decided only when it runs."
    if words and words[0].text in _RUN_TEXT:
        return f"`{words[0].text}` runs text that is known only when it runs."
    if any(_SET_BY_THE_SHELL.fullmatch(name) for word in words for name in word.variables):
        return "It is put together from pieces that are known only when it runs."
    if any(redirect.target and not redirect.target.fixed for redirect in command.redirects):
        return "Where its output goes is decided only when it runs."
    return ""
