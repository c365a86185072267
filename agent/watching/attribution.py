"""Who changed a file, as far as that is known: each source of evidence is asked in turn, the surest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent.watching.editors import editor_of
from agent.watching.git import Repositories
from agent.watching.hands import EXTERNAL, Hand, Trace
from agent.watching.peers import Said


def hands_of(traces: Sequence[Trace], said: Said, may_ask_git: Callable[[str], bool]) -> list[Hand]:
    """One for each. `may_ask_git` says it of the top of a repository. Blocking."""
    repositories = Repositories()
    return [_hand_of(trace, said, repositories, may_ask_git) for trace in traces]


def _hand_of(trace: Trace, said: Said, repositories: Repositories, may_ask_git: Callable[[str], bool]) -> Hand:
    if wrote := said.wrote(trace):
        return wrote
    asked = (repositories.hand_of(trace, may_ask_git), editor_of(trace), said.may_have_written(trace))
    found = [hand for hand in asked if hand is not None]
    return next((hand for hand in found if hand.is_sure), found[0] if found else EXTERNAL)
