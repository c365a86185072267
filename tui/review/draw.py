"""The screen of the review: how much there is, the files, the hunks in sight, and what can be done. Pure drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.review.review import Item
from tools.short import counted
from tui.render.glyphs import CHEVRON, mark
from tui.render.hints import hints
from tui.render.lines import BLANK, CUT, Drawn, cut, drawn, fit, middle_cut, wrap
from tui.render.look import Look
from tui.render.safe import one_line, safe
from tui.review.looked import Looked, LookedFile

INDENT = 3
# Of the screen's height, for the list of files and for what was said.
FILES_SHARE, TOLD_SHARE = 4, 3
_LEAST_PATH = 12
LOOKING = "Looking at what has changed."
NOTHING = "Nothing of this session's files differs from when you began."
NOTHING_MORE = "What tools, commands and others change in them stands here then, hunk by hunk."
ASKED = "A question waits for your answer: Esc goes back to it."
KEYS = (("k", "keep"), ("u", "undo"), ("c", "comment"), ("n p", "next"))
BACK = ("Esc", "back")


@dataclass(frozen=True, slots=True)
class Writing:
    """A comment or the message of a commit, while it is written."""

    purpose: str
    text: str = ""

    @property
    def first_line(self) -> str:
        first, _, rest = self.text.partition("\n")
        return f"{first}   and {counted(rest.count(chr(10)) + 1, 'line')} below it" if rest else first


@dataclass(frozen=True, slots=True)
class Counts:
    hunks: int
    files: int
    kept: int
    undone: int
    comments: int

    @classmethod
    def of(cls, looked: Looked) -> Counts:
        items = looked.items
        return cls(
            len(items),
            len(looked.files),
            sum(item.kept for item in items),
            sum(item.undone for item in items),
            sum(bool(item.comment) for item in items),
        )


@dataclass(frozen=True, slots=True)
class Foot:
    """What stands below the hunks: what was said, or is written, or waits."""

    told: str = ""
    writing: Writing | None = None
    asked: bool = False


def head_lines(counts: Counts, look: Look, ready: bool) -> list[Drawn]:
    room = max(look.width - 1 - INDENT, 1)
    said = ""
    if counts.hunks:
        said = f"{counted(counts.hunks, 'hunk')} in {counted(counts.files, 'file')} since you began"
        done = [f"{number} {word}" for number, word in ((counts.kept, "kept"), (counts.undone, "undone")) if number]
        said += f"   {', '.join(done)}" if done else ""
    title = drawn(("Review", "bold"), "   ", (said, "$dim"))
    keys = hints(*KEYS, BACK) if counts.hunks else hints(BACK)
    if title.width + keys.width + 2 > room:
        keys = BLANK
    lines = [BLANK, drawn(" " * INDENT, fit(room, title, keys)), BLANK]
    if not counts.hunks:
        words = (LOOKING,) if not ready else (NOTHING, NOTHING_MORE)
        lines += [drawn(" " * INDENT, line) for text in words for line in wrap(drawn((text, "$dim")), room)]
    return lines


def file_lines(looked: Looked, here: Item, short: Callable[[str], str], look: Look) -> list[Drawn]:
    """All files, as far as there is room for them around the chosen one; where it is narrow that one alone."""
    at, count = looked.place_of(here), len(looked.files)
    most = max(look.height // FILES_SHARE, 1) if look.wide else 1
    first = max(min(at - most // 2, count - most), 0)
    shown = range(first, min(first + most, count))
    alone = f"file {at + 1} of {count}, " if len(shown) < count else ""
    return [
        _file(looked.files[number], short, alone if number == at else "", number == at, look) for number in shown
    ] + [BLANK]


def foot_lines(foot: Foot, counts: Counts, here: Item | None, look: Look) -> list[Drawn]:
    room = max(look.width - 1 - INDENT, 1)
    if foot.writing is not None:
        return [drawn(" " * INDENT, _field(foot.writing, room))]
    if foot.told:
        return _told(foot.told, look, room)
    lines = _packed(_offers(counts, here, look), room)
    if foot.asked:
        lines = [cut(drawn((ASKED, "$ask")), room), *lines[:1]]
    return [drawn(" " * INDENT, line) for line in lines]


def _file(file: LookedFile, short: Callable[[str], str], alone: str, here: bool, look: Look) -> Drawn:
    room = max(look.width - 1, 1)
    theirs = mark("outside", look.ascii) if file.changes.others else " "
    right = drawn((f"{alone}{counted(len(file.found.items), 'hunk')}", "$dim"))
    sign = (CHEVRON, "bold $run") if here else " "
    style = {"A": "$add", "D": "$del"}.get(file.own, "$foreground")
    begin = drawn(" ", sign, " ", (file.own, style), theirs, " ")
    path = middle_cut(one_line(short(file.path)), max(room - begin.width - right.width - 2, _LEAST_PATH))
    line = fit(room, drawn(begin, path), right)
    return line.on("on $pick") if here else line


def _told(told: str, look: Look, room: int) -> list[Drawn]:
    most = max(look.height // TOLD_SHARE, 1)
    wrapped = [line for text in safe(told).split("\n") for line in wrap(drawn(text), room)]
    lines = [drawn(" " * INDENT, line) for line in wrapped]
    return lines if len(lines) <= most else [*lines[: most - 1], drawn(" " * INDENT, (CUT, "$dim"))]


def _field(writing: Writing, room: int) -> Drawn:
    keys = hints(("Enter", "done"), ("Esc", "closes"))
    keys = keys if room >= 2 * keys.width else BLANK
    begin = drawn((f"{writing.purpose}: ", "bold $ask"))
    left = max(room - begin.width - keys.width - 3, 1)
    text = one_line(writing.first_line)
    # The end of it, which is where one writes.
    while drawn(text).width > left:
        text = text[1:]
    return fit(room, drawn(begin, text, (" ", "on $foreground")), keys)


def _offers(counts: Counts, here: Item | None, look: Look) -> list[tuple[str, str]]:
    if here is None:
        return []
    offers = [] if look.wide else [*KEYS]
    if here.undone:
        offers = [(key, "put back" if key == "u" else words) for key, words in offers]
    if counts.kept:
        offers += [("s", "stage what is kept" if look.wide else "stage"), ("m", "commit it" if look.wide else "commit")]
    if counts.comments:
        offers.append(("Enter", f"send {counted(counts.comments, 'comment')}" if look.wide else "send"))
    more = [("K", "keep the file"), ("Left Right", "file"), ("e", "editor"), ("Ctrl+O", "detail")]
    return [*offers, *(more if look.wide else [BACK])]


def _packed(offers: Sequence[tuple[str, str]], room: int) -> list[Drawn]:
    """On one line, where it fits, or on two."""
    if not offers:
        return [BLANK]
    line, rest = list(offers), list[tuple[str, str]]()
    while len(line) > 1 and hints(*line).width > room:
        rest.insert(0, line.pop())
    return [hints(*line), *([cut(hints(*rest), room)] if rest else [])]
