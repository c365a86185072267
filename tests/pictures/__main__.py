"""`python -m tests.pictures [name ...]`: writes SVG and PNG into `screenshots/`, and the screens as text beside them."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.pictures.moments import MOMENTS
from tests.pictures.shoot import shoot

OUT = Path(__file__).parents[2] / "screenshots"


def main(chosen: list[str]) -> int:
    OUT.mkdir(exist_ok=True)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        os.environ.pop(name, None)
    for moment in MOMENTS:
        if not chosen or moment.name in chosen:
            screen = asyncio.run(shoot(moment, OUT))
            print(f"== {moment.name}\n{screen}" if chosen else moment.name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
