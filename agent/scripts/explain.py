"""`agent-tui explain`: whether a call would be allowed, asked or denied, and why. It decides and runs nothing.

explain TOOL JSON          for a person; with --json as data
explain --batch            one JSON object per line in, one per line out, each of which may assume another world
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, BinaryIO, TextIO, cast

from agent.scripts.lines import Unreadable, read_object
from agent.settings.locations import home_folder
from agent.settings.merge import Flags, Settings, load_settings
from agent.settings.trust import is_trusted
from tools.context import Place
from tools.contract import AnyTool, ToolError, Verdict
from tools.parse import parse
from tools.permissions.decide import decide
from tools.permissions.decision import Decision, TraceStep
from tools.permissions.explain import as_seen, call_of, explanation
from tools.permissions.rules import Kind, RuleSet, Scope, Source, parse_rule
from tools.permissions.voices import runs_git
from tools.permissions.world import MODES, Call, World

USAGE = "usage: agent-tui explain [--json] TOOL JSON\n       agent-tui explain --batch < lines\n"
Fields = Mapping[str, Any]


def main(args: Sequence[str]) -> int:
    """0 for a decision, whatever it is; 1 where the call cannot be judged; 2 for a wrong command line."""
    # At the end everything goes anyway: to look through it for circles first would take a tenth of the whole run.
    atexit.register(gc.freeze)
    words = [arg for arg in args if arg not in ("--json", "--batch")]
    if "--batch" in args and not words:
        run_batch(sys.stdin.buffer, sys.stdout)
        return 0
    if "--batch" in args or len(words) != 2 or words[0].startswith("-"):
        sys.stderr.write(USAGE)
        return 2
    tool, text = words
    try:
        decision = decide_for({"tool": tool, "input": read_object(text)}, tell=_tell)
    except Unreadable as problem:
        sys.stdout.write(_line(_error(str(problem))) if "--json" in args else "")
        sys.stderr.write("" if "--json" in args else f"{as_seen(str(problem))}\n")
        return 1
    sys.stdout.write(_line(_as_data(decision)) if "--json" in args else explanation(decision) + "\n")
    return 0


def run_batch(lines: BinaryIO, out: TextIO) -> None:
    if not gc.isenabled():
        # It may go on for long: what is loaded so far stays, what comes of the lines is swept.
        gc.freeze()
        gc.enable()
    for line in lines:
        if line.strip():
            out.write(_line(explain_line(line)))
            out.flush()


def explain_line(line: bytes | str) -> dict[str, Any]:
    """The answer to one line of a batch."""
    try:
        request = read_object(line)
    except Unreadable as problem:
        return {"id": problem.id, **_error(str(problem))}
    try:
        answer = _as_data(decide_for(request))
    except Unreadable as problem:
        answer = _error(str(problem))
    except Exception as fault:
        # A fault of ours is told in the answer, and the other lines go on.
        answer = _error(f"This call could not be judged, a fault of agent-tui: {type(fault).__name__}: {fault}")
    return {"id": request.get("id"), **answer}


def _tell(problem: str) -> None:
    sys.stderr.write(f"{as_seen(problem)}\n")


def decide_for(request: Fields, tell: Callable[[str], None] | None = None) -> Decision:
    """The decision on a request's call, in this folder's world and what the request assumes instead.

    What of this folder's settings is broken is told: the decision was made without it.
    """
    asked = _Asked(request)
    place = Place(asked.folder("cwd") or _here(), asked.folder("home") or home_folder())
    settings = _settings(asked, place)
    if tell:
        for problem in settings.problems:
            tell(problem)
    call = _call(asked, place, settings)
    world = _world(asked, place, settings)
    world = replace(world, git_safe=asked.text("cwd") is not None or _git_is_safe(call, place))
    return _with_word_on_trust(asked, decide(call, world), call, world)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The fields of a request, each looked at once and of the kind it must be."""

    fields: Fields

    def text(self, name: str) -> str | None:
        return self._of(name, str, "text")

    def folder(self, name: str) -> str | None:
        found = self.text(name)
        if found is not None and not found.startswith("/"):
            raise Unreadable(f"`{name}` must be a folder from the root on, such as /home/u.")
        return os.path.normpath(found) if found is not None else None

    def flag(self, name: str) -> bool | None:
        return self._of(name, bool, "true or false")

    def object(self, name: str) -> dict[str, Any] | None:
        return self._of(name, dict, "an object")

    def texts(self, fields: Fields, name: str) -> list[str]:
        found: Any = fields.get(name)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in cast("list[Any]", found)):
            raise Unreadable(f"`{name}` must be a list of texts.")
        return cast("list[str]", found)

    def one_of(self, name: str, choices: Sequence[str]) -> Any:
        found = self.text(name)
        if found is not None and found not in choices:
            raise Unreadable(f"`{name}` must be one of {', '.join(choices)}.")
        return found

    def _of(self, name: str, kind: type, words: str) -> Any:
        found = self.fields.get(name)
        if found is not None and not isinstance(found, kind):
            raise Unreadable(f"`{name}` must be {words}.")
        return found


_SCOPES: tuple[Scope, ...] = ("user", "project", "local")
_KINDS: tuple[Kind, ...] = ("deny", "ask", "allow")


def _settings(asked: _Asked, place: Place) -> Settings:
    """This folder's, or where the request brings its own rules nothing but those."""
    mode = asked.one_of("mode", MODES)
    given = asked.object("rules")
    if given is None:
        trusted = asked.flag("workspace_trusted")
        return load_settings(place.folder, place.home, Flags(mode=mode, trusted=True if trusted is None else trusted))
    trusted = asked.flag("workspace_trusted")
    return Settings(
        rules=_given_rules(asked, given, place),
        mode=mode or "default",
        bypass_allowed=mode == "bypassPermissions",
        trusted=True if trusted is None else trusted,
    )


def _given_rules(asked: _Asked, given: Fields, place: Place) -> RuleSet:
    default = asked.one_of("rules_source", _SCOPES) or "project"
    scopes = _Asked(asked.object("rule_scopes") or {})
    rules = RuleSet()
    for kind in _KINDS:
        scope: Scope = scopes.one_of(kind, _SCOPES) or default
        root = f"{place.home}/.claude" if scope == "user" else place.folder
        source = Source(scope, root)
        rules = rules.plus(*(parse_rule(text, kind, source) for text in asked.texts(given, kind)))
    return rules


def _call(asked: _Asked, place: Place, settings: Settings) -> Call:
    name = asked.text("tool")
    if not name:
        raise Unreadable("`tool` is missing: the name of a tool.")
    changed = asked.object("hook_updated_input")
    raw = (asked.object("input") or {}) if changed is None else changed
    try:
        tool = _base_tool(name, settings, place)
        call = call_of(tool, parse(tool, raw), place) if tool else _known_call(name, raw)
    except ToolError as error:
        raise Unreadable(error.message) from None
    if call is None:
        raise Unreadable(f"There is no tool named {name}.")
    if asked.flag("mcp_definition_changed"):
        call = replace(call, verdict=Verdict("ask", "The server has changed this tool since it was approved."))
    return call


def _base_tool(name: str, settings: Settings, place: Place) -> AnyTool | None:
    """The tool itself where it is built; to judge a call it needs none of its ports but the sandbox."""
    from tools.registry import Ports, find_base_tool

    ports = cast("dict[str, Any]", dict.fromkeys(port.name for port in fields(Ports)))
    if settings.values.get("bash.sandbox", "off") not in ("off", False):
        from agent.shell import sandbox_of

        ports["sandbox"] = sandbox_of(settings, place.folder, place.home)
    return find_base_tool(name, Ports(**ports), settings.features)


def _known_call(name: str, raw: Fields) -> Call | None:
    from agent.scripts.known_subjects import known_call

    return known_call(name, raw)


def _git_is_safe(call: Call, place: Place) -> bool:
    if not any(map(runs_git, call.subjects)):
        return True
    from tools.bash.git_config import git_config_is_safe

    return git_config_is_safe(place.folder)


def _world(asked: _Asked, place: Place, settings: Settings) -> World:
    hook = asked.one_of("hook", ("allow", "deny", "ask"))
    folded = asked.flag("case_insensitive_fs")
    links = asked.object("fs")
    assumed = links is not None or (asked.text("cwd") is not None and asked.text("home") is not None)
    directories = asked.texts(asked.fields, "additional_directories") or settings.additional_directories
    world = World(
        folder=place.folder,
        home=place.home,
        workspace_roots=(place.folder,),
        additional_directories=tuple(directories),
        rules=settings.rules,
        mode=settings.mode,
        hook=Verdict(hook, f"A hook says {hook}.") if hook else None,
        trusted=settings.trusted,
        case_insensitive=sys.platform == "darwin" and not assumed if folded is None else folded,
        bypass_allowed=settings.bypass_allowed,
    )
    return replace(world, links=_links(links or {})) if assumed else world


def _links(given: Fields) -> dict[str, str]:
    """`{"/abs/link": "-> /abs/target"}`; what does not start with an arrow is no link."""
    texts = ((path, value) for path, value in given.items() if isinstance(value, str))
    return {path: value[2:].strip() for path, value in texts if value.startswith("->")}


def _with_word_on_trust(asked: _Asked, decision: Decision, call: Call, world: World) -> Decision:
    """Without a word on it the folder is taken as trusted; where it is not yet and that matters, say so."""
    if "rules" in asked.fields or "workspace_trusted" in asked.fields or is_trusted(world.folder):
        return decision
    until_then = decide(call, replace(world, trusted=False))
    if until_then.kind == decision.kind:
        return decision
    note = f"This folder is not trusted yet; until then the answer is {until_then.kind}."
    step = TraceStep("trust", until_then.kind, world.folder, note)
    return replace(decision, reason=f"{decision.reason} {note}", trace=(*decision.trace, step))


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise Unreadable("The working folder is gone; change to another one.") from None


def _as_data(decision: Decision) -> dict[str, Any]:
    return {"decision": decision.kind, "reason": decision.reason, "trace": [asdict(step) for step in decision.trace]}


def _error(reason: str) -> dict[str, Any]:
    return {"decision": "error", "reason": reason, "trace": []}


def _line(data: Fields) -> str:
    return json.dumps(data) + "\n"
