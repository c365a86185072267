"""The side panel by keyboard: choosing files and tasks, and what is done with the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from textual import events
from textual.widget import Widget

from tools.threads import in_own_thread, in_thread
from tui.controllers.scene import Scene
from tui.panels.files import FileFact
from tui.panels.side import TaskFact
from tui.render.hints import hints
from tui.render.lines import BLANK, Drawn, cut, drawn, fit
from tui.render.look import Look
from tui.render.safe import one_line
from tui.review.bases import Sources
from tui.review.blocks import Naming
from tui.review.looked import Looked, look, measured
from tui.screens.file import FilePage
from tui.screens.page import Page
from tui.stage import Stage
from tui.tails import tail_of
from tui.work import Begin

# Who leaves waits so long at most to hear what became of the files.
LAST_LOOK_SECONDS = 1.0
# Of a task's output, what its page shows.
MOST_LINES = 5_000


@dataclass(frozen=True, slots=True)
class Doings:
    """What the app does for the panel."""

    edit: Callable[[str, int | None], None]
    show: Callable[[Page], None]
    say: Callable[[str], None]
    leave: Callable[[], None]
    redraw: Callable[[], None]
    begin: Begin


class Panel:
    def __init__(self, stage: Stage, scene: Scene, widget: Widget, doings: Doings) -> None:
        self._stage = stage
        self._scene = scene
        self._widget = widget
        self._do = doings
        # What became of the files, when that was looked at last.
        self._looked = Looked()
        self._looks = False
        self._once_more = False

    def enter(self) -> None:
        """Choose the first item, if there is one."""
        if self._items:
            self._scene.side_pick = self._scene.side_pick or 0
            self._widget.focus()
        self._do.redraw()

    def left(self) -> None:
        self._scene.side_pick = None
        self._do.redraw()

    def takes(self, event: events.Key) -> bool:
        """False for typing, which is the prompt's."""
        items, at = self._items, self._scene.side_pick or 0
        item = items[at] if 0 <= at < len(items) else None
        match event.key:
            case "down" | "j" | "up" | "k":
                by = 1 if event.key in ("down", "j") else -1
                self._scene.side_pick = max(min(at + by, len(items) - 1), 0)
                self._do.redraw()
            case "escape" if not self._scene.parts.view.display:
                # It covers the transcript: the key shuts it.
                return False
            case "escape" | "tab" | "shift+tab":
                self._do.leave()
            case "enter" if item is not None:
                self._open(item)
            case "e" if isinstance(item, FileFact):
                self._do.edit(item.real or item.path, None)
            case "x" if isinstance(item, TaskFact):
                self._stop(item)
            case _:
                return False
        return True

    @property
    def _items(self) -> Sequence[FileFact | TaskFact]:
        return self._stage.side().items

    def _open(self, item: FileFact | TaskFact) -> None:
        if isinstance(item, TaskFact):
            self._do.show(_page(item.title, lambda look: _output(item), end=True))
        else:
            self._do.show(self._file_page(item))

    def _stop(self, task: TaskFact) -> None:
        if task.state == "running":
            self._do.begin(f"stopping {task.title}", self._stage.session.stop_task(task.id))
            self._do.say(f"stopping {task.title}")
        else:
            self._do.say("it has ended")

    def look(self) -> None:
        """Measure anew what became of the files; one look after the other."""
        self._once_more = True
        if not self._looks:
            self._looks = True
            self._do.begin("measuring what became of files", self._look())

    async def _look(self) -> None:
        try:
            while self._once_more:
                self._once_more = False
                self._measure(await in_thread(self._look_at_files))
                self._do.redraw()
        finally:
            self._looks = False

    async def measured(self) -> None:
        """What became of the files, for the last time; what cannot be had soon is as it was told."""
        with suppress(TimeoutError):
            self._measure(await in_own_thread(self._look_at_files, LAST_LOOK_SECONDS))

    def _look_at_files(self) -> Looked:
        session = self._stage.session
        return look(session.review, session.history, self._looked)

    def _measure(self, looked: Looked) -> None:
        self._looked = looked
        self._stage.files.measure({file.path: measured(file, self._stage.makers) for file in looked.read})

    def _file_page(self, fact: FileFact) -> FilePage:
        session = self._stage.session

        def seen(path: str) -> str | None:
            known = session.main.seen.get(path)
            return known.snapshot.hash if known is not None else None

        sources = Sources(session.history, seen, session.trust.folder, lambda: session.policy.trusted)
        naming = Naming(self._stage.makers, self._stage.kinds.ctx.short)
        return FilePage(fact.real, sources, naming, session.bus, self._do.edit)


def _output(task: TaskFact) -> list[Drawn]:
    lines, before = tail_of(task.output, MOST_LINES)
    head = [drawn((f"{before} lines before these", "$dim"))] if before else []
    return [*head, *(drawn(line) for line in lines)] or [drawn(("no output yet", "$dim"))]


def _page(title: str, body: Callable[[Look], list[Drawn]], end: bool = False) -> Page:
    def draw(look: Look, scroll: int) -> list[Drawn]:
        room = max(look.width - 4, 1)
        inner = Look(room, look.height, True, look.ascii, look.now)
        back = hints(("Esc", "back"))
        head = [BLANK, drawn("   ", fit(room, drawn((one_line(title), "bold")), back)), BLANK]
        shown = body(inner)[scroll : scroll + max(look.height - len(head), 1)]
        return [*head, *(drawn("   ", cut(line, room)).on(line.ground) for line in shown)]

    def most(look: Look) -> int:
        return max(len(body(Look(max(look.width - 4, 1), look.height, True))) - max(look.height - 3, 1), 0)

    return Page(draw, most, at_end=end)
