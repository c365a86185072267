"""What a sheet shows, as data: one request to the person and how far they have looked into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agent.rulebook import Reach, SavingPlace
from tools.blocks import Diff
from tools.events import PermissionRequest
from tools.permissions.names import COMMAND_TOOLS
from tools.view import ViewContext

# Sources of an ask that no saved rule may ever silence, and that want two presses.
GRAVE_SOURCES = frozenset({"protected", "removal"})
# What of a call the person may write anew before it runs.
CHANGEABLE = {**dict.fromkeys(COMMAND_TOOLS, "command"), "Edit": "new_string", "Write": "content"}
SHOWN_NAMES = {"WebFetch": "Fetch", "WebSearch": "Search"}


@dataclass(frozen=True, slots=True)
class Field:
    """The open comment field: words that go along with a no, or with a yes."""

    text: str = ""
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """Somebody else changed the file while the question was open. `diff` is None where it is not known how."""

    seconds: float
    diff: Diff | None = None


@dataclass(frozen=True, slots=True)
class SheetView:
    request: PermissionRequest
    revision: int
    # What paths are shown relative to.
    ctx: ViewContext
    number: int = 1
    total: int = 1
    # Those that wait behind it.
    then: tuple[PermissionRequest, ...] = ()
    # Whose question it is, when not the main conversation's: "explore, mtimes in the front end".
    agent: str = ""
    armed: bool = False
    draft_has_keys: bool = False
    # The chosen stop of the rule that "always" would save, where it would be saved, and what it would have allowed.
    stop: int = 0
    place: SavingPlace | None = None
    reach: Reach | None = None
    # The permission mode it is asked in.
    mode: str = ""
    field: Field | None = None
    # The first of two presses was made.
    confirm: bool = False
    # What would run is being written anew in the prompt.
    changing: bool = False
    changed: Changed | None = None
    scroll: int = 0
    # Lines of the subject that have not been in sight yet.
    unseen: int = 0
    # The subject without cuts, the trace without cuts.
    full: bool = False
    why: bool = False


def is_grave(request: PermissionRequest) -> bool:
    """Whether a yes must be said twice and is never saved."""
    asked = {step.source for step in request.decision.trace if step.verdict == "ask"}
    return request.destructive or not GRAVE_SOURCES.isdisjoint(asked)


def danger(request: PermissionRequest) -> str:
    """The one sentence about what is grave in it."""
    for step in request.decision.trace:
        if step.verdict == "ask" and step.source in GRAVE_SOURCES:
            return step.reason
    return "Rewind cannot bring back what this destroys." if request.destructive else ""


def runs_a_command(request: PermissionRequest) -> bool:
    return request.tool in COMMAND_TOOLS


def changeable(request: PermissionRequest) -> str:
    """The text of the call that can be changed before it runs; empty where there is none."""
    text = request.input.get(CHANGEABLE.get(request.tool, ""))
    may_be = isinstance(text, str) and not request.problem and not is_grave(request)
    return str(text) if may_be else ""


def changed_input(request: PermissionRequest, text: str) -> dict[str, Any]:
    """The call's input with the text written anew."""
    return {**request.input, CHANGEABLE[request.tool]: text}


def shown_name(tool: str) -> str:
    """A tool as a person calls it: a server's tool by server and name."""
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return f"{server} {name}".strip()
    return SHOWN_NAMES.get(tool, tool)
