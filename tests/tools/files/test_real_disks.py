"""What disks and folders really do to writes, with nothing pretended: a disk of a few kilobytes, one that takes no writes,
folders that let nobody in. Each is mounted for one run of the program, in a namespace that ends with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE
from tests.support.program import COMMAND, environment

# Root among nobody: mounts are its own, and so is what it may.
ALONE = ("unshare", "-Urm")
# The same user without any of root's rights.
PLAIN = ("unshare", "-U") if os.geteuid() == 0 else ()
SMALL_DISK = 'mount -t tmpfs -o size=256k none "$1"'
LINES = "".join(f"line {number}\n" for number in range(16_000))


def _works(*command: str) -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*command], capture_output=True, check=False).returncode == 0


needs_mounts = pytest.mark.skipif(
    not _works(*ALONE, "mount", "-t", "tmpfs", "none", "/mnt"), reason="no mounts of one's own can be had here"
)
needs_plain = pytest.mark.skipif(not _works(*PLAIN, "true"), reason="the rights of root cannot be given up here")


@dataclass(frozen=True)
class Left:
    """What each call answered, and the files that were there at the end."""

    answers: list[dict[str, Any]]
    files: Path

    @property
    def codes(self) -> list[str]:
        return [answer["code"] or answer["outcome"] for answer in self.answers]

    @property
    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.files)) for path in self.files.rglob("*"))


def run_in(namespace: tuple[str, ...], tmp_path: Path, prepare: str, *calls: tuple[str, dict[str, Any]]) -> Left:
    """The calls, one after the other, in the folder `$1` as it was prepared."""
    disk, left = tmp_path / "disk", tmp_path / "left"
    disk.mkdir()
    lines = [json.dumps({"id": number, "tool": tool, "input": given}) for number, (tool, given) in enumerate(calls)]
    script = f'set -e; {prepare}\ncd "$1"; "$2" call --batch --yes; chmod -R u+rwX . 2>&- || true; cp -a . "$3"'
    ended = subprocess.run(
        [*namespace, "sh", "-c", script, "sh", str(disk), COMMAND, str(left)],
        cwd=disk,
        env=environment(tmp_path),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return Left([json.loads(line) for line in ended.stdout.splitlines()], left)


def read(name: str) -> tuple[str, dict[str, Any]]:
    return "Read", {"file_path": name, "limit": 5}


def edit(name: str, new: str, old: str = "line 2\n") -> tuple[str, dict[str, Any]]:
    return "Edit", {"file_path": name, "old_string": old, "new_string": new}


def write(name: str, content: str) -> tuple[str, dict[str, Any]]:
    return "Write", {"file_path": name, "content": content}


@needs_mounts
def test_B10_B17_a_disk_that_is_full_keeps_every_old_byte_and_nothing_new(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LINES)
    fill = f'{SMALL_DISK}; cp "$1/../a.txt" "$1"'
    left = run_in(
        ALONE, tmp_path, fill, read("a.txt"), edit("a.txt", "line two\n"), write("new/deep/b.txt", "x" * 200_000)
    )
    assert left.codes == ["ok", "write_failed", "write_failed"]
    assert all("No space left on device. It is as it was." in answer["result"] for answer in left.answers[1:])
    assert left.names == ["a.txt"]
    assert (left.files / "a.txt").read_text() == LINES


@needs_mounts
def test_B10_B6_what_is_written_in_place_on_a_disk_that_is_full_gets_its_old_bytes_back(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LINES)
    fill = f'{SMALL_DISK}; cp "$1/../a.txt" "$1"; ln "$1/a.txt" "$1/b.txt"'
    left = run_in(ALONE, tmp_path, fill, read("a.txt"), edit("a.txt", "line two" * 20_000))
    assert left.codes == ["ok", "write_failed"]
    assert (left.files / "a.txt").read_text() == (left.files / "b.txt").read_text() == LINES


@needs_mounts
def test_B9_a_disk_that_takes_no_writes_says_so_and_not_that_a_mode_should_change(tmp_path: Path) -> None:
    seal = f'{SMALL_DISK}; echo one > "$1/a.txt"; ln "$1/a.txt" "$1/b.txt"; echo one > "$1/c.txt"'
    seal += '; mount -o remount,ro "$1"'
    calls = (read("a.txt"), edit("a.txt", "two", "one"), read("c.txt"), edit("c.txt", "two", "one"))
    left = run_in(ALONE, tmp_path, seal, *calls, write("new.txt", "x"), write("new/deep.txt", "x"))
    assert left.codes == ["ok", "write_failed", "ok", "write_failed", "write_failed", "write_failed"]
    refused = [answer["result"] for answer in left.answers if not answer["ok"]]
    assert all("Read-only file system" in words and "mode" not in words for words in refused)
    assert left.names == ["a.txt", "b.txt", "c.txt"]


@needs_plain
def test_A19_what_may_not_be_read_is_refused_by_every_tool(tmp_path: Path) -> None:
    close = 'echo secret > "$1/a.txt"; chmod 0 "$1/a.txt"; mkdir "$1/in"; echo secret > "$1/in/b.txt"; chmod 0 "$1/in"'
    calls = (read("a.txt"), edit("a.txt", "x", "secret"), read("in/b.txt"), ("Grep", {"pattern": "secret"}))
    left = run_in(PLAIN, tmp_path, close, *calls, write("in/c.txt", "x"))
    assert left.codes[0] == left.codes[2] == "no_permission"
    assert left.codes[1] in ("no_permission", "not_read") and left.codes[4] != "ok"
    assert left.answers[3]["ok"] and "secret" not in left.answers[3]["result"]
    assert (left.files / "a.txt").read_text() == "secret\n" and left.names == ["a.txt", "in", "in/b.txt"]


@needs_plain
def test_B7_B8_in_a_folder_that_takes_no_new_names_a_file_is_written_in_place_and_none_is_made(tmp_path: Path) -> None:
    close = (
        'mkdir "$1/in"; echo one > "$1/in/a.txt"; echo one > "$1/in/c.txt"; chmod 444 "$1/in/c.txt"; chmod 555 "$1/in"'
    )
    calls = (read("in/a.txt"), edit("in/a.txt", "two", "one"), read("in/c.txt"), edit("in/c.txt", "two", "one"))
    left = run_in(PLAIN, tmp_path, close, *calls, write("in/new.txt", "x"), write("in/deep/new.txt", "x"))
    assert left.codes == ["ok", "ok", "ok", "read_only_file", "write_failed", "write_failed"]
    assert (left.files / "in/a.txt").read_text() == "two\n" and (left.files / "in/c.txt").read_text() == "one\n"
    assert left.names == ["in", "in/a.txt", "in/c.txt"]
