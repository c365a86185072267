"""`agent-tui call`: one call, or a batch of them in one session, through the whole pipeline, for scripts."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, TextIO

from agent.assemble import Wanted, open_session
from agent.events import Notice, Stamped
from agent.scripts.answers import say_no, say_yes
from agent.scripts.lines import Unreadable, read_json, read_object
from agent.scripts.say import say
from agent.session import Session
from agent.settings.merge import Flags
from tools.pipeline import Answered, ToolUse

USAGE = "Usage: agent-tui call [--yes] [--trust] TOOL JSON, or agent-tui call --batch [--yes] [--trust] < lines"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a batch: a call, or why it cannot be read."""

    id: Any
    use: ToolUse | None
    problem: str = ""


def main(args: list[str]) -> int:
    flags = {arg for arg in args if arg in ("--yes", "--batch", "--trust")}
    rest = [arg for arg in args if arg not in flags]
    if "--batch" in flags:
        return _refuse(f"{USAGE}.") if rest else asyncio.run(_batch(flags, sys.stdin.buffer, sys.stdout))
    if len(rest) != 2 or rest[0].startswith("-"):
        return _refuse(f"{USAGE}.")
    try:
        raw = read_json(rest[1])
    except Unreadable as problem:
        return _refuse(f"The input of {rest[0]}: {problem}")
    return asyncio.run(_one(flags, ToolUse("call-1", rest[0], raw)))


async def _one(flags: set[str], use: ToolUse) -> int:
    # Kept, because what it answers may name a file with the rest of a long output.
    async with await open_session(_wanted(flags, keep=True)) as session:
        _tell_notices(session)
        answered = (await session.main.run_calls([use]))[0]
    say(text_of(answered), sys.stdout if answered.outcome == "ok" else sys.stderr)
    return 0 if answered.outcome == "ok" else 1


async def _batch(flags: set[str], lines: BinaryIO, out: TextIO) -> int:
    async with await open_session(_wanted(flags)) as session:
        _tell_notices(session)
        for number, line in enumerate(_read(lines), 1):
            print(json.dumps(await _answer(session, line, number)), file=out, flush=True)
    return 0


async def _answer(session: Session, line: Line, number: int) -> dict[str, Any]:
    if line.use is None:
        return {"id": line.id, "ok": False, "outcome": "failed", "code": "invalid_input", "result": line.problem}
    use = ToolUse(f"call-{number}", line.use.name, line.use.input)
    answered = (await session.main.run_calls([use]))[0]
    ok = answered.outcome == "ok"
    return {"id": line.id, "ok": ok, "outcome": answered.outcome, "code": answered.code, "result": text_of(answered)}


def _tell_notices(session: Session) -> None:
    def tell(stamped: Stamped) -> None:
        if isinstance(stamped.event, Notice):
            say(stamped.event.text, sys.stderr)

    session.bus.listen(tell)
    session.announce(session.trust.unused())


def text_of(answered: Answered) -> str:
    content = answered.fitted.content
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _read(lines: BinaryIO) -> Iterator[Line]:
    for text in lines:
        if text.strip():
            yield _line(text)


def _line(text: bytes) -> Line:
    try:
        fields = read_object(text)
    except Unreadable as problem:
        return Line(problem.id, None, str(problem))
    tool = fields.get("tool")
    if not isinstance(tool, str):
        return Line(fields.get("id"), None, 'The line names no tool: add "tool".')
    return Line(fields.get("id"), ToolUse("", tool, fields.get("input", {})))


def _wanted(flags: set[str], keep: bool = False) -> Wanted:
    settings = Flags(trusted=True if "--trust" in flags else None)
    return Wanted(folder=os.getcwd(), flags=settings, answerer=say_yes if "--yes" in flags else say_no, keep=keep)


def _refuse(sentence: str) -> int:
    say(sentence, sys.stderr)
    return 2
