"""Whatever moment a program is killed at, the next start finds every file old or new, and nothing lying about."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.store.journal import DiskJournal
from agent.store.mend import KEPT_SECONDS, is_between, mend
from tests.support import writer
from tests.support.sessions import play, session_in
from tests.support.writing import NEW, OLD, failing, names, write
from tools.contract import ToolError
from tools.files import Files
from tools.ledger.writes import Writes

# `KILLS=200` is what the promise is measured with; the suite takes a sample.
KILLS = int(os.environ.get("KILLS", "40"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def told_nothing(text: str) -> None:
    raise AssertionError(text)


def journal_in(folder: Path) -> DiskJournal:
    return DiskJournal(str(folder), told_nothing)


@contextmanager
def killed_in_place(tmp_path: Path, folder: Path, left: bytes) -> Iterator[Path]:
    """A file with two names whose write in place was killed and left these bytes."""
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    dead = journal_in(folder)
    dead.begin(str(path), None, NEW)
    dead.close()
    path.write_bytes(left)
    yield path


# -- B12: killed


@pytest.mark.slow
def test_B12_killed_at_random_moments_every_file_is_old_or_new_and_nothing_is_left(
    tmp_path: Path, folder: Path
) -> None:
    work, chance = tmp_path / "work", random.Random(12)
    writer.lay_out(work)
    folder.mkdir()
    before = names(work)
    command = [sys.executable, "-m", "tests.support.writer", str(work), str(folder)]
    mended: list[str] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None and program.stdout is not None
        for number in range(KILLS):
            program.stdin.write(f"{number}\n")
            program.stdin.flush()
            pid = int(program.stdout.readline())
            time.sleep(chance.uniform(0, 0.06))  # the moment is what is random here; nothing is waited for
            os.kill(pid, 9)
            assert program.stdout.readline() == "gone\n"
            mended += mend(str(folder))
            assert names(work) == before and names(folder) == []
            broken = [path.name for path, size in writer.files_in(work) if not writer.is_whole(path.read_bytes(), size)]
            assert not broken, f"after kill {number}"
        program.stdin.close()
    assert all("its old content is back" in said for said in mended)
    assert all(os.stat(path).st_nlink == 2 for path, _ in writer.files_in(work) if path.name.startswith("linked"))


def _until_touched(path: Path) -> None:
    """Half of the kills are aimed at the worst moment: bytes are being written over those of a large file."""
    before, end = path.stat().st_mtime_ns, time.monotonic() + 2
    while path.stat().st_mtime_ns == before and time.monotonic() < end:
        pass


def test_B12_a_file_that_was_half_written_in_place_gets_its_old_content_back_under_all_its_names(
    tmp_path: Path, folder: Path
) -> None:
    with killed_in_place(tmp_path, folder, NEW[:5] + OLD[5:]) as path:
        os.link(path, tmp_path / "other name")
        assert mend(str(folder)) == [f"{path} was half written when agent-tui was killed; its old content is back."]
        assert path.read_bytes() == OLD == (tmp_path / "other name").read_bytes()
        assert names(folder) == []


@pytest.mark.parametrize("whole", [OLD, NEW])
def test_B12_a_file_that_is_whole_stays_and_nobody_is_told(tmp_path: Path, folder: Path, whole: bytes) -> None:
    with killed_in_place(tmp_path, folder, whole) as path:
        assert mend(str(folder)) == []
        assert path.read_bytes() == whole and names(folder) == []


def test_B12_what_somebody_else_made_of_the_file_since_stays_and_the_old_content_is_kept(
    tmp_path: Path, folder: Path
) -> None:
    with killed_in_place(tmp_path, folder, b"theirs, whatever it is") as path:
        (said,) = mend(str(folder))
        assert path.read_bytes() == b"theirs, whatever it is"
        kept = Path(said.split()[-1].removesuffix("."))
        assert kept.read_bytes() == OLD and names(folder) == [kept.name]
        assert mend(str(folder)) == [], "it is told once"


@pytest.mark.parametrize("now", ["nothing", "a folder", "a link"])
def test_B12_a_path_that_is_no_file_any_more_is_left_alone(tmp_path: Path, folder: Path, now: str) -> None:
    with killed_in_place(tmp_path, folder, NEW[:3] + OLD[3:]) as path:
        path.unlink()
        target = tmp_path / "target"
        target.write_bytes(NEW[:3] + OLD[3:])
        if now == "a folder":
            path.mkdir()
        elif now == "a link":
            path.symlink_to(target)
        (said,) = mend(str(folder))
        assert "left alone" in said and target.read_bytes() == NEW[:3] + OLD[3:]


def test_B12_a_stray_temporary_file_goes(tmp_path: Path, folder: Path) -> None:
    stray = tmp_path / ".agent-tui-0123.tmp"
    dead = journal_in(folder)
    dead.begin(str(tmp_path / "a.txt"), str(stray), NEW)
    dead.close()
    stray.write_bytes(NEW[:4])
    assert mend(str(folder)) == []
    assert not stray.exists() and names(folder) == []


def test_what_a_living_program_writes_is_not_touched(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    alive = journal_in(folder)
    entry = alive.begin(str(path), None, NEW)
    path.write_bytes(NEW[:5])
    assert mend(str(folder)) == [] and path.read_bytes() == NEW[:5]
    alive.end(entry)
    alive.close()


def test_a_log_that_was_torn_or_is_no_log_mends_what_can_be_read(tmp_path: Path, folder: Path) -> None:
    with killed_in_place(tmp_path, folder, NEW[:5] + OLD[5:]) as path:
        (log,) = folder.glob("*.log")
        log.write_bytes(b"nonsense\n" + log.read_bytes() + b'{"entry": "half')
        assert len(mend(str(folder))) == 1 and path.read_bytes() == OLD


def test_what_was_kept_for_the_person_goes_after_a_month(folder: Path) -> None:
    folder.mkdir()
    (folder / "1.kept").write_bytes(OLD)
    (folder / "2.kept").write_bytes(OLD)
    old = time.time() - KEPT_SECONDS - 1
    os.utime(folder / "1.kept", (old, old))
    mend(str(folder))
    assert names(folder) == ["2.kept"]


# -- alive


@pytest.mark.parametrize("links", [1, 2])
def test_after_a_write_nothing_is_left_of_its_note(tmp_path: Path, folder: Path, links: int) -> None:
    path, journal = tmp_path / "a.txt", journal_in(folder)
    path.write_bytes(OLD)
    if links == 2:
        os.link(path, tmp_path / "other name")
    write(path, files=Files(Writes(), journal))
    (log,) = folder.iterdir()
    assert log.read_bytes() == b"" and path.read_bytes() == NEW
    journal.close()
    assert names(folder) == []


def test_B10_a_file_that_could_neither_be_written_nor_put_back_is_mended_by_the_next_start(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, journal = tmp_path / "a.txt", journal_in(folder)
    path.write_bytes(OLD)
    os.link(path, tmp_path / "other name")
    with monkeypatch.context() as full:
        failing(full, "ftruncate", 28, times=2)
        with pytest.raises(ToolError, match="nor its old content put back"):
            write(path, files=Files(Writes(), journal))
    journal.close()
    mend(str(folder))
    assert path.read_bytes() == OLD and names(folder) == []


def test_B10_a_folder_that_takes_no_notes_is_said_once_and_stops_no_write(tmp_path: Path, folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    told: list[str] = []
    path, files = tmp_path / "a.txt", Files(Writes(), DiskJournal(str(folder), told.append))
    path.write_bytes(OLD)
    write(path, files=files)
    path.write_bytes(OLD)
    write(path, files=files)
    assert path.read_bytes() == NEW and len(told) == 1 and "cannot be noted" in told[0]


@pytest.mark.parametrize(
    ("now", "between"),
    [
        (b"aaaa", True),
        (b"bbbbbb", True),
        (b"bbaa", True),
        (b"bbaab", True),
        (b"bbaabb", True),
        (b"bbbbb", True),
        (b"aca", False),
        (b"ab", False),
        (b"bbbbbbb", False),
    ],
)
def test_half_written_is_what_holds_nothing_but_old_and_new_bytes(now: bytes, between: bool) -> None:
    assert is_between(now, b"aaaa", b"bbbbbb") == between


def test_a_session_mends_before_anything_else_and_says_so(tmp_path: Path, a_home_of_its_own: Path) -> None:
    folder = a_home_of_its_own / ".local" / "state" / "agent-tui" / "journal"

    async def body() -> None:
        async with session_in(tmp_path, []) as (session, _):
            assert path.read_bytes() == OLD
            assert any("its old content is back" in said for said in session.to_announce)

    with killed_in_place(tmp_path, folder, NEW[:5] + OLD[5:]) as path:
        play(body)
