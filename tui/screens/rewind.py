"""Going back to before one of the person's messages: they see what that would change, choose, and it is done.

What would change is found out in a thread, again whenever the session says that files changed. A key that does
something counts only as the keys of a question do: what is typed by mistake must not take work back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.timer import Timer

from agent.checkpoints.rewind import FilePlan, Plan
from agent.checkpoints.rewinds import Choice, Done, NotRewound, Undoable, What
from agent.events import Notice
from agent.session import Session
from tools.threads import in_thread
from tui.render.lines import Drawn
from tui.render.look import Look
from tui.rewind.draw import NO_CONVERSATION, NO_FILES, Entry, Layout, Shown, layout_of, most_scroll, rewind_lines
from tui.rewind.words import failed_in_words
from tui.screens.followed import Followed
from tui.screens.page import Page
from tui.screens.rewind_file import RewindFilePage
from tui.sheet.keys import AFTER, ARMING, BEFORE
from tui.work import begin

NOT_ALONE = "Keys count once the screen stands, one at a time: press it again."
LOOK_AGAIN = "What would change is not known yet; press it again in a moment."
COUNTED_AT_ONCE = 20
# How far it is, is told at most so often.
PROGRESS = 0.05
WHAT: dict[str, What] = {"b": "both", "f": "files", "c": "conversation"}


@dataclass(frozen=True, slots=True)
class Doings:
    """What the app does for the page. `show` puts another on top, and hears what that was closed with; `draft`: the
    message that was gone back to, to be written anew."""

    show: Callable[[Page, Callable[[str | None], None]], object]
    short: Callable[[str], str]
    draft: Callable[[str], None]
    status: Callable[[Look], Drawn]
    now: Callable[[], float]


class RewindPage(Followed):
    def __init__(self, session: Session, doings: Doings) -> None:
        super().__init__(self._lines, self._most)
        self._session = session
        self._rewinds = session.rewinds
        self._do = doings
        self._entries: list[Entry] = []
        self._at = 0
        # Of the chosen entry; None until it is known.
        self._plan: Plan | None = None
        self._file: int | None = None
        self._choices: dict[str, Choice] = {}
        self._made: dict[int, tuple[int, int, int]] = {}
        self._told = ""
        self._layout = Layout()
        self._looks = self._once_more = self._counts = self._busy = False
        # When what is to be decided came on the screen, and when something was typed last.
        self._stands_since = 0.0
        self._typed = 0.0
        self._held: tuple[str, Timer] | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self.follow(self._session.bus)

    # -- looking

    async def look_again(self) -> None:
        """The same entry stays chosen, as far as it is there."""
        before = self._here
        undoable = self._rewinds.undoable
        self._entries = [*([undoable] if undoable is not None else []), *self._rewinds.points()]
        same = (at for at, entry in enumerate(self._entries) if before is not None and _is_same(entry, before))
        self._at = next(same, max(min(self._at, len(self._entries) - 1), 0))
        self._look()
        self.redraw()
        if not self._counts:
            begin(self, "counting what was changed", self._count())

    def _look(self) -> None:
        """What would change, anew; one look after the other, and only the last one counts."""
        self._once_more = True
        # What is going back just now is not looked at: it is not yet what it will be.
        if not self._looks and not self._busy:
            self._looks = True
            begin(self, "looking at what would go back", self._look_on())

    async def _look_on(self) -> None:
        try:
            while self._once_more and not self._busy:
                self._once_more = False
                if (entry := self._here) is not None:
                    self._adopt(entry, *await in_thread(self._planned, entry))
        finally:
            self._looks = False

    def _planned(self, entry: Entry) -> tuple[Plan, Layout]:
        """And how it lies on the screen."""
        plan = self._rewinds.undo_plan() if isinstance(entry, Undoable) else self._rewinds.plan(entry.turn)
        return plan, layout_of(plan, self._do.short)

    def _adopt(self, entry: Entry, plan: Plan, layout: Layout) -> None:
        if entry is not self._here or self._busy:
            return
        if plan != self._plan:
            self._stands_since = self._do.now()
            if self.is_attached:
                self.set_timer(ARMING, self.redraw)
        self._plan, self._layout = plan, layout
        if self._file is not None:
            self._file = min(self._file, len(plan.files) - 1) if plan.files else None
        self.redraw()

    async def _count(self) -> None:
        """What each turn changed; of the last one anew, because it may go on."""
        self._counts = True
        try:
            points = self._rewinds.points()
            left = [point.turn for number, point in enumerate(points) if not number or point.turn not in self._made]
            for number, turn in enumerate(left, 1):
                self._made[turn] = await in_thread(self._rewinds.made_in, turn)
                if not number % COUNTED_AT_ONCE or number == len(left):
                    self.redraw()
        finally:
            self._counts = False

    @property
    def _here(self) -> Entry | None:
        return self._entries[self._at] if self._entries else None

    # -- keys

    def takes(self, event: events.Key) -> bool:
        key = (event.character if event.is_printable else event.key) or event.key
        self._told = ""
        if event.is_printable:
            self._printable(key)
        elif key == "escape":
            self._back()
        elif not self._busy:
            self._moves(key)
        if self.is_current:
            self.redraw()
        return True

    def _back(self) -> None:
        if self._file is None:
            self.dismiss(None)
        else:
            self._file = None

    def _moves(self, key: str) -> None:
        steps = {"up": -1, "down": 1, "home": -len(self._entries), "end": len(self._entries)}
        if key in ("pageup", "pagedown") and self._file is None:
            self._scroll(key)
        elif key in ("enter", "right") and self._file is None:
            self._into_files()
        elif key == "enter":
            self._open()
        elif key == "left":
            self._file = None
        elif key in steps:
            self._go(steps[key])

    def _go(self, by: int) -> None:
        if self._file is not None and self._plan is not None:
            self._file = max(min(self._file + by, len(self._plan.files) - 1), 0)
        elif self._entries and (at := max(min(self._at + by, len(self._entries) - 1), 0)) != self._at:
            self._at, self._plan, self.scroll_at = at, None, 0
            self._choices.clear()
            self._look()

    def _into_files(self) -> None:
        if self._plan is not None and self._plan.files:
            self._file = 0
        elif self._plan is not None:
            self._told = NO_FILES

    def _open(self) -> None:
        plan, file = self._plan, self._chosen_file
        if plan is None or file is None:
            return

        def chosen(value: str | None) -> None:
            if value is not None:
                self._choose(value)
            self.redraw()

        name, choice = self._do.short(file.path), self._choices.get(file.path, "theirs")
        self._do.show(RewindFilePage(file, name, choice, lambda: self._rewinds.outcome(plan, file.path)), chosen)

    def _choose(self, value: str) -> None:
        file = self._chosen_file
        if file is not None and file.met:
            self._choices[file.path] = "mine" if value in ("m", "mine") else "theirs"

    @property
    def _chosen_file(self) -> FilePlan | None:
        return self._plan.files[self._file] if self._plan is not None and self._file is not None else None

    # -- keys that do something

    def _printable(self, key: str) -> None:
        """It counts if nothing was typed just before, and if nothing is just after."""
        now, before = self._do.now(), self._typed
        self._typed = now
        if self._held is not None:
            self._held[1].stop()
            self._held = None
            self._told = NOT_ALONE
        elif self._busy:
            return
        elif key in ("m", "t") and self._file is not None:
            self._choose(key)
        elif key == "u" and self._entries and isinstance(self._entries[0], Undoable) and self._at:
            self._file = None
            self._go(-len(self._entries))
        elif key not in WHAT and key != "u":
            return
        elif self._plan is None:
            self._told = LOOK_AGAIN
        elif now - self._stands_since < ARMING or now - before < BEFORE:
            self._told = NOT_ALONE
        else:
            self._held = key, self.set_timer(AFTER, self._take_held)

    def _take_held(self) -> None:
        if self._held is not None:
            key, self._held = self._held[0], None
            self._does(key)
            if self.is_current:
                self.redraw()

    def _does(self, key: str) -> None:
        plan, here = self._plan, self._here
        if plan is None:
            self._told = LOOK_AGAIN
        elif isinstance(here, Undoable):
            if key == "u":
                self._begin(plan, None)
        elif key in WHAT:
            what = WHAT[key]
            if what != "files" and not plan.conversation:
                self._told = NO_CONVERSATION
            elif what == "files" and not any(file.changes or file.met for file in plan.files):
                self._told = NO_FILES
            else:
                self._begin(plan, what)

    def _begin(self, plan: Plan, what: What | None) -> None:
        self._busy = True
        begin(self, "going back", self._go_back(plan, what))

    async def _go_back(self, plan: Plan, what: What | None) -> None:
        drawn_at = 0.0

        def progress(count: int) -> None:
            nonlocal drawn_at
            self._told, now = f"{count} of {len(plan.files)} files.", self._do.now()
            if now - drawn_at >= PROGRESS:
                drawn_at = now
                self.redraw()

        try:
            if what is None:
                done = await self._rewinds.undo(plan, self._choices, progress)
            else:
                done = await self._rewinds.rewind(plan, what, self._choices, progress)
        except NotRewound as problem:
            self._told = str(problem)
            self.redraw()
        else:
            self._done(done)
        finally:
            self._busy = False
            if self.is_attached:
                self._look()

    def _done(self, done: Done) -> None:
        if done.failed:
            named = [(self._do.short(path), why) for path, why in done.failed]
            self._session.bus.emit(Notice(failed_in_words(named), "warning"))
        if done.text:
            self._do.draft(done.text)
        if self.is_attached:
            self.dismiss(None)

    # -- lines

    def _shown(self) -> Shown:
        lit = self._do.now() - self._stands_since >= ARMING
        return Shown(
            entries=self._entries,
            at=self._at,
            plan=self._plan,
            short=self._do.short,
            file=self._file,
            scroll=self.scroll_at,
            choices=self._choices,
            made=self._made,
            told=self._told,
            lit=lit,
            layout=self._layout,
        )

    def _lines(self, look: Look, scroll: int) -> list[Drawn]:
        return rewind_lines(self._shown(), look, self._do.status(look))

    def _most(self, look: Look) -> int:
        return most_scroll(self._shown(), look)


def _is_same(one: Entry, other: Entry) -> bool:
    if isinstance(one, Undoable) or isinstance(other, Undoable):
        return type(one) is type(other)
    return one.turn == other.turn
