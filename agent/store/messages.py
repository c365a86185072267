"""What one conversation sent, byte for byte, so that it can be resumed.

The first record holds what is frozen with the conversation (system prompt, tools, model). Each message is one record
more; nothing is ever rewritten. Going back is a record too: how many messages of those before still count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from agent.model.base import Plain
from agent.model.normalize import normalized
from agent.store.lines import LineLog, left_out, read_lines

_HEAD = b'{"head"'


def has_messages(path: str) -> bool:
    """Whether anything was sent. Raises OSError where there is no such file."""
    with open(path, "rb") as file:
        return any(not line.startswith(_HEAD) for line in islice(file, 2))


@dataclass(frozen=True, slots=True)
class SavedConversation:
    """A conversation read back, its open calls answered. `notices` are for the person."""

    head: Plain
    messages: tuple[Plain, ...]
    notices: tuple[str, ...] = ()
    # Whether `messages` are other than what the file holds.
    mended: bool = False
    # What was cut off last, if nothing came after it.
    cut: tuple[Plain, ...] = ()


class MessageLog:
    """Written as the conversation goes. A new one is begun with its head; a resumed one goes on where it ended."""

    def __init__(self, path: str) -> None:
        self.log = LineLog(path)

    def begin(self, head: Mapping[str, Any]) -> None:
        self.log.append({"head": dict(head)})

    def append(self, message: Plain) -> None:
        self.log.append({"message": message})

    def keep(self, count: int) -> None:
        """Only the first `count` messages count from here on (rewind, and compaction, which keeps none)."""
        self.log.append({"keep": count})

    async def sync(self) -> None:
        await self.log.sync()

    def close(self) -> None:
        self.log.close()


def load_messages(path: str) -> SavedConversation:
    """What can be resumed: every call has an answer, "interrupted" where none was saved, and nothing is run again."""
    read = read_lines(path)
    head: Plain = {}
    messages: list[Plain] = []
    cut: list[Plain] = []
    odd = len(read.skipped)
    for record in read.objects:
        match record:
            case {"message": {"role": str(), "content": str() | list()} as message}:
                messages.append(cast("Plain", message))
                cut = []
            case {"keep": int(count)} if count >= 0:
                cut = messages[count:]
                del messages[count:]
            case {"head": {"model": str(), "system": str() | list(), "tools": list()}}:
                head = cast("Plain", record["head"])
            case _:
                odd += 1
    notices: list[str] = []
    if odd:
        notices.append(left_out(odd, path))
    mended = normalized(messages)
    if mended != messages:
        notices.append("The session had ended in the middle of its work; open calls are marked as interrupted.")
    return SavedConversation(head, tuple(mended), tuple(notices), mended != messages, tuple(cut))
