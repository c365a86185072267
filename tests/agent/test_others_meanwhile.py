"""Somebody else works at the same files at the same time, as a process of its own: nothing of theirs is lost, and
nothing of ours is taken for theirs.

`INTERLEAVINGS=1000 pytest tests/agent/test_others_meanwhile.py` tries that many.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agent.checkpoints.rewind import Ours, Plan, is_ours
from agent.checkpoints.steps import Step
from agent.model.scripted import text
from agent.scripts.answers import say_yes
from agent.session import Session
from tests.support import others
from tests.support.pipeline import text_of
from tests.support.sessions import play, session_in, turn
from tools.pipeline import ToolUse

SEEDS = range(int(os.environ.get("INTERLEAVINGS", "24")))
NAMES = ("a", "b", "c")
# Nobody else touches it.
OWN = "own"
ACTS = 16
SHOWN = re.compile(r"^ *\d+\t(.*)$", re.MULTILINE)


class Us:
    """A model that keeps every line of theirs it was shown, and knows nothing of the others; and a person before it who
    goes back to earlier messages and takes that back again."""

    def __init__(self, session: Session, random: Random) -> None:
        # Lines of theirs that a rewind showed as going, before it was done.
        self.shown_to_go: set[bytes] = set()
        self._session = session
        self._random = random
        self._calls = 0
        self._lines = 0
        self._known: dict[str, list[str]] = {}

    async def act(self) -> None:
        works = (self._read, self._read, self._edit, self._edit, self._edit_twice, self._write, self._append, self._sed)
        act = self._random.choice((*works, self._rewind, self._undo, self._speak))
        await act(self._random.choice(NAMES))

    async def _read(self, name: str) -> None:
        (said,) = await self._called(("Read", {"file_path": name}))
        if said.outcome == "ok" and "unchanged" not in text_of(said).lower():
            self._known[name] = SHOWN.findall(text_of(said))

    async def _edit(self, name: str) -> None:
        await self._called_on(name, ("Edit", self._change(name)))

    async def _edit_twice(self, name: str) -> None:
        await self._called_on(name, ("Edit", self._change(name)), ("Edit", self._change(name)))

    async def _write(self, name: str) -> None:
        lines = [*self._known.get(name, ()), self._line()]
        self._random.shuffle(lines)
        await self._called_on(name, ("Write", {"file_path": name, "content": "\n".join(lines) + "\n"}), known=lines)

    async def _append(self, name: str) -> None:
        pause = self._random.choice(("", "sleep 0.01; "))
        await self._called(("Bash", {"command": f"{pause}printf '{self._line()}\\n' >> {name}"}))

    async def _sed(self, name: str) -> None:
        """It reads and replaces: where others write at the same time, that is between it and them."""
        await self._called(("Read", {"file_path": OWN}))
        await self._called(("Bash", {"command": f"sed -i '1s/.*/{self._line()}/' {OWN}"}))

    async def _speak(self, name: str) -> None:
        """Something to go back to before."""
        await turn(self._session, f"now {name}")

    async def _rewind(self, _: str) -> None:
        rewinds = self._session.rewinds
        if points := rewinds.points():
            plan = await asyncio.to_thread(rewinds.plan, self._random.choice(points).turn)
            await asyncio.to_thread(self._look_at, plan, is_ours)
            await rewinds.rewind(plan, "files")

    async def _undo(self, _: str) -> None:
        rewinds = self._session.rewinds
        if rewinds.undoable is not None:
            plan = await asyncio.to_thread(rewinds.undo_plan)
            await asyncio.to_thread(self._look_at, plan, lambda step: step.call == f"rewind-{plan.undoes}")
            await rewinds.undo(plan)

    def _look_at(self, plan: Plan, ours: Ours) -> None:
        """As the person does, file by file: of theirs only what came with a step of ours may go, and that is said."""
        for file in plan.files:
            held, outcome = self._session.rewinds.outcome(plan, file.path)
            going = theirs_in(held.data) - theirs_in(outcome.theirs)
            steps = [one for one in self._session.history.steps(file.path) if one.turn >= plan.turn and ours(one)]
            # What the model wrote anew is its own copy; what came while a command ran may be theirs.
            by_us = set[bytes]().union(*(self._came_with(step) for step in steps if step.by != "command"))
            by_commands = set[bytes]().union(*(self._came_with(step) for step in steps if step.by == "command"))
            assert going <= by_us | by_commands, (file.path, going - by_us - by_commands)
            assert going <= by_us or file.during, "and that is said"
            self.shown_to_go |= going

    def _came_with(self, step: Step) -> set[bytes]:
        content = self._session.history.content
        before, after = (content(hash) if hash else None for hash in (step.before, step.after))
        return theirs_in(after) - theirs_in(before)

    def _change(self, name: str) -> dict[str, Any]:
        """Some lines that follow each other, with a line of ours among them."""
        known = self._known.get(name) or ["nothing"]
        first = self._random.randrange(len(known))
        chosen = known[first : first + self._random.randint(1, 3)]
        kept = [line for line in chosen if line.startswith("theirs")]
        kept.insert(self._random.randint(0, len(kept)), self._line())
        return {"file_path": name, "old_string": "\n".join(chosen), "new_string": "\n".join(kept)}

    async def _called_on(self, name: str, *calls: tuple[str, dict[str, Any]], known: list[str] | None = None) -> None:
        for (_, input), said in zip(calls, await self._called(*calls), strict=True):
            lines = self._known.get(name, [])
            if said.outcome == "ok":
                text = "\n".join(lines).replace(input.get("old_string", "\0"), input.get("new_string", ""), 1)
                self._known[name] = known or text.split("\n")
            elif " What changed:\n" in text_of(said):
                self._known[name] = lines + re.findall(r"^\+(theirs .*)$", text_of(said), re.MULTILINE)

    async def _called(self, *calls: tuple[str, dict[str, Any]]) -> Sequence[Any]:
        self._calls += len(calls)
        uses = [ToolUse(f"call-{self._calls}-{number}", *call) for number, call in enumerate(calls)]
        return await self._session.main.run_calls(uses)

    def _line(self) -> str:
        self._lines += 1
        return f"ours {self._lines}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_no_line_of_theirs_is_lost_and_nothing_of_ours_is_called_theirs(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    for name in (*NAMES, OWN):
        (tmp_path / name).write_text("".join(f"ours {name}{number}\n" for number in range(random.randint(0, 12))))

    async def body() -> None:
        said = [[text("I see.")] for _ in range(ACTS)]
        async with session_in(tmp_path, said, say_yes, keep=False) as (session, _):
            us = Us(session, random)
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", others.__file__, str(seed), ",".join(NAMES), str(ACTS)),
                stdout=asyncio.subprocess.PIPE,
                cwd=tmp_path,
            )
            for _ in range(ACTS):
                await us.act()
            told = json.loads((await process.communicate())[0])
            assert lost(tmp_path, told, us.shown_to_go) == []
            wrong = [step for step in session.history.steps() if wrongly_theirs(step, session, told)]
            assert [(os.path.basename(step.path), *contents(step, session)) for step in wrong] == []
            assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []

    play(body)


def lost(folder: Path, told: dict[str, Any], shown_to_go: set[bytes]) -> list[str]:
    """What they wrote, did not take away, nobody was asked about, and does not stand there any more."""
    gone: list[str] = []
    for name, lines in told["stands"].items():
        # Where they changed it twice in the moment of a write of ours, the earlier change stands beside it.
        files = [file for file in (folder / name, *folder.glob(f"{name}.*.aside")) if file.exists()]
        # A line that was read while they were half way through the next may have that for a neighbour now.
        there = shown_to_go.union(*(theirs_in(file.read_bytes()) for file in files))
        gone += [f"{name}: {line}" for line in lines if line.encode() not in there]
    return gone


def wrongly_theirs(step: Step, session: Session, told: dict[str, Any]) -> bool:
    """Whether it is called theirs though they never left the file so, and no line of theirs came with it."""
    if step.by != "outside" or step.after in told["left"]:
        return False
    if step.after is None:
        return os.path.basename(step.path) not in told["emptied"]
    return not _lines_of_theirs(session, step.after) - _lines_of_theirs(session, step.before)


def _lines_of_theirs(session: Session, hash: str | None) -> set[bytes]:
    return theirs_in(session.history.content(hash) if hash is not None else None)


def theirs_in(data: bytes | None) -> set[bytes]:
    return set(re.findall(rb"theirs \d+", data or b""))


def contents(step: Step, session: Session) -> list[bytes | None]:
    return [session.history.content(hash) if hash else None for hash in (step.before, step.after)]
