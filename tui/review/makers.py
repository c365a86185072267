"""Who made a change, and for which of the person's messages: what the session's events say of calls, by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.checkpoints.steps import Step
from agent.events import Stamped, TurnStarted, UserMessage
from tools.events import ToolInputStarted
from tui.transcript.times import clock, minute

# Of the calls that made a hunk, so many are named.
MOST_NAMED = 3
UNKNOWN = "external"
# What the person did themselves, by how the ids of such calls begin.
YOURS = {"review-": "your undo", "rewind-": "your rewind", "shell-": "your command"}


@dataclass(frozen=True, slots=True)
class Maker:
    """A call by its tool's name, and the message it was made for."""

    name: str
    message: str


class Makers:
    """Kept up from the events of a session, also of those before it was resumed."""

    def __init__(self) -> None:
        self._turn = 0
        self._message = ""
        self._messages: dict[int, str] = {}
        self._calls: dict[tuple[int, str], Maker] = {}

    def heard(self, stamped: Stamped) -> None:
        match stamped.event:
            case TurnStarted(turn):
                self._turn = turn
            case UserMessage(text):
                self._message = text.strip().split("\n", 1)[0]
                self._messages.setdefault(self._turn, self._message)
            case ToolInputStarted(id, name):
                self._calls[self._turn, id] = Maker(name, self._message)
            case _:
                pass

    def of(self, step: Step) -> Maker:
        """Of a change by a call or a command; where the call is not known, its turn still is."""
        known = self._calls.get((step.turn, step.call))
        return known or Maker("Bash" if step.by == "command" else "a call", self._messages.get(step.turn, ""))

    def in_words(self, steps: Sequence[Step]) -> str:
        """`Edit 14:01, Edit 14:03, for: Prove it with a test`; whoever else it was after them."""
        own = [step for step in steps if step.by != "outside"]
        others = [step for step in steps if step.by == "outside"]
        said = ", ".join(_few([self._name(step) for step in own]))
        message = next((self.of(step).message for step in reversed(own) if step.by != "person"), "")
        said += f", for: {message}" if message else ""
        by_others = ", ".join(_few([outsider(step) for step in others]))
        return "   ".join(part for part in (said, by_others) if part)

    def name(self, step: Step) -> str:
        """Of what of ours it was."""
        if step.by == "person":
            return next((words for begin, words in YOURS.items() if step.call.startswith(begin)), "you")
        return self.of(step).name

    def _name(self, step: Step) -> str:
        return f"{self.name(step)} {minute(step.time)}"


def outsider(step: Step) -> str:
    """`outside, 14:05:12`: whoever else changed a file, as far as that is known."""
    who = "outside" if step.attribution in ("", UNKNOWN) else step.attribution
    return f"{who}, {clock(step.time)}"


def _few(names: list[str]) -> Iterator[str]:
    """The last ones, each once."""
    told = list(dict.fromkeys(names))
    if len(told) > MOST_NAMED:
        yield f"{len(told) - MOST_NAMED} before"
    yield from told[-MOST_NAMED:]
