"""What stands on a call's own line: a sentence meant for a model, in the few words a person's eye needs.

The sentences are those of the tools and of the pipeline. One that is not known here is cut to its first statement,
without the advice after it, so that a new sentence reads well before anybody has thought of its short form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_Short = Callable[[str], str]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
# A reason begins with what it is about, which stands on the row already: `npm ci: No rule allows it.`
_ABOUT = re.compile(r"^(?!The ).*?: (?=[A-Z])")
_RULE = re.compile(r"The deny rule `(.+)` matches(?: \((.+)\))?\.?$")

_REFUSALS = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r"The person denied \w+ and said: (?P<why>.*)", "you said no"),
        (r"The person denied \w+ and stopped the turn\. ?(?P<why>.*)", "you said no and stopped the turn"),
        (r"The person denied \w+\. Do it another way.*", "you said no"),
        (r"\w+ was denied: nobody allowed it \((?P<why>.*)\)\. Do it another way.*", "not allowed"),
        (r"\w+ was denied: (?P<why>.*)", "denied"),
        (r"Cancelled: .*the person.*\. It was not executed\.", "not run: you stopped the turn"),
        (r"Cancelled: (?P<why>.*)\. It was not executed\.", "not run"),
        (r"Cancelled: .*by the person\. It had started.*", "stopped by you, what it did so far stays"),
        (r"Cancelled: (?P<why>.*)\. It had started.*", "stopped, what it did so far stays"),
    )
)

_OF_FILES = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r".* does not exist\. Did you mean (.+)\?", r"no such file, nearest: \1"),
        (r".* does not exist\..*", "no such file"),
        (
            r".* was changed by (?:somebody else|another call .*) since you read it.*",
            "not applied: the file is not the one it read",
        ),
        (r".* changed while your command .*since you read it.*", "not applied: a command changed the file"),
        (r".* (?:changed|was deleted) meanwhile.*", "not applied: the file changed meanwhile"),
        (r".* has not been read yet;.*", "not applied: the file was not read before"),
        (r"Only a part of .* was read;.*", "not applied: only a part of the file was read"),
        (r"The text to replace was not .*Only (white space differs|line ends differ).*", r"text not found: only \1"),
        (r"The text to replace was not found in .*", "text not found"),
        (r"The text to replace stands ((?:more than )?\d+) times in .*", r"not unique: the text stands \1 times"),
        (r".* exists and is not empty;.*", "the file exists and is not empty"),
        (r".* is a directory;.*", "a directory, not a file"),
    )
)


def failure(error: str, short: _Short) -> str:
    """The first statement of an error: one clause, paths as a person says them, no full stop."""
    sentence = _SENTENCE_END.split(error.strip().split("\n", 1)[0], maxsplit=1)[0]
    clause = sentence.split("; ", 1)[0].rstrip(".: ")
    clause = re.sub(r"^\w+ (was )?(?=not run:|failed unexpectedly:)", "", clause)
    return _lowered(with_short_paths(clause, short)) or "failed"


def file_failure(error: str, short: _Short) -> str:
    """The same for the tools whose subject is one file, which stands on the row already."""
    for pattern, words in _OF_FILES:
        if found := pattern.fullmatch(error.strip()):
            return with_short_paths(found.expand(words), short)
    return failure(error, short)


def refusal(reason: str, short: _Short) -> str:
    """Why a call was not run, or not to its end: who said so, and what was said."""
    for pattern, words in _REFUSALS:
        if found := pattern.fullmatch(reason.strip()):
            why = found.groupdict().get("why") or ""
            return f"{words}{_because(why, short)}" if why else words
    return failure(reason, short) if reason else "not run"


def counted(number: int, what: str) -> str:
    """`1 line`, `3 matches`, `no files`."""
    plural = "es" if what.endswith("h") else "s"
    return f"{number or 'no'} {what}{'' if number == 1 else plural}"


def line_words(ranges: Sequence[tuple[int, int]], most: int) -> str:
    """`line 3`, `lines 7-8`, `lines 3, 7-8 and more`; an empty range stands for the place it would have."""
    shown = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in ranges[:most])
    one = len(ranges) == 1 and ranges[0][1] <= ranges[0][0]
    return f"{'line' if one else 'lines'} {shown}{' and more' if len(ranges) > most else ''}"


def shortened(command: str, most: int = 50) -> str:
    """The first line of a command, on one line and no longer than that."""
    first = " ".join(command.strip().split("\n", 1)[0].split())
    return first if len(first) <= most else first[: most - 1] + "⋯"


def last_lines(text: str, most: int, longest: int) -> tuple[list[str], int]:
    """The last lines of a text, each cut to a length, and how many stand before them. Cheap for a long text."""
    body = text.removesuffix("\n")
    total = body.count("\n") + 1 if text else 0
    lines = body.rsplit("\n", most)[-most:] if text else []
    return [line[:longest] for line in lines], total - len(lines)


def with_short_paths(text: str, short: _Short) -> str:
    return re.sub(r"(?<![\w./~-])/[^\s'\"`(),;:]+", lambda found: short(found.group()), text)


def _because(why: str, short: _Short) -> str:
    reason = _ABOUT.sub("", why, count=1)
    if rule := _RULE.match(reason):
        where = f"  {with_short_paths(rule[2], short)}" if rule[2] else ""
        return f" by {rule[1]}{where}"
    return f": {_lowered(with_short_paths(reason, short).rstrip('.'))}"


def _lowered(text: str) -> str:
    """A statement as a part of a line; names such as `EOF` stay."""
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
