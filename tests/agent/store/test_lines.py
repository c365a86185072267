"""Files of lines that survive kills, full disks and careless hands."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.store.lines import LineLog, read_lines


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "log.jsonl")


@contextmanager
def full_disk(path: str, room: int) -> Iterator[None]:
    """Files of this process may grow by `room` bytes more, as on a full disk: a write may be cut in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path) + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def numbers(path: str) -> list[int]:
    return [data["n"] for data in read_lines(path).objects]


def test_L1_each_object_is_a_line_and_earlier_bytes_never_change(path: str) -> None:
    log = LineLog(path)
    log.append({"n": 1, "text": "é\n\u2028"})
    first = Path(path).read_bytes()
    log.append({"n": 2})
    asyncio.run(log.sync())
    log.close()
    assert Path(path).read_bytes().startswith(first)
    assert [json.loads(line) for line in Path(path).read_text().splitlines()] == [
        {"n": 1, "text": "é\n\u2028"},
        {"n": 2},
    ]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_L1_a_log_is_on_the_disk_at_the_end_of_a_turn(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    log = LineLog(path)
    log.append({"n": 1})
    asyncio.run(log.sync())
    log.close()
    assert synced == [os.path.getsize(path)]


@pytest.mark.parametrize("torn", [b'{"n": 3', b"{", b'{"n": 3}', b"x" * 200_000])
def test_L2_a_torn_last_line_is_dropped_and_never_glued_to_the_next(path: str, torn: bytes) -> None:
    Path(path).write_bytes(b'{"n": 1}\n{"n": 2}\n' + torn)
    assert numbers(path) == [1, 2]
    assert read_lines(path).torn
    log = LineLog(path)
    log.append({"n": 4})
    log.close()
    assert numbers(path) == [1, 2, 4]
    assert not read_lines(path).skipped


def test_L2_a_file_that_is_one_torn_line_starts_anew(path: str) -> None:
    Path(path).write_bytes(b'{"n": ')
    log = LineLog(path)
    log.append({"n": 1})
    log.close()
    assert numbers(path) == [1]


def test_L3_a_malformed_old_line_is_skipped_and_counted(path: str) -> None:
    deep = b"[" * 100_000
    Path(path).write_bytes(b'{"n": 1}\noops\n[]\n\xff\xfe\n' + deep + b'\n{"n": 2}\n')
    assert numbers(path) == [1, 2]
    assert read_lines(path).skipped == (2, 3, 4, 5)


def test_a_file_that_is_not_there_holds_nothing(path: str) -> None:
    assert read_lines(path).objects == ()


def test_a_link_in_place_of_the_file_is_not_followed(path: str, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    os.symlink(tmp_path / "other", path)
    with pytest.raises(OSError, match="symbolic"):
        LineLog(path)


def test_L8_on_a_full_disk_lines_wait_in_order_and_are_caught_up(path: str) -> None:
    log = LineLog(path)
    log.append({"n": 1})
    whole = Path(path).read_bytes()
    with full_disk(path, 5):
        log.append({"n": 2})
        log.append({"n": 3})
        assert log.behind == 2
        assert log.problem
        # What a cut write left behind is taken back.
        assert Path(path).read_bytes() == whole
    log.append({"n": 4})
    assert (log.behind, log.problem) == (0, "")
    assert numbers(path) == [1, 2, 3, 4]
    log.close()


def test_L8_the_end_of_a_turn_catches_up_too(path: str) -> None:
    log = LineLog(path)
    with full_disk(path, 0):
        log.append({"n": 1})
    asyncio.run(log.sync())
    assert numbers(path) == [1]
    log.close()
