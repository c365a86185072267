"""What a search says of itself while it still runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tools.blocks import Blocks, line
from tools.context import ToolContext
from tools.inputs import ToolOutput
from tools.short import counted


class SoFar(ToolOutput):
    found: int


def teller(ctx: ToolContext) -> Callable[[int], None]:
    """Tells how much was found whenever that is more than it told last."""
    told = 0

    def tell(found: int) -> None:
        nonlocal told
        if found > told:
            told = found
            ctx.progress(SoFar(found=found))

    return tell


def so_far(progress: Sequence[ToolOutput], what: str) -> Blocks | None:
    last = progress[-1] if progress else None
    return (line((f"{counted(last.found, what)} so far", "quiet")),) if isinstance(last, SoFar) else None
