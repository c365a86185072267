"""The wheel, built and installed somewhere else, and started where everything around it is hostile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools.version import __version__

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("themes", "tools", "agent", "tui", "bin", "pyproject.toml", "README.md", "LICENSE")
# What a folder may hold that a careless program would import: our own names, and the library's.
HOSTILE = ("tools", "agent", "tui", "json", "re", "dataclasses", "typing", "enum", "signal", "pydantic", "pathlib")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is left in the working tree."""
    copy = tmp_path_factory.mktemp("source")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, copy / part)
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(copy / "out")], copy)
    [built] = (copy / "out").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`agent-tui` in an environment of its own that has our dependencies but not the working tree."""
    home = tmp_path_factory.mktemp("elsewhere")
    run([sys.executable, "-m", "venv", str(home / "env")], home)
    python = home / "env" / "bin" / "python"
    packages = home / "env" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    quietly = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    run([str(python), "-m", "pip", "install", *quietly, str(wheel)], home)
    # Links and not a .pth file: the one of the editable install must not be followed.
    for package in dependencies():
        if not (packages / package.name).exists():
            (packages / package.name).symlink_to(package)
    return home / "env" / "bin" / "agent-tui"


def dependencies() -> list[Path]:
    import pydantic

    there = Path(pydantic.__file__).parent.parent
    return [entry for entry in there.iterdir() if entry.suffix != ".pth" and not entry.name.startswith("agent_tui")]


def run(program: list[str], folder: Path, **env: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | env
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "a").write_text("text")
    for name in HOSTILE:
        code = f"open({str(tmp_path / 'imported')!r}, 'a').write({name!r})\n"
        if name in ("tools", "agent", "tui", "pydantic"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(code)
        else:
            (folder / f"{name}.py").write_text(code)
    return folder


def test_the_wheel_carries_the_themes_every_prompt_and_every_file_a_tool_needs(wheel: Path):
    carried = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        file.relative_to(ROOT).as_posix()
        for part in ("themes", "tools", "agent", "tui")
        for file in (ROOT / part).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert any(name.startswith("themes/") for name in wanted)
    assert any(name.endswith("/prompt.md") for name in wanted)
    assert wanted <= carried, wanted - carried
    assert not [name for name in carried if name.startswith(("tests/", "benchmarks/"))]


def test_the_installed_command_can_be_run_and_says_its_version(command: Path, tmp_path: Path):
    assert run([str(command), "--version"], tmp_path) == f"agent-tui {__version__}\n"


@pytest.mark.parametrize("path", [".", "", ":", "{folder}", "/nowhere:{folder}"])
def test_nothing_of_the_folder_is_imported_whatever_PYTHONPATH_says(command: Path, hostile: Path, path: str):
    given = path.format(folder=hostile)
    assert run([str(command), "--version"], hostile, PYTHONPATH=given) == f"agent-tui {__version__}\n"
    explained = run([str(command), "explain", "Read", '{"file_path": "a"}'], hostile, PYTHONPATH=given)
    assert explained.startswith("allowed")
    imported = hostile.parent / "imported"
    assert not imported.exists(), imported.read_text()


def test_the_hostile_folder_would_catch_a_careless_start(command: Path, hostile: Path):
    """The test of the test: the same program by way of `-c` does import from there."""
    python = str(command.with_name("python"))
    subprocess.run([python, "-c", "import tui"], cwd=hostile, env={"PYTHONPATH": "."}, check=True)
    assert "tui" in (hostile.parent / "imported").read_text()
