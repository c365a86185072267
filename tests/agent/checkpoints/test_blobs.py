"""The store of contents: what goes in comes out, privately, once, and is swept when nobody needs it."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path

import pytest

from agent.checkpoints.blobs import AGE_SECONDS, GRACE_SECONDS, Blobs
from tests.support.writing import failing
from tools.files import hash_bytes

NOISE = bytes(range(256)) * 2


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def store(tmp_path: Path) -> Blobs:
    return Blobs(str(tmp_path / "checkpoints"))


@pytest.mark.parametrize("data", [b"", b"short", b"the same line\n" * 1000, random.Random(1).randbytes(5000)], ids=len)
def test_a_content_comes_back_as_it_was(store: Blobs, data: bytes) -> None:
    assert store.get(store.keep(data)) == data


def test_a_content_is_there_once_however_often_it_is_kept(store: Blobs) -> None:
    store.keep(b"x" * 10_000)
    store.keep(b"x" * 10_000)
    assert len(files_in(Path(store.folder))) == 1


def test_only_what_gets_smaller_is_compressed(store: Blobs) -> None:
    noise = os.urandom(5000)
    plain, packed = store.keep(noise), store.keep(b"x" * 5000)
    sizes = {path.name.removesuffix(".z"): path.stat().st_size for path in files_in(Path(store.folder))}
    assert sizes[plain[2:]] == 5000 and sizes[packed[2:]] < 100


def test_nobody_else_may_read_them(store: Blobs) -> None:
    store.keep(NOISE)
    folder = Path(store.folder)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*")) if path.is_dir()}
    assert modes == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files_in(folder)} == {0o600}


def test_a_content_that_was_tampered_with_is_no_content(store: Blobs) -> None:
    hash = store.keep(NOISE)
    files_in(Path(store.folder))[0].write_bytes(b"something else")
    assert store.get(hash) is None


def test_a_link_in_the_place_of_a_content_is_not_followed(store: Blobs, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"short")
    place = Path(store.folder, hash_bytes(b"short")[:2])
    place.mkdir(parents=True)
    (place / hash_bytes(b"short")[2:]).symlink_to(tmp_path / "secret")
    assert store.get(hash_bytes(b"short")) is None


def test_a_full_disk_leaves_nothing_half_written(store: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, "rename", 28)
    with pytest.raises(OSError):
        store.keep(NOISE)
    assert files_in(Path(store.folder)) == []


def test_the_sweep_takes_what_is_old_and_leaves_what_is_named(store: Blobs) -> None:
    old, named, new = store.keep(b"old"), store.keep(b"named"), store.keep(b"new")
    _age(store, old, AGE_SECONDS + 1)
    _age(store, named, AGE_SECONDS + 1)
    assert store.sweep(_now(store, new), frozenset({named})) == 1
    assert (store.get(old), store.get(named), store.get(new)) == (None, b"named", b"new")


def test_over_the_quota_the_oldest_goes_first_and_the_newest_never(store: Blobs) -> None:
    first, second, new = store.keep(os.urandom(900)), store.keep(os.urandom(900)), store.keep(os.urandom(900))
    _age(store, first, GRACE_SECONDS + 20)
    _age(store, second, GRACE_SECONDS + 10)
    assert store.sweep(_now(store, new), frozenset(), quota=1900) == 1
    assert (store.has(first), store.has(second), store.has(new)) == (False, True, True)
    assert store.sweep(_now(store, new), frozenset(), quota=0) == 1
    assert store.has(new)


def test_what_is_kept_again_counts_as_new(store: Blobs) -> None:
    hash, other = store.keep(b"again"), store.keep(b"other")
    _age(store, hash, AGE_SECONDS + 1)
    store.keep(b"again")
    assert store.sweep(_now(store, other), frozenset()) == 0


def test_what_a_kill_left_of_a_write_is_swept(store: Blobs) -> None:
    hash = store.keep(NOISE)
    stray = Path(store.folder, hash[:2], "0123.tmp")
    stray.write_bytes(b"half")
    os.utime(stray, (0, 0))
    assert store.sweep(GRACE_SECONDS + 1, frozenset()) == 1
    assert not stray.exists() and store.has(hash)


def _file(store: Blobs, hash: str) -> Path:
    return next(path for path in files_in(Path(store.folder)) if path.name.startswith(hash[2:]))


def _now(store: Blobs, hash: str) -> float:
    return _file(store, hash).stat().st_mtime


def _age(store: Blobs, hash: str, seconds: float) -> None:
    path = _file(store, hash)
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))
