from __future__ import annotations

from pathlib import Path

import pytest

from tools.bash.output import GrowingFile, read_output


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)])
def test_a_short_output_is_whole(tmp_path: Path, text: str, lines: int) -> None:
    file = tmp_path / "out"
    file.write_text(text)
    read = read_output(str(file))
    assert (read.text, read.total_lines, read.truncated) == (text, lines, False)


def test_a_long_output_is_cut_between_lines_and_says_how_much_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("".join(f"line {number}\n" for number in range(1000)))
    read = read_output(str(file), limit=200)
    head, gap, tail = read.text.split("\n\n")
    assert head.startswith("line 0\n") and head.split("\n")[-1].startswith("line ")
    assert tail.startswith("line ") and tail.endswith("line 999\n")
    missing = read.total_bytes - len(head) - len(tail)
    assert gap == f"[... {missing} bytes of {read.total_bytes} left out here; the whole output is in {file} ...]"
    assert read.truncated and read.total_lines == 1000


def test_A10_one_endless_line_is_cut_by_characters(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("é" * 100_000)
    read = read_output(str(file), limit=1_000)
    assert read.text.count("é") == 1_000
    assert "\ufffd" not in read.text[:400] + read.text[-400:]


def test_many_bytes_may_still_be_few_characters(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("文" * 900)
    assert not read_output(str(file), limit=1_000).truncated


def test_a_growing_file_that_was_emptied_is_counted_anew(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("a\nb\nc\n")
    growing = GrowingFile(str(file))
    growing.look()
    file.write_text("d\n")
    glimpse = growing.look()
    assert (glimpse.lines, glimpse.total_lines, glimpse.total_bytes) == (("d",), 1, 2)


def test_what_was_written_after_a_place_can_be_read_alone(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("one\ntwo\n")
    read = read_output(str(file), after=4)
    assert (read.text, read.total_bytes, read.total_lines) == ("two\n", 4, 1)
    assert read_output(str(file), after=99).text == ""
    long = read_output(str(file), limit=2, after=4)
    assert long.truncated and "one" not in long.text


def test_a_growing_file_is_counted_on_and_shows_its_end(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("a\nb\n")
    growing = GrowingFile(str(file))
    assert (growing.look().lines, growing.look().total_lines) == (("a", "b"), 2)
    with file.open("a") as more:
        more.write("".join(f"{number}\n" for number in range(50)) + "half")
    glimpse = growing.look()
    assert glimpse.lines == (*(str(number) for number in range(31, 50)), "half")
    assert (glimpse.total_lines, glimpse.total_bytes) == (52, file.stat().st_size)


def test_what_was_counted_while_it_grew_is_not_read_again_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("one\ntwo\n")
    growing = GrowingFile(str(file))
    growing.count_on(most=5)
    assert growing.is_behind(8)
    growing.count_on()
    assert not growing.is_behind(8)
    with file.open("a") as more:
        more.write("three")
    assert (growing.read().total_lines, growing.read().total_bytes) == (3, 13)


def test_an_output_that_was_emptied_is_counted_anew(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("one\ntwo\nthree\n")
    growing = GrowingFile(str(file))
    growing.count_on()
    file.write_text("four\n")
    read = growing.read()
    assert (read.text, read.total_lines, read.total_bytes) == ("four\n", 1, 5)
