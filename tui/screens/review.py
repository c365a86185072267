"""All changes of the session, hunk by hunk: the person keeps, takes back and comments on them by key.

What was decided lives in `agent.review`; here is what is in sight of it. Files are read in a thread, again whenever the
session says that something changed.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textual import events

from agent.events import Notice
from agent.review.review import Item, NotDone
from agent.review.staging import Staged
from agent.session import Session
from tools.short import counted
from tools.threads import in_thread
from tui.render.lines import Drawn
from tui.render.look import Look
from tui.review.blocks import ItemBlocks, Naming
from tui.review.draw import Counts, Foot, Writing, file_lines, foot_lines, head_lines
from tui.review.looked import Looked, look, ours
from tui.review.window import Window
from tui.screens.followed import Followed
from tui.work import begin

COMMENT, COMMIT = "comment", "commit message"
_WHEEL = 3


@dataclass(frozen=True, slots=True)
class Doings:
    """What the app does for the page."""

    edit: Callable[[str, int | None], None]
    # What the person makes of a text in their editor.
    draft: Callable[[str], str]
    send: Callable[[str], bool]
    status: Callable[[Look], Drawn]
    # Whether a question waits for an answer.
    asked: Callable[[], bool]


class ReviewPage(Followed):
    def __init__(self, session: Session, naming: Naming, doings: Doings) -> None:
        super().__init__(lambda look, scroll: self._lines(look), lambda look: 0)
        self._session = session
        self._review = session.review
        self._naming = naming
        self._do = doings
        self._looked = Looked()
        self._ready = False
        # The place of the chosen item in the order they are gone through.
        self._at = 0
        self._window = Window()
        self._drawings: dict[object, Sequence[Drawn]] = {}
        self._drawn_for: tuple[object, ...] = ()
        self._verbose = False
        self._told = ""
        self._writing: Writing | None = None
        self._busy = False

    def on_mount(self) -> None:
        super().on_mount()
        self.follow(self._session.bus)

    # -- looking

    async def look_again(self) -> None:
        self._adopt(await in_thread(look, self._review, self._session.history, self._looked))
        self._ready = True
        self.redraw()

    def _adopt(self, looked: Looked) -> None:
        """Show these; the chosen item and what is in sight stay where they are, as far as they are there."""
        before, here = self._blocks(), self._here
        self._looked = looked
        self._drawings.clear()
        places = {item.key: place for place, item in enumerate(looked.items)}
        self._at = places.get(here.key if here is not None else (), max(min(self._at, len(places) - 1), 0))
        after = self._blocks()
        if before is not None and after is not None and here is not None and here.key in places:
            self._window.block = max(self._window.block + after.range_here[0] - before.range_here[0], 0)

    @property
    def _here(self) -> Item | None:
        return self._looked.items[self._at] if self._looked.items else None

    # -- keys

    def takes(self, event: events.Key) -> bool:
        self._told = ""
        if self._writing is not None:
            self._write(self._writing, event)
        elif not self._moves(event.key, event.character or ""):
            self._acts(event.character if event.is_printable else event.key)
        if self.is_current:
            self.redraw()
        return True

    def _moves(self, key: str, character: str) -> bool:
        page = max(self._height - 2, 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "space": page, "home": 0, "end": 0}
        if key in steps:
            self._scroll_by(steps[key], key)
        elif character in ("n", "p"):
            self._go(1 if character == "n" else -1)
        elif key in ("left", "right"):
            self._go_to_file(1 if key == "right" else -1)
        else:
            return False
        return True

    def _acts(self, key: str | None) -> None:
        here = self._here
        match key:
            case "escape" | "q":
                self.dismiss(None)
            case "ctrl+o":
                self._verbose = not self._verbose
            case "enter":
                self._send()
            case "s":
                self._begin(self._stage())
            case "m":
                self._writing = Writing(COMMIT)
            case _ if here is not None:
                self._acts_on(here, key)
            case _:
                pass

    def _acts_on(self, here: Item, key: str | None) -> None:
        match key:
            case "k":
                self._keep(here)
            case "K":
                self._keep_file(here)
            case "u":
                self._begin(self._turn(here))
            case "c":
                self._writing = Writing(COMMENT, here.comment)
            case "e":
                self._do.edit(here.path, here.hunk.at + 1)
                self._begin(self.look_again())
            case _:
                pass

    # -- moving

    def _go(self, by: int) -> None:
        if count := len(self._looked.items):
            self._at = (self._at + by) % count
            self._reveal()

    def _go_to_file(self, by: int) -> None:
        here = self._here
        if here is None:
            return
        files = self._looked.files
        at = (self._looked.place_of(here) + by) % len(files)
        first = next(iter(ours(files[at])), files[at].found.items[0])
        self._at = next(place for place, item in enumerate(self._looked.items) if item is first)
        self._reveal()

    def _reveal(self) -> None:
        if (blocks := self._blocks()) is not None:
            self._window.reveal(blocks, *blocks.range_here, self._height)

    def _scroll_by(self, by: int, key: str = "") -> None:
        """What is chosen comes along, so that a key never means a hunk that is out of sight."""
        blocks, height = self._blocks(), self._height
        if blocks is None:
            return
        match key:
            case "home":
                self._window.to(0)
            case "end":
                self._window.to_end(blocks, height)
            case _:
                self._window.scroll(blocks, by, height)
        begun, (first, last) = self._window.begun(blocks, height), blocks.range_here
        if begun and not begun.start <= first < begun.stop:
            item = blocks.item_at(begun.start if last < begun.start else begun.stop - 1)
            self._at = next(place for place, one in enumerate(self._looked.items) if one is item)

    def on_mouse_scroll_up(self) -> None:
        self._scroll_by(-_WHEEL)
        self.redraw()

    def on_mouse_scroll_down(self) -> None:
        self._scroll_by(_WHEEL)
        self.redraw()

    # -- deciding

    def _keep(self, here: Item) -> None:
        try:
            kept = self._review.keep(here)
        except NotDone as problem:
            self._told = str(problem)
            return
        self._adopt(self._looked.marked(self._review))
        if kept and self._at + 1 < len(self._looked.items):
            self._go(1)

    def _keep_file(self, here: Item) -> None:
        """All of ours in the file; once all are kept, none of them."""
        file = self._looked.file_of(here)
        items = [item for item in ours(file) if not item.undone]
        wanted = [item for item in items if not item.kept] or items
        for item in wanted:
            self._review.keep(item)
        done = "kept" if any(not item.kept for item in wanted) else "open again"
        name = self._naming.short(file.path)
        self._told = f"{counted(len(wanted), 'hunk')} of {name}: {done}" if wanted else f"{name} has no hunk to keep"
        self._adopt(self._looked.marked(self._review))

    async def _turn(self, here: Item) -> None:
        """Take it back, or put it back."""
        if here.undone:
            await self._review.put_back(here)
        else:
            await self._review.take_back(self._looked.file_of(here).changes, here)
        await self.look_again()
        self._told = "" if here.undone else "It is as it was before; u puts it back."

    def _send(self) -> None:
        if not self._review.comments:
            self._told = "There is no comment to send yet: c writes one."
            return
        self._do.send(self._review.take_comments(self._naming.short))
        self.dismiss(None)

    # -- git

    async def _stage(self) -> None:
        self._told = "Staging what is kept."
        self.redraw()
        self._tell(await self._review.stage())

    async def _commit(self, message: str) -> None:
        self._told = "Committing what is kept; hooks may take a while."
        self.redraw()
        self._tell(await self._review.commit(message))

    def _tell(self, done: Staged) -> None:
        """Also in the transcript: it is part of what happened."""
        self._told = in_words(done, self._naming.short)
        self._session.bus.emit(Notice(self._told))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """One thing after the other; what could not be done is said."""
        if self._busy:
            work.close()
            self._told = "Wait a moment: the last thing is not done yet."
            return
        self._busy = True
        begin(self, "changing what is reviewed", self._to_its_end(work))

    async def _to_its_end(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except NotDone as problem:
            self._told = str(problem)
            await self.look_again()
        finally:
            self._busy = False
        self.redraw()

    # -- writing

    def _write(self, writing: Writing, event: events.Key) -> None:
        text = writing.text
        match event.key:
            case "escape":
                self._writing = None
                return
            case "enter":
                self._writing = None
                self._written(writing)
                return
            case "backspace":
                text = text[:-1]
            case "ctrl+w":
                text = text.rstrip().rpartition(" ")[0]
            case "ctrl+u":
                text = ""
            case "ctrl+j":
                text += "\n"
            case "ctrl+g":
                text = self._do.draft(text).rstrip()
            case _ if event.is_printable and event.character:
                text += event.character
            case _:
                pass
        self._writing = replace(writing, text=text)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._writing is not None:
            self._writing = replace(self._writing, text=self._writing.text + event.text.rstrip("\n"))
            self.redraw()

    def _written(self, writing: Writing) -> None:
        here = self._here
        if writing.purpose == COMMENT and here is not None:
            self._review.comment(here, writing.text)
            self._adopt(self._looked.marked(self._review))
        elif writing.purpose == COMMIT and writing.text.strip():
            self._begin(self._commit(writing.text.strip()))

    # -- lines

    def _blocks(self) -> ItemBlocks | None:
        here, look = self._here, self._inner
        if here is None or not look.width:
            return None
        drawn_for = (look.width, look.verbose, look.ascii)
        if drawn_for != self._drawn_for:
            self._drawings.clear()
            self._drawn_for = drawn_for
        return ItemBlocks(self._looked, here, self._naming, look, self._drawings)

    @property
    def _inner(self) -> Look:
        return replace(self.look, verbose=self._verbose)

    @property
    def _height(self) -> int:
        """Of what is left for the hunks."""
        above, below = self._frame(self._inner)
        return max(self.size.height - len(above) - len(below), 1)

    def _frame(self, look: Look) -> tuple[list[Drawn], list[Drawn]]:
        counts, here = Counts.of(self._looked), self._here
        above = head_lines(counts, look, self._ready)
        if here is not None:
            above += file_lines(self._looked, here, self._naming.short, look)
        foot = foot_lines(Foot(self._told, self._writing, self._do.asked()), counts, here, look)
        return above, [*foot, self._do.status(look)]

    def _lines(self, look: Look) -> list[Drawn]:
        look = self._inner
        (above, below), blocks = self._frame(look), self._blocks()
        height = max(look.height - len(above) - len(below), 1)
        shown = self._window.shown(blocks, height) if blocks is not None else []
        room = [Drawn()] * (height - len(shown))
        return [*above, *shown, *room, *below]


def in_words(done: Staged, short: Callable[[str], str]) -> str:
    what = f"{counted(done.hunks, 'hunk')} in {counted(done.files, 'file')}"
    if done.commit:
        said = f"Committed {what} as {done.commit}."
    elif done.was_there and done.hunks:
        said = f"{what}: git holds them already."
    else:
        said = f"Staged {what}." if done.hunks else "Nothing could be staged."
    left_out = [f"Left out: {why}." for why in done.left_out]
    return "\n".join([said, *left_out, *([done.said] if done.said else [])])
