"""The person's messages that can be gone back to, as the session told them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from agent.events import MAIN, Rewound, Stamped, TurnStarted, UserMessage
from tools.events import ToolInputReady, ToolInputStarted

COMMANDS = ("Bash", "PowerShell")


@dataclass(frozen=True, slots=True)
class Point:
    """A message and what followed it. `messages`: how many the conversation held before; below zero: not known."""

    turn: int
    text: str
    time: float
    messages: int
    calls: int = 0
    commands: int = 0


class Points:
    def __init__(self) -> None:
        self._points: list[Point] = []
        self._tools: dict[str, str] = {}
        # What was cut off, by the number of the rewind.
        self._cut: dict[int, list[Point]] = {}

    def heard(self, stamped: Stamped) -> None:
        match stamped.event:
            case TurnStarted(turn, messages) if stamped.agent == MAIN:
                self._points.append(Point(turn, "", stamped.time, messages))
            case UserMessage(text) if stamped.agent == MAIN and self._points and not self._points[-1].text:
                self._points[-1] = replace(self._points[-1], text=text)
            case ToolInputStarted(id, name):
                self._tools[id] = name
            case ToolInputReady(id) if self._points:
                last = self._points[-1]
                ran = self._tools.pop(id, "") in COMMANDS
                self._points[-1] = replace(last, calls=last.calls + 1, commands=last.commands + ran)
            case Rewound(turn, number, True, _, False):
                self._cut[number] = [point for point in self._points if point.turn >= turn]
                self._points = [point for point in self._points if point.turn < turn]
            case Rewound(_, number, True, _, True):
                self._points += self._cut.pop(number, [])
            case _:
                pass

    def all(self) -> Sequence[Point]:
        """In their order."""
        return tuple(self._points)

    def text_of(self, rewound: Rewound) -> str:
        """Of the message that was gone back to; empty where it is not known."""
        known = (*self._cut.get(rewound.number, ()), *self._points)
        return next((point.text for point in known if point.turn == rewound.to_turn), "")

    def since(self, turn: int) -> Sequence[Point]:
        return [point for point in self._points if point.turn >= turn]


def place_in(messages: Sequence[Mapping[str, Any]], point: Point) -> int | None:
    """How many messages stand before the point's; None where that cannot be told any more."""
    if 0 <= point.messages < len(messages) and _says(messages[point.messages], point.text):
        return point.messages
    found = [place for place, message in enumerate(messages) if _says(message, point.text)]
    if len(found) == 1:
        return found[0]
    # It never became one: a hook refused it, or the person stopped it at once.
    return point.messages if not found and 0 <= point.messages <= len(messages) else None


def _says(message: Mapping[str, Any], text: str) -> bool:
    content: object = message.get("content")
    blocks = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
    return message.get("role") == "user" and any(block.get("text") == text for block in blocks)
