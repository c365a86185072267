"""What is said about a session as a whole: its context, its cost, and what stays on the terminal after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.model.prices import window_of
from tools.safe import safe
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, cut, drawn, fit
from tui.render.look import Look

if TYPE_CHECKING:
    from tui.stage import Stage

Facts = list[tuple[str, str]]
ANSWER_LINES = 20
MOST_FILES = 10
_LABEL = 24


def context_words(stage: Stage) -> Facts:
    session, tokens = stage.session, stage.transcript.tally.tokens
    window = window_of(session.about.model)
    messages = session.main.messages
    return [
        ("Context", ""),
        ("model", session.about.model),
        ("window", f"{window:,} tokens"),
        ("used", f"{tokens.context:,} tokens, {100 * tokens.context / window:.1f}%"),
        ("messages", str(len(messages))),
        ("tools", ", ".join(tool.name for tool in session.pool.tools)),
        ("instructions", ", ".join(stage.kinds.ctx.short(one.path) for one in session.about.instructions) or "none"),
    ]


def cost_words(stage: Stage) -> Facts:
    tokens = stage.transcript.tally.tokens
    cost = stage.transcript.tally.cost(stage.session.about.model)
    beside = [
        (f"{name} beside it", f"{one.input:,} tokens read, {one.output:,} answered")
        for name, one in stage.transcript.tally.beside.items()
    ]
    return [
        ("Cost", ""),
        ("read", f"{tokens.input:,} tokens, {tokens.cache_read:,} more from the cache"),
        ("written to the cache", f"{tokens.cache_write:,} tokens"),
        ("answered", f"{tokens.output:,} tokens"),
        *beside,
        ("in all", f"${cost:.4f}" if cost is not None else f"the price of {stage.session.about.model} is not known"),
    ]


def table_lines(facts: Sequence[tuple[str, str]], look: Look) -> list[Drawn]:
    (title, _), *rows = facts
    room = max(look.width - 1, 1)
    back = hints(("Esc", "back"))
    head = [BLANK, drawn("   ", fit(room - 3, drawn((title, "bold")), back)), BLANK]
    return [*head, *(cut(drawn("   ", (name.ljust(_LABEL), "$dim"), value), room) for name, value in rows)]


def farewell(stage: Stage | None, tour: bool) -> str:
    """The last answer, the files that were changed, and how to go on."""
    if stage is None or not stage.arrangement.entries:
        return ""
    parts: list[str] = []
    answer = safe(stage.transcript.last_answer.strip()).split("\n")
    if answer != [""]:
        parts.append("\n".join(["⋯", *answer[-ANSWER_LINES:]] if len(answer) > ANSWER_LINES else answer))
    changed = [fact for fact in stage.files.facts() if fact.own in ("M", "A", "D")]
    if changed:
        told = [f"  {fact.own} {safe(fact.path)}  +{fact.added} -{fact.removed}" for fact in changed[:MOST_FILES]]
        more = [f"  and {len(changed) - MOST_FILES} more"] if len(changed) > MOST_FILES else []
        parts.append("\n".join(["Changed files:", *told, *more]))
    if not tour:
        parts.append(f"agent-tui --resume {stage.session.id}   goes on with this session")
    return "\n\n".join(parts)
