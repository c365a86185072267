"""Reads the command line: once, from left to right, into data.

An option that takes a value takes what follows it, whatever that looks like; a value is never looked at as an option.
What looks like an option and is none is refused with a sentence; `--` ends the options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from agent.scripts.options import Options, OutputFormat
from tools.permissions.modes import Mode
from tools.version import __version__

HELP = """\
agent-tui: a coding agent for the terminal

  agent-tui [TASK]                 the screen; without a model it plays the tour
  agent-tui -p TASK                do one task without a screen; text piped in is added to it
  agent-tui explain TOOL JSON      would this call be allowed, asked or denied here, and why
  agent-tui call TOOL JSON         run one call through rules and checks, and print its result
  agent-tui tour                   a scripted session in a folder of its own; needs no model

  --theme NAME, --ascii            how the screen looks; --ascii where signs do not show well
  --output-format FORMAT           with -p: text (the answer), json (one object), stream-json (one event a line)
  -c, --continue                   go on with the latest session of this folder
  -r, --resume ID                  go on with that session
  --model NAME, --effort LEVEL     which model, and how hard it thinks
  --permission-mode MODE           default, acceptEdits, plan, auto, dontAsk, bypassPermissions
  --read-only                      nothing is changed; every call that could is denied
  --simple                         only Bash, Read and Edit
  --allowed-tools RULES            allow these besides, as in "Read,Bash(git log *)"; may be repeated
  --disallowed-tools RULES         deny these
  --add-dir FOLDER                 a further folder to work in; may be repeated
  --append-system-prompt TEXT      added to what the model is told at first
  --max-turns N                    at most so many requests to the model
  --trust                          use what this folder brings: its allow rules, hooks, AGENTS.md

  --version, -h, --help

A task that could be taken for an option goes after `--`. With -p nobody can be asked: what would ask is denied.
A model is connected by ANTHROPIC_API_KEY, or by ANTHROPIC_BASE_URL for another endpoint."""

COMMANDS = {
    "explain": "agent-tui explain [--json] TOOL JSON, or agent-tui explain --batch < lines",
    "call": "agent-tui call [--yes] [--trust] TOOL JSON, or agent-tui call --batch [--yes] [--trust] < lines",
    "tour": "agent-tui tour [--quick]",
}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A command line that cannot be followed: one sentence that says what to do."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Help:
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    name: Literal["explain", "call", "tour"]
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Screen:
    """The screen; the task of its options, if there is one, is the first message."""

    options: Options
    theme: str | None = None
    ascii: bool = False


def read_arguments(args: Sequence[str]) -> Options | Screen | Command | Help | Wrong:
    """What is asked for. A command stands first; everything after it is its own. Options alone: no screen."""
    match args:
        case [("explain" | "call" | "tour") as name, "--help" | "-h"]:
            return Help(f"Usage: {COMMANDS[name]}")
        case [("explain" | "call" | "tour") as name, *rest]:
            return Command(name, tuple(rest))
        case _:
            pass
    try:
        return _read(list(args))
    except _Misread as problem:
        return Wrong(str(problem))


# -- options


class _Misread(Exception):
    """The sentence for the person."""


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of Options: the field it sets, how its value is read, and whether a further one adds to it."""

    field: str
    # None: it takes no value, it is on.
    read: Callable[[str, str], Any] | None = None
    value: str = ""
    adds: bool = False


def _text(option: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Misread(f"{option} takes text, and {value!r} holds bytes that are none.") from None
    return value


def _said(option: str, value: str) -> str:
    """A variable that a script forgot to set must not count as an option nobody wrote."""
    if not value.strip():
        raise _Misread(f"{option} needs a value, and this one is empty.")
    return value


def _name(option: str, value: str) -> str:
    return _text(option, _said(option, value))


def _number(option: str, value: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", value):
        raise _Misread(f"{option} takes a number from 1 on, not {value!r}.")
    return int(value)


def _one_of(choices: tuple[str, ...]) -> Callable[[str, str], str]:
    def read(option: str, value: str) -> str:
        if value not in choices:
            raise _Misread(f"{option} is one of {', '.join(choices)}, not {value!r}.")
        return value

    return read


def _folder(option: str, value: str) -> tuple[str, ...]:
    return (_said(option, value),)


def _rules(option: str, value: str) -> tuple[str, ...]:
    """Rules apart by commas or blanks, except inside brackets: `Read,Bash(git log *)` are two."""
    found, depth = [""], 0
    for character in value:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if depth == 0 and (character == "," or character.isspace()):
            found.append("")
        else:
            found[-1] += character
    if depth != 0:
        raise _Misread(f"{option} has a bracket without its other half: {value!r}.")
    return tuple(rule for rule in found if rule)


OPTIONS: Mapping[str, _Option] = {
    "--output-format": _Option("output_format", _one_of(get_args(OutputFormat)), "FORMAT"),
    "--continue": _Option("continue_"),
    "--resume": _Option("resume", _name, "ID"),
    "--model": _Option("model", _name, "NAME"),
    "--effort": _Option("effort", _name, "LEVEL"),
    "--permission-mode": _Option("permission_mode", _one_of(get_args(Mode)), "MODE"),
    "--read-only": _Option("read_only"),
    "--simple": _Option("simple"),
    "--trust": _Option("trust"),
    "--allowed-tools": _Option("allowed_tools", _rules, "RULES", adds=True),
    "--disallowed-tools": _Option("disallowed_tools", _rules, "RULES", adds=True),
    "--add-dir": _Option("add_dir", _folder, "FOLDER", adds=True),
    "--append-system-prompt": _Option("append_system_prompt", _text, "TEXT"),
    "--max-turns": _Option("max_turns", _number, "N"),
    "--theme": _Option("theme", _name, "NAME"),
    "--ascii": _Option("ascii"),
}
_OF_THE_SCREEN = ("theme", "ascii")
# What fingers know from elsewhere.
_ALSO = {
    "-p": "--print",
    "-c": "--continue",
    "-r": "--resume",
    "-h": "--help",
    "--allowedTools": "--allowed-tools",
    "--disallowedTools": "--disallowed-tools",
}
_KNOWN = (*OPTIONS, *_ALSO, "--print", "--help", "--version")
# A dash alone, or before a blank or a figure, begins a task and no option.
_LOOKS_LIKE_OPTION = re.compile(r"--?[A-Za-z][\w-]*(=.*)?", re.DOTALL)


def _read(args: list[str]) -> Options | Screen | Help:
    fields: dict[str, Any] = {}
    words: list[str] = []
    printing = False
    while args:
        word = args.pop(0)
        if word == "--":
            words += args
            break
        if not _LOOKS_LIKE_OPTION.fullmatch(word):
            words.append(word)
            continue
        given, equals, value = word.partition("=")
        name = _ALSO.get(given, given)
        if name == "--help":
            return Help(HELP)
        if name == "--version" and not equals:
            return Help(f"agent-tui {__version__}")
        if name == "--print":
            printing = True
            words += [value] if equals else []
        else:
            _take(fields, name, [value] if equals else None, args)
    return _asked(fields, words, printing)


def _take(fields: dict[str, Any], name: str, attached: list[str] | None, args: list[str]) -> None:
    option = OPTIONS.get(name)
    if option is None:
        raise _Misread(f"there is no option {name}{_near(name, _KNOWN)}; `agent-tui --help` lists them all.")
    if option.read is None:
        if attached is not None:
            raise _Misread(f"{name} takes no value.")
        fields[option.field] = True
        return
    values = args if attached is None else attached
    if not values:
        raise _Misread(f"{name} needs a value: {name} {option.value}.")
    value = option.read(name, values.pop(0))
    fields[option.field] = fields.get(option.field, ()) + value if option.adds else value


def _asked(fields: dict[str, Any], words: list[str], printing: bool) -> Options | Screen:
    if fields.get("continue_") and fields.get("resume") is not None:
        raise _Misread("--continue and --resume name two sessions; choose one.")
    if not printing and words and (near := _near(words[0], tuple(COMMANDS))):
        raise _Misread(f"there is no command {words[0]!r}{near}; a task that looks like one goes after --.")
    if len(words) > 1:
        raise _Misread(f"the task must be one word to the shell: put it in quotes (found also {words[1]!r}).")
    look = {name: fields.pop(name) for name in _OF_THE_SCREEN if name in fields}
    if printing and look:
        raise _Misread(f"--{next(iter(look))} is about the screen, and with -p there is none.")
    if not printing and "output_format" in fields:
        raise _Misread("--output-format is for scripts: add -p.")
    options = Options(task="".join(words), **fields)
    return options if printing else Screen(options, **look)


def _near(word: str, known: tuple[str, ...]) -> str:
    import difflib

    close = difflib.get_close_matches(word, known, 1)
    return f" (did you mean {close[0]}?)" if close else ""
