"""The hooks: what runs when, where that is written, and what each last said. Pure drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tools.hooks.runner import Listed
from tui.render.glyphs import Mark, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, cut, drawn, fit
from tui.render.look import Look
from tui.render.safe import one_line

_INDENT = 3
_NONE = 'There are none. A settings file names them: "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [...]}]}'


def hooks_lines(hooks: Sequence[Listed], short: Callable[[str], str], look: Look, scroll: int = 0) -> list[Drawn]:
    """`short` turns a path into the one a person would say."""
    room = max(look.width - 1, 1)
    title = fit(room - _INDENT, drawn(("Hooks", "bold")), hints(("Esc", "back")))
    head = [BLANK, drawn(" " * _INDENT, title), BLANK]
    body = _body(hooks, short, room)
    return [*head, *body[scroll : scroll + max(look.height - len(head), 1)]]


def most_scroll(hooks: Sequence[Listed], short: Callable[[str], str], look: Look) -> int:
    return max(len(_body(hooks, short, max(look.width - 1, 1))) - max(look.height - 3, 1), 0)


def _body(hooks: Sequence[Listed], short: Callable[[str], str], room: int) -> list[Drawn]:
    if not hooks:
        return [cut(drawn(" " * _INDENT, (_NONE, "$dim")), room)]
    return [line for listed in hooks for line in (*_hook(listed, short, room), BLANK)]


def _hook(listed: Listed, short: Callable[[str], str], room: int) -> list[Drawn]:
    hook = listed.hook
    when = drawn((f"{one_line(hook.event)} ", "bold"), (one_line(hook.matcher or "all"), "$dim"))
    where = drawn((one_line(short(hook.where)), "$dim"))
    first = drawn(" ", mark(_sign(listed)), " ", when, "  ", one_line(hook.command))
    said = drawn("   ", (_last(listed), "$dim"))
    return [fit(room, first, where), cut(said, room)]


def _sign(listed: Listed) -> Mark:
    if listed.hook.idle:
        return "failed" if listed.hook.broken else "queued"
    if listed.running:
        return "run"
    return "failed" if listed.last is not None and listed.last.failed else "ok"


def _last(listed: Listed) -> str:
    if listed.hook.idle:
        return one_line(f"does not run: {listed.hook.idle}")
    last = listed.last
    if last is None:
        return "has not run yet"
    how = f"exit {last.exit_code}" if last.exit_code is not None else "did not end by itself"
    return one_line(f"last: {how}, {last.seconds:.1f}s   {last.line}".rstrip())
