"""Sandboxes as this machine offers them, around folders of a test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.sandbox import sandbox as sandboxes
from tools.sandbox.sandbox import SandboxChoice, SessionSandbox, Wanted
from tools.sandbox.walls import Places

MECHANISMS = ("bubblewrap", "landlock")


class Ground:
    """A workspace with its surroundings: a home with secrets, a temporary folder, our own state, and what is outside."""

    def __init__(self, folder: Path) -> None:
        # Links on the way to it would be another spelling of every path.
        self.top = Path(os.path.realpath(folder))
        self.work, self.home, self.temp, self.outside, self.state = (
            self.top / name for name in ("work", "home", "temp", "outside", "state")
        )
        for made in (self.work, self.home / ".ssh", self.temp, self.outside, self.state / "results"):
            made.mkdir(parents=True, exist_ok=True)
        (self.home / ".ssh" / "id").write_text("the key\n")
        (self.home / "notes").write_text("plain\n")
        (self.state / "record").write_text("ours\n")

    def sandbox(self, wanted: Wanted = "on", *, network: bool = False) -> SessionSandbox:
        places = Places(str(self.home), (str(self.state),), (str(self.state / "results"),))
        environ = {**os.environ, "TMPDIR": str(self.temp)}
        return SessionSandbox(SandboxChoice(wanted, network), (str(self.work),), places, environ)


def only(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This test's sandbox is built by this; it is skipped, with the reason, where that is not to be had."""
    if sys.platform != "linux":
        pytest.skip("these walls are Linux's")
    if mechanism == "landlock":
        from tools.sandbox.landlock import version

        if not version():
            pytest.skip("this kernel has no Landlock")
        monkeypatch.setattr(sandboxes, "find_program", lambda *_: None)
    elif (program := shutil.which("bwrap")) is None:
        pytest.skip("bubblewrap is not installed")
    elif _probe(program):
        pytest.skip(f"bubblewrap does not work here: {_probe(program)}")


def _probe(program: str) -> str:
    tried = [program, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    done = subprocess.run(tried, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip() or f"it ended with {done.returncode}"
