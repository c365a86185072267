"""A very large file and a very large folder: Read against sed, Grep and Glob against ripgrep alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from pathlib import Path

from benchmarks.contexts import context
from benchmarks.table import Row, async_medians, peak_megabytes, times, within
from tools.contract import build_tool
from tools.glob.tool import Glob
from tools.grep.ripgrep import arguments
from tools.grep.tool import Grep, GrepInput
from tools.read.tool import Read
from tools.search.ripgrep import find_rg
from tools.search.root import find_root

RUNS = 15
SIZE = 3 << 30
FIRST, LAST = 1_000_000, 1_000_050
READ_FACTOR = 1.5
READ_MEGABYTES = 16
FILES = 100_000
FILES_IN_FOLDER = 100
SEARCHES = 7
GREP_FACTOR = 1.3
GLOB_FACTOR = 5


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [*asyncio.run(_of_a_file(folder)), *asyncio.run(_of_a_folder(folder))]


async def _of_a_file(folder: str) -> list[Row]:
    file = Path(folder, "large.txt")
    _write_large(file)
    read = build_tool(Read)
    sed = ["sed", "-n", f"{FIRST},{LAST}p;{LAST}q", str(file)]
    wanted = subprocess.run(sed, capture_output=True, check=True, text=True).stdout.splitlines()

    async def ours() -> None:
        # Each time as for somebody who has not seen it yet.
        asked = read.Input(file_path=str(file), offset=FIRST, limit=LAST - FIRST + 1)
        shown = (await read.call(asked, context("call-1", folder))).data.answer
        assert shown.kind == "text" and list(shown.lines) == wanted

    async def plain() -> None:
        subprocess.run(sed, stdout=subprocess.PIPE, check=True)

    await ours()
    before = peak_megabytes()
    page, by_sed = await async_medians(RUNS, ours, plain)
    grown = peak_megabytes() - before
    file.unlink()
    return [
        times(f"Read of lines {FIRST}-{LAST} of 3 GiB, against sed", page, by_sed, READ_FACTOR),
        within("memory that takes", grown, READ_MEGABYTES, "MB"),
    ]


async def _of_a_folder(folder: str) -> list[Row]:
    write_tree(folder)
    rg = find_rg(())
    assert rg is not None, "there is no ripgrep to be measured against"
    grep, glob = build_tool(Grep), build_tool(Glob)
    asked = GrepInput(pattern="needle [0-9]+", output_mode="content")
    root = find_root(folder, context("call-0", folder).place)
    plain_grep = [rg, *arguments(asked, root)]

    async def searched() -> None:
        found = (await grep.call(asked, context("call-1", folder))).data
        assert found.entries == FILES // FILES_IN_FOLDER // 10

    async def listed() -> None:
        found = (await glob.call(glob.Input(pattern="**/*.py"), context("call-2", folder))).data
        assert found.total == FILES // 2

    async def by_rg(argv: list[str]) -> None:
        subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)

    ours, its = await async_medians(SEARCHES, searched, lambda: by_rg(plain_grep))
    names, all_names = await async_medians(SEARCHES, listed, lambda: by_rg([rg, "--files"]))
    return [
        times(f"Grep in {FILES} files, against the same rg", ours, its, GREP_FACTOR),
        times(f"Glob of {FILES} files, against rg --files", names, all_names, GLOB_FACTOR),
    ]


def _write_large(file: Path) -> None:
    """So many lines as are passed over, and some more; what comes then is a hole, which nobody gets to."""
    with file.open("w", encoding="utf-8") as out:
        for number in range(1, LAST + 1_000):
            out.write(f"line {number:08} of a text whose lines are neither very short nor very long, as often\n")
    os.truncate(file, SIZE)


def write_tree(folder: str) -> None:
    text = "".join(f"def function_{number}(argument):\n    return argument + {number}\n" for number in range(20))
    for number in range(FILES):
        within_folder = number % FILES_IN_FOLDER
        if within_folder == 0:
            below = Path(folder, f"part_{number // 10_000}", f"folder_{number // FILES_IN_FOLDER}")
            below.mkdir(parents=True)
        needle = f"needle {number}\n" if number % (FILES_IN_FOLDER * 10) == 0 else ""
        Path(below, f"file_{within_folder}.{'py' if number % 2 else 'txt'}").write_text(text + needle)
