"""What the person is told of a file outside the workspace before it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.desk import Desk
from tools.read.about import about, size_in_words


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.txt", b"one\n", "4 bytes, text"),
        ("a.csv", b"1,2\n" * 4_500, "18 KB, text"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0", "9 bytes, a picture"),
        ("a.pdf", b"%PDF-1.7", "8 bytes, a PDF"),
        ("a.ipynb", b"{}", "2 bytes, a notebook"),
        ("a.bin", b"a\0b", "3 bytes, binary"),
    ],
)
def test_its_size_and_what_it_is(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert about(str(tmp_path / name)) == told


@pytest.mark.parametrize(
    ("size", "words"), [(999, "999 bytes"), (1_000, "1 KB"), (999_600, "1 MB"), (3 * 10**9, "3 GB")]
)
def test_sizes_are_rounded_to_the_unit_a_person_would_use(size: int, words: str) -> None:
    assert size_in_words(size) == words


def test_of_what_is_no_file_nothing_is_told(tmp_path: Path) -> None:
    assert about(str(tmp_path)) == "" and about(str(tmp_path / "missing")) == ""


def test_it_is_told_only_of_files_elsewhere(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for folder in (tmp_path, work):
        (folder / "a.txt").write_text("one\n")
    desk = Desk(work)
    assert "bytes" not in str(desk.preview(desk.read_tool, file_path="a.txt"))
    assert "4 bytes, text" in str(desk.preview(desk.read_tool, file_path="../a.txt"))
