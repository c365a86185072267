"""What always asks, in every mode: removing what nobody gets back. The root and what lies directly in it, home, the
workspace, all folders above them, or all that is in one of them; and what only the shell will know.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from tools.permissions.overlap import brace_alternatives, is_glob, is_known_only_at_run_time, names_may_meet
from tools.permissions.patterns import same_file_key
from tools.permissions.world import World

_SET = re.compile(r"\[[^\]]*\]")


def removal_problem(target: str, world: World) -> str | None:
    """Why removing this always asks; None where it need not. The target is as the shell was given it."""
    target = target.replace("${HOME}", "$HOME").replace("${PWD}", "$PWD")
    for variable, value in (("$HOME", world.home), ("$PWD", world.folder), ("~+", world.folder)):
        if target == variable or target.startswith(f"{variable}/"):
            target = value + target[len(variable) :]
    alternatives = brace_alternatives(target)
    if is_known_only_at_run_time(target) or alternatives is None:
        return "what it removes is known only when it runs"
    for spelling in dict.fromkeys(spelling for one in alternatives for spelling in world.spellings(one)):
        for critical, what in _critical(world, spelling):
            if _covers(spelling, critical, world):
                return f"it would remove {what}"
    return None


def _critical(world: World, spelling: str) -> Iterator[tuple[str, str]]:
    """What must not be lost, with its name: the root and its folders, home, the workspace, and all above them."""
    yield "/", "the root of the file system"
    top = f"/{spelling.split('/')[1]}"
    yield top, f"{top}, which lies at the root of the file system"
    for home in world.spellings(world.home):
        yield from ((folder, "your home folder or one above it") for folder in _with_parents(home))
    for root in world.roots:
        yield from ((folder, "the workspace or a folder above it") for folder in _with_parents(root))


def _with_parents(path: str) -> Iterator[str]:
    while path != "/" and path:
        yield path
        path = os.path.dirname(path)


def _covers(target: str, critical: str, world: World) -> bool:
    """Whether removing the target removes the critical folder, or all that is in it."""
    if world.below(target, critical) == "":
        return True
    if not is_glob(target):
        return False
    if world.case_insensitive:
        target, critical = same_file_key(target), same_file_key(critical)
    names, wanted = target.split("/")[1:], [name for name in critical.split("/") if name]
    while len(names) > len(wanted) and _is_anything(names[-1]):
        names.pop()
    return len(names) == len(wanted) and all(map(_may_be, names, wanted))


def _is_anything(name: str) -> bool:
    return not _SET.sub("?", name).strip("*.?")


def _may_be(glob: str, name: str) -> bool:
    return names_may_meet(glob, name) if is_glob(glob) else glob == name
