"""A small world for tests of decisions: a project in a home, neither of which exists."""

from __future__ import annotations

from typing import Any

from tools.contract import Verdict
from tools.permissions.decide import Call, World
from tools.permissions.rules import RuleSet, Scope, Source, parse_rules
from tools.permissions.subjects import CommandSubject, PathSubject

HOME = "/home/u"
FOLDER = "/home/u/proj"


def rules(
    allow: tuple[str, ...] = (), ask: tuple[str, ...] = (), deny: tuple[str, ...] = (), scope: Scope = "project"
) -> RuleSet:
    return parse_rules((("deny", deny), ("ask", ask), ("allow", allow)), Source(scope, FOLDER))


def world(
    allow: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
    scope: Scope = "project",
    **more: Any,
) -> World:
    settled: dict[str, Any] = {"links": {}, "trusted": True, "git_safe": True, "bypass_allowed": True, **more}
    return World(folder=FOLDER, home=HOME, workspace_roots=(FOLDER,), rules=rules(allow, ask, deny, scope), **settled)


def read(path: str) -> Call:
    return Call("Read", ("read_file",), (PathSubject(path, "read"),), read_only=True)


def edit(path: str, tool: str = "Edit", **more: Any) -> Call:
    return Call(tool, (), (PathSubject(path, "edit"),), **more)


def command(text: str, **more: Any) -> CommandSubject:
    settled: dict[str, Any] = {"spellings": (text,), "allow_spellings": (text,), **more}
    return CommandSubject(text, **settled)


def bash(*subjects: CommandSubject | PathSubject | str, **more: Any) -> Call:
    parts = tuple(command(subject) if isinstance(subject, str) else subject for subject in subjects)
    return Call("Bash", ("run_shell",), parts, **more)


def says(kind: Any) -> Verdict:
    return Verdict(kind, f"says {kind}")
