"""The tour's project, copied to where it may be changed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

WORKSPACE = Path(__file__).with_name("workspace")


@contextmanager
def scratch_copy() -> Generator[Path]:
    """A copy of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="agent-tui-tour-") as scratch:
        folder = Path(scratch, "thermometer")
        shutil.copytree(WORKSPACE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder
