"""What a command would remove, and whether it does what nobody gets back.

A plain `rm` of files in the workspace is not destructive in this sense: rewind has them. Whole folders, patterns,
history and anything outside are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tools.bash.words import Word, names

_REMOVERS = frozenset(("rm", "rmdir", "unlink", "shred"))
# They run a command with operands that they read.
_HAND_OVER = frozenset(("xargs", "parallel"))
_ALWAYS = names("shred mkfs dd wipefs fdisk parted sgdisk truncate srm")
_FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_FIND_NARROWS = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -newer -newermt -mtime -mmin -atime -amin "
    "-ctime -cmin -size -user -group -perm -samefile -inum"
)
_FIND_OTHERWISE = frozenset(("!", "-not", "-o", "-or", ","))
_RECURSIVE_CHANGE = frozenset(("chmod", "chown", "chgrp"))
# Subcommands of git that lose work or history, with the options that make them do so; none: always.
_GIT: dict[str, tuple[str, ...]] = {
    "reset": ("--hard", "--merge", "--keep"),
    "clean": (),
    "push": ("-f", "--force", "--force-with-lease", "--delete", "-d", "--mirror", "--prune"),
    "branch": ("-D", "-d", "--delete", "-f", "--force", "-M"),
    "tag": ("-d", "--delete", "-f", "--force"),
    "stash": ("drop", "clear"),
    "checkout": ("-f", "--force", "--", "."),
    "switch": ("-f", "--force", "--discard-changes", "-C"),
    "restore": (),
    "rebase": (),
    "filter-branch": (),
    "filter-repo": (),
    "reflog": ("expire", "delete"),
    "gc": ("--prune", "--aggressive"),
    "prune": (),
    "commit": ("--amend",),
    "update-ref": ("-d",),
    "worktree": ("remove",),
    "rm": ("-r", "-f", "--force"),
}


def removed_by(words: Sequence[Word]) -> tuple[str, ...]:
    """What a command removes, as written."""
    name = _name(words)
    if name in _REMOVERS:
        return tuple(word.path for word in _operands(words))
    return _removed_by_find(words[1:]) if name == "find" else ()


def names_remover(word: Word) -> bool:
    return _name((word,)) in _REMOVERS


def removes_what_it_is_given(words: Sequence[Word]) -> bool:
    """Whether whole folders go whose names come from elsewhere: `... | xargs rm -rf`."""
    if _name(words) not in _HAND_OVER:
        return False
    at = next((index for index, word in enumerate(words) if names_remover(word)), len(words))
    return _has_option([word.text for word in words[at:]], "rR", "--recursive")


def _removed_by_find(arguments: Sequence[Word]) -> tuple[str, ...]:
    """The folders it starts from, if it removes what it finds there and looks for nothing in particular."""
    runs = any(names_remover(after) for word, after in pairwise(arguments) if word.text in _FIND_RUNS)
    if not runs and not any(word.text == "-delete" for word in arguments):
        return ()
    if _looks_for_something([word.text for word in arguments]):
        return ()
    starts: list[str] = []
    for word in arguments:
        if word.text.startswith(("-", "(", "!")) and word.text not in ("-H", "-L", "-P"):
            break
        if not word.text.startswith("-"):
            starts.append(word.path)
    return tuple(starts) or (".",)


def _looks_for_something(texts: list[str]) -> bool:
    """Whether it names what it looks for, and not by what it is not or is otherwise."""
    if not _FIND_OTHERWISE.isdisjoint(texts):
        return False
    return any(one in _FIND_NARROWS and what.strip("*.?") for one, what in pairwise(texts))


def is_destructive(words: Sequence[Word]) -> bool:
    name = _name(words)
    texts = [word.text for word in words[1:]]
    if name in _ALWAYS or name.startswith("mkfs."):
        return True
    if name in ("rm", "unlink"):
        risky = any(not word.fixed or _is_elsewhere(word) for word in _operands(words))
        return risky or _has_option(texts, "rR", "--recursive")
    if name in _RECURSIVE_CHANGE:
        return _has_option(texts, "R", "--recursive")
    if name == "find":
        return "-delete" in texts
    return name == "git" and _git_loses(texts)


def _git_loses(texts: list[str]) -> bool:
    at = next((index for index, text in enumerate(texts) if not text.startswith("-")), None)
    if at is None or texts[at] not in _GIT:
        return False
    options = _GIT[texts[at]]
    given = [text.partition("=")[0] for text in texts[at + 1 :]]
    pushes_over = texts[at] == "push" and any(text.startswith(("+", ":")) for text in texts[at + 1 :])
    return not options or pushes_over or any(text in options for text in given)


def _name(words: Sequence[Word]) -> str:
    """The program. Where the disk knows no case, `RM` is one, too; elsewhere it is none, and it harms nobody to ask."""
    return words[0].text.rpartition("/")[2].lower() if words else ""


def _operands(words: Sequence[Word]) -> list[Word]:
    texts = [word.text for word in words]
    end = texts.index("--") if "--" in texts else len(texts)
    return [word for word in words[1:end] if not word.text.startswith("-")] + list(words[end + 1 :])


def _is_elsewhere(word: Word) -> bool:
    """Outside the workspace, as far as its spelling tells."""
    return word.text.startswith("/") or word.home or ".." in word.text.split("/")


def _has_option(texts: list[str], letters: str, long: str) -> bool:
    return any(text == long or (text[:1] == "-" != text[1:2] and set(letters) & set(text[1:])) for text in texts)
