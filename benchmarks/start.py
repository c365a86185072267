"""Starts of the installed command, against the barest start of the same Python."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, medians, quiet_environment, times

RUNS = 21
VERSION_STARTS = 3
EXPLAIN_STARTS = 16


def measure() -> list[Row]:
    command = str(Path(sys.executable).with_name("agent-tui"))
    with tempfile.TemporaryDirectory() as folder:

        def started(*program: str) -> None:
            subprocess.run(program, cwd=folder, env=quiet_environment(), stdout=subprocess.DEVNULL, check=True)

        bare, version, explain = medians(
            RUNS,
            lambda: started(sys.executable, "-c", "pass"),
            lambda: started(command, "--version"),
            lambda: started(command, "explain", "Bash", '{"command": "git log | head -3"}'),
        )
    return [
        times("agent-tui --version, against python -c pass", version, bare, VERSION_STARTS),
        times("agent-tui explain, against python -c pass", explain, bare, EXPLAIN_STARTS),
    ]
