"""What a decision is made from: the call, and the world it would happen in. Data, so that anybody can ask "what if"."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import get_args

from tools.contract import Verdict
from tools.permissions.decision import Advice
from tools.permissions.modes import Mode
from tools.permissions.names import PATH_TOOLS
from tools.permissions.patterns import Anchor, same_file_key
from tools.permissions.rules import Rule, RuleSet, Source
from tools.permissions.subjects import CommandSubject, Lead, PathSubject, Subject

MODES: tuple[str, ...] = get_args(Mode)
LINK_HOPS = 40
DEVICES = ("/dev/", "/proc/")
NO_RULES = RuleSet()


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be judged. `parameters` are the plain fields of the input, for rules that name one."""

    tool: str
    aliases: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    read_only: bool = False
    destructive: bool = False
    touches_nothing: bool = False
    verdict: Verdict | None = None
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def names(self) -> tuple[str, ...]:
        return (self.tool, *self.aliases)

    @property
    def runs_commands(self) -> bool:
        """Its paths went through a shell: they may hold globs and variables."""
        return any(isinstance(subject, CommandSubject) for subject in self.subjects)


@dataclass(frozen=True)
class World:
    folder: str
    home: str
    workspace_roots: tuple[str, ...] = ()
    additional_directories: tuple[str, ...] = ()
    # Where a path really leads; a mapping holds links to assume instead of those on the disk.
    links: Callable[[str], str] | Mapping[str, str] = os.path.realpath
    rules: RuleSet = NO_RULES
    mode: Mode = "default"
    hook: Verdict | None = None
    advice: Advice | None = None
    trusted: bool = False
    case_insensitive: bool = False
    read_only_flag: bool = False
    bypass_allowed: bool = False
    # Whether this repository's configuration lets a git read run nothing else; asked only when a call reads with git.
    git_safe: bool | Callable[[], bool] = False
    # Files outside the workspace that may be read all the same: stored results.
    readable_files: frozenset[str] = frozenset()
    # Every rule asks for the same few paths, and every path for the same rules. A world is of one moment.
    _spelled: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]], init=False, repr=False, compare=False
    )
    _rules_for: dict[tuple[str, ...], tuple[Rule, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[Rule, ...]], init=False, repr=False, compare=False
    )

    def rules_for(self, names: tuple[str, ...]) -> tuple[Rule, ...]:
        """The rules that may speak of a call of this tool: its own, and those for paths."""
        known = self._rules_for.get(names)
        if known is None:
            known = tuple(rule for rule in self.rules.rules if rule.tool in PATH_TOOLS or rule.names_tool(names))
            self._rules_for[names] = known
        return known

    @functools.cached_property
    def git_is_safe(self) -> bool:
        return self.git_safe() if callable(self.git_safe) else self.git_safe

    @functools.cached_property
    def roots(self) -> tuple[str, ...]:
        """The folders opened for work, as written and where they really are."""
        written = (self.folder, *self.workspace_roots, *self.additional_directories)
        return tuple(dict.fromkeys(spelling for root in written for spelling in self.spellings(root)))

    def spellings(self, path: str) -> tuple[str, ...]:
        """The path as written and where it really leads: one entry when that is the same.

        After a link `..` leads elsewhere for the system than for a reader, so both ways of taking it are followed.
        """
        known = self._spelled.get(path)
        if known is None:
            full = self._full(path)
            tidy = _tidy(full)
            known = tuple(dict.fromkeys((tidy, self.resolve(tidy), self.resolve(full))))
            self._spelled[path] = known
        return known

    def resolve(self, full: str) -> str:
        try:
            return self.links(full) if callable(self.links) else _follow(full, self.links)
        except (OSError, ValueError):
            return _tidy(full)

    def targets(self, call: Call) -> tuple[str, ...]:
        """Where the paths of a call really lead, as far as they are known before it runs."""
        return tuple(self.resolve(self._full(path)) for path in _known_paths(call))

    def leads(self, call: Call) -> tuple[Lead, ...]:
        """The paths of a call that are links or lie behind one, and where they lead; each once."""
        found = (self._lead(path) for path in dict.fromkeys(_known_paths(call)))
        return tuple(lead for lead in found if lead is not None)

    def _lead(self, path: str) -> Lead | None:
        full = self._full(path)
        tidy, target = _tidy(full), self.resolve(full)
        # A device is what it is called; what it is for us says nothing about the command's.
        if target in self._expected(tidy) or tidy.startswith(DEVICES):
            return None
        return Lead(path, target, outside=not self.inside_workspace(target))

    def _expected(self, tidy: str) -> Iterator[str]:
        """Where a path leads if nothing below the folders that the person knows is a link."""
        yield tidy
        for root in (*self.roots, self.home):
            below = self.below(tidy, root)
            if below is not None:
                yield f"{self.resolve(root)}/{below}".rstrip("/") or "/"

    def inside_workspace(self, spelling: str) -> bool:
        return any(self.is_within(spelling, root) for root in self.roots)

    def is_within(self, path: str, folder: str) -> bool:
        return self.below(path, folder) is not None

    def below(self, path: str, folder: str) -> str | None:
        """The path relative to the folder ("" for the folder itself); None where it lies elsewhere."""
        path, folder = self._key(path), self._key(folder.rstrip("/"))
        if path == folder:
            return ""
        return path[len(folder) + 1 :] if path.startswith(folder + "/") else None

    def anchor_folder(self, anchor: Anchor, source: Source, ups: int = 0) -> str:
        """The folder a rule's path pattern starts from."""
        match anchor:
            case "root":
                return "/"
            case "home":
                return self.home
            case "settings":
                return source.root
            case "folder":
                return _tidy("/".join((self.folder, *[".."] * ups)))

    def _full(self, path: str) -> str:
        if path == "~" or path.startswith("~/"):
            path = self.home + path[1:]
        return os.path.join(self.folder, path)

    def _key(self, path: str) -> str:
        return same_file_key(path) if self.case_insensitive else path


def _known_paths(call: Call) -> Iterator[str]:
    """As the call spells them; of what a variable holds nothing is known before it runs."""
    paths = (subject.path for subject in call.subjects if isinstance(subject, PathSubject))
    return (path for path in paths if "$" not in path)


@functools.lru_cache(maxsize=4096)
def _tidy(path: str) -> str:
    tidy = os.path.normpath(path)
    return "/" + tidy.lstrip("/") if tidy.startswith("//") else tidy


def _follow(full: str, links: Mapping[str, str]) -> str:
    """The path with assumed links followed, `..` taken where the links lead and not where they are written."""
    waiting, done, hops = [part for part in reversed(full.split("/")) if part], "", 0
    while waiting:
        part = waiting.pop()
        if part in (".", ".."):
            done = done if part == "." else os.path.dirname(done).rstrip("/")
            continue
        target = links.get(f"{done}/{part}")
        if target is None or hops == LINK_HOPS:
            done = f"{done}/{part}"
            continue
        hops += 1
        waiting.extend(step for step in reversed(target.split("/")) if step)
        done = "" if target.startswith("/") else done
    return done or "/"
