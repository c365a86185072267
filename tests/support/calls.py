"""A ToolContext for tests that call a tool directly, without the pipeline."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from tools.context import Place, ToolContext, Workspace
from tools.contract import AnyTool, ToolError
from tools.inputs import ToolOutput


def context(folder: Path, seen: Any = None, progress: list[ToolOutput] | None = None) -> ToolContext:
    if seen is None:
        from tools.ledger.seen import Seen

        seen = Seen()
    shown = [] if progress is None else progress
    return ToolContext(
        call_id="call-1",
        agent="main",
        parent_message="message-1",
        place=Place(str(folder), str(folder)),
        workspace=Workspace((str(folder),)),
        seen=seen,
        progress=shown.append,
        may_i=_never,
        clock=time.monotonic,
    )


def run(tool: AnyTool, raw: dict[str, Any], ctx: ToolContext) -> Any:
    """Parse, validate, call: the Output, or the ToolError that validation or the call gave."""

    async def all_steps() -> Any:
        parsed = tool.parse_input(raw)
        checked = await tool.validate_input(parsed, ctx)
        if not checked.ok:
            raise ToolError(checked.message, checked.code)
        return (await tool.call(parsed, ctx)).data

    return asyncio.run(all_steps())


async def _never(_tool: str, _input: Any) -> bool:
    return False
