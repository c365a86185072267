"""Why a call was allowed, in one line: the rule and where it is written, or that the person said yes."""

from __future__ import annotations

import re

from tools.view import ViewContext
from tui.render.lines import Drawn, drawn
from tui.render.safe import one_line
from tui.transcript.entries import Call
from tui.transcript.times import runs_for

_RULE = re.compile(r"`(.*)`", re.DOTALL)


def why_allowed(call: Call, ctx: ViewContext) -> Drawn | None:
    """None where it was not allowed, or nobody has said anything yet."""
    decision = call.decision
    if decision is None or call.phase == "denied":
        return None
    if call.answered:
        after = runs_for(call.answered_at - call.asked_at) if call.asked_at else ""
        return drawn((f"you said yes{f', after {after}' if after else ''}", "$dim"))
    if decision.kind != "allow":
        return None
    step = next((step for step in decision.trace if step.verdict == "allow"), None)
    rule = _RULE.search(step.reason) if step is not None and step.source == "rule" else None
    if step is None or rule is None:
        reason = one_line(step.reason if step is not None else decision.reason).rstrip(".")
        return drawn((f"allowed: {reason[:1].lower()}{reason[1:]}", "$dim"))
    where = f"  {one_line(ctx.short(step.where))}" if step.where else ""
    return drawn(("allowed by ", "$dim"), (one_line(rule[1]), "$foreground"), (where, "$dim"))
