"""How far "always" is to reach: the stops the gate offers, from exactly this call to wider rules, and their line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.events import PermissionRequest
from tools.permissions.names import PATH_TOOLS
from tools.view import ViewContext
from tui.render.glyphs import LEFT, RIGHT
from tui.render.lines import Drawn, cut, drawn
from tui.render.safe import one_line

_RULE = re.compile(r"(?P<tool>\w+)\((?P<spec>.*)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stop:
    """Rules that are saved together, and what they are called on the line."""

    label: str
    rules: tuple[str, ...]


def stops_of(request: PermissionRequest, ctx: ViewContext) -> tuple[Stop, ...]:
    """From narrow to wide; none where "always" is not offered."""
    return tuple(Stop(_label_of(rules, ctx), rules) for rules in request.stops)


def chosen(request: PermissionRequest, ctx: ViewContext, at: int) -> tuple[str, ...]:
    """The rules of the chosen stop."""
    stops = stops_of(request, ctx)
    return stops[max(min(at, len(stops) - 1), 0)].rules if stops else ()


def rule_tool(always: tuple[str, ...]) -> str:
    """The one tool all the rules name; none where they differ or name a tool without a pattern."""
    tools = {found["tool"] if (found := _RULE.fullmatch(rule)) else "" for rule in always}
    return tools.pop() if len(tools) == 1 else ""


def slider(stops: tuple[Stop, ...], at: int, room: int) -> Drawn:
    """All stops on one line, the chosen one raised; where they have no room, the chosen one alone."""
    at = max(min(at, len(stops) - 1), 0)
    labels = [f" {stop.label} " for stop in stops]
    chosen = (labels[at], "bold $foreground on $pick")
    if len(stops) == 1:
        return cut(drawn(chosen), room)
    narrower = (LEFT, "$ask" if at else "$line")
    wider = (RIGHT, "$ask" if at < len(stops) - 1 else "$line")
    shown = [chosen if number == at else (label, "$dim") for number, label in enumerate(labels)]
    line = drawn(narrower, " ", *shown, " ", wider)
    if line.width <= room:
        return line
    alone = drawn(narrower, " ", cut(drawn(chosen), room - 14), " ", wider, (f"  {at + 1} of {len(stops)}", "$dim"))
    return cut(alone, room)


def _label_of(rules: tuple[str, ...], ctx: ViewContext) -> str:
    with_tool = not rule_tool(rules)
    joined = " and " if all("domain:" in rule for rule in rules) else ", "
    return joined.join(_label(rule, ctx, with_tool) for rule in rules)


def _label(rule: str, ctx: ViewContext, with_tool: bool = False) -> str:
    found = _RULE.fullmatch(rule)
    if found is None:
        return one_line(rule)
    spec = found["spec"].removeprefix("domain:")
    if found["tool"] in PATH_TOOLS and spec.startswith("//"):
        spec = ctx.short(spec[1:])
    return one_line(f"{found['tool']} {spec}" if with_tool else spec)
