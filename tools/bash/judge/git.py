"""Which git commands only read, by their arguments.

A repository's configuration can make a reading git run programs: that is `git_config.py`'s affair. Here every
subcommand has the options that are known to be harmless, and anything else is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from tools.bash.judge.git_options import BRANCH, CONFIG, DIFF, DIFF_GLUED, DIFF_LETTERS, LOG, READING, TAG
from tools.bash.judge.options import known, operands_of
from tools.bash.words import Word, names

_GLOBAL = frozenset(("--no-pager", "--no-optional-locks"))
_LISTS_BRANCHES = re.compile(r"-l|--list|--(no-)?(merged|contains)(=.*)?", re.DOTALL)
_LISTS_TAGS = re.compile(r"-l|--list|-n[0-9]*|--((no-)?(merged|contains)|points-at)(=.*)?", re.DOTALL)
_GETS = frozenset(("--get", "--get-all", "--get-regexp", "--get-urlmatch"))
# What is shown of a signature, gpg is started for, which may ask other machines for keys.
_SIGNATURE_PLACEHOLDER = re.compile(r"%[-+ ]?G")
_PRETTY = re.compile(r"--(?:pretty|format)=(.*)", re.DOTALL)
_PRETTY_NAMES = names("oneline short medium full fuller reference email mboxrd raw")
_DIFF_MERGES = names("off none on m first-parent 1 separate combined c dense-combined cc")
_REFS_WITH_FORMAT = frozenset(("for-each-ref", "branch", "tag"))


def git_only_reads(arguments: Sequence[Word]) -> bool:
    """The words after `git`. An unquoted pattern or a variable may become an option, so every word must be known."""
    if not all(word.fixed for word in arguments):
        return False
    at = 0
    while at < len(arguments) and arguments[at].text in _GLOBAL:
        at += 1
    rest = arguments[at:]
    if not rest:
        return False
    name, options = rest[0].text, _with_glued_order(rest[1:])
    if not _shows_no_signature(name, [word.text for word in options]):
        return False
    special = _SPECIAL.get(name)
    if special is not None:
        return special(options)
    reading = READING.get(name)
    return reading is not None and operands_of(options, reading) is not None


def _with_glued_order(options: Sequence[Word]) -> Sequence[Word]:
    """`--sort -date` as `--sort=-date`: the one option whose value is wont to start like an option."""
    at = next((place for place, word in enumerate(options[:-1]) if word.text == "--sort"), None)
    if at is None:
        return options
    glued = options[at]._replace(text=f"--sort={options[at + 1].text}")
    return [*options[:at], glued, *options[at + 2 :]]


def _shows_no_signature(name: str, texts: Sequence[str]) -> bool:
    """Nor any format that only the configuration knows, nor a merge made again."""
    if name in _REFS_WITH_FORMAT:
        return not any("signature" in text for text in texts)
    for text in (*texts, *("=".join(pair) for pair in pairwise(texts) if pair[0] == "--format")):
        pretty = _PRETTY.fullmatch(text)
        if pretty and not _is_known_format(pretty[1]):
            return False
        option, _, value = text.partition("=")
        if option == "--diff-merges" and value not in _DIFF_MERGES:
            return False
    return True


def _is_known_format(text: str) -> bool:
    spelled_out = "%" in text or text.startswith(("format:", "tformat:")) or not text
    return not _SIGNATURE_PLACEHOLDER.search(text) if spelled_out else text in _PRETTY_NAMES


def _branch(options: Sequence[Word]) -> bool:
    """Without an option that lists, an operand is the name of a new branch."""
    operands = operands_of(options, BRANCH)
    lists = any(_LISTS_BRANCHES.fullmatch(word.text) for word in options)
    return operands is not None and (lists or not operands)


def _tag(options: Sequence[Word]) -> bool:
    """Without an option that lists, an operand is the name of a new tag, also after options that only listing knows."""
    operands = operands_of(options, TAG)
    lists = any(_LISTS_TAGS.fullmatch(word.text) for word in options)
    return operands is not None and (lists or not operands)


def _remote(options: Sequence[Word]) -> bool:
    texts = [word.text for word in options]
    if texts in ([], ["-v"], ["--verbose"], ["show"]):
        return True
    if texts[0] == "get-url":
        operands = operands_of(options[1:], known("", "", "push all"))
        return operands is not None and len(operands) == 1
    # Without -n it asks the other machine.
    return texts[:2] == ["show", "-n"] and len(texts) == 3 and not texts[2].startswith("-")


def _config(options: Sequence[Word]) -> bool:
    """Reading values: with a second operand and nothing that says `get`, it would write.

    Options end at the first operand: in `git config a.b --get` the second word is a value."""
    texts = [word.text for word in options]
    if texts[:1] == ["get"] or texts[:1] == ["list"]:
        # Older versions take these for names, and refuse them as such.
        operands = operands_of(options[1:], CONFIG._replace(operands=int(texts[0] == "get")))
        return operands is not None and not _reads_file_elsewhere(texts) and len(operands) == int(texts[0] == "get")
    operands = operands_of(options, CONFIG)
    if operands is None or _reads_file_elsewhere(texts):
        return False
    if "-l" in texts or "--list" in texts:
        return not operands
    if not _GETS.isdisjoint(texts):
        return 1 <= len(operands) <= 2
    return len(operands) == 1 and "." in operands[0].text


def _reads_file_elsewhere(texts: Sequence[str]) -> bool:
    """A file outside is a question of paths, and paths in options are not looked at there."""
    given = [after for option, after in pairwise(texts) if option in ("-f", "--file")]
    given += [re.sub(r"-f|--file=", "", text, count=1) for text in texts if text.startswith(("-f", "--file="))]
    return any(path.startswith(("/", "~")) or ".." in path.split("/") for path in given)


def _stash(options: Sequence[Word]) -> bool:
    texts = [word.text for word in options]
    if texts[:1] == ["list"]:
        return operands_of(options[1:], LOG) is not None
    shown = known(DIFF_LETTERS, "U", f"{DIFF} include-untracked only-untracked", glued=DIFF_GLUED)
    return texts[:1] == ["show"] and operands_of(options[1:], shown) is not None


def _reflog(options: Sequence[Word]) -> bool:
    """Its first word may be a subcommand, one day also one we have not heard of."""
    if options and not options[0].text.startswith("-"):
        if options[0].text in ("show", "list", "exists"):
            options = options[1:]
        elif not re.fullmatch(r"HEAD|main|master|develop|.*[/@{].*", options[0].text):
            return False
    operands = operands_of(options, LOG)
    return operands is not None and not any(word.text in ("expire", "delete", "drop", "write") for word in operands)


def _worktree(options: Sequence[Word]) -> bool:
    texts = [word.text for word in options]
    return texts[:1] == ["list"] and all(text in ("--porcelain", "-v", "-z", "--verbose") for text in texts[1:])


def _notes(options: Sequence[Word]) -> bool:
    texts = [word.text for word in options]
    listing = texts[:1] in (["list"], ["show"]) and len(texts) <= 2 and not any(text.startswith("-") for text in texts)
    return listing or not texts


def _submodule(options: Sequence[Word]) -> bool:
    rest = options[1:] if options and options[0].text in ("-q", "--quiet") else options
    if not rest:
        return True
    return rest[0].text == "status" and operands_of(rest[1:], known("", "", "cached recursive quiet")) is not None


def _hash_object(options: Sequence[Word]) -> bool:
    return operands_of(options, known("", "t", "no-filters stdin path=")) is not None


def _clean(options: Sequence[Word]) -> bool:
    """Only telling what it would remove."""
    tells = any(re.fullmatch(r"--dry-run|-[dxXq]*n[ndxXq]*", word.text) for word in options)
    return tells and operands_of(options, known("ndxXq", "e", "dry-run quiet")) is not None


def _symbolic_ref(options: Sequence[Word]) -> bool:
    """A second operand would be written."""
    operands = operands_of(options, known("q", "", "short quiet recurse no-recurse"))
    return operands is not None and len(operands) == 1


def _bisect(options: Sequence[Word]) -> bool:
    return [word.text for word in options] == ["log"]


_SPECIAL: dict[str, Callable[[Sequence[Word]], bool]] = {
    "branch": _branch,
    "tag": _tag,
    "remote": _remote,
    "config": _config,
    "stash": _stash,
    "reflog": _reflog,
    "worktree": _worktree,
    "notes": _notes,
    "submodule": _submodule,
    "hash-object": _hash_object,
    "clean": _clean,
    "symbolic-ref": _symbolic_ref,
    "bisect": _bisect,
}
