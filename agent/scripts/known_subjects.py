"""What calls of tools that are not loaded here touch, from the fields everybody knows them by.

So that rules for a server's tool, an agent or a web page can be tried without starting any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tools.contract import ToolError
from tools.permissions.explain import parameters_of
from tools.permissions.names import KNOWN_TOOLS, canonical
from tools.permissions.subjects import CommandSubject, DomainSubject, NamedSubject, PathSubject, Subject
from tools.permissions.world import Call

Fields = Mapping[str, Any]

READ_ONLY = frozenset(
    {"Read", "Glob", "Grep", "LSP", "WebFetch", "WebSearch", "TaskOutput", "TaskGet", "TaskList", "Sleep", "ListPeers"}
    | {"ListMcpResources", "ReadMcpResource", "CronList", "SendUserFile", "StructuredOutput"}
)
TOUCH_NOTHING = frozenset(
    {"TodoWrite", "Agent", "ToolSearch", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Brief", "Sleep"}
    | {"TaskCreate", "TaskGet", "TaskUpdate", "TaskList", "TaskOutput", "StructuredOutput", "Snip", "CronList"}
)
# A host as a URL may spell it. What is not of this shape, programs read differently: such a URL names no host.
_URL = re.compile(
    r"https?://(?:[^\s/?#@\\]*@)?(?P<host>\[[0-9a-f:.]+\]|[^\s/?#@\\:\[\]%]+)(?::\d*)?(?:[/?#]\S*)?", re.I
)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
# Letters that one reading of a host changes into others, and a newer one keeps.
_READ_IN_TWO_WAYS = frozenset("ßẞς\u200c\u200d")
_CUTS = re.compile(r"[;|&\n(){}]")
_PLAIN_LINE = re.compile(r"[\w \-./:\\=,*?~+]+")


def known_call(name: str, fields: Fields) -> Call | None:
    """The call, as far as its fields tell; None where nobody knows the tool."""
    tool = canonical(name)
    if tool not in KNOWN_TOOLS and not _is_server_tool(tool):
        return None
    subjects = (NamedSubject(tool),) if _is_server_tool(tool) else _subjects(tool, fields)
    return Call(
        tool=tool,
        subjects=subjects,
        read_only=tool in READ_ONLY,
        touches_nothing=tool in TOUCH_NOTHING,
        parameters=parameters_of(tool, fields),
    )


def _subjects(tool: str, fields: Fields) -> tuple[Subject, ...]:
    known = _KNOWN_SUBJECTS.get(tool)
    if known is None:
        return ()
    field, make, optional = known
    value = fields.get(field)
    if value is None and optional is not None:
        value = optional
    if not isinstance(value, str):
        raise ToolError(f"{tool} was not judged: `{field}` is required and is text.", "invalid_input")
    return (make(value),)


def _host(url: str) -> DomainSubject:
    found = _URL.fullmatch(url)
    if found is None or not _READ_IN_TWO_WAYS.isdisjoint(found["host"]):
        return DomainSubject("")
    host = found["host"]
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return DomainSubject("")
    host = host.strip("[]").rstrip(".").lower().removeprefix("::ffff:")
    is_address = ":" not in host and _NUMBER.fullmatch(host.rpartition(".")[2])
    return DomainSubject(_dotted(host) if is_address else host)


def _dotted(host: str) -> str:
    """An address of four numbers, however it is spelled: `127.1`, `0x7f.0.0.1`, `2130706433`."""
    import socket  # most calls name no address

    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return ""


def _script(text: str) -> CommandSubject:
    """A line of another shell, whose grammar nobody reads here: a pattern covers it only where it is one plain command,
    and what forbids sees every piece that could be one."""
    pieces = [" ".join(piece.split()) for piece in _CUTS.split(text) if piece.strip()]
    plain = _PLAIN_LINE.fullmatch(text) is not None
    spellings = tuple(dict.fromkeys((text, *pieces)))
    return CommandSubject(
        text, spellings, (text.strip(),), understood=plain, why="" if plain else "It is more than words."
    )


def _read(path: str) -> PathSubject:
    return PathSubject(path, "read")


def _edit(path: str) -> PathSubject:
    return PathSubject(path, "edit")


# Tool: the field that says what it touches, what that is, and what it means when left out (None: it must be there).
_KNOWN_SUBJECTS: dict[str, tuple[str, Callable[[str], Subject], str | None]] = {
    "Read": ("file_path", _read, None),
    "Edit": ("file_path", _edit, None),
    "Write": ("file_path", _edit, None),
    "NotebookEdit": ("notebook_path", _edit, None),
    "Glob": ("path", _read, "."),
    "Grep": ("path", _read, "."),
    "LSP": ("file_path", _read, "."),
    "SendUserFile": ("file_path", _read, None),
    "PowerShell": ("command", _script, None),
    "WebFetch": ("url", _host, None),
    "WebBrowser": ("url", _host, ""),
    "Agent": ("subagent_type", NamedSubject, "general"),
    "Skill": ("skill", NamedSubject, None),
}


def _is_server_tool(tool: str) -> bool:
    return tool.startswith("mcp__") and "__" in tool[5:].strip("_")
