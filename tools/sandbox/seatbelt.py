"""Walls on macOS: a profile for sandbox-exec, as text. The last rule that matches counts."""

from __future__ import annotations

import os

from tools.sandbox.walls import Walls

PROGRAM = "/usr/bin/sandbox-exec"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/dtracehelper", "/dev/stdout", "/dev/stderr")


def profile(walls: Walls) -> str:
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        _rule("allow", "file-write*", walls.writable),
        f'(allow file-write* {" ".join(f"(literal {_quoted(path)})" for path in _DEVICES)} (regex #"^/dev/ttys"))',
        _rule("deny", "file-write*", (*walls.fixed, *walls.missing)),
        _rule("deny", "file-write-unlink", walls.pinned, "literal"),
        _rule("deny", "file-read* file-write*", walls.hidden),
        _rule("allow", "file-read*", walls.shown),
        _rule("allow", "file-read* file-write*", tuple(path for path in walls.writable if os.path.isfile(path))),
        '(deny mach-lookup (global-name-prefix "com.apple.pasteboard"))',
        "(deny appleevent-send)",
        "(deny network-outbound (remote unix-socket))",
        "" if walls.network else "(deny network*)",
    ]
    return "\n".join(rule for rule in rules if rule) + "\n"


def argv(walls: Walls, command: tuple[str, ...]) -> tuple[str, ...]:
    return (PROGRAM, "-p", profile(walls), *command)


def _rule(word: str, what: str, paths: tuple[str, ...], which: str = "subpath") -> str:
    named = " ".join(f"({which} {_quoted(path)})" for path in paths)
    return f"({word} {what} {named})" if named else ""


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
