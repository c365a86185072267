"""`make` installs once, and again when what is installed has changed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ("pyproject.toml", "constraints.txt", "bin/agent-tui")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A clone in which everything was installed a minute after it was made."""
    for name in ("Makefile", *INPUTS, ".venv/bin/python", ".venv/.installed-run", ".venv/.installed-dev"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (1_000, 1_060 if ".installed" in name else 1_000))
    shutil.copy(ROOT / "Makefile", tmp_path / "Makefile")
    return tmp_path


def would_do(folder: Path, target: str) -> str:
    return subprocess.run(["make", "-n", target], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("target", ["run", "test", "check", "bench"])
def test_what_is_installed_is_not_installed_again(installed: Path, target: str):
    assert "install" not in would_do(installed, target)


def test_what_is_started_finds_nothing_of_our_make_in_its_environment(installed: Path):
    """It may run make and pip itself, in another project."""
    program = installed / ".venv" / "bin" / "agent-tui"
    program.write_text("#!/bin/sh\nenv\n")
    program.chmod(0o755)
    done = subprocess.run(["make", "run", "ARGS=x"], cwd=installed, capture_output=True, text=True, check=True)
    names = {line.partition("=")[0] for line in done.stdout.splitlines()}
    assert not {name for name in names if name.startswith(("MAKE", "MFLAGS", "ARGS", "PIP_CON", "UV_"))}


@pytest.mark.parametrize("changed", INPUTS)
def test_a_change_of_what_is_installed_installs_again(installed: Path, changed: str):
    os.utime(installed / changed, (2_000, 2_000))
    assert "pip install" in would_do(installed, "run")


def test_a_first_start_makes_the_environment_before_it_installs(installed: Path):
    shutil.rmtree(installed / ".venv")
    steps = would_do(installed, "run")
    assert (
        steps.index("-m venv") < steps.index("pip install") < steps.index("compileall") < steps.index("bin/agent-tui")
    )


def test_an_old_python_is_refused_with_a_sentence(installed: Path):
    shutil.rmtree(installed / ".venv")
    done = subprocess.run(["make", "run", "PYTHON=false"], cwd=installed, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "agent-tui needs Python 3.11 or newer" in done.stderr


def test_constraints_are_exact_versions_and_names_only():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)] == []


def test_everything_installed_here_has_its_version_in_constraints():
    """Ours aside, and what an environment is born with."""
    from importlib.metadata import distributions

    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    wanted = {_plain(name): version for name, version in pinned.items()}
    here = {_plain(found.name): found.version for found in distributions()}
    for born_with in ("agent-tui", "pip", "setuptools", "wheel", "uv"):
        here.pop(born_with, None)
    assert here.items() <= wanted.items(), dict(here.items() - wanted.items())


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
