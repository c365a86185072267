"""The answers of a sheet: always four lines, so that they stand in the same place whatever is asked."""

from __future__ import annotations

from rich.cells import cell_len

from tui.render.glyphs import LEFT, RIGHT
from tui.render.lines import Drawn, Part, cut, drawn, fit
from tui.render.look import Look
from tui.render.safe import one_line
from tui.sheet.slider import chosen, rule_tool, slider, stops_of
from tui.sheet.subject import FILE_TOOLS
from tui.sheet.trace import rule_of
from tui.sheet.view import SheetView, changeable, is_grave, runs_a_command, shown_name

LABEL = 16
# Where a remark or the slider begins: the key, two spaces, the label.
REMARK = 3 + LABEL
Hint = tuple[str, str]
# Of the calls a rule would have allowed, so many are named on its line.
NAMED = 2
USUALLY_IN = ".agent-tui/settings.local.json"


def answer_lines(view: SheetView, look: Look, width: int) -> list[Drawn]:
    """Yes, always (or tell the model), no, and the further keys."""
    second = _tell(view) if view.request.problem else _always(view, look, width)
    return [cut(line, width) for line in (_yes(view), second, _no(view, look), _further(view, look, width))]


def always_off(view: SheetView) -> str:
    """Why "always" is not offered; empty where it is."""
    request = view.request
    asked = [step for step in request.decision.trace if step.verdict == "ask"]
    rule = next((rule_of(step) for step in asked if step.source == "rule"), "")
    if rule:
        return f"{one_line(rule)} in ask wins over any allow"
    sources = {step.source for step in asked}
    if is_grave(request):
        return "protected paths always ask" if "protected" in sources else "what destroys is asked each time"
    if "hook" in sources:
        return "a hook asks each time"
    if "tool" in sources:
        return "this always asks"
    return "" if request.always else "no saved rule would allow just this"


def _out_of_sight(view: SheetView) -> str:
    """A yes to more than this once is for those who have seen all of it."""
    lines = f"{view.unseen} {'line' if view.unseen == 1 else 'lines'}"
    return f"{lines} of it were not in sight yet, PgDn" if view.unseen else ""


def _yes(view: SheetView) -> Drawn:
    if view.request.problem:
        return _answer("y", "yes, once", f"off: {_why_not(view)}", lit=False, off=True)
    if view.confirm:
        does = "run it" if runs_a_command(view.request) else "do it"
        return drawn(("y", _key_style(view.armed)), "  ", (f"press again to {does}", "bold $bad"))
    return _answer("y", "yes, once", lit=view.armed)


def _why_not(view: SheetView) -> str:
    if view.changed is not None or "changed by somebody else" in view.request.problem:
        return "it would overwrite their change"
    return first_sentence(view.request.problem)


def first_sentence(text: str) -> str:
    head, dot, _ = text.split("\n", 1)[0].partition(". ")
    return one_line(head if dot else head.rstrip("."))


def _tell(view: SheetView) -> Drawn:
    edits = view.request.tool in FILE_TOOLS
    told = (
        "it gets what changed and edits anew; you are asked again" if edits else "it hears why, and you are asked again"
    )
    return _answer("r", "tell the model", told, lit=view.armed)


def _always(view: SheetView, look: Look, width: int) -> Drawn:
    off = always_off(view) or _out_of_sight(view)
    if off or not view.request.always:
        return _answer("a", "always", f"off: {off}", lit=False, off=True)
    stops = stops_of(view.request, view.ctx)
    tool = rule_tool(chosen(view.request, view.ctx, view.stop))
    told = "   ".join(["", saved_in(view), would_have(view)]).rstrip() if look.wide else ""
    shown = slider(stops, view.stop, max(width - REMARK - cell_len(told), width // 2))
    label = f"always, {shown_name(tool)}" if tool else "always"
    return cut(_answer("a", label, shown, (told, "$dim"), lit=view.armed), width)


def saved_in(view: SheetView) -> str:
    """Where "always" would keep its rules."""
    if view.place is None:
        return f"in {USUALLY_IN}"
    if view.place.scope == "session":
        return "until you quit"
    return f"in {one_line(view.ctx.short(view.place.path))}"


def would_have(view: SheetView, whole: bool = False) -> str:
    """What the chosen rules would have allowed already: how many calls of this session, and which."""
    if view.reach is None or not view.reach.calls:
        return ""
    names = [one_line(name) for name in view.reach.names]
    shown = names if whole else names[:NAMED]
    more = ", ⋯" if len(names) > len(shown) else ""
    return f"would have allowed {view.reach.calls}: {', '.join(shown)}{more}"


def _no(view: SheetView, look: Look) -> Drawn:
    esc = "Esc no, and stop the turn"
    return _answer("n", "no", f"the agent goes on without it   {esc}" if view.agent else esc, lit=view.armed)


def _answer(key: str, label: str, *remark: Part, lit: bool, off: bool = False) -> Drawn:
    shown = [(part, "$dim") if isinstance(part, str) else part for part in remark]
    return drawn((key, _key_style(lit)), "  ", (f"{label:<{LABEL}}", "$dim" if off else ""), *shown)


def _key_style(lit: bool) -> str:
    return "bold $ask" if lit else "$dim"


def _further(view: SheetView, look: Look, width: int) -> Drawn:
    """The further keys; while something else has the keys, that."""
    if view.field is not None:
        return _field(view, look, width)
    if view.changing:
        told = "runs it as it stands in the box   "
        return drawn("   ", ("Enter", "bold"), (f" {told}", "$dim"), ("Esc", "bold"), (" leaves it as it was", "$dim"))
    if view.draft_has_keys:
        return drawn("   ", ("your draft has the keys: ", "$dim"), ("Tab", "bold"), (" answers", "$dim"))
    line = _keys(view, _hints(view, look.wide))
    return line if line.width <= width else _keys(view, _hints(view, False))


def _keys(view: SheetView, hints: list[Hint]) -> Drawn:
    parts: list[Part] = ["   "]
    for key, does in hints:
        parts += ["   " if len(parts) > 1 else "", (key, "bold" if view.armed else "$dim"), (f" {does}", "$dim")]
    return drawn(*parts)


def _field(view: SheetView, look: Look, width: int) -> Drawn:
    assert view.field is not None
    hints = "Enter sends   Tab " + ("makes it a no" if view.field.yes else "makes it a yes") + "   Esc closes"
    right = drawn((hints, "$dim")) if look.wide else drawn()
    prompt = drawn("   ", ("y" if view.field.yes else "n", "bold $ask"), " with: ")
    room = width - prompt.width - 1 - (right.width + 2 if right.pieces else 0)
    text = one_line(view.field.text)
    # The end of it is where the person types.
    while text and drawn(text).width > room:
        text = text[1:]
    return fit(width, drawn(prompt, text, (" ", "on $run")), right)


def _hints(view: SheetView, wide: bool) -> list[Hint]:
    request = view.request
    hints: list[Hint] = [("Tab", "comment")]
    offered = not always_off(view) and not request.problem and not view.unseen
    if offered:
        hints.append(("t", "for this turn" if wide else "this turn"))
    if changeable(request):
        hints.append(("e", "change it" if wide else "change"))
    hints += _looking(view, wide)
    if offered and len(request.stops) > 1:
        hints.append((f"{LEFT} {RIGHT}", "narrow or widen the rule" if wide else "rule"))
    if offered and wide and view.place is not None:
        hints.append(("s", "save elsewhere"))
    same = 1 + sum(other.tool == request.tool for other in view.then)
    if wide and same > 1:
        hints.append(("A N", f"all {same} like this"))
    return hints


def _looking(view: SheetView, wide: bool) -> list[Hint]:
    """The keys that show more or less of it."""
    request = view.request
    hints: list[Hint] = []
    if request.tool in FILE_TOOLS:
        hints.append(("d", "less" if view.full else "full diff"))
    elif not runs_a_command(request) and len(request.input) > 1:
        hints.append(("d", "less" if view.full else "full input"))
    why = "why am I asked" if request.tool in FILE_TOOLS else "why, in full"
    hints.append(("w", "in short" if view.why else why if wide else "why"))
    return hints
