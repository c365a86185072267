"""Requests as the gate makes them: decided by the real rules, in a workspace that exists only on paper."""

from __future__ import annotations

import os
from typing import Any

from tools.bash.subjects import subjects_of
from tools.blocks import Blocks, Code, line
from tools.diffs import diff_of
from tools.events import PermissionRequest
from tools.permissions.decide import decide
from tools.permissions.rules import Kind, RuleSet, Source, parse_rule
from tools.permissions.subjects import CommandSubject, DomainSubject, PathSubject, Subject
from tools.permissions.suggest import suggest_stops
from tools.permissions.world import Call, World
from tools.view import ViewContext
from tui.render.lines import Drawn
from tui.render.look import Look
from tui.sheet.draw import sheet_lines
from tui.sheet.view import SheetView

FOLDER, HOME = "/home/me/tidewatch", "/home/me"
CTX = ViewContext(FOLDER, HOME)
WIDE, SMALL = Look(120, 38), Look(80, 24)

_SOURCE = Source("project", FOLDER, f"{FOLDER}/.agent-tui/settings.json")
_RULES: tuple[tuple[str, Kind], ...] = (
    ("Bash(npm install *)", "allow"),
    ("Bash(npm run *)", "allow"),
    ("Bash(make publish)", "ask"),
    ("Read(**)", "allow"),
)
WORLD = World(
    folder=FOLDER,
    home=HOME,
    workspace_roots=(FOLDER,),
    links={},
    rules=RuleSet(
        tuple(parse_rule(text, kind, _SOURCE)._replace(line=at) for at, (text, kind) in enumerate(_RULES, 6))
    ),
    trusted=True,
)


def asked(
    tool: str, subjects: tuple[Subject, ...], input: dict[str, Any], preview: Blocks = (), **more: Any
) -> PermissionRequest:
    destructive = any(isinstance(subject, CommandSubject) and subject.destructive for subject in subjects)
    call = Call(tool, subjects=subjects, destructive=destructive)
    stops = suggest_stops(call, WORLD)
    fields: dict[str, Any] = {
        "id": f"ask-{tool}",
        "call_id": tool,
        "summary": tool,
        "destructive": destructive,
        "always": stops[0] if stops else (),
        "stops": stops,
        "folder": FOLDER,
        **more,
    }
    return PermissionRequest(tool=tool, input=input, decision=decide(call, WORLD), preview=preview, **fields)


def bash(command: str, description: str = "", **more: Any) -> PermissionRequest:
    input = {"command": command, **({"description": description} if description else {})}
    preview = (Code(command, "bash"), line(("in ", "quiet"), (more.get("folder", FOLDER), "path")))
    return asked("Bash", subjects_of(command), input, preview, **{"summary": command[:50], **more})


OLD = """\
    def is_stale(self, path):
        entry = self.entries[path]
        if path.stat().st_mtime == entry.mtime:
            return False
        return True
"""
NEW = OLD.replace("st_mtime == entry.mtime", "st_mtime_ns == entry.mtime_ns").replace(
    "return True", "return moved(path)"
)


def edit(
    path: str = f"{FOLDER}/tidewatch/cache.py", before: str = OLD, after: str = NEW, **more: Any
) -> PermissionRequest:
    diff = diff_of(path, before, after)
    summary = os.path.basename(path)
    return asked("Edit", (PathSubject(path, "edit"),), {"file_path": path}, (diff,), **{"summary": summary, **more})


def read(path: str) -> PermissionRequest:
    return asked("Read", (PathSubject(path, "read"),), {"file_path": path}, (line(("18 KB, text", "quiet")),))


def fetch(url: str, host: str, **more: Any) -> PermissionRequest:
    return asked("WebFetch", (DomainSubject(host),), {"url": url}, (line("WebFetch"),), **{"summary": host, **more})


def mcp(**input: Any) -> PermissionRequest:
    return asked("mcp__github__create_issue", (), input, (line("mcp__github__create_issue"),))


BUILD = bash("cd web && npm ci && npm run build 2>&1 | tail -40", "Install and build the front end")


def view_of(request: PermissionRequest, **more: Any) -> SheetView:
    return SheetView(request, 1, CTX, **{"armed": True, **more})


def frame(request: PermissionRequest, look: Look = WIDE, **more: Any) -> list[str]:
    """The sheet as text, without spaces at the ends of lines."""
    return [each.text.rstrip() for each in sheet_lines(view_of(request, **more), look)]


def lines_of(request: PermissionRequest, look: Look = WIDE, **more: Any) -> list[Drawn]:
    return sheet_lines(view_of(request, **more), look)
