"""Which files `@` offers."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE
from tests.tui.prompt.host import write_files
from tui.prompt.files import FRESH_SECONDS, FileNames, list_files


def test_ignored_files_and_those_of_git_are_not_offered(tmp_path: Path) -> None:
    write_files(tmp_path, [".git/config", "a.py", ".env.example", "build/out.o", "deep/er/b.py"])
    (tmp_path / ".gitignore").write_text("build/\n")
    assert sorted(asyncio.run(list_files(str(tmp_path)))) == [".env.example", ".gitignore", "a.py", "deep/er/b.py"]


def test_without_ripgrep_the_same_files_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, ["a.py", "build/out.o", "deep/er/b.py"])
    (tmp_path / ".ignore").write_text("build/\n")
    with_rg = sorted(asyncio.run(list_files(str(tmp_path))))
    monkeypatch.setattr("tools.search.ripgrep.find_rg", lambda _workspace: None)
    assert sorted(asyncio.run(list_files(str(tmp_path)))) == with_rg


def test_a_name_that_cannot_be_typed_is_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, ["a.py", "two\nlines"])
    with open(os.fsencode(tmp_path) + b"/\xff.py", "w") as file:
        file.write("x")
    assert list(asyncio.run(list_files(str(tmp_path)))) == ["a.py"]


def test_what_may_not_be_read_is_not_offered_and_remarks_come_along(tmp_path: Path) -> None:
    write_files(tmp_path, ["secret.py", "a.py"])
    files = FileNames(
        str(tmp_path), remark=lambda path: (f"about {path}", "$dim"), is_allowed=lambda path: path == "a.py"
    )
    found = asyncio.run(files.matching("py"))
    assert [(candidate.put, candidate.remark) for candidate in found] == [("@a.py ", ("about a.py", "$dim"))]


def test_a_new_file_is_offered_after_a_moment_and_nobody_waits_for_it(tmp_path: Path) -> None:
    write_files(tmp_path, ["a.py"])
    now = [0.0]
    files = FileNames(str(tmp_path), clock=lambda: now[0])

    async def ask() -> None:
        assert list(await files.names()) == ["a.py"]
        write_files(tmp_path, ["b.py"])
        assert list(await files.names()) == ["a.py"]
        now[0] += FRESH_SECONDS + 1
        assert list(await files.names()) == ["a.py"]
        while len(await files.names()) == 1:
            await asyncio.sleep(0)
        assert sorted(await files.names()) == ["a.py", "b.py"]

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))


def test_who_stops_asking_does_not_stop_the_listing(tmp_path: Path) -> None:
    write_files(tmp_path, ["a.py"])
    files = FileNames(str(tmp_path))

    async def ask() -> None:
        first = asyncio.create_task(files.names())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert list(await files.names()) == ["a.py"]

    asyncio.run(ask())


def test_a_folder_that_is_gone_offers_nothing_and_says_why(tmp_path: Path) -> None:
    files = FileNames(str(tmp_path / "gone"))
    assert asyncio.run(files.matching("a")) == ()
    assert "does not exist" in files.problem
