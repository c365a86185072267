"""The side panel: files, todos, the watcher, one section below the other, empty ones absent. Pure drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.panels.activity import in_short
from tui.render.glyphs import CHEVRON, Mark, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, Part, cut, drawn, fit, middle_cut, wrap
from tui.render.look import Look
from tui.render.safe import one_line
from tui.transcript.times import clock, minute

if TYPE_CHECKING:
    from tools.ports import Todo
    from tui.panels.files import FileFact

GROUND, PICKED = "on $side", "on $pick"
# Free cells at either side.
_EDGE = 2
_SHORTEST_PATH = 8
# From so many cells on, a file's line also says who changed it last, and when.
_WITH_TIMES = 60
_OWN_STYLES = {"M": "", "A": "$add", "D": "$del", "r": "$dim"}
_TODO_MARKS: dict[str, Mark] = {"completed": "ok", "in_progress": "run"}
# Of the screen's height, for the todos above the prompt.
_TODO_SHARE = 3


@dataclass(frozen=True, slots=True)
class WatcherFacts:
    """`milliseconds`: how soon the last change was seen. `trouble` is a sentence."""

    files: int = 0
    folders: int = 0
    milliseconds: int | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class TaskFact:
    """Something in the background: `state` is running, ended, stopped or failed."""

    id: str
    title: str
    state: str
    started: float
    ended: float | None = None
    exit_code: int | None = None
    output: str = ""
    # The last line it has said.
    tail: str = ""

    @property
    def height(self) -> int:
        return 2 if self.tail else 1

    @property
    def sign(self) -> Mark:
        match self.state:
            case "running":
                return "run"
            case "stopped":
                return "stopped"
            case "ended" if not self.exit_code:
                return "ok"
            case _:
                return "failed"


@dataclass(frozen=True, slots=True)
class SideFacts:
    files: tuple[FileFact, ...] = ()
    todos: tuple[Todo, ...] = ()
    watcher: WatcherFacts = WatcherFacts()
    tasks: tuple[TaskFact, ...] = ()

    @property
    def items(self) -> tuple[FileFact | TaskFact, ...]:
        """What can be chosen, in its order on the panel."""
        return (*self.files, *self.tasks)


def side_lines(
    facts: SideFacts,
    width: int,
    height: int,
    ascii: bool = False,
    picked: int | None = None,
    scroll: int = 0,
    now: float = 0.0,
) -> list[Drawn]:
    """At most `height` lines. `picked` is the place of the chosen item, which is always in sight; else `scroll`
    lines are left out above."""
    room = max(width - 2 * _EDGE, 1)
    files = [_file(fact, room, ascii) for fact in facts.files]
    tasks = [line for task in facts.tasks for line in _task(task, room, ascii, now)]
    sections = [
        _section("Files", _changed(facts.files), files, room),
        _section("Todos", _done(facts.todos), [_todo(todo, room, ascii) for todo in facts.todos], room),
        _section("Tasks", _running(facts.tasks), tasks, room),
        _section("Watcher", "", _watcher(facts.watcher, room, ascii), room),
    ]
    lines: list[Drawn] = []
    for section in sections:
        lines += [BLANK, *section] if section else []
    chosen = _place_of(picked, facts)
    if not lines:
        lines = [BLANK, drawn(("No file was read or changed yet.", "$dim"))]
    placed = [_placed(line, number == chosen) for number, line in enumerate(lines)]
    about = _about(facts, picked, room)
    if len(about) >= height:
        about = []
    shown = _window(placed, height - len(about), chosen, scroll)
    space = [BLANK.on(GROUND)] * (height - len(shown) - len(about)) if about else []
    return [cut(line, width) for line in (*shown, *space, *about)]


def todo_lines(todos: Sequence[Todo], look: Look) -> list[Drawn]:
    """The todos alone, above the prompt. Of a list too long for that, the part around what is being done."""
    if not todos:
        return []
    room = max(look.width - 2, 1)
    most = max(look.height // _TODO_SHARE, 3)
    first = 0
    if len(todos) > most:
        current = next((number for number, todo in enumerate(todos) if todo.status != "completed"), len(todos))
        first = max(min(current - 1, len(todos) - most), 0)
    shown = todos[first : first + most]
    left_out = len(todos) - len(shown)
    counted = _done(todos) + (f", {left_out} not shown" if left_out else "")
    title = cut(fit(room - 2, drawn(("Todos", "bold")), drawn((counted, "$dim"))), room - 2)
    return [
        drawn("   ", title),
        *(drawn(" ", _todo(todo, room, look.ascii)) for todo in shown),
    ]


def _section(title: str, count: str, lines: list[Drawn], room: int) -> list[Drawn]:
    return [fit(room, drawn((title, "bold")), drawn((count, "$dim"))), *lines] if lines else []


def _place_of(picked: int | None, facts: SideFacts) -> int | None:
    """The line of an item: an empty one and a title stand above the first of each section."""
    if picked is None or not 0 <= picked < len(facts.items):
        return None
    if picked < len(facts.files):
        return picked + 2
    above = [len(part) + 2 for part in (facts.files, facts.todos) if part]
    earlier = facts.tasks[: picked - len(facts.files)]
    return sum(above) + 2 + sum(task.height for task in earlier)


def _running(tasks: Sequence[TaskFact]) -> str:
    count = sum(task.state == "running" for task in tasks)
    return f"{count} running" if count else ""


def _task(task: TaskFact, room: int, ascii: bool, now: float) -> list[Drawn]:
    running = task.state == "running"
    seconds = (now if task.ended is None else task.ended) - task.started
    time = drawn((in_short(seconds), "$run" if running else "$dim"))
    head = fit(room, drawn(mark(task.sign, ascii), " ", (one_line(task.title), "" if running else "$dim")), time)
    return [head, cut(drawn("  ", (one_line(task.tail), "$dim")), room)] if task.tail else [head]


def _about(facts: SideFacts, picked: int | None, room: int) -> list[Drawn]:
    """In the last line, who touched the chosen file, and when; and what can be done with it."""
    if picked is None or not 0 <= picked < len(facts.files):
        return []
    fact = facts.files[picked]
    parts = [
        (f"{one_line(fact.by)} {clock(fact.by_at)}", "$dim") if fact.by and fact.by_at else "",
        "  " if fact.by and fact.their_at else "",
        (f"{one_line(fact.theirs or 'outside')} {clock(fact.their_at)}", "$other") if fact.their_at else "",
    ]
    who, keys = drawn(*parts), hints(("Enter", "diff"))
    line = fit(room, who, keys if who.width + keys.width + 2 <= room else BLANK)
    return [BLANK.on(GROUND), drawn(" " * _EDGE, line).on(GROUND)]


def _changed(files: Sequence[FileFact]) -> str:
    changed = sum(fact.changed for fact in files)
    return f"{changed} changed" if changed else ""


def _done(todos: Sequence[Todo]) -> str:
    return f"{sum(todo.status == 'completed' for todo in todos)} of {len(todos)}"


def _file(fact: FileFact, room: int, ascii: bool) -> Drawn:
    own = (fact.own, _OWN_STYLES[fact.own])
    theirs = mark("outside", ascii) if fact.theirs else " "
    right = _who_and_how_much(fact, room >= _WITH_TIMES)
    space = room - 3
    right = cut(right, max(space - _SHORTEST_PATH - 2, 0))
    space -= right.width + 2 if right.width else 0
    path = (middle_cut(one_line(fact.path), max(space, 1)), "" if fact.changed else "$dim")
    return fit(room, drawn(own, theirs, " ", path), right)


def _who_and_how_much(fact: FileFact, times: bool) -> Drawn:
    parts: list[Part] = []
    if fact.theirs:
        sizes = _plus_minus(fact.their_added, fact.their_removed) if not fact.gone else ["gone"]
        at = [minute(fact.their_at)] if times and fact.their_at else []
        parts.append((" ".join([one_line(fact.theirs), *at, *sizes]), "$other"))
    if times and fact.by and fact.by_at:
        parts += ["  " if parts else "", (f"{one_line(fact.by)} {minute(fact.by_at)}", "$dim")]
    ours = _plus_minus(fact.added, fact.removed) if fact.own != "D" else ["gone"]
    for number, size in enumerate(ours):
        gap = "" if not parts else " " if number else "  "
        parts += [gap, (size, {"+": "$add", "-": "$del"}.get(size[0], "$dim"))]
    return drawn(*parts)


def _plus_minus(added: int, removed: int) -> list[str]:
    return [*([f"+{added}"] if added else []), *([f"-{removed}"] if removed else [])]


def _todo(todo: Todo, room: int, ascii: bool) -> Drawn:
    style = {"completed": "$dim", "in_progress": "bold"}.get(todo.status, "")
    sign = mark(_TODO_MARKS.get(todo.status, "queued"), ascii)
    return cut(drawn(sign, " ", (one_line(" ".join(todo.content.split())), style)), room)


def _watcher(facts: WatcherFacts, room: int, ascii: bool) -> list[Drawn]:
    if facts.trouble:
        first, *rest = wrap(drawn((one_line(facts.trouble), "$ask")), max(room - 2, 1))
        return [drawn(mark("note", ascii), " ", first), *(drawn("  ", line) for line in rest)]
    if not facts.files:
        return []
    said = f"{_counted(facts.files, 'file')} in {_counted(facts.folders, 'folder')}"
    quick = f"{facts.milliseconds} ms" if facts.milliseconds is not None else ""
    return [fit(room, drawn(mark("ok", ascii), " ", said), drawn((quick, "$dim")))]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _placed(line: Drawn, chosen: bool) -> Drawn:
    edge = drawn((CHEVRON, "bold $run"), " ") if chosen else drawn(" " * _EDGE)
    whole = drawn(edge, line) if line.width or chosen else BLANK
    return whole.on(PICKED if chosen else GROUND)


def _window(lines: list[Drawn], height: int, chosen: int | None, scroll: int) -> list[Drawn]:
    if len(lines) <= height:
        return lines
    # The last line says how much there is below.
    room = max(height - 1, 1)
    first = scroll
    if chosen is not None:
        first = chosen - room // 2
    first = max(min(first, len(lines) - room), 0)
    below = len(lines) - first - room
    said = drawn(" " * _EDGE, (f"{below} more below" if below else f"{first} more above", "$dim"))
    return [*lines[first : first + room], said.on(GROUND)][: max(height, 0)]
