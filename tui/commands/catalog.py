"""The commands of the prompt: what they are called, what they do, and which action of the app does it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Command(NamedTuple):
    """`hint` names the argument, in brackets if it may be left out; without one the command takes none.

    The app's `action_<action>` is called with the argument where there is a hint, else with nothing.
    """

    name: str
    remark: str
    action: str
    hint: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("help", "what can be typed here, and where to read on", "help"),
    Command("keys", "all keys", "keys"),
    Command("clear", "begin a new session; this one is kept", "clear"),
    Command("resume", "go on with an earlier session of this folder", "resume", "[id]"),
    Command("mode", "what may be done without asking", "mode", "[name]"),
    Command("model", "which model answers, and how to go on with another", "model", "[name]"),
    Command("theme", "colours", "theme", "[name]"),
    Command("todos", "show or hide the todo list", "todos"),
    Command("files", "files that were read, changed, or changed outside", "files"),
    Command("review", "all changes of this session, hunk by hunk: keep, take back, comment, commit", "review"),
    Command("diff", "the same as /review", "review"),
    Command("rewind", "back to before one of your messages: files, conversation or both", "rewind"),
    Command("copy", "the last answer to the clipboard", "copy"),
    Command("export", "write this session to a text file", "export", "[file]"),
    Command("memory", "what every session here is told first, in your editor", "memory"),
    Command("init", "have the model write a first AGENTS.md", "init"),
    Command("permissions", "all rules; try, add and take them out", "permissions"),
    Command("hooks", "what runs when, and what it last said", "hooks"),
    Command("health", "what is broken, what wants a look, what is well", "health"),
    Command("doctor", "the same as /health", "health"),
    Command("context", "what fills the model's context", "context"),
    Command("cost", "what this session has used so far", "cost"),
    Command("tasks", "what runs in the background, in the side panel", "files"),
    Command("feedback", "a report without your words and paths, in a file to look through", "feedback"),
    Command("quit", "end the program", "quit"),
)

# What people type by habit.
ALIASES = {
    "allowed-tools": "permissions",
    "bug": "feedback",
    "checkpoint": "rewind",
    "continue": "resume",
    "exit": "quit",
    "new": "clear",
    "reset": "clear",
    "sessions": "resume",
    "stats": "cost",
    "status": "health",
    "undo": "rewind",
    "usage": "cost",
}
INSTEAD = {
    "agents": "There are no other agents here; the model works in this one conversation.",
    "compact": "Nothing is compacted here: /context shows how full it is, /clear begins anew.",
    "config": "Settings are ~/.config/agent-tui/settings.json and .agent-tui/settings.json.",
    "effort": "Effort is chosen at the start: `agent-tui --effort LEVEL --continue`.",
    "login": "No login: ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL says which model answers.",
    "logout": "No login: ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL says which model answers.",
    "mcp": "Servers of tools are not used here; Bash runs any program on your PATH.",
    "purge": "Sessions are folders in ~/.local/state/agent-tui: remove what you like.",
    "skills": "There are no skills here; /memory opens AGENTS.md, which every session reads.",
    "vim": "The box has no such mode; Ctrl+G writes the draft in your own editor.",
}

# A path such as /usr/bin is no command, and neither is what has a blank before its slash.
_COMMAND = re.compile(r"/([A-Za-z][\w:-]*)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Unknown:
    """A command that cannot be followed: a sentence that says what to do instead."""

    sentence: str


def parse(text: str, commands: Sequence[Command] = COMMANDS) -> tuple[Command, str] | Unknown | None:
    """The command and its argument; None where the text is no command but a message."""
    found = _COMMAND.fullmatch(text.rstrip())
    if found is None:
        return None
    name, argument = found[1], (found[2] or "").strip()
    meant = ALIASES.get(name.lower(), name.lower())
    command = next((command for command in commands if command.name == meant), None)
    if command is None and meant in INSTEAD:
        return Unknown(INSTEAD[meant])
    if command is None:
        return Unknown(f"There is no command /{name}{_nearest(name, commands)}. A blank before it makes it a message.")
    if argument and not command.hint:
        return Unknown(f"/{command.name} takes nothing after it.")
    return command, argument


def _nearest(name: str, commands: Sequence[Command]) -> str:
    from difflib import get_close_matches

    names = [command.name for command in commands]
    near = [known for known in names if known.startswith(name.lower())] or get_close_matches(name.lower(), names, 1)
    return f", nearest: /{near[0]}" if near else ""
