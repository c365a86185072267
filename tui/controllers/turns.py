"""What the person says, on its way to the session: messages, shell lines, the queue; and sessions as they come and go.

What is said before the session is open waits for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.worker import Worker

from tui.loading import loading
from tui.work import Begin

if TYPE_CHECKING:
    from agent.assemble import Wanted
    from agent.model.base import Model
    from agent.session import Session

SHELL = "!"


class CannotOpen(Exception):
    """A session that cannot be had; the sentence says why and what to do."""


class Turns:
    """`say` gives short feedback; `hold` is told of the messages that wait for a session; `begin` is `tui.work`'s."""

    def __init__(self, say: Callable[[str], None], hold: Callable[[tuple[str, ...]], None], begin: Begin) -> None:
        # None until it may be told things.
        self.session: Session | None = None
        self._opened: Session | None = None
        self.wanted: Wanted | None = None
        self._say = say
        self._hold = hold
        self._held: list[str] = []
        self._begin = begin
        self._under_way: list[Worker[None]] = []
        self._shell_runs = False

    # -- sessions

    async def open(self, wanted: Wanted, show: Callable[[Session], Awaitable[None]]) -> None:
        """`show` puts it on the screen before it is told anything. Raises CannotOpen."""
        from agent.assemble import open_session
        from agent.store.sessions import SessionError

        try:
            session = await open_session(wanted)
        except SessionError as problem:
            raise CannotOpen(str(problem)) from None
        self.wanted, self._opened = wanted, session
        await show(session)

    def begin(self) -> None:
        """The session may be told things: first what was said while it was opened."""
        self.session = self._opened
        if self.session is not None:
            # Who comes back sees what others did meanwhile before they say anything.
            self.session.wake()
        held, self._held = self._held, []
        self._hold(())
        for text in held:
            self.submit(text)

    async def change(self, resume: str | None, show: Callable[[Session], Awaitable[None]]) -> None:
        """Another session in place of this one, which is kept. Raises CannotOpen; then this one is open again."""
        if self.wanted is None:
            return
        before, self.session = self.session, None
        self._opened = None
        if before is not None:
            await before.close()
        try:
            await self.open(replace(self.wanted, resume=resume, resume_latest=False), show)
        except CannotOpen:
            await self.open(replace(self.wanted, resume=before.id if before is not None else None), show)
            raise
        finally:
            self.begin()

    async def close(self) -> None:
        for work in self._under_way:
            work.cancel()
        if self._opened is not None:
            await self._opened.close()

    def prepare(self) -> None:
        """Load what the first request needs, now that nobody waits for it."""
        if self.wanted is not None and self.wanted.model is not None:
            self._set_out("preparing the first request", _prepare(self.wanted.model))

    # -- what is said

    def submit(self, text: str) -> bool:
        """False for what cannot be sent just now; why has been said."""
        session = self.session
        if session is None:
            self._held.append(text)
            self._hold(tuple(self._held))
        elif not text.startswith(SHELL):
            session.announce()
            session.submit(text)
        elif not text[1:].strip():
            self._say("write a command behind the !")
            return False
        elif self.busy:
            self._say("a command of yours has to wait for the calls; Esc stops them")
            return False
        else:
            self._set_out("running your command", self._run_shell(session, text[1:].strip()))
        return True

    def take_back(self) -> str:
        """What waits, for the box."""
        held, self._held = self._held, []
        self._hold(())
        taken = self.session.take_back() if self.session is not None else ""
        return "\n".join(text for text in (*held, taken) if text)

    @property
    def busy(self) -> bool:
        return self.session is not None and (self.session.busy or self._shell_runs)

    def interrupt(self) -> bool:
        """False where there was nothing to stop."""
        if self.session is None or not self.busy:
            return False
        self.session.interrupt()
        return True

    async def _run_shell(self, session: Session, command: str) -> None:
        self._shell_runs = True
        try:
            await session.run_shell(command)
        finally:
            self._shell_runs = False

    def _set_out(self, what: str, work: Coroutine[Any, Any, None]) -> None:
        self._under_way = [*(one for one in self._under_way if not one.is_finished), self._begin(what, work)]


async def _prepare(model: Model) -> None:
    with loading():
        await model.prepare()
