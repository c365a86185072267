"""`agent-tui tour`: the embedded default, played without a screen."""

from __future__ import annotations

import asyncio
import sys

from agent.tour.play import play


def main(args: list[str]) -> int:
    if unknown := [arg for arg in args if arg != "--quick"]:
        print(
            f"agent-tui: the tour knows only --quick, which plays it without pauses, not {unknown[0]}.", file=sys.stderr
        )
        return 2
    return asyncio.run(play(print, patient="--quick" not in args))
