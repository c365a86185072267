"""What the commands of the prompt do. Their names and remarks stand in `tui/commands/catalog.py`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tools.threads import in_thread
from tui.commands.catalog import COMMANDS, Unknown, parse
from tui.controllers.words import context_words, cost_words, farewell
from tui.first_paint import MODE_REMARKS, MODE_WORDS
from tui.keys import GROUPS
from tui.screens.help import help_lines, most_scroll
from tui.screens.page import Choice, Page, Pick
from tui.themes import theme_names
from tui.work import begin

if TYPE_CHECKING:
    from tui.app import AgentApp

# Shift+Tab goes through these; bypassPermissions joins where the program was started with it.
CYCLE = ("default", "acceptEdits", "plan", "auto")
BYPASS = "bypassPermissions"
LOOKING = "looking at what the session rests on"
AGENTS = "AGENTS.md"
WRITE_AGENTS = (
    f"Write {AGENTS} for this project, for whoever works on it next: what it is, how it is built, run and tested, "
    "where things are, and what nobody would guess. Look at the files first, say only what you have seen, and keep it "
    "to a page."
)
# What these do needs no session.
WITHOUT_SESSION = frozenset({"help", "keys", "theme", "quit"})


class Commands:
    def __init__(self, app: AgentApp) -> None:
        self._app = app
        self._leaves = False
        self._does: dict[str, Callable[[str], object]] = {
            "help": lambda _: self.keys(),
            "keys": lambda _: self.keys(),
            "clear": lambda _: self._change(None),
            "resume": self._resume,
            "mode": self._mode,
            "model": self._model,
            "theme": self._theme,
            "todos": lambda _: self.todos(),
            "files": lambda _: app.action_side(),
            "review": lambda _: self._review(),
            "rewind": lambda _: self.rewind(),
            "copy": lambda _: self._copy(),
            "export": lambda name: app.say(app.outward.export(name)),
            "memory": lambda _: self._memory(),
            "init": lambda _: self._init(),
            "feedback": lambda _: app.begin("writing the report", self._feedback()),
            "permissions": lambda _: self._permissions(),
            "hooks": lambda _: self._hooks(),
            "health": lambda _: app.begin(LOOKING, self._health()),
            "context": lambda _: self._tell(context_words),
            "cost": lambda _: self._tell(cost_words),
            "quit": lambda _: self.quit(),
        }

    def takes(self, text: str) -> bool:
        """Whether it was a command; else it is a message."""
        match parse(text):
            case None:
                return False
            case Unknown(sentence):
                self._app.say(sentence)
                self._app.box.draft = text
            case command, argument:
                if not self._do(command.action, argument):
                    self._app.box.draft = text
        return True

    def _do(self, action: str, argument: str) -> bool:
        """False for what has to wait; that was said."""
        if self._app.turns.session is None and action not in WITHOUT_SESSION:
            self._app.say("the session is still being opened; press Enter again in a moment")
            return False
        self._does[action](argument)
        return True

    def palette(self) -> None:
        choices = [
            Choice(command.action, f"/{command.name} {command.hint}".strip(), command.remark) for command in COMMANDS
        ]

        def chosen(action: str | None) -> None:
            if action is not None:
                self._do(action, "")

        self._pick(Pick("Commands", choices, ""), chosen)

    def keys(self) -> None:
        self._show(
            Page(
                lambda look, scroll: help_lines(GROUPS, look, scroll),
                lambda look: most_scroll(GROUPS, look),
                status=self._app.scene.status,
            )
        )

    def todos(self) -> None:
        scene, stage = self._app.scene, self._app.scene.stage
        if stage is None or not stage.todos():
            self._app.say("there are no todos yet")
            return
        scene.show_todos = not scene.show_todos
        self._app.frames.now()

    def quit(self) -> None:
        if not self._leaves:
            self._leaves = True
            begin(self._app, "saying what was changed", self._leave())

    async def _leave(self) -> None:
        app = self._app
        try:
            if app.desk is not None:
                await app.desk.panel.measured()
        finally:
            app.exit(farewell(app.scene.stage, app.start.tour))

    def next_mode(self) -> None:
        session = self._app.turns.session
        if session is None:
            return
        modes = (*CYCLE, BYPASS) if session.policy.bypass_allowed else CYCLE
        now = session.policy.mode
        self._mode(modes[(modes.index(now) + 1) % len(modes)] if now in modes else modes[0])

    # -- how it is done

    def _mode(self, name: str) -> None:
        session = self._app.turns.session
        if session is None:
            return
        by_word = {word.lower(): mode for mode, word in MODE_WORDS.items()} | {
            mode.lower(): mode for mode in MODE_WORDS
        }
        mode = by_word.get(name.strip().lower())
        if not name:
            self._choose_mode()
        elif mode is None:
            self._app.say(f"there is no mode {name}; there are {', '.join(MODE_WORDS)}")
        elif session.set_mode(mode):  # pyright: ignore[reportArgumentType] (it is one of the modes)
            self._app.say(f"mode {MODE_WORDS[mode]}")

    def _choose_mode(self) -> None:
        choices = [Choice(mode, word, MODE_REMARKS.get(mode, "")) for mode, word in MODE_WORDS.items()]
        now = self._app.turns.session.policy.mode if self._app.turns.session is not None else ""
        self._pick(Pick("Mode", choices, "", now), lambda mode: self._mode(mode) if mode else None)

    def _model(self, name: str) -> None:
        session = self._app.turns.session
        go_on = f" --resume {session.id}" if session is not None and self._app.scene.stage is not None else ""
        self._app.say(f"{self._app.scene.model} answers; `agent-tui --model {name or 'NAME'}{go_on}` takes another")

    def _theme(self, name: str) -> None:
        app = self._app
        if name:
            app.say(app.choose_theme(name) or f"theme {name}")
            return
        choices = [Choice(known, known) for known in theme_names()]
        self._pick(Pick("Theme", choices, "", app.theme), lambda name: self._theme(name) if name else None)

    def _copy(self) -> None:
        stage = self._app.scene.stage
        self._app.outward.copy(stage.transcript.last_answer if stage is not None else "")

    def _memory(self) -> None:
        app, stage = self._app, self._app.scene.stage
        if stage is None:
            return
        files = [file.path for file in stage.session.about.instructions] or [os.path.join(stage.folder, AGENTS)]
        if len(files) == 1:
            app.outward.open_file(files[0])
            return
        choices = [Choice(path, stage.kinds.ctx.short(path)) for path in files]
        self._pick(Pick("Instructions", choices, ""), lambda path: app.outward.open_file(path) if path else None)

    def _init(self) -> None:
        app, stage = self._app, self._app.scene.stage
        if stage is None:
            return
        if os.path.lexists(os.path.join(stage.folder, AGENTS)):
            app.say(f"{AGENTS} is there already; /memory opens it")
        elif not app.turns.submit(WRITE_AGENTS):
            app.box.draft = WRITE_AGENTS

    async def _feedback(self) -> None:
        from tui.feedback import write_feedback

        app, stage = self._app, self._app.scene.stage
        if stage is not None:
            app.say(await in_thread(write_feedback, stage, app.faults.told, app.size))

    def _resume(self, id: str) -> None:
        if id:
            self._change(id)
            return
        from agent.settings.locations import wanted_state_folder
        from agent.store.sessions import list_sessions
        from tui.screens.welcome import ago

        session = self._app.turns.session
        found = list_sessions(str(wanted_state_folder()), self._app.scene.folder)
        others = [info for info in found if info.title and (session is None or info.id != session.id)]
        now = time.time()
        choices = [Choice(info.id, info.title or info.id, ago(info.last_used, now)) for info in others]
        page = Pick("Sessions", choices, "no other session of this folder")
        self._pick(page, lambda chosen: self._change(chosen) if chosen else None)

    def _change(self, resume: str | None) -> None:
        if self._app.turns.busy:
            self._app.say("something still runs; Esc stops it")
            return
        self._app.begin("opening another session", self._app.opening.change(resume))

    def _review(self) -> None:
        from tui.review.blocks import Naming
        from tui.screens.review import Doings, ReviewPage

        app, stage = self._app, self._app.scene.stage
        if stage is not None:
            doings = Doings(
                app.outward.open_file,
                app.outward.edit_draft,
                app.turns.submit,
                app.scene.status,
                lambda: bool(stage.transcript.calls.questions),
            )
            self._show(ReviewPage(stage.session, Naming(stage.makers, stage.kinds.ctx.short), doings))

    def rewind(self) -> None:
        from tui.screens.rewind import Doings, RewindPage

        app, stage = self._app, self._app.scene.stage
        if stage is not None:
            doings = Doings(app.push_screen, stage.kinds.ctx.short, app.outward.write_anew, app.scene.status, app.now)
            self._show(RewindPage(stage.session, doings))

    def _permissions(self) -> None:
        from tui.screens.rules import RulesPage

        stage = self._app.scene.stage
        if stage is not None:
            self._show(RulesPage(stage.session.rulebook, stage.kinds.ctx.short))

    def _hooks(self) -> None:
        from tui.screens.hooks import hooks_lines, most_scroll

        stage = self._app.scene.stage
        if stage is not None:
            hooks, short = stage.session.hooks, stage.kinds.ctx.short
            self._show(
                Page(
                    lambda look, scroll: hooks_lines(hooks.listed(), short, look, scroll),
                    lambda look: most_scroll(hooks.listed(), short, look),
                    status=self._app.scene.status,
                )
            )

    async def _health(self) -> None:
        from tui.checkup import checkup
        from tui.screens.health import as_text, health_lines, most_scroll

        stage = self._app.scene.stage
        if stage is None:
            return
        items = await in_thread(checkup, stage, self._app.faults.told)

        async def again() -> None:
            items[:] = await in_thread(checkup, stage, self._app.faults.told)
            page.redraw()

        page = Page(
            lambda look, scroll: health_lines(items, look, scroll),
            lambda look: most_scroll(items, look),
            keys={
                "r": lambda: self._app.begin(LOOKING, again()),
                "c": lambda: self._app.outward.copy(as_text(items)),
            },
            status=self._app.scene.status,
        )
        self._show(page)

    def _tell(self, words: Callable[..., list[tuple[str, str]]]) -> None:
        from tui.controllers.words import table_lines

        stage = self._app.scene.stage
        if stage is not None:
            lines = words(stage)
            self._show(
                Page(lambda look, scroll: table_lines(lines, look), lambda look: 0, status=self._app.scene.status)
            )

    def _show(self, page: Page) -> None:
        self._app.show_page(page)

    def _pick(self, page: Pick, chosen: Callable[[str | None], None]) -> None:
        def closed(value: str | None) -> None:
            self._app.back()
            chosen(value)

        self._app.push_screen(page, closed)
