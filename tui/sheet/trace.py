"""Why a call asks, as lines: one for each part of it, or everything that spoke and everything that nearly did."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tools.events import PermissionRequest
from tools.permissions.decision import TraceStep
from tools.view import ViewContext
from tui.render.glyphs import MARKS, Mark
from tui.render.lines import Drawn, Piece, cut, drawn, fit, middle_cut, wrap
from tui.render.safe import one_line
from tui.sheet.view import runs_a_command
from tui.sheet.within import places_of

NEAR_MISS = "near miss"
_MARKS: dict[str, Mark] = {"allow": "ok", "ask": "ask", "deny": "denied"}
_WORDS = {"allow": "allowed", "ask": "asks", "deny": "denied"}
_PATH = re.compile(r"(?P<access>read|edit) (?P<path>.*?)(?: \((?P<via>[^()]*)\))?", re.DOTALL)
_RULE = re.compile(r"`(.*)`", re.DOTALL)
_NO_RULE = "No rule allows it."
OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Row:
    """One part of a call and the word that counts for it."""

    verdict: str
    part: str
    judged: str
    detail: str
    # With what stands between: a rule's file and line, or where the workspace is. Left out where it does not fit.
    more: str = ""


def trace_rows(request: PermissionRequest, ctx: ViewContext) -> list[Row]:
    """In the order in which the parts stand in the call; of each the strictest word."""
    deciding: dict[str, TraceStep] = {}
    nearest: dict[str, TraceStep] = {}
    for step in request.decision.trace:
        (nearest if step.source == NEAR_MISS else deciding).setdefault(step.subject, step)
    command = _command(request)
    ordered = sorted(deciding.values(), key=lambda step: _position(step.subject, command))
    return [_row(step, nearest.get(step.subject), request, ctx) for step in ordered]


def short_trace(request: PermissionRequest, ctx: ViewContext, width: int, most: int) -> list[Drawn]:
    """One line for each part; where there are more than `most`, those that force the question go first."""
    rows = trace_rows(request, ctx)
    if not rows:
        return []
    hidden = len(rows) - max(most - 1, 1) if len(rows) > most else 0
    if hidden:
        rows = sorted(rows, key=lambda row: row.verdict == "allow")[:-hidden]
    part_width = min(max(drawn(row.part).width for row in rows), max(width * 2 // 5, 12))
    judged_width = max(len(row.judged) for row in rows)
    if not runs_a_command(request):
        # A path that keeps its name.
        rows = [replace(row, part=middle_cut(row.part, part_width)) for row in rows]
    lines = [_short_line(row, part_width, judged_width, width) for row in rows]
    if hidden and len(lines) < most:
        lines.append(drawn((f"{hidden} more, w shows {'it' if hidden == 1 else 'them'}", "$dim")))
    return lines


def full_trace(request: PermissionRequest, ctx: ViewContext, width: int) -> list[Drawn]:
    """Every word that was said, then the rules that nearly matched and why they did not."""
    lines: list[Drawn] = []
    for step in request.decision.trace:
        part = (part_of(step.subject, request, ctx), "bold $ask" if step.verdict == "ask" else "")
        said = f"{step.source}: {one_line(step.reason)}" if step.source != NEAR_MISS else f"not {one_line(step.reason)}"
        where = f"  {one_line(ctx.short(step.where))}" if step.where else ""
        lines += wrap(drawn(_mark(step.verdict), " ", part, "  ", (said + where, "$dim")), width, indent=4)
    return lines


def asking_parts(request: PermissionRequest) -> tuple[str, ...]:
    """The subjects that force the question, as the decision names them."""
    return tuple(dict.fromkeys(step.subject for step in request.decision.trace if step.verdict in ("ask", "deny")))


def part_of(subject: str, request: PermissionRequest, ctx: ViewContext) -> str:
    """A subject as the person sees it in the call: a command as it is written, a path in short."""
    found = _PATH.fullmatch(subject)
    if found is None or (runs_a_command(request) and subject in _command(request)):
        return one_line(subject)
    path = one_line(ctx.short(found["path"]))
    return f"{found['access']} {path}" if runs_a_command(request) else path


def _command(request: PermissionRequest) -> str:
    return str(request.input.get("command", "")) if runs_a_command(request) else ""


def _position(subject: str, command: str) -> int:
    """Where the part begins in the command; a path stands after the commands."""
    return next(iter(places_of(subject, command)), len(command))


def _row(step: TraceStep, near: TraceStep | None, request: PermissionRequest, ctx: ViewContext) -> Row:
    part = part_of(step.subject, request, ctx)
    judged, detail = _judged(step)
    nearest = one_line(f"nearest: {rule_of(near)}") if near is not None else ""
    if judged == OUTSIDE:
        # Which file it is stands above; what matters here is where.
        part = part if runs_a_command(request) else part[: part.rfind("/") + 1] or part
        home = ViewContext("", ctx.home)
        workspace = f"; workspace is {one_line(home.short(ctx.folder))}"
        return Row(step.verdict, part, judged, nearest or "not in additionalDirectories", workspace)
    if nearest and step.source == "default" and not detail:
        return Row(step.verdict, part, judged, nearest, _place(near, ctx))
    return Row(step.verdict, part, judged, one_line(detail), _place(step, ctx))


def _place(step: TraceStep | None, ctx: ViewContext) -> str:
    return f"  {one_line(ctx.short(step.where))}" if step is not None and step.where else ""


def _judged(step: TraceStep) -> tuple[str, str]:
    """The fewest words for what was said: the verdict, and what it rests on."""
    word = _WORDS.get(step.verdict, step.verdict)
    match step.source:
        case "rule":
            return _judged_by_rule(step, word)
        case "read-only":
            return _judged_harmless(step.reason)
        case "default":
            return _judged_by_nobody(step.reason)
        case "protected":
            return "protected", _lower(step.reason.partition(": ")[2] or step.reason)
        case "removal":
            return "removes", _lower(step.reason.removeprefix("It would remove "))
        case "unforeseen":
            return "unforeseen", _lower(step.reason)
        case "hook":
            return word, f"a hook: {step.reason}"
        case _:
            return word, _lower(step.reason)


def _judged_by_rule(step: TraceStep, word: str) -> tuple[str, str]:
    if step.reason.startswith("It may become"):
        return "may meet", rule_of(step)
    if "cannot be read" in step.reason:
        return word, f"{rule_of(step)} cannot be read"
    return word, rule_of(step)


def _judged_harmless(reason: str) -> tuple[str, str]:
    if reason == "The command only reads.":
        return "only reads", ""
    if reason == "It leaves the workspace.":
        return "leaves", "the workspace"
    if "in the workspace" in reason or "inside the workspace" in reason:
        return "stays inside", "the workspace"
    return "allowed", _lower(reason)


def _judged_by_nobody(reason: str) -> tuple[str, str]:
    if reason.startswith(_NO_RULE):
        return "no rule", _lower(reason.removeprefix(_NO_RULE).strip())
    if "workspace" in reason:
        return OUTSIDE, ""
    return "no rule", _lower(reason)


def rule_of(step: TraceStep) -> str:
    """The rule that a step speaks of."""
    found = _RULE.search(step.reason)
    return step.rule or (found.group(1) if found else step.reason)


def _lower(sentence: str) -> str:
    """A sentence as part of a line. A name at its start keeps its capitals."""
    bare = sentence.rstrip(".")
    first = bare.split(" ", 1)[0]
    return bare[:1].lower() + bare[1:] if first[1:].islower() or len(first) == 1 else bare


def _mark(verdict: str) -> Piece:
    if verdict not in _MARKS:
        return (" ", "")
    sign, _, style = MARKS[_MARKS[verdict]]
    # Only the sheet's own question is filled.
    return (sign, "bold $ask" if verdict == "ask" else style)


def _short_line(row: Row, part_width: int, judged_width: int, width: int) -> Drawn:
    asks = row.verdict == "ask"
    part = fit(part_width, cut(drawn((row.part, "bold $ask" if asks else "")), part_width))
    judged = (f"{row.judged:<{judged_width}}", "" if asks else "$dim")
    line = drawn(_mark(row.verdict), " ", part, "  ", judged, *(("  ", (row.detail, "$dim")) if row.detail else ()))
    whole = drawn(line, (row.more, "$dim"))
    return whole if whole.width <= width else cut(line, width)
