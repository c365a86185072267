"""The small project the pictures are taken in, made anew for each of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

CACHE_HEAD = '''"""Readings of a tide gauge, kept until the file they came from changes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass
class Entry:
    mtime: float
    digest: str
    height: float


@dataclass
class Cache:
    entries: dict[Path, Entry] = field(default_factory=dict)

    def put(self, path: Path, height: float) -> None:
        self.entries[path] = Entry(
            mtime=path.stat().st_mtime,
            digest=digest(path),
            height=height,
        )

    def is_stale(self, path: Path) -> bool:
        """Whether the reading must be taken again."""
        if path not in self.entries:
            return True
        entry = self.entries[path]
        if path.stat().st_mtime == entry.mtime:
            return False
        return True
'''
EDIT_OLD = """        if path.stat().st_mtime == entry.mtime:
            return False
        return True
"""
EDIT_NEW = """        if path.stat().st_mtime_ns == entry.mtime_ns:
            return False  # nothing moved: no need to read
        return digest(path) != entry.digest
"""
TEST = """import os

import pytest

from tidewatch.cache import Cache


@pytest.fixture
def cache() -> Cache:
    return Cache()


def test_a_touched_file_stays_fresh(cache, tmp_path):
    reading = tmp_path / "reading.json"
    reading.write_text('{"height": 3.2}')
    cache.put(reading)
    os.utime(reading, (0, 0))
    assert not cache.is_stale(reading)
"""
TESTS = """import time

import pytest


@pytest.mark.parametrize("number", range({count}))
def test_{name}(number):
    time.sleep({seconds})
"""
README = """# tidewatch

Reads tide gauges and warns before the water does.

## How the cache works

Readings are cached until the file's mtime changes.
A gauge that is silent for an hour is asked again.
"""
SETTINGS = """{
  "permissions": {
    "allow": [
      "Bash(pytest *)",
      "Bash(npm run *)",
      "Bash(npm install *)"
    ],
    "deny": ["Read(.env*)"]
  }
}
"""


def make_project(folder: Path) -> Path:
    project = folder / "tidewatch"
    files = {
        "AGENTS.md": "Every rule has a test.\n" * 12,
        ".agent-tui/settings.json": SETTINGS,
        "README.md": README,
        "tidewatch/__init__.py": "",
        "tidewatch/cache.py": CACHE_HEAD,
        "tidewatch/fetch.py": "# How a reading is fetched.\n" * 148,
        "tidewatch/store.py": "class Row:\n    mtime: float\n" * 9,
        "tests/test_cache.py": TESTS.format(count=18, name="cache", seconds=0.25),
        "tests/test_fetch.py": TESTS.format(count=30, name="fetch", seconds=0.1),
        "web/package.json": '{\n  "name": "tidewatch-web"\n}\n',
        "docs/cache.md": "# The cache\n",
    }
    for name, text in files.items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "Everything"]):
        subprocess.run([*git, *words], cwd=project, check=True)
    for name in ("docs/cache.md", "tidewatch/store.py", "web/package.json"):
        (project / name).write_text((project / name).read_text() + "\n")
    return project
