"""A configured hook, as data: which event it listens to, what it matches, what it runs, and where that is written."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.permissions.names import canonical
from tools.permissions.rules import Scope

EVENTS = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"),
    *("Notification", "Stop", "SubagentStop", "PreCompact", "FileChanged", "SessionEnd"),
)
# They may stand in a settings file, but nothing here makes them happen yet.
NOT_YET = frozenset({"PreCompact"})

_NAMES = re.compile(r"[A-Za-z0-9_|]+")
_SHORT_CHARS = 60


class Hook(NamedTuple):
    """`idle` says why it does not run; it is empty for one that does. `broken`: it is a mistake to be mended."""

    event: str
    command: str
    matcher: str = ""
    # None: the event's own.
    timeout: float | None = None
    scope: Scope = "user"
    file: str = ""
    line: int = 0
    idle: str = ""
    broken: bool = False

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def name(self) -> str:
        """How a sentence calls it: its command, in short, and where it is written."""
        first, _, rest = self.command.strip().partition("\n")
        cut = bool(rest) or len(first) > _SHORT_CHARS
        short = first[:_SHORT_CHARS] + ("⋯" if cut else "")
        return f"`{short}` ({self.where})" if self.file else f"`{short}`"


def matches(hook: Hook, subject: str | None) -> bool:
    """Whether the hook is meant. A subject of None: the event has nothing to match, so all its hooks are."""
    matcher = hook.matcher
    if subject is None or matcher in ("", "*"):
        return True
    if _NAMES.fullmatch(matcher):
        return any(subject in (name, canonical(name)) for name in matcher.split("|"))
    return re.search(matcher, subject) is not None


def problem_of(hook: Hook, kind: str = "command") -> str:
    """Why such a hook can never run; empty for one that can. `kind` is the `type` its file gives it."""
    if hook.event not in EVENTS:
        return f"there is no event {hook.event}, only {', '.join(EVENTS)}"
    if kind != "command":
        return f'only hooks of the type "command" are run, not of the type "{kind}"'
    if not hook.command.strip():
        return "it has no command"
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in hook.command):
        return "its command holds a character that no shell takes"
    try:
        re.compile(hook.matcher if hook.matcher != "*" else "")
    except (re.error, RecursionError, OverflowError) as error:
        return f"its matcher `{hook.matcher}` is neither a list of names nor a regular expression ({error})"
    return ""
