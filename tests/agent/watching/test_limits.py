"""What cannot be watched is looked at, said, and watched again once it can be: no change is lost, nothing ends unsaid."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.watch import Batch, Watcher
from agent.watching.coverage import Coverage
from agent.watching.known import read_known
from agent.watching.mounts import Mounts
from agent.watching.trouble import CALM, HANGS_SECONDS, Trouble, trouble_of
from tests.support.patience import PATIENCE
from tests.support.sessions import play
from tools.ledger.writes import Writes

ROOT = Path(__file__).parents[3]


class Eye:
    """A watcher, and what it told."""

    def __init__(self, *files: Path, mounts: Callable[[], Mounts] = Mounts) -> None:
        self.texts: dict[str, str | None] = {}
        self.troubles: list[Trouble] = []
        self.watcher = Watcher(Writes(), self._take, self.troubles.append, mounts)
        for file in files:
            self.watcher.follow(str(file), read_known(str(file))[0])

    def _take(self, batch: Batch) -> None:
        self.texts |= {change.path: change.after.text for change in batch.changes}

    async def sees(self, file: Path, text: str | None) -> None:
        await self.until(lambda: self.texts.get(str(file), "nothing yet") == text)

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0.01)


def with_eye(work: Callable[[Eye], Awaitable[None]], *files: Path, mounts: Callable[[], Mounts] = Mounts) -> None:
    async def body() -> None:
        eye = Eye(*files, mounts=mounts)
        try:
            await eye.watcher.ready()
            await work(eye)
        finally:
            eye.watcher.close()

    play(body)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_folder_that_was_deleted_and_made_again_is_watched_again(tmp_path: Path) -> None:
    file = written(tmp_path / "work" / "deep" / "a.txt", "0\n")

    async def work(eye: Eye) -> None:
        for number in range(1, 4):
            shutil.rmtree(tmp_path / "work")
            await eye.sees(file, None)
            written(file, f"{number}\n")
            await eye.sees(file, f"{number}\n")
            file.write_text("and again\n")
            await eye.sees(file, "and again\n")
        assert eye.watcher.trouble == CALM

    with_eye(work, file)


def test_a_folder_with_another_put_in_its_place_is_watched_again(tmp_path: Path) -> None:
    file = written(tmp_path / "work" / "a.txt", "0\n")
    written(tmp_path / "other" / "a.txt", "another\n")

    async def work(eye: Eye) -> None:
        (tmp_path / "work").rename(tmp_path / "away")
        (tmp_path / "other").rename(tmp_path / "work")
        await eye.sees(file, "another\n")
        file.write_text("and on\n")
        await eye.sees(file, "and on\n")

    with_eye(work, file)


def test_files_on_a_disk_of_another_machine_are_looked_at_and_that_is_said(tmp_path: Path) -> None:
    near, far = written(tmp_path / "near" / "a.txt", "0\n"), written(tmp_path / "far away" / "b.txt", "0\n")
    place = str(far.parent).replace(" ", "\\040")
    table = written(
        tmp_path / "mountinfo", f"1 1 0:1 / / rw - ext4 /dev/vda rw\n2 1 0:2 / {place} rw - nfs4 host:/ rw\n"
    )

    async def work(eye: Eye) -> None:
        trouble = eye.watcher.trouble
        assert trouble.word == "watching by polling" and f"{far.parent} is on a disk of another machine (nfs4)" in (
            trouble.sentence
        )
        assert eye.troubles == [trouble], "said once"
        for number in range(1, 4):
            for file in (near, far):
                file.write_text(f"{number}\n")
                await eye.sees(file, f"{number}\n")
        far.unlink()
        await eye.sees(far, None)

    with_eye(work, near, far, mounts=lambda: Mounts(str(table)))


NO_WATCHES = """
import asyncio, sys
from pathlib import Path
import agent.watch
from agent.watching.trouble import CALM
from tests.agent.watching.test_limits import Eye

LIMIT = Path("/proc/sys/user/max_inotify_" + sys.argv[2])
agent.watch.RETRY_SECONDS = 0.1

async def main():
    files = [Path(sys.argv[1], folder, "a.txt") for folder in ("one", "two")]
    before = LIMIT.read_text()
    LIMIT.write_text("1" if sys.argv[2] == "watches" else "0")
    eye = Eye(*files)
    await eye.watcher.ready()
    assert eye.watcher.trouble.word == "watching by polling", eye.watcher.trouble
    print(eye.watcher.trouble.sentence)
    for file in files:
        file.write_text("seen all the same")
        await eye.sees(file, "seen all the same")
    LIMIT.write_text(before)
    await eye.until(lambda: eye.watcher.trouble == CALM)
    for file in files:
        file.write_text("and watched again")
        await eye.sees(file, "and watched again")
    assert [trouble.word for trouble in eye.troubles] == ["watching by polling", ""]
    eye.watcher.close()

asyncio.run(main())
"""


def _may_set_limits() -> bool:
    """Those of a namespace of one's own, where nobody else is hit by them."""
    if shutil.which("unshare") is None:
        return False
    script = "echo 9 > /proc/sys/user/max_inotify_watches"
    return subprocess.run(["unshare", "-Ur", "sh", "-c", script], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("limit", "said"), [("watches", "fs.inotify.max_user_watches"), ("instances", "fs.inotify.max_user_instances")]
)
def test_without_watches_files_are_looked_at_until_there_are_some(tmp_path: Path, limit: str, said: str) -> None:
    if not _may_set_limits():
        pytest.skip("a namespace of our own with limits of its own cannot be had here")
    for folder in ("one", "two"):
        written(tmp_path / folder / "a.txt", "0")
    told = subprocess.run(
        ["unshare", "-Ur", sys.executable, "-c", NO_WATCHES, str(tmp_path), limit],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert said in told.stdout and "looked at four times a second" in told.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list and read everything")
def test_a_folder_that_may_not_be_listed_is_looked_at(tmp_path: Path) -> None:
    file = written(tmp_path / "closed" / "a.txt", "0\n")
    file.parent.chmod(0o300)

    async def work(eye: Eye) -> None:
        assert "may not be listed" in eye.watcher.trouble.sentence
        file.write_text("1\n")
        await eye.sees(file, "1\n")

    try:
        with_eye(work, file)
    finally:
        file.parent.chmod(0o700)


def test_every_trouble_has_a_word_for_the_status_line_and_says_what_to_do() -> None:
    polled = Coverage(polled=frozenset({"/far"}), network=(("/far", "nfs"),), wanted=frozenset({"/far", "/near"}))
    assert trouble_of(Coverage(), "", 0, frozenset()) == CALM
    hangs = trouble_of(polled, "", HANGS_SECONDS + 1, frozenset())
    assert hangs.word == "not watching all" and "The nfs disk of /far does not answer." in hangs.sentence
    closed = trouble_of(Coverage(), "", 0, frozenset({"/a", "/b"}))
    assert closed.word == "not watching all" and "/a and 1 more cannot be read" in closed.sentence
    ended = trouble_of(polled.given_up("MemoryError"), "", 0, frozenset())
    assert ended.word == "not watching" and "start agent-tui again" in ended.sentence


def test_the_kind_of_disk_is_found_for_any_spelling_of_a_path(tmp_path: Path) -> None:
    mounts = Mounts(str(written(tmp_path / "mountinfo", "1 1 0:1 / / rw - ext4 /dev/vda rw\n")))
    assert [mounts.kind(path) for path in ("/a/b", "/", "//a", "a/b", "")] == ["ext4", "ext4", "", "", ""]


def test_A24_files_below_a_name_that_is_no_text_are_looked_at_and_that_is_said(tmp_path: Path) -> None:
    file = written(tmp_path / os.fsdecode(b"caf\xe9") / "a.txt", "0\n")

    async def work(eye: Eye) -> None:
        assert "its name is no text" in eye.watcher.trouble.sentence
        file.write_text("1\n")
        await eye.sees(file, "1\n")

    with_eye(work, file)


def test_whatever_goes_wrong_while_a_watch_is_set_up_is_said_and_files_are_looked_at(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", "0\n")

    def broken() -> Mounts:
        raise RuntimeError("the table is torn")

    async def work(eye: Eye) -> None:
        assert "the table is torn" in eye.watcher.trouble.sentence
        file.write_text("1\n")
        await eye.sees(file, "1\n")

    with_eye(work, file, mounts=broken)
