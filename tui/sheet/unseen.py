"""What the words of a call do not show by themselves: where its paths lead, and what in a command cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator

from tools.bash.hidden import hidden_in
from tools.permissions.subjects import Lead
from tools.view import ViewContext
from tui.render.lines import Drawn, Part, drawn
from tui.render.safe import one_line
from tui.sheet.view import SheetView, runs_a_command

# The part of a call that forces the question.
FORCES = "bold underline $ask"
# Of many links in one command, so many are told.
MOST_LEADS = 8


def unseen_in(view: SheetView) -> Iterator[Drawn]:
    """A sentence for each; none where everything is what it seems."""
    request = view.request
    if runs_a_command(request):
        yield from (drawn(f"{_capital(why)}.") for why in hidden_in(str(request.input.get("command", ""))))
    for lead in request.leads[:MOST_LEADS]:
        yield _lead(lead, view.ctx)
    more = len(request.leads) - MOST_LEADS
    if more > 0:
        yield drawn((f"{more} more of its paths lead elsewhere", "$dim"))


def _lead(lead: Lead, ctx: ViewContext) -> Drawn:
    target = one_line(ctx.short(lead.target))
    told: tuple[Part, ...] = (one_line(ctx.short(lead.path)), (" leads to ", "$dim"))
    if lead.outside:
        return drawn(*told, (target, FORCES), ", outside the workspace")
    return drawn(*told, (target, "bold"))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
