"""What a conversation was shown: ranges that add up, content that decides, memory that stays bounded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.ledger import seen as ledger
from tools.ledger.seen import Seen, Snapshot, hash_of_shown

PATH = "/project/a.txt"


def shot(hash: str = "h1", lines: int | None = 100, text: str | None = "text", **more: int) -> Snapshot:
    stat: dict[str, Any] = {"mtime_ns": 1, "size": 2, "dev": 3, "ino": 4, **more}
    return Snapshot(hash, **stat, text=text, lines=lines)


def shown(seen: Seen, *ranges: tuple[int, int], snapshot: Snapshot | None = None) -> None:
    for first, last in ranges:
        seen.remember(PATH, snapshot or shot(), first, last, complete=False)


def known(seen: Seen) -> ledger.SeenFile:
    file = seen.get(PATH)
    assert file is not None
    return file


def test_a_file_that_was_never_shown_is_not_known() -> None:
    assert not Seen().knows(PATH)
    assert Seen().get(PATH) is None and Seen().paths() == ()


@pytest.mark.parametrize(
    ("ranges", "merged"),
    [
        ([(1, 10), (11, 20)], ((1, 20),)),
        ([(11, 20), (1, 10)], ((1, 20),)),
        ([(1, 10), (12, 20)], ((1, 10), (12, 20))),
        ([(1, 50), (10, 20)], ((1, 50),)),
        ([(1, 10), (30, 40), (5, 35)], ((1, 40),)),
    ],
)
def test_pages_merge_into_ranges(ranges: list[tuple[int, int]], merged: tuple[tuple[int, int], ...]) -> None:
    seen = Seen()
    shown(seen, *ranges)
    assert known(seen).ranges == merged


def test_pages_that_cover_all_lines_are_the_whole() -> None:
    seen = Seen()
    shown(seen, (51, 100))
    assert not known(seen).complete
    shown(seen, (1, 50))
    assert known(seen).complete


def test_lines_cut_short_do_not_count_but_stand_in_the_context() -> None:
    seen = Seen()
    seen.remember(PATH, shot(), 1, 100, complete=False, whole_lines=False)
    assert (known(seen).ranges, known(seen).complete) == ((), False)
    assert seen.unchanged_stub_allowed(PATH, "h1", 1, 100)


def test_pages_of_different_contents_do_not_add_up() -> None:
    seen = Seen()
    shown(seen, (1, 50))
    shown(seen, (51, 100), snapshot=shot("h2"))
    assert (known(seen).ranges, known(seen).complete) == (((51, 100),), False)


def test_the_hash_decides_and_not_the_time() -> None:
    assert shot().same_content(shot(mtime_ns=99, ino=98))
    assert not shot("h1").same_content(shot("h2"))


@pytest.mark.parametrize("differs", [{}, {"mtime_ns": 9}, {"size": 9}, {"dev": 9}, {"ino": 9}])
def test_where_no_hash_of_the_whole_was_made_its_identity_stands_in(differs: dict[str, int]) -> None:
    large = shot(hash_of_shown(1, ["one"]))
    assert large.same_content(shot("whole", **differs)) is (not differs)


def test_of_a_large_file_at_least_the_lines_shown_must_be_the_same() -> None:
    seen = Seen()
    shown(seen, (2, 3), snapshot=shot(hash_of_shown(2, ["two", "three"]), lines=None))
    assert known(seen).shown_lines_stand_in("one\ntwo\nthree\nfour\n")
    assert known(seen).shown_lines_stand_in("changed\ntwo\nthree")
    assert not known(seen).shown_lines_stand_in("two\nthree\n")
    assert not known(seen).shown_lines_stand_in("one\n")


def test_what_we_wrote_ourselves_is_known_as_well_as_before() -> None:
    seen = Seen()
    shown(seen, (1, 10))
    seen.follow(PATH, shot("h2"))
    assert (known(seen).snapshot.hash, known(seen).complete) == ("h2", False)
    shown(seen, (1, 100), snapshot=shot("h2"))
    seen.follow(PATH, shot("h3"))
    assert known(seen).complete


def test_what_we_wrote_whole_is_known_whole_and_what_went_into_others_changes_is_not() -> None:
    seen = Seen()
    seen.follow(PATH, shot(), complete=True)
    assert known(seen).complete
    seen.follow(PATH, shot("h2"), complete=False)
    assert not known(seen).complete


def test_what_we_wrote_stands_nowhere_in_the_context() -> None:
    seen = Seen()
    shown(seen, (1, 100))
    seen.follow(PATH, shot("h2"))
    assert not seen.unchanged_stub_allowed(PATH, "h2", 1, 1)


def test_a_refusal_counts_from_the_next_message_on() -> None:
    seen = Seen()
    shown(seen, (1, 100))
    seen.refresh(PATH, shot("h2"), "message-1")
    for message, hash in (("message-1", "h1"), ("message-2", "h2"), ("", "h2")):
        file = seen.get(PATH, message)
        assert file is not None and file.snapshot.hash == hash and file.complete


def test_a_second_refusal_of_a_message_still_knows_what_the_message_knew() -> None:
    seen = Seen()
    shown(seen, (1, 100))
    seen.refresh(PATH, shot("h2"), "message-1")
    seen.refresh(PATH, shot("h3"), "message-1")
    before, after = seen.get(PATH, "message-1"), seen.get(PATH, "message-2")
    assert before is not None and after is not None
    assert (before.snapshot.hash, after.snapshot.hash) == ("h1", "h3")


def test_a_refusal_makes_no_file_known_that_was_not() -> None:
    seen = Seen()
    seen.refresh(PATH, shot(), "message-1")
    assert not seen.knows(PATH)


def test_only_lines_in_the_context_as_they_still_are_need_not_be_repeated() -> None:
    seen = Seen()
    shown(seen, (1, 10), (20, 30))
    allowed = seen.unchanged_stub_allowed
    assert allowed(PATH, "h1", 2, 9) and allowed(PATH, "h1", 20, 30)
    assert not allowed(PATH, "h1", 5, 25) and not allowed(PATH, "h2", 2, 9) and not allowed("/other", "h1", 1, 1)
    seen.forget_context()
    assert not allowed(PATH, "h1", 2, 9)
    assert seen.knows(PATH) and known(seen).ranges == ((1, 10), (20, 30))


def test_texts_are_held_up_to_a_bound_and_those_used_last_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "KEPT_TEXT_BYTES", 3_000)
    seen = Seen()
    for name in ("a", "b", "c"):
        seen.remember(name, shot(text="x" * 1_200), 1, 1, complete=True)
    seen.remember("b", shot(text="x" * 1_200), 1, 1, complete=True)
    files = {name: file for name in "abc" if (file := seen.get(name))}
    held = {name: file.snapshot.text is not None for name, file in files.items()}
    assert held == {"a": False, "b": True, "c": True}
    assert all(file.complete for file in files.values())


def test_a_text_larger_than_the_bound_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "KEPT_TEXT_BYTES", 1_000)
    seen = Seen()
    seen.remember(PATH, shot(text="x" * 2_000), 1, 1, complete=True)
    assert known(seen).snapshot.text is None


def test_a_resume_gets_everything_back_but_the_texts() -> None:
    seen = Seen()
    shown(seen, (1, 10), (20, 30))
    seen.follow("/project/b.txt", shot("h9"), complete=True)
    again = Seen()
    again.load(json.loads(json.dumps(seen.dump())))
    assert again.dump() == seen.dump()
    assert known(again).snapshot == shot(text=None)
    assert again.unchanged_stub_allowed(PATH, "h1", 20, 30)


def test_another_name_counts_only_for_the_same_file_with_the_same_content() -> None:
    seen = Seen()
    shown(seen, (1, 10))
    assert seen.under_another_name(shot(mtime_ns=9), lambda _: True) == known(seen)
    assert seen.under_another_name(shot(mtime_ns=9), lambda _: False) is None, "it was moved"
    assert seen.under_another_name(shot("h2"), lambda _: True) is None
    assert seen.under_another_name(shot(ino=9), lambda _: True) is None


def test_a_file_shown_in_another_way_than_by_lines_is_known_but_never_whole() -> None:
    seen = Seen()
    seen.remember_view(PATH, shot(), "the picture")
    assert seen.knows(PATH) and not known(seen).complete
    assert seen.view_in_context(PATH, "h1", "the picture")
    assert not seen.view_in_context(PATH, "h1", "its cells")
    assert not seen.view_in_context(PATH, "h2", "the picture")


def test_lines_and_views_of_the_same_content_add_up_and_those_of_another_do_not() -> None:
    seen = Seen()
    shown(seen, (1, 10))
    seen.remember_view(PATH, shot(), "its cells")
    shown(seen, (11, 20))
    assert (known(seen).ranges, known(seen).views) == (((1, 20),), {"its cells"})
    seen.remember_view(PATH, shot("h2"), "the picture")
    assert (known(seen).ranges, known(seen).views) == ((), {"the picture"})


def test_a_view_is_gone_with_the_context_and_comes_back_with_a_resume() -> None:
    seen = Seen()
    seen.remember_view(PATH, shot(), "the picture")
    again = Seen()
    again.load(json.loads(json.dumps(seen.dump())))
    assert again.view_in_context(PATH, "h1", "the picture")
    again.forget_context()
    assert not again.view_in_context(PATH, "h1", "the picture") and again.knows(PATH)


def test_pictures_count_until_the_context_is_compacted() -> None:
    seen = Seen()
    seen.count_pictures(ledger.MOST_PICTURES - 1, 100)
    assert not seen.admit_pictures(2, 10)
    assert seen.admit_pictures(1, 10)
    assert not seen.admit_pictures(1, 10)
    seen.forget_context()
    assert not seen.admit_pictures(1, ledger.PICTURES_BYTES + 1)
    assert seen.admit_pictures(1, ledger.PICTURES_BYTES)
