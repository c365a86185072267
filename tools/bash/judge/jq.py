"""jq and yq: filters that can neither write nor run anything, but may show the environment or load other files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.bash.words import Word, names

_LETTERS = re.compile(r"-[cnesrRSaCMjV]+")
# What follows a dot is a field: `.env` is not `env`.
_FORBIDDEN = re.compile(r"(?<!\.)\b(?:env|ENV|import|include|modulemeta|get_search_list)\b|\.\.\s*(?:env|ENV)\b")
_PLAIN = names(
    "--compact-output --null-input --exit-status --slurp --raw-output --raw-input --sort-keys --ascii-output "
    "--color-output --monochrome-output --join-output --tab --seq --stream --unbuffered --args --jsonargs --version "
    "--help --binary"
)  # fmt: skip
_VALUES = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1}

# For the several programs called yq: what is a path or a pipe of harmless functions in all of them.
_YQ_FILTER = re.compile(r"(?:\.[\w.\[\]\"*?-]*+|keys|length|sort|unique|first|last|\||[ ,])++")
_YQ_FORMATS = frozenset(("json", "yaml", "props", "csv", "tsv", "xml", "j", "y"))


def jq_only_prints(arguments: Sequence[Word]) -> bool:
    """Every word must be without the forbidden ones: which of them is the filter, jq itself decides only late."""
    rest = [word.text for word in arguments]
    if any(_FORBIDDEN.search(text) for text in rest):
        return False
    while rest:
        text = rest.pop(0)
        if text in _VALUES:
            given, rest = rest[: _VALUES[text]], rest[_VALUES[text] :]
            if any(value.startswith("-") for value in given):
                return False
        elif text.startswith("-") and text not in _PLAIN and not _LETTERS.fullmatch(text):
            return False
    return True


def yq_only_prints(arguments: Sequence[Word]) -> bool:
    rest = [word.text for word in arguments]
    operands: list[str] = []
    while rest:
        text = rest.pop(0)
        if text in ("-o", "-p") and rest[:1] and rest[0] in _YQ_FORMATS:
            rest.pop(0)
        elif not text.startswith("-"):
            operands.append(text)
        elif not re.fullmatch(r"-[rPMCje]|-[op]=?(?:json|yaml|props|csv|tsv|xml|j|y)|--version", text):
            return False
    operands = operands[1:] if operands[:1] in (["e"], ["eval"]) else operands
    return not operands or bool(_YQ_FILTER.fullmatch(operands[0]) and not _FORBIDDEN.search(operands[0]))
