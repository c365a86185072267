"""What the model gets of a result, by its own limit and by that of its message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.contract import EFFECTIVE_RESULT_CHARS
from tools.results import (
    BATCH_CHARS,
    NO_OUTPUT,
    PREVIEW_CHARS,
    RESULT_BYTES,
    BatchItem,
    Fitted,
    ResultStore,
    fit,
    fit_batch,
    is_over,
    preview_of,
    readable,
    sendable,
    with_note,
)

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(tmp_path / "results")


def text_of(fitted: Fitted) -> str:
    assert isinstance(fitted.content, str)
    return fitted.content


def batch(*contents: str, exempt: tuple[int, ...] = ()) -> list[BatchItem]:
    return [BatchItem(f"c{n}", Fitted(content), n in exempt) for n, content in enumerate(contents)]


@pytest.mark.parametrize(
    ("size", "declared", "over"),
    [
        (1_000, 1_000, False),
        (1_001, 1_000, True),
        (EFFECTIVE_RESULT_CHARS, 100_000, False),
        (EFFECTIVE_RESULT_CHARS + 1, 100_000, True),
        (RESULT_BYTES, None, False),
        (RESULT_BYTES + 1, None, True),
    ],
)
def test_the_limit_is_the_declared_one_but_never_above_the_common_one(
    size: int, declared: int | None, over: bool
) -> None:
    assert is_over("x" * size, declared) == over


def test_behind_the_characters_stands_a_wall_of_bytes() -> None:
    assert EFFECTIVE_RESULT_CHARS * 4 <= RESULT_BYTES, "else four-byte characters would pass the first limit only"
    assert is_over("€" * (RESULT_BYTES // 3 + 1), None)
    assert not is_over("€" * (RESULT_BYTES // 3), None)


def test_a_result_within_its_limit_passes_as_it_is_and_writes_nothing(store: ResultStore) -> None:
    assert fit("short", 1_000, store) == Fitted("short")
    assert not store.folder.exists()


def test_a_result_over_its_limit_is_stored_whole_and_shown_by_head_and_tail(store: ResultStore) -> None:
    whole = "".join(f"line {n}\r\n" for n in range(2_000))
    fitted = fit(whole, 10_000, store)
    assert fitted.stored is not None and fitted.cut
    assert Path(fitted.stored).read_bytes() == whole.encode()
    shown = text_of(fitted)
    assert shown.startswith("line 0\r\n") and "line 1999\r\n" in shown
    assert f"… {len(whole) - PREVIEW_CHARS} characters not shown …" in shown
    assert f"The result has {len(whole)} characters." in shown
    assert fitted.stored in shown
    assert len(shown) < PREVIEW_CHARS + 500


def test_an_output_that_is_already_in_a_file_is_not_stored_again(store: ResultStore) -> None:
    path = store.new_output("c1")
    fitted = fit("x" * 2_000_000, 30_000, store, path)
    assert fitted.stored == path
    assert len(list(store.folder.iterdir())) == 1


def test_a_tool_that_bounds_itself_is_never_stored_and_held_by_the_wall_alone(store: ResultStore) -> None:
    assert fit("x" * 300_000, None, store) == Fitted("x" * 300_000)
    fitted = fit("x" * (RESULT_BYTES + 1), None, store)
    assert fitted.cut and fitted.stored is None
    assert "Ask for a part of it." in text_of(fitted)
    assert not store.folder.exists()


def test_pictures_stay_beside_the_preview_of_a_long_text(store: ResultStore) -> None:
    content: list[dict[str, Any]] = [{"type": "text", "text": "a" * 900}, IMAGE, {"type": "text", "text": "b" * 900}]
    fitted = fit(content, 1_000, store)
    assert fitted.stored is not None
    assert Path(fitted.stored).read_text() == "a" * 900 + "\n" + "b" * 900
    assert isinstance(fitted.content, list)
    assert [block["type"] for block in fitted.content] == ["text", "image"]


def test_of_a_message_that_is_too_long_the_largest_results_are_stored_first(store: ResultStore) -> None:
    items = batch("a" * 49_000, "b" * 50_000, "c" * 48_000, "d" * 50_000, "e" * 40_000)
    fitted = fit_batch(items, store)
    assert [one.stored is not None for one in fitted] == [False, True, False, False, False]
    assert sum(len(text_of(one)) for one in fitted) <= BATCH_CHARS
    assert fit_batch(batch("a" * 100_000, "b" * 100_000), store) == [Fitted("a" * 100_000), Fitted("b" * 100_000)]


def test_in_a_message_read_is_left_alone(store: ResultStore) -> None:
    fitted = fit_batch(batch("a" * 150_000, "b" * 50_000, "c" * 100, exempt=(0,)), store, 160_000)
    assert [one.stored is not None for one in fitted] == [False, True, False]


def test_what_was_cut_already_is_not_cut_again(store: ResultStore) -> None:
    cut = fit("x" * 60_000, 50_000, store)
    items = [BatchItem("c0", cut), *batch("y" * 50_000)]
    fitted = fit_batch(items, store, 40_000)
    assert fitted[0] is cut
    assert fitted[1].stored is not None


def test_a_message_whose_results_are_in_files_already_names_those(store: ResultStore) -> None:
    path = store.new_output("c0")
    (fitted,) = fit_batch([BatchItem("c0", Fitted("x" * 30_000, path))], store, 10_000)
    assert fitted.stored == path
    assert len(list(store.folder.iterdir())) == 1


@given(sizes=st.lists(st.integers(0, 50_000), max_size=100))
def test_a_message_of_any_results_keeps_its_budget_and_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    store = ResultStore(tmp_path_factory.mktemp("store") / "results")
    items = batch(*("x" * size for size in sizes))
    fitted = fit_batch(items, store)
    assert sum(len(text_of(one)) for one in fitted) <= BATCH_CHARS
    for item, one in zip(items, fitted, strict=True):
        whole = text_of(one) if one.stored is None else Path(one.stored).read_text()
        assert whole == item.fitted.content


@given(text=st.text(max_size=300), chars=st.integers(0, 100))
def test_a_preview_is_the_text_or_its_two_ends_and_what_is_missing_between(text: str, chars: int) -> None:
    shown = preview_of(text, chars)
    if len(text) <= 2 * (chars // 2):
        assert shown == text
        return
    half = chars // 2
    assert shown.startswith(text[:half]) and shown.endswith(text[len(text) - half :])
    assert f"… {len(text) - 2 * half} characters not shown …" in shown


@pytest.mark.parametrize("content", ["", " \n\t", [], [{"type": "text", "text": " "}]])
def test_an_empty_result_says_that_it_is_empty(content: Any) -> None:
    assert sendable(content) == NO_OUTPUT


def test_what_cannot_be_encoded_is_marked() -> None:
    assert readable("caf\udce9") == "caf?"
    assert sendable([{"type": "text", "text": "\ud800"}, IMAGE]) == [{"type": "text", "text": "?"}, IMAGE]


def test_a_note_goes_behind_the_result_and_leaves_the_rest_as_it_was() -> None:
    assert with_note(Fitted("out", "/s", True), "By the way.") == Fitted("out\n\nBy the way.", "/s", True)
    assert with_note(Fitted(""), "alone") == Fitted("alone")
    assert with_note(Fitted("out"), "") == Fitted("out")
    assert with_note(Fitted([IMAGE]), "seen").content == [IMAGE, {"type": "text", "text": "seen"}]
