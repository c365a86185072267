"""The watcher: what others do to known files is seen at once, however they write; what we do is never flagged."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.watch import Batch, OutsideChange, Watcher
from agent.watching.known import Known, read_known
from tests.support.patience import PATIENCE
from tests.support.sessions import play
from tools.files import Files, hash_bytes
from tools.ledger.writes import Writes


class Seen:
    def __init__(self) -> None:
        self.changes: list[OutsideChange] = []
        self._news = asyncio.Event()

    def take(self, batch: Batch) -> None:
        self.changes += batch.changes
        self._news.set()

    async def count(self, wanted: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.changes) < wanted:
                self._news.clear()
                await self._news.wait()


async def watching(paths: list[Path], writes: Writes) -> tuple[Watcher, Seen]:
    seen = Seen()
    watcher = Watcher(writes, seen.take)
    for path in paths:
        watcher.follow(str(path), read_known(str(path))[0])
    await watcher.ready()
    return watcher, seen


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    temporary = path.with_name(".swap")
    temporary.write_text(text)
    os.replace(temporary, path)


def with_backup(path: Path, text: str) -> None:
    path.rename(path.with_name("a.txt~"))
    path.write_text(text)


@pytest.mark.parametrize("write", [in_place, by_rename, with_backup])
def test_every_way_of_writing_is_seen_every_time(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("0\n")

    async def body() -> None:
        watcher, seen = await watching([file], Writes())
        for number in range(1, 6):
            write(file, f"{number}\n")
            async with asyncio.timeout(PATIENCE):
                while not seen.changes or seen.changes[-1].after.text != f"{number}\n":
                    await asyncio.sleep(0.005)
        watcher.close()

    play(body)


def test_each_of_many_changes_is_seen_for_itself(tmp_path: Path) -> None:
    """How soon is measured by the benchmark."""
    file = tmp_path / "a.txt"
    file.write_text("0\n")

    async def body() -> None:
        watcher, seen = await watching([file], Writes())
        for number in range(1, 12):
            by_rename(file, f"{number}\n")
            await seen.count(number)
        watcher.close()
        assert [change.after.text for change in seen.changes] == [f"{number}\n" for number in range(1, 12)]

    play(body)


def test_a_touch_that_changes_nothing_is_no_change(tmp_path: Path) -> None:
    file, other = tmp_path / "a.txt", tmp_path / "b.txt"
    file.write_text("same\n")
    other.write_text("b\n")

    async def body() -> None:
        watcher, seen = await watching([file, other], Writes())
        os.utime(file, ns=(1, 1))
        file.write_text("same\n")
        other.write_text("B\n")
        await seen.count(1)
        assert [change.path for change in seen.changes] == [str(other)]
        watcher.close()

    play(body)


def test_our_own_write_is_not_flagged_and_a_strangers_after_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("0\n")

    async def body() -> None:
        writes = Writes()
        files = Files(writes)
        watcher, seen = await watching([file], writes)
        files.write(str(file), b"ours\n", expected=hash_bytes(b"0\n"), call_id="c1")
        file.write_text("theirs\n")
        await seen.count(1)
        assert [change.after.text for change in seen.changes] == ["theirs\n"]
        watcher.close()

    play(body)


def test_a_file_in_a_folder_not_yet_watched_loses_no_change_made_before_the_watch_began(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first, second = tmp_path / "one" / "a.txt", tmp_path / "two" / "b.txt"
    first.write_text("1\n")
    second.write_text("2\n")

    async def body() -> None:
        watcher, seen = await watching([first], Writes())
        watcher.follow(str(second), read_known(str(second))[0])
        second.write_text("changed at once\n")
        first.write_text("changed too\n")
        await seen.count(2)
        assert {change.path for change in seen.changes} == {str(first), str(second)}
        watcher.close()

    play(body)


def test_a_deleted_file_is_a_change_without_a_hash(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("0\n")

    async def body() -> None:
        watcher, seen = await watching([file], Writes())
        file.unlink()
        await seen.count(1)
        assert seen.changes[0].after == Known(None)
        file.write_text("0\n1\n")
        await seen.count(2)
        back = seen.changes[1]
        assert (back.before.text, back.after.text) == ("0\n", "0\n1\n"), "compared with what it was before it went"
        watcher.close()

    play(body)


@pytest.mark.parametrize("begin", [os.unlink, lambda path: path.write_text("")])
def test_the_middle_of_a_save_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: Callable[[Path], None]
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("0\n")
    seen_in_the_middle = threading.Event()

    def save_goes_on(_seconds: float) -> None:
        seen_in_the_middle.set()
        file.write_text("1\n")

    monkeypatch.setattr("agent.watch.time.sleep", save_goes_on)

    async def body() -> None:
        watcher, seen = await watching([file], Writes())
        begin(file)
        await seen.count(1)
        watcher.close()
        assert seen_in_the_middle.is_set()
        assert [(change.before.text, change.after.text) for change in seen.changes] == [("0\n", "1\n")]

    play(body)


def test_a_look_from_before_a_write_of_ours_is_no_change_however_late_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, half_saved = tmp_path / "a.txt", tmp_path / "b.txt"
    written.write_text("0\n")
    half_saved.write_text("0\n")

    async def body() -> None:
        loop, writes = asyncio.get_running_loop(), Writes()
        watcher, seen = await watching([written, half_saved], writes)

        def we_write_meanwhile(_seconds: float) -> None:
            Files(writes).write(str(written), b"ours\n", expected=hash_bytes(b"0\n"), call_id="c1")
            loop.call_soon_threadsafe(watcher.follow, str(written), read_known(str(written))[0])
            half_saved.write_text("1\n")

        monkeypatch.setattr("agent.watch.time.sleep", we_write_meanwhile)
        os.utime(written)
        half_saved.write_text("")
        await asyncio.to_thread(watcher.look_now, [str(written), str(half_saved)])
        await seen.count(1)
        watcher.close()
        assert [change.path for change in seen.changes] == [str(half_saved)]

    play(body)


def test_a_file_replaced_by_a_pipe_does_not_hang_anything(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("0\n")
    file.unlink()
    os.mkfifo(file)
    assert read_known(str(file)) == (Known(None), None)
