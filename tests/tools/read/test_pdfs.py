"""Read: the pages of a PDF, as text or as pictures."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.desk import Desk
from tests.support.documents import pdf
from tools.read import pdf as pdfs
from tools.read.pager import PAGE_CHARS
from tools.read.shown import Parts, Pdf
from tools.textfile import with_lf


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    made.put("small.pdf", pdf(["one\nmore of it", "two", "three"]))
    made.put("large.pdf", pdf([f"page {number}" for number in range(1, 41)]))
    made.put("scan.pdf", pdf(["", ""]))
    return made


def numbers(answer: Pdf | Parts) -> list[int]:
    return [page.number for page in answer.pages]


def text(desk: Desk, name: str, **more: object) -> Pdf:
    answer = desk.read(name, **more).answer
    assert isinstance(answer, Pdf)
    return answer


def parts(desk: Desk, name: str, **more: object) -> Parts:
    answer = desk.read(name, **more).answer
    assert isinstance(answer, Parts)
    return answer


def test_a_small_pdf_comes_as_text_page_by_page(desk: Desk) -> None:
    assert desk.told("small.pdf") == (
        "=== Page 1 of 3 ===\none\nmore of it\n=== Page 2 of 3 ===\ntwo\n=== Page 3 of 3 ===\nthree"
    )


@pytest.mark.parametrize(
    ("pages", "shown"), [("2", [2]), ("1-2", [1, 2]), ("2-", [2, 3]), (" 3 ", [3]), ("2-99", [2, 3]), ("", [1, 2, 3])]
)
def test_pages_are_chosen_by_their_numbers(desk: Desk, pages: str, shown: list[int]) -> None:
    assert numbers(text(desk, "small.pdf", pages=pages)) == shown


@pytest.mark.parametrize("pages", ["0", "3-2", "a", "1,2", "-3", "1-2-3", "１"])
def test_what_is_no_range_of_pages_is_refused(desk: Desk, pages: str) -> None:
    assert desk.refused(desk.read, "small.pdf", pages=pages).code == "invalid_input"


def test_a_page_past_the_end_is_told_how_many_there_are(desk: Desk) -> None:
    assert "has 3 pages" in desk.refused(desk.read, "small.pdf", pages="4").message


def test_a_large_pdf_comes_as_pictures_with_how_to_go_on(desk: Desk) -> None:
    assert numbers(parts(desk, "large.pdf")) == list(range(1, pdfs.PAGE_PICTURES + 1))
    first, shown, note = desk.told("large.pdf", pages="7")
    assert (first["text"], shown["type"]) == ("Page 7:", "image")
    assert note["text"] == '(The file has 40 pages. Go on with pages="8-".)'


def test_a_pdf_without_text_comes_as_pictures(desk: Desk) -> None:
    assert numbers(parts(desk, "scan.pdf")) == [1, 2]


def test_how_pages_come_can_be_chosen(desk: Desk) -> None:
    assert numbers(text(desk, "large.pdf", pages="30-33", page_images=False)) == [30, 31, 32, 33]
    assert numbers(parts(desk, "small.pdf", pages="2", page_images=True)) == [2]
    assert "No text on page 1, 2. With page_images=true" in desk.told("scan.pdf", page_images=False)


def test_a_pages_picture_has_the_pages_shape(desk: Desk) -> None:
    [page] = parts(desk, "small.pdf", pages="1", page_images=True).pages
    assert page.picture.height > page.picture.width
    assert page.picture.width / page.picture.height == pytest.approx(612 / 792, abs=0.01)


def test_text_stops_where_the_budget_does(desk: Desk) -> None:
    desk.put("dense.pdf", pdf(["\n".join(["word " * 15] * 500)] * 5, size=(612, 8_000)))
    shown = text(desk, "dense.pdf")
    assert 0 < len(shown.pages) < 5
    assert sum(len(page.text) for page in shown.pages) <= PAGE_CHARS
    desk.seen.forget_context()
    assert f'Go on with pages="{len(shown.pages) + 1}-"' in desk.told("dense.pdf")


def test_one_page_that_is_too_much_alone_is_cut(desk: Desk) -> None:
    desk.put("dense.pdf", pdf(["\n".join(["word " * 15] * 2_000)], size=(612, 30_000)))
    shown = text(desk, "dense.pdf")
    assert shown.cut and len(shown.pages[0].text) <= PAGE_CHARS
    assert "The text of page 1 is cut" in desk.read_tool.to_result_block(desk.read("dense.pdf", pages="1"))


def test_A14_a_hundred_thousand_pages_cost_no_more_than_those_that_are_shown(desk: Desk) -> None:
    desk.put("bomb.pdf", pdf(["one"], claimed=100_000))
    assert numbers(parts(desk, "bomb.pdf")) == [1]
    assert desk.refused(desk.read, "bomb.pdf", pages="99999").code == "binary"


def test_A14_a_page_of_kilometres_is_drawn_no_larger_than_others(desk: Desk) -> None:
    desk.put("bomb.pdf", pdf(["one"], size=(2_000_000, 1_000_000)))
    [page] = parts(desk, "bomb.pdf", page_images=True).pages
    assert page.picture.width * page.picture.height <= 1_200_000


@pytest.mark.parametrize("data", [b"%PDF-1.7\nrubbish", b"%PDF-", pdf(["one"])[:80]])
def test_A13_what_only_begins_like_a_pdf_is_refused(desk: Desk, data: bytes) -> None:
    desk.put("a.pdf", data)
    refusal = desk.refused(desk.read, "a.pdf")
    assert (refusal.code, "begins like a PDF" in refusal.message) == ("binary", True)


def test_A13_words_in_a_file_called_pdf_are_words(desk: Desk) -> None:
    desk.put("a.pdf", "just words\n")
    assert desk.text("a.pdf").lines == ("just words",)


def test_a_pdf_is_too_large_before_it_is_opened(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfs, "PDF_BYTES", 100)
    assert desk.refused(desk.read, "small.pdf").code == "too_large"


def test_the_same_pages_are_not_sent_twice(desk: Desk) -> None:
    desk.read("small.pdf", pages="1-2")
    assert desk.told("small.pdf", pages="1-2").endswith("still holds: pages 1-2.")
    assert numbers(text(desk, "small.pdf", pages="2-3")) == [2, 3]
    assert numbers(parts(desk, "small.pdf", pages="1-2", page_images=True)) == [1, 2]


def test_many_pdfs_at_once_are_read_one_after_the_other(desk: Desk) -> None:
    with ThreadPoolExecutor(6) as pool:
        for number in range(6):
            desk.put(f"{number}.pdf", pdf([f"file {number}"]))
        told = list(pool.map(lambda number: desk.told(f"{number}.pdf"), range(6)))
    assert told == [f"=== Page 1 of 1 ===\nfile {number}" for number in range(6)]


def test_a_pdf_that_never_ends_holds_up_no_other_for_ever(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.Lock()
    monkeypatch.setattr(pdfs, "_ONE_AT_A_TIME", lock)
    monkeypatch.setattr(pdfs, "WAIT_SECONDS", 0.05)
    with lock:
        assert desk.refused(desk.read, "small.pdf").code == "timed_out"
    assert text(desk, "small.pdf").total_pages == 3


def test_line_ends_of_a_pdf_are_ours(desk: Desk) -> None:
    told = desk.told("small.pdf")
    assert told == with_lf(told)
