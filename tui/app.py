"""The app: puts the parts of the screen together and sends every key, event and command to whom it belongs.

It decides nothing itself. What a session brings (`tui.desk`) is imported after the first frame.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.actions import SkipAction
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.driver import Driver

from tools.threads import in_thread
from tui.controllers.clock import STEPS_A_SECOND, Clock
from tui.controllers.commands import Commands
from tui.controllers.frames import Frames
from tui.controllers.greeting import Greeting
from tui.controllers.opening import Opening
from tui.controllers.outward import Outward
from tui.controllers.scene import TOUR, Parts, Scene
from tui.controllers.turns import Turns
from tui.controllers.twice import Twice
from tui.faults import DRAWING, Faults, in_full, kept_report
from tui.glance import glance
from tui.keys import bindings
from tui.prompt.box import PromptBox
from tui.render.paint import Paint
from tui.themes import DEFAULT, ThemeError, default_variables, load_theme
from tui.transcript.view import TranscriptView
from tui.work import Begin, WorkFailed, begin, hear_of_the_rest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.desk import Desk
    from tui.screens.page import Page
    from tui.sheet.picks import Picking
    from tui.start import Start

# Within this time a second press means the second thing.
QUIT_SECONDS = 1.0
ESCAPE_SECONDS = 0.5


class AgentApp(App[str]):
    TITLE = "agent-tui"
    CSS_PATH = "styles/app.tcss"
    AUTO_FOCUS = "PromptBox"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(self, start: Start, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.start = start
        # Of what depends on how long ago a key was pressed or a question painted.
        self.now = now
        self.paint = Paint(start.ascii, self.no_color)
        still = self.animation_level == "none"
        self.box = PromptBox(ascii=start.ascii, id="prompt")
        self.view = TranscriptView([], id="transcript")
        self.scene = Scene(Parts(self.view, self.box), start.ascii, still)
        self.desk: Desk | None = None
        self.faults = Faults()
        self.frames = Frames(self._draw)
        self.clock = Clock(self._moves, self._step, still)
        self.begin: Begin = partial(begin, self)
        self.turns = Turns(self.say, self._hold, self.begin)
        self.outward = Outward(self)
        self.opening = Opening(self)
        self.welcome = Greeting(self)
        self.commands = Commands(self)
        self._seen = glance((), os.environ)
        self._twice = Twice(now)
        self.theme_problem = self.choose_theme(start.theme or (self._seen.theme if self._seen is not None else DEFAULT))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return default_variables()

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            yield self.scene.parts.view
            yield self.scene.parts.side
        with Vertical(id="foot"):
            yield self.scene.parts.activity
            yield self.scene.parts.sheet
            yield self.scene.parts.queue
            yield self.scene.parts.todos
            yield self.scene.parts.box
            yield self.scene.parts.status
        yield self.scene.parts.menu

    def on_mount(self) -> None:
        if self._seen is not None:
            self.scene.mode, self.scene.model = self._seen.mode, self._seen.model
        self.scene.folder = self.start.folder
        self.scene.model = TOUR if self.start.tour else self.scene.model
        # As late as possible: whatever is typed from here on comes as keys.
        self.box.draft = self.start.typed()
        self.screen.set_focus(self.box)
        self._draw()
        hear_of_the_rest(self)
        self.call_after_refresh(self.opening.begin)

    # -- drawing

    def _draw(self) -> None:
        if not self.is_running:
            return
        self.scene.draw(self.clock.spin)
        if self.desk is not None:
            self.desk.show_questions(time.time())
        self.clock.wake()

    def _moves(self) -> bool:
        return self.is_running and self.app_focus and self.scene.moves

    def _step(self) -> None:
        if not self.is_running:
            # The parts of the screen go before the clock is stopped.
            return
        self.scene.draw_activity(self.clock.spin)
        if self.view.lives:
            self.view.update(time.time())
        if self.scene.panel_moves and self.clock.spin % STEPS_A_SECOND == 0:
            self.frames.want()

    def say(self, words: str) -> None:
        """Short feedback, in the activity line."""
        self.scene.say(words)
        self.frames.now()

    def _hold(self, texts: tuple[str, ...]) -> None:
        """Messages that wait for a session to be open."""
        self.scene.held = texts
        self.frames.want()

    def fault(self, fault: Exception, what: str = DRAWING) -> str:
        """Something of ours did not work; the status line says so. What the health page will say of it."""
        told = self.faults.take(what, fault)
        self.scene.faults = len(self.faults.told)
        self.log.error(repr(fault))
        return told

    @on(WorkFailed)
    async def _work_failed(self, message: WorkFailed) -> None:
        sentence = in_full(self.fault(message.error, message.what), await in_thread(kept_report, message.error))
        if self.turns.session is not None:
            self.turns.session.announce(sentence)
        else:
            self.welcome.say(sentence)
        self.frames.now()

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        self.frames.now()
        if self.desk is not None:
            self.desk.approvals.redraw()

    def on_app_focus(self) -> None:
        self.frames.want()

    def on_app_blur(self) -> None:
        self.clock.stop()

    def choose_theme(self, name: str) -> str:
        """What is wrong with it, or nothing."""
        try:
            theme = load_theme(name)
        except ThemeError as problem:
            if name != DEFAULT:
                self.choose_theme(DEFAULT)
            return str(problem)
        self.register_theme(theme)
        self.theme = name
        return ""

    def watch_theme(self, theme_name: str) -> None:
        self.paint.reset()

    # -- keys

    async def on_event(self, event: events.Event) -> None:
        """The sheet and the rows hear a key before anybody else, while they are in sight."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._twice.pressed(event.key if isinstance(event, events.Key) else "")
            if self._takes(event):
                event.stop()
                self.frames.now()
                return
        await super().on_event(event)

    def _takes(self, event: events.Key | events.Paste) -> bool:
        return self.desk is not None and len(self.screen_stack) == 1 and self.desk.takes(event)

    def back(self) -> None:
        """Something else had the terminal: what asks is armed anew."""
        self.frames.now()
        if self.desk is not None:
            self.desk.show_questions(time.time(), again=True)

    def show_page(self, page: Page) -> None:
        self.push_screen(page, lambda _: self.back())

    def pick_hunks(self, picking: Picking, picked: Callable[[str | None], None]) -> None:
        from tui.screens.hunks import HunkPage

        def closed(text: str | None) -> None:
            self.back()
            picked(text)

        self.push_screen(HunkPage(picking, self.now), closed)

    # -- the prompt

    @on(PromptBox.Sent)
    def _sent(self, message: PromptBox.Sent) -> None:
        if self.desk is not None and self.desk.approvals.sent(message.text):
            self.frames.now()
            return
        if not self.commands.takes(message.text) and not self.turns.submit(message.text):
            self.box.draft = message.text
        self.view.follow()
        self.frames.now()

    @on(PromptBox.EnterAlone)
    def _begin_the_tour(self) -> None:
        if self.start.tour and self.scene.stage is not None and not self.scene.stage.arrangement.entries:
            from agent.tour.script import TASK

            self.turns.submit(TASK)
            self.frames.now()

    @on(PromptBox.TakeBack)
    def _take_back(self) -> None:
        taken = self.turns.take_back()
        self.box.draft = "\n".join(text for text in (taken, self.box.draft) if text)
        self.frames.now()

    @on(PromptBox.PutAside)
    def _put_aside(self, message: PromptBox.PutAside) -> None:
        self.say("draft put aside, Ctrl+S brings it back" if message.away else "the draft is back")

    @on(PromptBox.EditOutside)
    def _edit_outside(self, message: PromptBox.EditOutside) -> None:
        self.box.draft = self.outward.edit_draft(message.text)

    @on(PromptBox.Keys)
    def _show_keys(self) -> None:
        self.commands.keys()

    @on(PromptBox.MenuChanged)
    def _menu_changed(self, message: PromptBox.MenuChanged) -> None:
        self.scene.menu = message.menu
        self.scene.place_menu()

    @on(PromptBox.Changed)
    def _typed(self) -> None:
        if self.desk is not None:
            self.desk.approvals.draft_changed()
        if self.scene.menu is not None:
            self.call_after_refresh(self.scene.place_menu)

    # -- the transcript

    @on(TranscriptView.Chosen)
    def _row_clicked(self, message: TranscriptView.Chosen) -> None:
        if self.desk is not None:
            self.desk.browse.open_picked(message.pick)

    @on(TranscriptView.Moved)
    def _scrolled(self) -> None:
        self.scene.draw_activity(self.clock.spin)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        if self.desk is None or event.widget not in (self.view, self.scene.parts.side):
            return
        if event.widget is self.view:
            self.desk.browse.left()
        else:
            self.desk.panel.left()
        self.desk.approvals.draft_changed()

    def action_tab(self) -> None:
        if self.box.menu is not None or len(self.screen_stack) > 1:
            raise SkipAction
        if self.focused is self.view:
            self.screen.set_focus(self.box)
        elif not self.box.text and self.desk is not None:
            self.desk.browse.enter()

    # -- keys of the whole screen

    def action_escape(self) -> None:
        if self.scene.side_open and not self.view.display:
            self.action_side()
        elif self.turns.interrupt():
            self._twice.forget()
        elif self._twice.again("escape", ESCAPE_SECONDS):
            if self.box.text:
                self._clear()
            else:
                self.commands.rewind()

    def _clear(self) -> None:
        self.box.clear_to_history()
        self.say("cleared, Up brings it back")

    def action_next_mode(self) -> None:
        self.commands.next_mode()

    def action_stop_or_quit(self) -> None:
        if self.screen.get_selected_text():
            raise SkipAction
        if self.turns.interrupt():
            return
        if self.box.text:
            self._clear()
        elif self._twice.again("ctrl+c", QUIT_SECONDS):
            self.commands.quit()
        else:
            self.say("Ctrl+C again quits")

    def action_quit_empty(self) -> None:
        if self._twice.again("ctrl+d", QUIT_SECONDS):
            self.commands.quit()
        else:
            self.say("Ctrl+D again quits")

    async def on_unmount(self) -> None:
        self.frames.stop()
        self.clock.stop()
        if self.desk is not None:
            self.desk.approvals.stop()
        await self.turns.close()

    def copy_to_clipboard(self, text: str) -> None:
        """What Textual has copied: by all ways there are. A selection then no longer keeps Ctrl+C from stopping."""
        self.outward.copy(text)
        self.screen.clear_selection()

    async def action_quit(self) -> None:
        self.commands.quit()

    def action_verbose(self) -> None:
        self.view.set_verbose(not self.view.verbose)
        self.frames.now()

    def action_side(self) -> None:
        self.scene.side_open = not self.scene.side_open
        self.frames.now()
        if self.desk is not None and self.scene.side_open:
            self.desk.panel.look()
        if not self.scene.side_open:
            self.screen.set_focus(self.box)
        elif self.desk is not None and not self.box.text:
            # Its display is new: it can have the keys once it is laid out.
            self.call_after_refresh(self.desk.panel.enter)

    def action_background(self) -> None:
        moved = self.desk is not None and self.desk.background()
        self.say("it goes on in the background, F2 shows it" if moved else "nothing runs that could go there")

    def action_todos(self) -> None:
        self.commands.todos()

    def action_page(self, count: int) -> None:
        self.view.scroll_pages(count)

    def action_to_start(self) -> None:
        self.view.to_start()

    def action_follow(self) -> None:
        self.view.follow()

    def action_palette(self) -> None:
        self.commands.palette()

    @on(Driver.SignalResume)
    def _resumed(self) -> None:
        """Back from the shell: nothing of ours is on the screen then."""
        self.action_redraw()
        self.back()

    def action_redraw(self) -> None:
        self.refresh(layout=True)
        self.screen.refresh(layout=True)
        self.view.refresh()
