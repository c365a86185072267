"""What a call touches, as data: the commands, paths, domains and names that rules are matched against.

A tool lists its subjects; it never matches rules itself. A call with no subjects touches nothing by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Access = Literal["read", "edit"]


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """One simple command out of a shell line, judged by itself.

    `spellings` are all the texts deny and ask rules look at (wrappers and leading assignments taken off one by one);
    `allow_spellings` only those an allow rule may look at (wrappers, and assignments of harmless variables).
    """

    text: str
    spellings: tuple[str, ...]
    allow_spellings: tuple[str, ...]
    read_only: bool = False
    destructive: bool = False
    # False when the shell decides only at run time what is run: then no rule with a pattern may allow it.
    understood: bool = True
    # It runs text that cannot be read here as commands: what a rule forbids may be among them.
    hides_commands: bool = False
    # Apart from the files it edits, which are subjects of their own, it only reads.
    only_edits: bool = False
    # What a removal would remove, as written; `rm` of the root, home or workspace always asks.
    removes: tuple[str, ...] = ()
    # The folders a `cd` may lead to, as far as they are known.
    leads_to: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class PathSubject:
    """A file or folder, as the call spelled it. `via` says what leads there when it is not the call itself."""

    path: str
    access: Access
    via: str = ""
    # A command arranges it (`rm`, `cp`): the rules for the command allow that, and it needs no allow of its own; but
    # what restricts the path still speaks.
    of_command: bool = False
    # A command stands in this folder when it runs: inside the workspace that is as if it were `of_command`.
    stood_in: bool = False


@dataclass(frozen=True, slots=True)
class DomainSubject:
    host: str


@dataclass(frozen=True, slots=True)
class NamedSubject:
    """An agent, a skill or a server's tool."""

    name: str


@dataclass(frozen=True, slots=True)
class Lead:
    """A path of a call that is really somewhere else than it says: a link, or behind one."""

    path: str
    target: str
    # The target does not lie in the folders opened for work.
    outside: bool = False


Subject = CommandSubject | PathSubject | DomainSubject | NamedSubject
