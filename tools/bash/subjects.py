"""What a shell line touches, as subjects for rules: every simple command in it, and the files it names."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tools.bash.destructive import is_destructive, removed_by
from tools.bash.inside import Words, inside, layers, pieces_of, removed, removed_in_pieces
from tools.bash.parse import parse
from tools.bash.paths import named_paths, reads_its_folder, redirect_paths, seen_from
from tools.bash.readonly import command_only_reads
from tools.bash.script import START, Assignment, Redirect, Script, SimpleCommand, after_cd
from tools.bash.values import Values, standing_for
from tools.bash.words import Word, names
from tools.permissions.subjects import CommandSubject, PathSubject, Subject

# Variables that change no command's meaning: an allow rule may look past them.
_HARMLESS_VARIABLES = names(
    "LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR COLORTERM TERM NODE_ENV RUST_BACKTRACE RUST_LOG CI DEBUG COLUMNS "
    "LINES PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED RAILS_ENV RACK_ENV TERM_PROGRAM "
    "GO111MODULE GOEXPERIMENT PYTEST_DISABLE_PLUGIN_AUTOLOAD PYTEST_DEBUG CHARSET LS_COLORS LSCOLORS GREP_COLOR "
    "GREP_COLORS GCC_COLORS TIME_STYLE BLOCK_SIZE BLOCKSIZE"
)  # fmt: skip
_SIGNS = frozenset(" \t\n'\"\\|&;<>()$`*?[]{}#")

# What was not read may name any file: a rule that restricts some is asked about it.
_UNREAD = PathSubject("$UNKNOWN", "edit", "a part that was not read", of_command=True)


def subjects_of(command: str) -> tuple[Subject, ...]:
    script = parse(command)
    found: list[Subject] = [_command_subject(one, script) for one in script.commands]
    if script.problems or not found:
        found.append(_whole(script))
    if script.gaps:
        found.append(_UNREAD)
    for one in script.commands:
        found += _paths(one, script.values)
    for redirect, folders in script.redirects:
        found += seen_from(redirect_paths(redirect), folders)
    return tuple(dict.fromkeys(found))


def _command_subject(command: SimpleCommand, script: Script) -> CommandSubject:
    runs = inside(command.words)
    why = command.problem or _because(script)
    unknown_folder = command.folders is None and (command.redirects or removed_by(command.words))
    return CommandSubject(
        text=command.raw or _redirects_text(command.redirects),
        spellings=_unique(_restricting_spellings(command, runs.commands)),
        allow_spellings=_unique(_allowing_spellings(command)),
        # The files it is redirected to are subjects of their own.
        read_only=not script.problems and command_only_reads(command, apart_from_files=True),
        destructive=any(map(is_destructive, runs.commands)),
        understood=not why and not unknown_folder,
        hides_commands=runs.unreadable,
        only_edits=not script.problems and _only_edits(command),
        removes=_unique((*removed(runs.commands, command.folders), *runs.removals)),
        leads_to=_leads_to(command),
        why=why,
    )


def _leads_to(command: SimpleCommand) -> tuple[str, ...]:
    folders = after_cd(command.folders, command.words) if command.name == "cd" else None
    return tuple(folder or "." for folder in folders or ())


def _only_edits(command: SimpleCommand) -> bool:
    """`sed -i` whose script does nothing else; a suffix would make copies, which nobody asked about."""
    words = list(layers(command.words))[-1:]
    rest = tuple(word for word in words[0] if word.text not in ("-i", "--in-place")) if words else ()
    if not rest or rest[0].text != "sed" or len(rest) == len(words[0]):
        return False
    return command_only_reads(command._replace(words=rest), apart_from_files=True)


def _whole(script: Script) -> CommandSubject:
    """The line as one subject, when it is not understood."""
    spellings = _unique((script.text, *pieces_of(script.text)))
    removes = removed_in_pieces(script.text)
    return CommandSubject(
        script.text, spellings, (script.text,), understood=False, removes=removes, why=_because(script)
    )


def _because(script: Script) -> str:
    return f"Not understood: {'; '.join(script.problems)}." if script.problems else ""


# -- spellings


def _restricting_spellings(command: SimpleCommand, commands: Iterable[Words]) -> Iterator[str]:
    """All that a rule that forbids or asks may mean, with and without what stands before it."""
    for start in range(len(command.assignments) + 1):
        yield _spelled(command.assignments[start:], command.words, quoted=True)
        yield _spelled(command.assignments[start:], command.words, quoted=False)
    for words in commands:
        yield " ".join(word.raw for word in words)
        yield " ".join(word.text for word in words)
        yield " ".join([words[0].text.rpartition("/")[2], *(word.text for word in words[1:])])


def _allowing_spellings(command: SimpleCommand) -> Iterator[str]:
    """Only what an allow rule may look at: past harmless variables, and then into transparent wrappers."""
    assignments = command.assignments
    while True:
        yield _spelled(assignments, command.words, quoted=True)
        yield _exact(assignments, command.words)
        if not assignments or not _is_harmless(assignments[0]):
            break
        assignments = assignments[1:]
    if not assignments:
        for words in layers(command.words):
            yield " ".join(word.raw for word in words)
            yield _exact((), words)


def _spelled(assignments: Iterable[Assignment], words: Words, *, quoted: bool) -> str:
    return " ".join([*(one.raw for one in assignments), *(word.raw if quoted else word.text for word in words)])


def _exact(assignments: Iterable[Assignment], words: Words) -> str:
    """Without the quotes that do nothing: a word that needs them keeps them, or it would look like several."""
    plain = (shlex.quote(word.text) if _needs_quotes(word) else word.text for word in words)
    return " ".join([*(one.raw for one in assignments), *plain])


def _needs_quotes(word: Word) -> bool:
    return word.fixed and (not word.text or not _SIGNS.isdisjoint(word.text))


def _is_harmless(assignment: Assignment) -> bool:
    return assignment.value.fixed and (assignment.name in _HARMLESS_VARIABLES or assignment.name.startswith("LC_"))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


def _redirects_text(redirects: Iterable[Redirect]) -> str:
    return " ".join(f"{one.operator} {one.target.raw if one.target else ''}".strip() for one in redirects)


# -- paths


def _paths(command: SimpleCommand, values: Values) -> Iterator[PathSubject]:
    for redirect in command.redirects:
        yield from seen_from(redirect_paths(redirect), command.folders)
    for layer in layers(command.words):
        words = (layer[0], *(each for word in layer[1:] for each in standing_for(word, values)))
        yield from seen_from(named_paths(words), command.folders)
        if command.folders != START and reads_its_folder(words):
            yield from seen_from((PathSubject(".", "read", words[0].text),), command.folders)
    if command.folders != START and _depends_on_its_folder(command):
        yield from seen_from((PathSubject(".", "read", command.name, stood_in=True),), command.folders)
    yield from seen_from(_paths_behind(command.words), command.folders)


def _depends_on_its_folder(command: SimpleCommand) -> bool:
    """`cd ../x && make` runs what ../x says, so a rule for make alone does not cover it."""
    if not command.words or command.name in ("cd", "pushd", "popd"):
        return False
    return not command_only_reads(command, apart_from_files=True)


def _paths_behind(words: Words) -> Iterator[PathSubject]:
    """What is named behind other wrappers, and in lines of shell carried as text. Nothing in there needs an allow of
    its own, since no rule looks into it to allow; but what restricts a path speaks."""
    runs, direct = inside(words), set(layers(words))
    found = [path for one in runs.commands if one not in direct for path in named_paths(one)]
    yield from (replace(path, of_command=True) for path in (*found, *runs.paths))
