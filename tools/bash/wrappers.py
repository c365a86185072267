"""Commands that run another command: `timeout 5 npm test` is `npm test` to a rule.

The transparent ones are looked through by every rule. Others (`sudo`, `env`, `find -exec`) are looked through only by
rules that forbid or ask: for them, whatever could be the command inside counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tools.bash.words import Word, names

Words = tuple[Word, ...]

# How deep wrappers may stand in one another.
DEEPEST = 8

RUN_ANOTHER = names(
    "sudo doas su env setsid exec xargs parallel watch flock script strace ltrace unshare nsenter chroot ionice "
    "taskset chrt setarch runuser unbuffer faketime busybox toybox ssh entr start-stop-daemon systemd-run caffeinate "
    "nohup command builtin nice time timeout stdbuf"
)
SHELLS = names("bash sh dash zsh ksh ash")
_FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))


def looked_through(words: Words, transparent: frozenset[str]) -> Words | None:
    """The command inside a transparent wrapper, one level; None when there is none, or with unknown options."""
    if not words or words[0].text not in transparent or not words[0].fixed:
        return None
    skip = _SKIPPERS[words[0].text](words[1:])
    return words[1 + skip :] if skip is not None and len(words) > 1 + skip else None


def all_inner(words: Words) -> Iterator[Words]:
    """Whatever could be a command inside this one: for rules that forbid, more is better."""
    name = words[0].text.rpartition("/")[2] if words else ""
    for index, word in enumerate(words[1:], 1):
        could_be_command = name in RUN_ANOTHER and not word.text.startswith("-") and "=" not in word.text
        if could_be_command or (name == "find" and words[index - 1].text in _FIND_RUNS):
            yield words[index:]


def _skip_options(words: Words, plain: frozenset[str], valued: frozenset[str]) -> int | None:
    """How many words are options; None when one of them is unknown. `valued` ones take the next word."""
    at = 0
    while at < len(words) and words[at].text.startswith("-") and len(words[at].text) > 1:
        word = words[at]
        if not word.fixed:
            return None
        if word.text == "--":
            return at + 1
        name, glued, _ = word.text.partition("=")
        if word.text in plain or (glued and name in valued):
            at += 1
        elif word.text in valued and all(value.fixed for value in words[at + 1 : at + 2]):
            # A value that is not known may become two words, and the second is the program: `nice -n {5,rm} x`.
            at += 2
        elif len(word.text) > 2 and word.text[:2] in valued and word.text[1] != "-":
            at += 1
        else:
            return None
    return at


def _timeout(words: Words) -> int | None:
    plain = frozenset(("--preserve-status", "--foreground", "-v", "--verbose"))
    skipped = _skip_options(words, plain, frozenset(("-s", "--signal", "-k", "--kill-after")))
    return None if skipped is None or len(words) <= skipped or not words[skipped].fixed else skipped + 1


def _nice(words: Words) -> int | None:
    if words and words[0].fixed and words[0].text[:1] == "-" and words[0].text[1:].lstrip("-+").isdigit():
        return 1
    return _skip_options(words, frozenset(), frozenset(("-n", "--adjustment")))


def _stdbuf(words: Words) -> int | None:
    valued = frozenset(("-i", "-o", "-e", "--input", "--output", "--error"))
    return _skip_options(words, frozenset(), valued)


def _time(words: Words) -> int | None:
    return _skip_options(words, frozenset(("-p",)), frozenset())


def _bare(words: Words) -> int | None:
    """Only without any option: with some it does something else."""
    return _skip_options(words, frozenset(), frozenset())


_SKIPPERS: dict[str, Callable[[Words], int | None]] = {
    "timeout": _timeout,
    "time": _time,
    "nice": _nice,
    "nohup": _bare,
    "stdbuf": _stdbuf,
    "command": _bare,
    "builtin": _bare,
    "xargs": _bare,
}
