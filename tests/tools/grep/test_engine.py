"""Which program searches, and that it is gone when it should be."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tools.context import Place
from tools.contract import ToolError
from tools.grep.engine import search
from tools.grep.found import GrepOutput
from tools.grep.tool import GrepInput
from tools.search.child import our_own, run
from tools.search.ripgrep import find_rg
from tools.search.root import find_root

# Python's expressions take for ever on this one, ripgrep's do not.
ENDLESS = GrepInput(pattern="(a+)+$")


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    (tmp_path / "slow.txt").write_text("a" * 60 + "b\n")
    return tmp_path


def start(folder: Path, seconds: float) -> asyncio.Task[GrepOutput]:
    return asyncio.create_task(search(ENDLESS, find_root(None, Place(str(folder), str(folder))), (), seconds))


def children() -> set[int]:
    folder = Path("/proc/self/task")
    return {int(pid) for task in folder.iterdir() for pid in (task / "children").read_text().split()}


def test_A34_ripgrep_answers_an_expression_that_backtracks_elsewhere(slow: Path) -> None:
    async def scenario() -> GrepOutput:
        return await start(slow, 20)

    assert asyncio.run(scenario()).files == ()


def test_A34_without_ripgrep_such_an_expression_is_stopped(slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)

    async def scenario() -> None:
        await start(slow, 1)

    with pytest.raises(ToolError) as stopped:
        asyncio.run(scenario())
    assert stopped.value.code == "timed_out"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for the child in /proc")
def test_a_cancelled_search_leaves_no_process(slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.grep.engine.find_rg", lambda _: None)

    async def scenario() -> set[int]:
        before = children()
        task = start(slow, 60)
        while not (started := children() - before):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return started

    for pid in asyncio.run(scenario()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_program_that_floods_is_ended_once_there_is_enough(tmp_path: Path) -> None:
    taken: list[int] = []

    def take(chunk: bytes) -> bool:
        taken.append(len(chunk))
        return sum(taken) < 1_000_000

    argv = [sys.executable, "-c", "import os\nwhile True: os.write(1, b'x' * 65536)"]
    ended = asyncio.run(run(argv, str(tmp_path), take, 60))
    assert ended.stopped and sum(taken) < 1_100_000


def test_our_own_program_takes_no_code_from_the_folder_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "tools", "pathspec", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('foreign code ran')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    out: list[bytes] = []
    ended = asyncio.run(run(our_own("tools.search.walk"), str(tmp_path), lambda chunk: not out.append(chunk), 20))
    assert (ended.exit_code, ended.message) == (0, "")
    assert b"json.py" in b"".join(out)


class TestFindingRg:
    @pytest.fixture(autouse=True)
    def no_rg_beside_python(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin-of-python" / "python"))

    def place_rg(self, folder: Path) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rg").write_text("#!/bin/sh\n")
        (folder / "rg").chmod(0o755)
        return str(folder / "rg")

    def test_the_one_beside_python_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        beside = self.place_rg(tmp_path / "bin-of-python")
        self.place_rg(tmp_path / "usr")
        monkeypatch.setenv("PATH", str(tmp_path / "usr"))
        assert find_rg(()) == beside

    def test_one_inside_the_workspace_is_never_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place_rg(tmp_path / "opened" / "bin")
        sibling = self.place_rg(tmp_path / "opened-tools")
        monkeypatch.setenv("PATH", f"{tmp_path}/opened/bin:{tmp_path}/opened-tools")
        assert find_rg((str(tmp_path / "opened"),)) == sibling

    def test_a_link_into_the_workspace_is_never_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place_rg(tmp_path / "opened")
        (tmp_path / "usr").mkdir()
        (tmp_path / "usr" / "rg").symlink_to(tmp_path / "opened" / "rg")
        monkeypatch.setenv("PATH", str(tmp_path / "usr"))
        assert find_rg((str(tmp_path / "opened"),)) is None

    def test_relative_and_empty_entries_do_not_count(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place_rg(tmp_path)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", ":.:./")
        assert find_rg(()) is None
