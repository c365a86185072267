"""`python -m benchmarks [theme ...]`: one table; the exit code is 1 when a bound is missed."""

from __future__ import annotations

import sys

from benchmarks import calls, checkpoints, echo, flood, judging, outside, rows, screen, searched, shell, start, watch
from benchmarks.table import show

THEMES = {
    "start": start.measure,
    "calls": calls.measure,
    "shell": shell.measure,
    "judging": judging.measure,
    "searched": searched.measure,
    "checkpoints": checkpoints.measure,
    "watch": watch.measure,
    "screen": screen.measure,
    "echo": echo.measure,
    "rows": rows.measure,
    "flood": flood.measure,
    "outside": outside.measure,
}


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in THEMES]
    if unknown:
        print(f"There is no theme {unknown[0]}; there are {', '.join(THEMES)}.", file=sys.stderr)
        return 2
    rows = [row for name in chosen or THEMES for row in THEMES[name]()]
    print(show(rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
