"""The files that well-known commands name: `cat .env` reads .env as much as the Read tool would.

Where a word may be an option's value or a path, it counts as a path: one too many does no harm.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tools.bash.judge.harmless import READERS
from tools.bash.judge.known_options import PRINTING_UNPACKERS, UNPACKERS
from tools.bash.outputs import touched_beside
from tools.bash.script import Folders, Redirect, joined
from tools.bash.words import Word, names
from tools.permissions.overlap import brace_alternatives
from tools.permissions.subjects import PathSubject

_READERS = (
    READERS
    | UNPACKERS.keys()
    | PRINTING_UNPACKERS.keys()
    | names(
        "less more bat tree sort uniq diff diff3 sdiff base64 base32 file xxd tar unzip zipinfo iconv shuf find "
        "readelf nm size source ."
    )
)
# Their first operand is a pattern or a program, unless an option with one of these letters gives it.
_PATTERN_FIRST = {
    "grep": "ef", "egrep": "ef", "fgrep": "ef", "rg": "ef", "ag": "", "ack": "", "fd": "", "fdfind": "", "look": "",
    "sed": "ef", "awk": "ef", "gawk": "ef", "mawk": "f", "nawk": "f", "jq": "f", "yq": "",
}  # fmt: skip
_GIVES_PATTERN = re.compile(r"-[A-Za-z]*[ef]")
_PATTERN_OPTIONS = ("--regexp", "--file", "--expression", "--from-file", "--files")
# Options with a text that may look like a path and is none.
_TEXT_OPTIONS = re.compile(
    r"--(?:regexp|replace|expression|grep|author|committer|(?:i?glob|include|exclude)(?:-\w+)?|format|pretty|date|since"
    r"|until|after|before|(?:output-)?delimiter|field-separator|separator|color|colors|label)="
)
_OUTSIDE = re.compile(r"~?/.|(?:.*/)?\.\.(?:/|$)", re.DOTALL)
# Short options whose value is the next word, and no path.
_VALUED = {
    "grep": "ABCmdDe", "egrep": "ABCmdDe", "fgrep": "ABCmdDe", "rg": "ABCegmtTjMrEd", "awk": "Fv", "gawk": "Fv",
    "mawk": "Fv", "nawk": "Fv", "ag": "ABCgGmW", "fd": "tedEcSjo", "fdfind": "tedEcSjo", "join": "t12oea",
    "sed": "el", "head": "nc", "tail": "ncs", "ls": "IwT", "sort": "ktS", "cut": "dfcb", "od": "AjNtwS",
    "fold": "w", "nl": "bdfhilnsvw", "uniq": "fsw", "diff": "UCxILW", "tree": "LPI", "du": "dt", "stat": "cf",
    "base64": "w", "xxd": "cglso", "paste": "d", "column": "st", "git": "SGLnUOeABC", "tar": "",
}  # fmt: skip
# What they look into where no file is named: the folder they stand in. The second kind only if told to go down.
_FOLDER_READERS = names("ls dir vdir tree du find rg ag ack fd fdfind")
_GREPS = names("grep egrep fgrep")
_GIT_READERS = names("show diff blame annotate log grep cat-file ls-files ls-tree hash-object")
# They write into the files they name.
_WRITERS = names("tee sponge truncate")
# They arrange files: a rule for the command allows that, but what restricts a path restricts it for them, too.
_CHANGERS = names("touch mkdir rm rmdir unlink shred chmod chown chgrp")
# The last operand, or the value of -t, is where the others go to.
_COPIERS = names("cp mv ln install rsync scp")


def redirect_paths(redirect: Redirect) -> Iterator[PathSubject]:
    target = redirect.target
    if target is None or target.text == "/dev/null" or _names_descriptor(redirect):
        return
    if redirect.operator == "<":
        yield PathSubject(target.path, "read", "redirected input")
    else:
        yield PathSubject(target.path, "edit", f"{redirect.operator} redirection")


def named_paths(words: Sequence[Word]) -> Iterator[PathSubject]:
    """The files a command names in its words."""
    # A disk without case finds cat under `CAT`, too.
    name = words[0].text.rpartition("/")[2].lower() if words else ""
    # `\;` ends what find runs.
    arguments = [word for word in words[1:] if word.text != ";"]
    operands = _operands(name, arguments)
    if name in _PATTERN_FIRST and not _gives_pattern(name, arguments):
        operands = operands[1:]
    # Only now: the pattern may be a number, or nothing.
    operands = [word for word in operands if word.text and not word.text.isdigit()]
    if name in _READERS or name in _PATTERN_FIRST or name == "git":
        yield from _paths_in_options(name, arguments)
    yield from touched_beside(name, arguments)
    if name == "sed" and _edits_in_place(arguments):
        yield from (PathSubject(word.path, "edit", "sed -i") for word in operands)
    elif name in _READERS or name in _PATTERN_FIRST:
        yield from (PathSubject(word.path, "read", name) for word in operands)
    elif name == "git":
        yield from _git_paths(operands, any(_GIVES_PATTERN.match(word.text) for word in arguments))
    elif name == "dd":
        yield from _dd_paths(arguments)
    elif name in _WRITERS:
        yield from (PathSubject(word.path, "edit", name) for word in operands)
    elif name in _CHANGERS:
        yield from (PathSubject(word.path, "edit", name, of_command=True) for word in operands)
    elif name in _COPIERS:
        yield from _copied_paths(name, arguments)


def seen_from(paths: Iterable[PathSubject], folders: Folders) -> Iterator[PathSubject]:
    """Each path from every folder the command may stand in. Where that is not known, neither is the path."""
    for one in (each for path in paths for each in _without_braces(path)):
        if folders is None and not one.path.startswith(("/", "~")):
            yield replace(one, path=f"$PWD/{one.path}")
        for folder in folders or (("",) if one.path.startswith(("/", "~")) else ()):
            yield replace(one, path=joined(folder, one.path))


def _without_braces(one: PathSubject) -> Iterator[PathSubject]:
    alternatives = brace_alternatives(one.path)
    if alternatives is None:
        # So many that nobody looks at them all: known only to the shell.
        yield replace(one, path=f"${one.path}")
    else:
        yield from (replace(one, path=path) for path in alternatives)


def reads_its_folder(words: Sequence[Word]) -> bool:
    """Whether a command that names no file looks into the folder it stands in: `rg x`, `ls -la`."""
    name = words[0].text.rpartition("/")[2] if words else ""
    arguments = words[1:]
    if name in _GREPS and not any(map(_is_recursive, arguments)):
        return False
    if name not in _FOLDER_READERS and name not in _GREPS:
        return False
    pattern = 1 if name in _PATTERN_FIRST and not _gives_pattern(name, arguments) else 0
    return len(_operands(name, arguments)) <= pattern


def _is_recursive(word: Word) -> bool:
    if word.text.startswith("--"):
        return "recursive".startswith(word.text[2:].removeprefix("dereference-")) or "directories" in word.text
    return word.text.startswith("-") and bool(set("rRd") & set(word.text))


def _gives_pattern(name: str, arguments: Sequence[Word]) -> bool:
    """Whether an option says what is looked for, also in a cluster: `-ne p`, or cut short: `--reg=p`."""
    valued = _VALUED.get(name, "")
    for word in arguments:
        if word.text.startswith("--"):
            option = word.text.partition("=")[0]
            if word.text.startswith(_PATTERN_OPTIONS) or any(one.startswith(option) for one in _PATTERN_OPTIONS):
                return True
        elif word.text.startswith("-"):
            first = next((letter for letter in word.text[1:] if letter in valued + "f"), "")
            if first and first in _PATTERN_FIRST[name]:
                return True
    return False


def _paths_in_options(name: str, arguments: Sequence[Word]) -> Iterator[PathSubject]:
    """What an option has glued to it and what leads outside: inside the workspace, anything may be read."""
    valued = _VALUED.get(name, "")
    for word in arguments:
        option, given, value = word.text.partition("=")
        if option.startswith("--"):
            path = value if given and not _TEXT_OPTIONS.match(word.text) else ""
        else:
            path = word.text[2:] if option.startswith("-") and option[1:2] not in valued else ""
        if _OUTSIDE.match(path):
            yield PathSubject(path, "read", name)


def _copied_paths(name: str, arguments: Sequence[Word]) -> Iterator[PathSubject]:
    """What is copied is read, what is moved is gone; the target may be a folder that gets a file of the same name."""
    operands = _operands(name, arguments)
    given = next((word.text.partition("=")[2] for word in arguments if word.text.startswith("--target-directory=")), "")
    following = next((after for word, after in pairwise(arguments) if _names_target(name, word.text)), None)
    target = given or (following.path if following else operands[-1].path if len(operands) > 1 else "")
    sources = [word for word in operands if word is not following]
    sources = sources if given or following else sources[:-1] or sources
    for source in sources:
        yield PathSubject(source.path, "edit" if name == "mv" else "read", name, of_command=True)
        if target:
            yield PathSubject(f"{target}/{posixpath.basename(source.path)}", "edit", name, of_command=True)
    if target:
        yield PathSubject(target, "edit", name, of_command=True)


def _names_target(name: str, option: str) -> bool:
    in_cluster = name in ("cp", "mv", "ln", "install") and option[:1] == "-" != option[1:2] and option.endswith("t")
    return in_cluster or option == "--target-directory"


def _dd_paths(arguments: Sequence[Word]) -> Iterator[PathSubject]:
    for word in arguments:
        key, _, value = word.text.partition("=")
        if key in ("if", "of") and value not in ("", "/dev/null"):
            yield PathSubject(value, "read" if key == "if" else "edit", "dd")


def _names_descriptor(redirect: Redirect) -> bool:
    text = redirect.target.text if redirect.target else ""
    return redirect.operator in (">&", "<&") and text.rstrip("-").isdigit()


def _edits_in_place(arguments: Sequence[Word]) -> bool:
    return any(
        word.text.startswith("--in-place") or (word.text[:1] == "-" != word.text[1:2] and set("iI") & set(word.text))
        for word in arguments
    )


def _operands(name: str, arguments: Sequence[Word]) -> list[Word]:
    """The words that are neither options nor, as far as known, values of options."""
    valued = _VALUED.get(name, "")
    operands: list[Word] = []
    rest = [word for word in arguments if not word.stream]
    while rest:
        word = rest.pop(0)
        if word.text == "--":
            return operands + rest
        if name == "jq" and word.text in ("--arg", "--argjson"):
            rest = rest[2:]
        if name == "find" and (word.text in ("(", "!", ",") or word.text.startswith("-")) and operands:
            break
        if not word.text.startswith("-"):
            operands.append(word)
        elif _takes_next(word.text, valued):
            rest = rest[1:]
    return operands


def _takes_next(option: str, valued: str) -> bool:
    if option.startswith("--"):
        return False
    first = next((index for index, letter in enumerate(option) if index and letter in valued), None)
    return first == len(option) - 1


def _git_paths(operands: Sequence[Word], gives_pattern: bool) -> Iterator[PathSubject]:
    if not operands or operands[0].text not in _GIT_READERS:
        return
    subcommand = operands[0].text
    # The first operand of grep is a pattern, unless an option gives it.
    for word in operands[2 if subcommand == "grep" and not gives_pattern else 1 :]:
        # `HEAD:.env` is .env as it was; `:/fix` is a search.
        _, colon, inside = word.text.partition(":")
        path = inside if colon and inside and not inside.startswith("/") else word.path
        yield PathSubject(path, "read", f"git {subcommand}")
