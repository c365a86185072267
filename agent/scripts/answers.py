"""Who answers the gate when nobody is there: no to everything, or, by the person's own flag, yes."""

from __future__ import annotations

from tools.events import PermissionRequest
from tools.permissions.gate import Answer


def say_no(request: PermissionRequest) -> Answer | None:
    return Answer("no", nobody=True)


def say_yes(request: PermissionRequest) -> Answer | None:
    """Yes, except to removals that ask in every mode and to what can no longer be applied."""
    removal = any(step.source == "removal" and step.verdict == "ask" for step in request.decision.trace)
    return Answer("no", nobody=True) if removal or request.problem else Answer("once")
