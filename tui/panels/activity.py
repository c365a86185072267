"""The activity line: what goes on just now, in words, with the one spinner of the screen. Pure drawing."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass

from tui.first_frame import LEAST_COLUMNS, LEAST_ROWS
from tui.render.glyphs import SPINNER, SPINNER_ASCII, mark
from tui.render.lines import BLANK, Drawn, Part, Piece, cut, drawn
from tui.render.look import Look
from tui.render.safe import one_line

# Things named before the rest is counted.
_NAMED = 2
_LONGEST_NAME = 40
# What stands before the program a command is about.
_PRELUDE = frozenset({"cd", "export", "set", "source", ".", "pushd", "true", "for", "select", "case", "done", "fi"})
# What stands before a command of a loop or a condition.
_LEADS = frozenset({"do", "then", "else", "if", "elif", "while", "until", "!", "(", "{"})
_WRAPPERS = frozenset({"sudo", "env", "time", "nice", "nohup", "command", "exec", "timeout", "xargs", "stdbuf"})
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNED = re.compile(r"\w+=")
_DURATION = re.compile(r"[\d.]+[smhd]?")


@dataclass(frozen=True, slots=True)
class Work:
    """A call: its tool, and what it is about as far as that is known (a path, a command, a pattern)."""

    tool: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Retry:
    """The model did not answer; `at` is the time of the next try, on the clock of `Look.now`. `most` 0: not known."""

    number: int
    most: int
    at: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Doing:
    """Everything that goes on. `started` is when the turn began, `since` when what is said alone began, if later:
    thinking, answering, waiting for the model."""

    running: tuple[Work, ...] = ()
    writing: tuple[Work, ...] = ()
    thinking: bool = False
    answering: bool = False
    waiting: bool = False
    asking: bool = False
    retry: Retry | None = None
    # Something that runs could go on in the background, and has run long enough for that to be worth a word.
    may_leave: bool = False
    started: float = 0.0
    since: float = 0.0

    @property
    def idle(self) -> bool:
        return self == Doing(started=self.started, since=self.since)

    @property
    def moves(self) -> bool:
        """Whether a spinner and a clock go on: not while everything waits for the person."""
        return not self.idle and self != Doing(asking=True, started=self.started, since=self.since)


def activity_line(
    doing: Doing, look: Look, spin: int, feedback: str = "", below: int = 0, still: bool = False, new: int = 0
) -> Drawn:
    """`spin` counts the spinner's steps; `still` is reduced motion; `below` are lines under what is looked at, `new`
    those of them that came since."""
    room = max(look.width - 2, 1)
    said = one_line(feedback)
    if not doing.moves:
        # A question is the sheet's to say.
        left = drawn(("  " if said else ""), said)
        return _line(left, _hints(doing, below, new), room)
    left = drawn(_sign(look, spin, still), " ", *_words(doing, look))
    if said:
        return _line(left, cut(drawn((said, "$dim")), room // 2), room)
    return _line(left, _hints(doing, below, new), room)


def cramped(doing: Doing, look: Look) -> str:
    """What a terminal that is too small to show much is told while nothing else is to be said."""
    if not doing.idle or (look.width >= LEAST_COLUMNS and look.height >= LEAST_ROWS):
        return ""
    size = f"{LEAST_COLUMNS}x{LEAST_ROWS}"
    sentence = f"There is more to see in {size}: make the terminal larger."
    return sentence if look.width > len(sentence) + 4 else f"Enlarge to {size}"


def words_of(doing: Doing) -> list[str]:
    """Each thing that goes on, the running ones first; a few words each."""
    words = [_runs(work) for work in doing.running] + [_is_written(work) for work in doing.writing]
    if words:
        return words
    if doing.thinking:
        return ["Thinking"]
    return ["Answering"] if doing.answering else []


def in_short(seconds: float) -> str:
    """`4s`, `1m 04s`, `2h 05m`."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02}m"


def _line(left: Drawn, right: Drawn, room: int) -> Drawn:
    if not left.width and not right.width:
        return BLANK
    # What goes on is said before what could be done about it.
    if right.width and left.width and right.width + 2 > room - min(left.width, room // 2):
        right = BLANK
    right = cut(right, room)
    left = cut(left, room - (right.width + 2 if right.width else 0))
    gap = " " * (room - left.width - right.width) if right.width else ""
    return drawn(" ", left, gap, right)


def _sign(look: Look, spin: int, still: bool) -> Piece:
    if still:
        return (mark("run", look.ascii)[0], "$run")
    signs = SPINNER_ASCII if look.ascii else SPINNER
    return (signs[spin % len(signs)], "$run")


def _words(doing: Doing, look: Look) -> list[Part]:
    said = words_of(doing)
    alone = not doing.running and not doing.writing
    if doing.retry is not None and not said:
        return [_retry(doing.retry, look.now)]
    if not said and doing.waiting:
        said = ["Waiting for the model"]
    shown = ", ".join(said[:_NAMED])
    if len(said) > _NAMED:
        shown += f" and {len(said) - _NAMED} more"
    if doing.asking:
        shown = f"{shown}, waiting for you"
    begun = max(doing.started, doing.since) if alone else doing.started
    return [shown, (f"  {in_short(look.now - begun)}", "$dim")]


def _retry(retry: Retry, now: float) -> str:
    left = math.ceil(retry.at - now)
    when = f" in {in_short(left)}" if left > 0 else ""
    why = f": {one_line(retry.reason)}" if retry.reason else ""
    of = f" of {retry.most}" if retry.most else ""
    return f"Retry {retry.number}{of}{when}{why}"


def _hints(doing: Doing, below: int, new: int) -> Drawn:
    parts: list[Part] = []
    if below > 0:
        count, where = (new, "new ") if new else (below, "")
        told = f"{count} {where}{'line' if count == 1 else 'lines'}{'' if new else ' below'}"
        parts += [(told, "$dim"), "   ", ("End", "bold")]
    if doing.moves:
        leave: list[Part] = [("Ctrl+B", "bold"), (" background", "$dim"), "   "] if doing.may_leave else []
        parts += ["   " if parts else "", *leave, ("Esc", "bold"), (" stop", "$dim")]
    return drawn(*parts)


def _runs(work: Work) -> str:
    if not work.subject:
        return f"{_name(work.tool)} runs"
    match work.tool:
        case "Bash":
            return f"{_program(work.subject)} runs"
        case "Read":
            return f"{_file(work.subject)} is being read"
        case "Write" | "Edit":
            return f"{_file(work.subject)} is being changed"
        case "Grep" | "Glob":
            return f"{_name(work.subject)} is being searched"
        case _:
            return f"{_name(work.tool)} {_name(work.subject)} runs"


def _is_written(work: Work) -> str:
    match work.tool:
        case "Write" if work.subject:
            return f"{_file(work.subject)} is being written"
        case "Edit" if work.subject:
            return f"a change of {_file(work.subject)} is being written"
        case "Bash":
            return "a command is being written"
        case _:
            return f"a call of {_name(work.tool)} is being written"


def _file(path: str) -> str:
    return _name(os.path.basename(path.rstrip("/")) or path)


def _name(text: str) -> str:
    return cut(drawn(one_line(text[: 4 * _LONGEST_NAME])), _LONGEST_NAME).text


def _program(command: str) -> str:
    """The word a person would call the command by: `cd web && CI=1 npm ci` is npm."""
    first = ""
    for part in _BETWEEN.split(command[:1_000]):
        words = [word for word in part.split() if word not in _LEADS]
        while words and (_ASSIGNED.match(words[0]) or words[0] in _WRAPPERS):
            wrapper = words.pop(0)
            while "=" not in wrapper and words and (words[0].startswith("-") or _DURATION.fullmatch(words[0])):
                words.pop(0)
        if words and words[0] not in _PRELUDE:
            return _file(words[0].strip("()'\""))
        first = first or (words[0] if words else "")
    return _file(first or command.strip())
