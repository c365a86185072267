"""From a tool's input to the call that is judged, and from a decision to words. The gate and `explain` share both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.context import Place
from tools.contract import AnyTool
from tools.inputs import ToolInput
from tools.permissions.decision import Decision, TraceStep
from tools.permissions.names import MATCHED_FIELDS
from tools.permissions.world import Call

_HEADLINES = {"allow": "allowed", "ask": "would ask", "deny": "denied"}


def call_of(tool: AnyTool, input: Any, place: Place) -> Call:
    """What the tool says of itself for this input, as data."""
    return Call(
        tool=tool.name,
        aliases=tool.aliases,
        subjects=tool.permission_subjects(input, place),
        read_only=tool.is_read_only(input),
        destructive=tool.is_destructive(input),
        touches_nothing=tool.touches_nothing,
        verdict=tool.check_permissions(input, place),
        parameters=parameters_of(tool.name, raw_input(input)),
    )


def raw_input(input: Any) -> Mapping[str, Any]:
    """An input as it was given, without what was left out."""
    return input.model_dump(exclude_unset=True) if isinstance(input, ToolInput) else input


def parameters_of(tool: str, raw: Mapping[str, Any]) -> dict[str, str]:
    """The plain fields a rule may name; what the tool's rules match in their own way is left out."""
    matched = MATCHED_FIELDS.get(tool)
    return {name: _plain(value) for name, value in raw.items() if name != matched and _is_plain(value)}


def explanation(decision: Decision) -> str:
    """The decision for a person: the word, the reason, and who said what, each on a line of its own."""
    lines = [f"{_HEADLINES[decision.kind]}: {decision.reason}"]
    lines += [_line(step) for step in decision.trace]
    return "\n".join(map(as_seen, lines))


def as_seen(line: str) -> str:
    """What a call holds may steer a terminal, or pretend to be a line of ours."""
    if line.isascii() and line.isprintable():
        return line
    # Only now: to load it takes longer than to decide.
    from tools.safe import one_line

    return one_line(line)


def _line(step: TraceStep) -> str:
    where = f"  [{step.where}]" if step.where else ""
    verdict = "-" if step.verdict == "none" else step.verdict
    return f"  {verdict:5}  {step.source}: {step.subject}: {step.reason}{where}"


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _plain(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
