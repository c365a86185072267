"""Settings files are followed: who edits one, creates it or takes it away is heard, wherever it lies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.watch import Watcher
from tests.support.sessions import play
from tools.ledger.writes import Writes


class Heard:
    def __init__(self) -> None:
        self.paths: list[str] = []
        self._news = asyncio.Event()

    def __call__(self, paths: tuple[str, ...]) -> None:
        self.paths += paths
        self._news.set()

    async def of(self, path: Path, times: int = 1) -> None:
        async with asyncio.timeout(60):
            while self.paths.count(str(path)) < times:
                self._news.clear()
                await self._news.wait()


def following(*paths: Path, then: Callable[[Heard], Awaitable[None]]) -> None:
    async def body() -> None:
        heard = Heard()
        watcher = Watcher(Writes(), lambda _: None)
        watcher.follow_settings(map(str, paths), heard)
        await watcher.ready()
        await then(heard)
        watcher.close()

    play(body)


def test_an_edit_is_heard_once_and_a_touch_is_not(tmp_path: Path) -> None:
    file, other = tmp_path / "settings.json", tmp_path / "other.json"
    file.write_text("{}")

    async def then(heard: Heard) -> None:
        file.touch()
        file.write_text('{"a": 1}')
        await heard.of(file)
        other.write_text("{}")
        await heard.of(other)
        assert heard.paths == [str(file), str(other)]

    following(file, other, then=then)


def test_a_file_in_a_folder_that_does_not_exist_yet_is_heard_when_it_comes_and_when_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "deep" / ".agent-tui" / "settings.json"

    async def then(heard: Heard) -> None:
        file.parent.mkdir(parents=True)
        file.write_text("{}")
        await heard.of(file)
        file.unlink()
        await heard.of(file, 2)
        file.parent.rmdir()
        file.parent.mkdir()
        file.write_text("{}")
        await heard.of(file, 3)

    following(file, then=then)


def test_what_a_link_leads_to_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = tmp_path / ".agent-tui" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)

    async def then(heard: Heard) -> None:
        real.write_text('{"a": 1}')
        await heard.of(link)

    following(link, then=then)


@pytest.mark.parametrize("first", [True, False])
def test_whoever_follows_last_is_told(tmp_path: Path, first: bool) -> None:
    file = tmp_path / "settings.json"

    async def body() -> None:
        before, after = Heard(), Heard()
        watcher = Watcher(Writes(), lambda _: None)
        watcher.follow_settings([str(file)], before)
        if first:
            await watcher.ready()
        watcher.follow_settings([str(file)], after)
        await watcher.ready()
        file.write_text("{}")
        await after.of(file)
        assert before.paths == []
        watcher.close()

    play(body)
