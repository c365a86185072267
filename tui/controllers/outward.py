"""What leaves the program: text to the clipboard, files and drafts to the person's editor, the session to a file."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import App, SuspendNotSupported

from tui.clipboard import LONGEST, copy_by_program
from tui.editor import draft_file, edit_text, editor_command
from tui.render.lines import Piece
from tui.render.look import Look

if TYPE_CHECKING:
    from tui.app import AgentApp
    from tui.controllers.browse import Actions
    from tui.controllers.panel import Doings

EXPORT_WIDTH = 100
NO_EDITOR = "no editor is named: set VISUAL or EDITOR"


def _problem_with(run: Callable[[], object]) -> str:
    """Why the editor could not be used, or nothing."""
    try:
        run()
    except OSError as error:
        return f"the editor cannot be started: {error.strerror}"
    except ValueError:
        return "the editor cannot be started: its name or the file's is none that can be given to a program"
    return ""


class Outward:
    def __init__(self, app: AgentApp) -> None:
        self._app = app

    def actions(self) -> Actions:
        """For the rows of the transcript."""
        from tui.controllers.browse import Actions

        app = self._app

        def cancel(call_id: str) -> bool:
            return app.turns.session is not None and app.turns.session.cancel(call_id)

        def tell(words: str) -> None:
            app.scene.browsing = words
            app.scene.draw_activity(app.clock.spin)

        def leave() -> None:
            app.screen.set_focus(app.box)

        return Actions(cancel, self.copy, self.open_file, app.say, leave, tell)

    def doings(self) -> Doings:
        """For the side panel."""
        from tui.controllers.panel import Doings

        app = self._app
        return Doings(
            self.open_file, app.show_page, app.say, lambda: app.screen.set_focus(app.box), app.frames.now, app.begin
        )

    # -- clipboard

    def copy(self, text: str) -> None:
        """By the terminal, and by a program of the desktop where there is one; says which."""
        if not text.strip():
            self._app.say("there is nothing to copy")
            return
        self._app.begin("copying", self._copy(text))

    async def _copy(self, text: str) -> None:
        by_program = await copy_by_program(text)
        ways = ["the desktop's clipboard"] if by_program else []
        if len(text) <= LONGEST:
            App.copy_to_clipboard(self._app, text)  # pyright: ignore[reportUnknownMemberType] (of which App is left open)
            ways.append("the terminal (OSC 52)")
        self._app.say(
            f"copied by {' and '.join(ways)}" if ways else "too long for the terminal's clipboard, use /export"
        )

    # -- the editor

    def open_file(self, path: str, line: int | None = None) -> None:
        app = self._app
        folder = app.scene.folder or os.getcwd()
        command = editor_command(os.environ, os.path.join(folder, path), line)
        if command is None:
            app.say(NO_EDITOR)
            return
        self._in_the_terminal(lambda: subprocess.run(command, check=False, cwd=folder))

    def edit_draft(self, text: str) -> str:
        """What the person made of it in their editor; the same where that cannot be had."""
        file = draft_file()
        written = [text]
        try:
            command = editor_command(os.environ, file)
            if command is None:
                self._app.say(NO_EDITOR)
                return text

            def edit() -> None:
                written[0] = edit_text(text, command, file)

            self._in_the_terminal(edit)
            return written[0]
        finally:
            os.unlink(file)

    def write_anew(self, text: str) -> None:
        """A message that was taken back, for the person to say otherwise; what they write just now goes before it."""
        if not self._app.box.text:
            self._app.box.draft = text

    def _in_the_terminal(self, run: Callable[[], object]) -> None:
        app = self._app
        try:
            with app.suspend():
                # Whatever is raised in here would leave the terminal to nobody.
                problem = _problem_with(run)
        except SuspendNotSupported:
            problem = "an editor needs a terminal of its own here"
        if problem:
            app.say(problem)
        app.action_redraw()
        app.back()

    # -- files

    def remark(self, path: str) -> Piece:
        """What `@` says of a file besides its name."""
        stage = self._app.scene.stage
        if stage is None:
            return ("", "")
        for fact in stage.files.facts():
            if fact.path == path and fact.theirs:
                return ("≢ changed outside", "$other")
            if fact.path == path and fact.own in ("M", "A"):
                from tui.screens.welcome import ago

                return ("new" if fact.own == "A" else f"changed by me {ago(fact.changed_at, time.time())}", "$dim")
        return ("", "")

    def export(self, path: str) -> str:
        """The session as plain text in a new file; what to tell the person."""
        stage = self._app.scene.stage
        if stage is None:
            return "there is no session yet"
        name = path or time.strftime("agent-tui-%Y-%m-%d-%H%M.txt")
        target = os.path.join(stage.folder, os.path.expanduser(name))
        look = Look(EXPORT_WIDTH, 40, True, self._app.start.ascii, time.time())
        lines: list[str] = []
        for row in stage.arrangement.rows:
            lines += ["", *(line.text.rstrip() for line in row.lines(look))]
        try:
            with open(target, "x", encoding="utf-8") as file:
                file.write("\n".join(lines).strip("\n") + "\n")
        except FileExistsError:
            return f"{name} is there already; give another name"
        except OSError as error:
            return f"{name} cannot be written: {error.strerror}"
        return f"written to {name}"
