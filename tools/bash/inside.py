"""Every command that one command may run: behind wrappers, and in the lines of shell that it carries as text.

For rules that forbid and for removals: here more is better, and what cannot be read says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tools.bash.destructive import names_remover, removed_by, removes_what_it_is_given
from tools.bash.parse import parse
from tools.bash.paths import named_paths, redirect_paths, seen_from
from tools.bash.script import START, Folders, Script, joined
from tools.bash.words import Word, names
from tools.bash.wrappers import DEEPEST, SHELLS, all_inner, looked_through
from tools.permissions.subjects import PathSubject

Words = tuple[Word, ...]

TRANSPARENT = frozenset(("timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "xargs"))
# What may be the command that a wrapper runs is looked at until it is so many words.
MOST_WORDS = 800
# A line in a line in a line: of each depth so many characters. What is beyond or deeper is not looked at, so not known.
MOST_CARRIED = (10_000, 4_000, 1_500)

# They run an operand as a line of shell.
_RUN_OPERANDS = names("watch su runuser script flock parallel ssh sg")
_VALUED_SHELL_OPTIONS = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
# Something is removed, and what, nobody can tell.
UNKNOWN_REMOVAL = "$UNKNOWN"
# Of a line that is not understood, so many pieces that may remove something are looked into, each so long.
MOST_PIECES = 32
LONGEST_PIECE = 1_000
_CUTS = re.compile(r"\$\(|<\(|>\(|[;&|\n(){}`]|(?<!\S)(?:!|then|do|else|elif|if|while|until|coproc)(?!\S)")
_REMOVERS = re.compile(r"rm|unlink|shred|find")
# `git -c alias.x='!rm y'`, `-c core.pager=...`: settings that are lines of shell.
_GIT_LINE = re.compile(
    r"(?:alias|core|credential|diff|difftool|filter|gpg|merge|pager|sequence)\.[^=]*=!?(?P<line>.*)", re.S
)
_SIGNS_OF_A_LINE = frozenset(" \t\n;|&()`$<>")


class Inside(NamedTuple):
    """The commands, the outermost first; targets of removals that cannot be told; whether some text is not readable."""

    commands: tuple[Words, ...]
    removals: tuple[str, ...] = ()
    unreadable: bool = False
    # What lines carried as text are redirected to, and the files they name from other folders of theirs.
    paths: tuple[PathSubject, ...] = ()


class Carried(NamedTuple):
    """The lines of shell a command is given as text, and whether it runs some that are known only later."""

    lines: tuple[str, ...] = ()
    unknown: bool = False


NOTHING = Carried()


def layers(words: Words) -> Iterator[Words]:
    """The command, and what is inside of each wrapper that every rule looks through."""
    for _ in range(DEEPEST):
        if not words:
            return
        yield words
        inner = looked_through(words, TRANSPARENT)
        if inner is None:
            return
        words = inner


@lru_cache(maxsize=256)
def inside(words: Words, depth: int = 0) -> Inside:
    found, removals, unreadable, _ = _behind_wrappers(words)
    carried = [carried_lines(command) for command in found]
    unreadable = unreadable or any(one.unknown for one in carried)
    # Each line once: what stands behind ten wrappers is not ten times as much.
    lines = tuple(dict.fromkeys(line for one in carried for line in one.lines))
    if sum(map(len, lines)) > (MOST_CARRIED[depth] if depth < len(MOST_CARRIED) else 0):
        return Inside(found, (*removals, UNKNOWN_REMOVAL), unreadable=True)
    below = [inside_line(line, depth + 1) for line in lines]
    return Inside(
        (*found, *(command for one in below for command in one.commands)),
        (*removals, *(target for one in below for target in one.removals)),
        unreadable or any(one.unreadable for one in below),
        tuple(path for one in below for path in one.paths),
    )


def _behind_wrappers(words: Words) -> Inside:
    found = list(layers(words))
    seen = 0
    for layer in tuple(found):
        for inner in all_inner(layer):
            if seen > MOST_WORDS:
                hidden = [UNKNOWN_REMOVAL for word in inner if names_remover(word)][:1]
                return Inside(tuple(found), tuple(hidden), unreadable=True)
            found.append(inner)
            seen += len(inner)
    removals = (UNKNOWN_REMOVAL,) if any(map(removes_what_it_is_given, found)) else ()
    return Inside(tuple(found), removals)


@lru_cache(maxsize=256)
def inside_line(line: str, depth: int) -> Inside:
    script = parse(line)
    each = [inside(one.words, depth) for one in script.commands]
    return Inside(
        tuple(command for one in each for command in one.commands),
        (
            *(target for one in each for target in one.removals),
            *(removed_in_pieces(line, depth) if script.problems else ()),
        ),
        bool(script.problems) or any(one.unreadable for one in each) or any(one.problem for one in script.commands),
        (*_paths_of(script), *(path for one in each for path in one.paths)),
    )


def _paths_of(script: Script) -> Iterator[PathSubject]:
    for redirect, folders in script.redirects:
        yield from seen_from(redirect_paths(redirect), folders)
    for command in script.commands:
        named = (path for words in layers(command.words) for path in named_paths(words))
        redirected = (path for redirect in command.redirects for path in redirect_paths(redirect))
        yield from seen_from((*named, *redirected), command.folders)


def removed(commands: Iterable[Words], folders: Folders) -> Iterator[str]:
    """Each target from every folder it may be seen from; where that is not known, also from the root."""
    for words in commands:
        yield from (joined(folder, target) for target in removed_by(words) for folder in folders or ("", "/"))


def pieces_of(text: str) -> list[str]:
    """A line that is not understood, cut wherever a command could begin: for rules that forbid."""
    return [" ".join(piece.split()) for piece in _CUTS.split(text) if piece.strip()]


def removed_in_pieces(text: str, depth: int = 0) -> tuple[str, ...]:
    pieces = [piece for piece in pieces_of(text) if _REMOVERS.search(piece)]
    short = [piece for piece in pieces[:MOST_PIECES] if len(piece) <= LONGEST_PIECE]
    found = [UNKNOWN_REMOVAL] if len(short) < len(pieces) else []
    for piece in short:
        script = parse(piece)
        found += [UNKNOWN_REMOVAL] if script.problems else []
        for command in script.commands:
            runs = inside(command.words, depth)
            found += (*removed(runs.commands, START), *runs.removals)
    return tuple(dict.fromkeys(found))


def carried_lines(words: Words) -> Carried:
    """The lines of shell in a command's own words."""
    name = words[0].text.rpartition("/")[2] if words else ""
    arguments = words[1:]
    if name in SHELLS:
        return _shell(arguments)
    if name == "eval":
        return _known(Word(" ".join(word.raw for word in arguments), _joined(arguments), not _all_fixed(arguments)))
    if name == "trap":
        operands = [word for word in arguments if not (word.text.startswith("-") and word.text != "-")]
        return _known(operands[0]) if len(operands) > 1 and operands[0].text not in ("-", "") else NOTHING
    if name == "alias":
        values = tuple(word.text.partition("=")[2] for word in arguments if "=" in word.text)
        return Carried(values, not _all_fixed(arguments))
    if name == "git":
        return Carried(tuple(found["line"] for word in arguments if (found := _GIT_LINE.fullmatch(word.text))))
    if name == "env":
        return Carried(tuple(_split_strings(arguments)))
    if name in _RUN_OPERANDS:
        return Carried(tuple(word.text for word in arguments if word.fixed and _is_line(word.text)))
    return NOTHING


def _shell(arguments: Words) -> Carried:
    """With `-c` the first operand is the line, else it is a file; without any operand a shell reads lines."""
    reads_line = reads_input = False
    rest = list(arguments)
    while rest and rest[0].text[:1] in ("-", "+") and len(rest[0].text) > 1:
        option = rest.pop(0).text
        if option == "--":
            break
        if option in _VALUED_SHELL_OPTIONS:
            rest = rest[1:]
        elif not option.startswith("--"):
            reads_line = reads_line or "c" in option
            reads_input = reads_input or "s" in option
    if reads_line:
        return _known(rest[0]) if rest else NOTHING
    return Carried(unknown=reads_input or not rest or rest[0].text in ("-", "/dev/stdin"))


def _split_strings(arguments: Words) -> Iterator[str]:
    for place, word in enumerate(arguments):
        if word.text in ("-S", "--split-string"):
            yield from (following.text for following in arguments[place + 1 : place + 2])
        elif word.text.startswith(("-S", "--split-string=")):
            yield word.text.removeprefix("-S").removeprefix("--split-string=")


def _is_line(text: str) -> bool:
    return not _SIGNS_OF_A_LINE.isdisjoint(text)


def _known(line: Word) -> Carried:
    return Carried((line.text,)) if line.fixed else Carried(unknown=True)


def _all_fixed(words: Words) -> bool:
    return all(word.fixed for word in words)


def _joined(words: Words) -> str:
    return " ".join(word.text for word in words)
