"""A page about files of the session: it looks at them in a thread, and again whenever the session tells of changes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual.worker import Worker

from agent.bus import Bus
from agent.events import ExternalEdit, Notice, Rewound, Stamped, TurnEnded
from tools.events import PermissionDecided, PermissionRequested, PermissionWithdrawn, ToolFinished
from tui.screens.page import Page
from tui.work import begin

# After these files may be others, or a question waits.
NEWS = (
    ExternalEdit,
    Notice,
    Rewound,
    TurnEnded,
    ToolFinished,
    PermissionRequested,
    PermissionDecided,
    PermissionWithdrawn,
)


class Followed(Page):
    _following: Worker[None] | None = None

    def follow(self, bus: Bus) -> None:
        """Look now, and from now on."""
        self._following = begin(self, "looking at files", self._follow(bus))

    def on_unmount(self) -> None:
        if self._following is not None:
            self._following.cancel()

    async def look_again(self) -> None:
        """What is to be done whenever files may have changed."""
        raise NotImplementedError

    async def _follow(self, bus: Bus) -> None:
        with bus.subscribed() as subscription:
            await self.look_again()
            async for stamped in subscription:
                arrived: Sequence[Stamped] = [stamped, *subscription.waiting()]
                if any(isinstance(one.event, NEWS) for one in arrived):
                    await self.look_again()
                # In a flood of events keys come first.
                await asyncio.sleep(0)
