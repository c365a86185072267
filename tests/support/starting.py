"""The command in a terminal, with the stand-in for the app; loaded as late as the real one, so that the start is real."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.program import environment
from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[2]
STAND_IN = f"""
import os, sys, time
class InItsPlace:
    def find_spec(self, name, path=None, target=None):
        if name == "tui.app":
            import importlib.util
            while "HELD_BY" in os.environ and not os.path.exists(os.environ["HELD_BY"]):
                time.sleep(0.01)
            return importlib.util.spec_from_file_location(name, {str(ROOT / "tests/support/standin.py")!r})
sys.meta_path.insert(0, InItsPlace())
from tui.cli import main
sys.exit(main())
"""


def started(
    home: Path,
    *args: str,
    size: tuple[int, int] = (120, 40),
    answers: bool = False,
    term: str = "xterm-256color",
    held: bool = False,
    **env: str,
) -> Terminal:
    """In an empty folder beside `home`, without a model. `held`: the app is loaded only once `let_go` is called."""
    folder = home / "work"
    folder.mkdir(exist_ok=True)
    program = [sys.executable, "-c", STAND_IN, *args]
    environ = environment(home, PYTHONPATH=str(ROOT), **env)
    if held:
        environ["HELD_BY"] = str(_gate(home))
    if "NO_COLOR" not in env:
        environ.pop("NO_COLOR", None)
    return Terminal(program, environ, size, folder, answers, term)


def let_go(home: Path) -> None:
    _gate(home).touch()


def _gate(home: Path) -> Path:
    return home / "let-go"
