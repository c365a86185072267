"""The context of a call that belongs to no conversation."""

from __future__ import annotations

import time

from tools.context import Place, ToolContext, Workspace
from tools.ledger.seen import Seen


def context(call_id: str, folder: str) -> ToolContext:
    return ToolContext(
        call_id=call_id,
        agent="main",
        parent_message="",
        place=Place(folder, folder),
        workspace=Workspace((folder,)),
        seen=Seen(),
        progress=lambda _: None,
        may_i=_never,
        clock=time.monotonic,
    )


async def _never(_tool: str, _input: object) -> bool:
    return False
