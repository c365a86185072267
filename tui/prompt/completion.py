"""What the menu above the prompt offers, and how it is drawn. Data only; the box asks and takes.

`/` at the very start offers commands, `@` at the start of any word offers files. The history search shows itself in
the same menu.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len

from tui.commands.catalog import Command
from tui.render.lines import Drawn, Piece, cut, drawn, fit, middle_cut
from tui.render.look import Look
from tui.render.safe import one_line

Kind = Literal["command", "file", "history"]

SHOWN = 8
# Further ones are found by typing, not by scrolling.
MOST_CANDIDATES = 40
LONGEST_WORD = 80

_COMMAND = re.compile(r"/[\w:-]*")
# Not inside a word, as in an address of mail.
_FILE = re.compile(r"""(?:^|(?<=[\s("'`\[{<,:=]))@([^\s@]*)$""")


class Candidate(NamedTuple):
    """`put` goes into the box, `name` is shown, `remark` says one thing about it."""

    put: str
    name: str
    remark: Piece = ("", "")


class Trigger(NamedTuple):
    """A word under the cursor that asks for the menu. `start` is its column, its sign included."""

    kind: Kind
    start: int
    word: str


class Completion(NamedTuple):
    """The menu. `start` is the column from which the chosen one replaces what was typed."""

    kind: Kind
    start: int
    word: str
    candidates: tuple[Candidate, ...]
    chosen: int = 0

    @property
    def choice(self) -> Candidate | None:
        return self.candidates[self.chosen] if self.candidates else None

    def moved(self, by: int) -> Completion:
        """The next or previous one is chosen; after the last comes the first."""
        return self._replace(chosen=(self.chosen + by) % len(self.candidates)) if self.candidates else self


def trigger_at(before: str, first_line: bool) -> Trigger | None:
    """What the text of the line before the cursor asks for, if anything."""
    if first_line and before.startswith("/") and _COMMAND.fullmatch(before):
        return Trigger("command", 0, before[1:])
    if "@" in before and (found := _FILE.search(before)) and len(found[1]) <= LONGEST_WORD:
        return Trigger("file", found.start(), found[1])
    return None


def command_menu(commands: Sequence[Command], trigger: Trigger) -> Completion | None:
    """The commands whose name fits what was typed, those that begin with it first; None if there is none."""
    by_name = {command.name: command for command in commands}
    fitting = best(tuple(by_name), trigger.word) if trigger.word else list(by_name)
    offered = tuple(_command_candidate(by_name[name]) for name in fitting)
    return Completion("command", trigger.start, trigger.word, offered) if offered else None


def _command_candidate(command: Command) -> Candidate:
    name = f"/{command.name}"
    if not command.hint:
        return Candidate(name, name, (command.remark, "$dim"))
    return Candidate(f"{name} ", f"{name} {command.hint}", (command.remark, "$dim"))


def best(names: Sequence[str], word: str, most: int = MOST_CANDIDATES) -> list[str]:
    """The names that hold the word's characters in their order, the closest first. For paths, what follows the last
    slash counts most."""
    if not word:
        return heapq.nsmallest(most, names, key=lambda name: (name.count("/"), name))
    wanted = word.lower()
    # Each part ends at the first place it can: nothing to try again, however long the name is.
    spread = re.compile("".join(f"[^{re.escape(letter)}]*({re.escape(letter)})" for letter in wanted), re.DOTALL)
    fitting = (
        (*_distance(lowered, wanted, found.start(1), found.end()), name)
        for name in names
        if (found := spread.match(lowered := name.lower()))
    )
    return [name for *_, name in heapq.nsmallest(most, fitting)]


def _distance(name: str, wanted: str, first: int, end: int) -> tuple[int, int, int]:
    """How far a name is from what was typed: less is closer."""
    last_part = name.rfind("/") + 1
    at = name.find(wanted, last_part)
    if at == last_part:
        return 0, 0, len(name)
    if at > 0:
        return (2 if name[at - 1].isalnum() else 1), 0, len(name)
    if wanted in name:
        return 3, 0, len(name)
    return 4, end - first, len(name)


def menu_lines(completion: Completion, look: Look) -> list[Drawn]:
    """At most eight lines for the place above the prompt, the chosen one always among them."""
    total = len(completion.candidates)
    if not total:
        return [fit(look.width, drawn("   ", ("nothing fits", "$dim"))).on("on $sheet")]
    top = max(0, completion.chosen - SHOWN + 1)
    shown = completion.candidates[top : top + SHOWN]
    room = max(look.width - 4, 1)
    names = [_name(candidate, completion.kind, room) for candidate in shown]
    column = max(map(cell_len, names)) + 3
    lines: list[Drawn] = []
    for number, (candidate, name) in enumerate(zip(shown, names, strict=True), start=top):
        is_chosen = number == completion.chosen
        count = drawn((f"{number + 1} of {total} ", "$dim")) if is_chosen and total > SHOWN else Drawn()
        lines.append(_line(candidate, name, column, is_chosen, count, look))
    return lines


def _name(candidate: Candidate, kind: Kind, room: int) -> str:
    name = one_line(candidate.name)
    if kind == "file":
        return middle_cut(name, room)
    return cut(drawn(name), max(room * 3 // 4, 1)).text


def _line(candidate: Candidate, name: str, column: int, is_chosen: bool, count: Drawn, look: Look) -> Drawn:
    edge = " > " if is_chosen and look.ascii else "   "
    remark, style = candidate.remark
    left = drawn(edge, (name, "bold" if is_chosen else ""))
    if remark:
        left = drawn(left, " " * (column - cell_len(name)), (one_line(remark), style))
    return fit(look.width, left, count).on("on $pick" if is_chosen else "on $sheet")
