"""`agent-tui -p`: one task without a screen. What would ask is denied, unless a rule or mode allows it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, TextIO

from agent.assemble import NotConnected, Wanted, connected_model, open_session
from agent.events import MAIN, ModelAsked, ModelWaiting, Notice, Stamped, TextDone, TurnEnded, Usage
from agent.scripts.answers import say_no
from agent.scripts.options import Options
from agent.scripts.say import say
from agent.session import Session
from agent.settings.merge import Flags
from agent.store.codec import to_line
from agent.store.sessions import SessionError
from tools.events import ToolFinished, ToolInputStarted

_COUNTS = ("input_tokens", "output_tokens", "cache_read", "cache_write")


def main(options: Options) -> int:
    try:
        model = connected_model(os.environ)
    except NotConnected as error:
        print(error, file=sys.stderr)
        return 1
    wanted = Wanted(
        folder=os.getcwd(),
        flags=flags_of(options),
        model=model,
        answerer=say_no,
        read_only=options.read_only,
        simple=options.simple,
        append_system_prompt=options.append_system_prompt,
        max_requests=options.max_turns,
        effort=options.effort,
        resume=options.resume,
        resume_latest=options.continue_,
    )
    try:
        return asyncio.run(_run(wanted, options))
    except SessionError as error:
        print(error, file=sys.stderr)
        return 1


def flags_of(options: Options) -> Flags:
    return Flags(
        mode=options.permission_mode,
        model=options.model,
        allowed_tools=options.allowed_tools,
        disallowed_tools=options.disallowed_tools,
        additional_directories=options.add_dir,
        trusted=True if options.trust else None,
    )


async def _run(wanted: Wanted, options: Options) -> int:
    async with await open_session(wanted) as session:
        writer = _writer(options.output_format, session, sys.stdout)
        session.bus.listen(writer.take)
        session.announce(session.trust.unused())
        signalled = _on_signal(session)
        session.submit(options.task)
        ended = await session.turn_ended()
    assert ended is not None, "a submitted turn ends"
    writer.finish(ended)
    if number := signalled():
        return 128 + number
    return 0 if ended.reason == "done" else 1


def _on_signal(session: Session) -> Callable[[], int]:
    """A signal to end ends the turn as Esc does, so that every call is answered and every child ended; which it was."""
    told: list[int] = []
    loop = asyncio.get_running_loop()

    def end(number: int) -> None:
        told.append(number)
        session.interrupt()
        # A second Ctrl+C waits for nothing.
        loop.remove_signal_handler(signal.SIGINT)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, end, number)
    return lambda: told[0] if told else 0


class _Answer:
    """What the model said after its last call, also where the output limit cut that into several replies."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._called = False

    def take(self, stamped: Stamped) -> None:
        match stamped.event:
            case ToolInputStarted() if stamped.agent == MAIN:
                self._called = True
            case TextDone(text) if stamped.agent == MAIN and text:
                if self._called:
                    self._texts, self._called = [], False
                self._texts.append(text)
            case _:
                return

    @property
    def text(self) -> str:
        return "\n".join(self._texts)


class _Text:
    """The answer on stdout, troubles on stderr."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._answer = _Answer()

    def take(self, stamped: Stamped) -> None:
        self._answer.take(stamped)
        match stamped.event:
            case Notice(text):
                say(text, sys.stderr)
            case ModelWaiting(reason, retry, seconds) if retry:
                say(f"{reason}; asked again in {seconds:.1f} s.", sys.stderr)
            case _:
                return

    def finish(self, ended: TurnEnded) -> None:
        if answer := self._answer.text:
            say(answer, self._out)
        if ended.reason != "done":
            say(ended.detail or ended.reason, sys.stderr)


class _Json:
    """One object at the end."""

    def __init__(self, session_id: str, out: TextIO) -> None:
        self._out = out
        self._session_id = session_id
        self._started = time.monotonic()
        self._answer = _Answer()
        self._spent = _Spent()
        self._notices: list[str] = []
        self._denied: list[dict[str, str]] = []

    def take(self, stamped: Stamped) -> None:
        self._answer.take(stamped)
        match stamped.event:
            case ModelAsked():
                self._spent.next_reply()
            case ModelWaiting(_, retry) if retry:
                self._spent.next_reply()
            case Usage(model="") as usage:
                self._spent.count(usage)
            case Notice(text):
                self._notices.append(text)
            case ToolFinished(id, "denied", code, error=error):
                self._denied.append({"call": id, "code": code, "reason": error})
            case _:
                return

    def finish(self, ended: TurnEnded) -> None:
        whole: dict[str, Any] = {
            "type": "result",
            "ok": ended.reason == "done",
            "reason": ended.reason,
            "detail": ended.detail,
            "result": self._answer.text,
            "session_id": self._session_id,
            "seconds": round(time.monotonic() - self._started, 3),
            "usage": self._spent.total,
            "denied": self._denied,
            "notices": self._notices,
        }
        print(json.dumps(whole, ensure_ascii=False), file=self._out)


class _Spent:
    """What all replies of the turn came to, also those that were asked for again: they are paid for, too."""

    def __init__(self) -> None:
        self._before: Counter[str] = Counter()
        self._reply: dict[str, int] = {}

    def next_reply(self) -> None:
        self._before.update(self._reply)
        self._reply = {}

    def count(self, usage: Usage) -> None:
        """It counts on through one reply: the later number holds."""
        counts = {name: getattr(usage, name) for name in _COUNTS}
        self._reply |= {name: count for name, count in counts.items() if count is not None}

    @property
    def total(self) -> dict[str, int]:
        return dict(self._before + Counter(self._reply))


class _Stream:
    """Every event, one a line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, stamped: Stamped) -> None:
        print(to_line(stamped), file=self._out, flush=True)

    def finish(self, ended: TurnEnded) -> None:
        return


def _writer(form: str, session: Session, out: TextIO) -> _Text | _Json | _Stream:
    match form:
        case "json":
            return _Json(session.id, out)
        case "stream-json":
            return _Stream(out)
        case _:
            return _Text(out)
