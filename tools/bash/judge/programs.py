"""Whether a program, with these words after its name, only reads: the one place that knows which judge is whose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.bash.judge.awk import awk_only_reads
from tools.bash.judge.conditions import CONDITIONS, only_asks
from tools.bash.judge.find import find_only_reads
from tools.bash.judge.git import git_only_reads
from tools.bash.judge.harmless import HARMLESS
from tools.bash.judge.jq import jq_only_prints, yq_only_prints
from tools.bash.judge.known_options import PRINTING_UNPACKERS, WITH_OPTIONS
from tools.bash.judge.options import operands_of
from tools.bash.judge.sed import sed_only_reads
from tools.bash.judge.shown import SHOWN_VARIABLES
from tools.bash.judge.special import SPECIAL, Judge
from tools.bash.judge.versions import asks_for_usage, asks_for_version
from tools.bash.words import Word, names

_LANGUAGES: dict[str, Judge] = {
    "sed": sed_only_reads,
    "awk": awk_only_reads,
    "gawk": awk_only_reads,
    "mawk": awk_only_reads,
    "nawk": awk_only_reads,
    "jq": jq_only_prints,
    "yq": yq_only_prints,
    "find": find_only_reads,
}
_OF_SETTLED_WORDS = SPECIAL | _LANGUAGES
_WITH_OPTIONS = WITH_OPTIONS | PRINTING_UNPACKERS
_KNOWN = _OF_SETTLED_WORDS.keys() | _WITH_OPTIONS.keys()
# `%n` sets a variable, also with flags, a width and the sizes that C knows: `%-5ln`.
_COUNTS = re.compile(r"%[-#'+ 0-9*.]*[hjlLqtz]*n")
# To these `@file` is a file with further options, among them such as load code.
_READ_OPTIONS_FROM_FILES = names("readelf nm size")


def program_only_reads(name: str, arguments: Sequence[Word]) -> bool:
    """What it would show of variables and files is judged elsewhere, word by word (`shown.py`)."""
    if name in CONDITIONS:
        return only_asks(name, arguments)
    if name in HARMLESS or asks_for_version(name, arguments) or (name in _KNOWN and asks_for_usage(arguments)):
        return True
    if name == "printf":
        return _printf(arguments)
    if not all(word.settled for word in arguments):
        return False
    if name == "git":
        return git_only_reads(arguments)
    if name == "printenv":
        return bool(arguments) and all(word.text in SHOWN_VARIABLES for word in arguments)
    judge = _OF_SETTLED_WORDS.get(name)
    if judge is not None:
        return judge(arguments)
    return _with_harmless_options(name, arguments)


def _with_harmless_options(name: str, arguments: Sequence[Word]) -> bool:
    options = _WITH_OPTIONS.get(name)
    if options is None or (name in _READ_OPTIONS_FROM_FILES and any(word.text.startswith("@") for word in arguments)):
        return False
    return operands_of(arguments, options) is not None


def _printf(arguments: Sequence[Word]) -> bool:
    """`-v` sets a variable, too; what follows the format is only printed."""
    if arguments and arguments[0].text == "--":
        arguments = arguments[1:]
    if not arguments or not arguments[0].fixed or arguments[0].text.startswith("-"):
        return False
    return not _COUNTS.search(arguments[0].text.replace("%%", ""))
