"""What an Edit leaves in the file: exactly the replacement, and every other byte as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.desk import Desk
from tools.edit.quotes import in_the_files_quotes
from tools.permissions.subjects import PathSubject
from tools.textfile import Replacement, TextFile, decode, with_lf


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def edited(desk: Desk, before: bytes, old: str, new: str, **more: bool) -> bytes:
    path = desk.put("a.txt", before)
    desk.read("a.txt")
    desk.edit("a.txt", old, new, **more)
    return path.read_bytes()


def test_the_result_tells_what_was_changed(desk: Desk) -> None:
    path = desk.put("a.txt", "one\ntwo\nthree\n")
    desk.read("a.txt")
    done = desk.edit("a.txt", "two", "2")
    assert done.for_model == f"Changed {path}.\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"


def test_a_long_change_is_told_in_part(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    desk.read("a.txt")
    done = desk.edit("a.txt", "one", "x\n" * 10_000)
    assert done.for_model.endswith("… the rest of the change is not shown")
    assert len(done.for_model) < 7_000


def test_replace_all_replaces_each_one(desk: Desk) -> None:
    assert edited(desk, b"x y x\nx\n", "x", "z", replace_all=True) == b"z y z\nz\n"


def test_replace_all_of_overlapping_places_goes_from_the_left(desk: Desk) -> None:
    assert edited(desk, b"aaaaa", "aa", "b", replace_all=True) == b"bba"


def test_an_empty_new_text_deletes(desk: Desk) -> None:
    assert edited(desk, b"one\ntwo\nthree\n", "two\n", "") == b"one\nthree\n"


def test_an_empty_old_text_creates_a_file(desk: Desk) -> None:
    done = desk.edit("new/a.txt", "", "one\ntwo\n")
    assert done.for_model == f"Created {desk.folder}/new/a.txt with 2 lines."
    assert (desk.folder / "new/a.txt").read_text() == "one\ntwo\n"
    assert desk.edit("new/b.txt", "", "one").for_model == f"Created {desk.folder}/new/b.txt with 1 line."


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_old_text_fills_an_empty_file_in_its_encoding(desk: Desk, mark: bytes) -> None:
    codec = "utf-16-le" if mark == b"\xff\xfe" else "utf-8"
    assert edited(desk, mark, "", "grün\n") == mark + "grün\n".encode(codec)


def test_nothing_is_a_pattern(desk: Desk) -> None:
    assert edited(desk, b"a.c (x) \\1 $&\n", "a.c (x)", "\\g<0> $1 \\n") == b"\\g<0> $1 \\n \\1 $&\n"


def test_white_space_is_never_trimmed(desk: Desk) -> None:
    assert edited(desk, b"  a  \n\tb\n", "a  \n\tb", " c \n\td ") == b"   c \n\td \n"


def test_crlf_is_kept_and_matched_without_being_seen(desk: Desk) -> None:
    assert edited(desk, b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2\n2b") == b"1\r\n2\r\n2b\r\nthree\r\n"


def test_B26_a_return_is_never_doubled(desk: Desk) -> None:
    assert edited(desk, b"one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2") == b"1\r\n2\r\n"


def test_mixed_line_ends_stay_where_nothing_is_replaced(desk: Desk) -> None:
    assert edited(desk, b"a\r\nb\nc\r\nd\re\r\n", "b", "B\nB") == b"a\r\nB\r\nB\nc\r\nd\re\r\n"


def test_a_missing_line_end_at_the_end_stays_missing(desk: Desk) -> None:
    assert edited(desk, b"one\ntwo", "two", "2") == b"one\n2"


def test_A17_the_byte_order_mark_is_kept(desk: Desk) -> None:
    assert edited(desk, b"\xef\xbb\xbfone\n", "one", "two") == b"\xef\xbb\xbftwo\n"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_A16_utf_16_and_its_mark_are_kept(desk: Desk, codec: str) -> None:
    before = "\ufeffgrün\r\n😀\r\n".encode(codec)
    assert edited(desk, before, "grün", "blau 😀") == "\ufeffblau 😀\r\n😀\r\n".encode(codec)


def test_A18_odd_separators_are_data(desk: Desk) -> None:
    before = "a\vb\fc\x85d\u2028e\rf\n"
    assert edited(desk, before.encode(), "c\x85d", "C\x85D").decode() == before.replace("c\x85d", "C\x85D")


def test_curly_quotes_of_the_file_are_found_by_plain_ones_and_kept(desk: Desk) -> None:
    before = "She said “no” and didn’t.\n".encode()
    after = edited(desk, before, 'said "no" and didn\'t', 'said "never" and wouldn\'t')
    assert after.decode() == "She said “never” and wouldn’t.\n"


def test_two_quotes_with_nothing_between_them_open_and_close(desk: Desk) -> None:
    after = edited(desk, "f(“a”)\n".encode(), 'f("a")', 'f("a", end="")')
    assert after.decode() == "f(“a”, end=“”)\n"
    assert edited(desk, "“a”\n".encode(), '"a"', '"a="').decode() == "“a=”\n"


def test_plain_quotes_of_the_file_are_found_by_curly_ones_and_kept(desk: Desk) -> None:
    assert edited(desk, b"x = 'one'\n", "x = ‘one’", "x = ‘two’") == b"x = 'two'\n"


def test_an_exact_match_beats_one_by_folded_quotes(desk: Desk) -> None:
    before = "'a' and ‘a’\n".encode()
    assert edited(desk, before, "'a'", "'b'").decode() == "'b' and ‘a’\n"


def test_two_places_by_folded_quotes_are_not_unique(desk: Desk) -> None:
    desk.put("a.txt", "‘a’ and 'a’\n")
    desk.read("a.txt")
    assert desk.refused(desk.edit, "a.txt", "'a'", "'b'").code == "not_unique"


def test_primes_are_no_quotes(desk: Desk) -> None:
    desk.put("a.txt", "5′ 3″\n")
    desk.read("a.txt")
    assert desk.refused(desk.edit, "a.txt", "5' 3\"", "6'").code == "not_found"


def test_a_new_text_that_differs_only_in_folded_quotes_changes_nothing(desk: Desk) -> None:
    desk.put("a.txt", "don’t\n")
    desk.read("a.txt")
    assert desk.refused(desk.edit, "a.txt", "don't", "don’t").code == "no_change"


def test_quotes_in_texts_that_repeat_without_end_are_styled_in_time(desk: Desk) -> None:
    old, new = "it's " * 2_000, "it's not " * 2_000
    before = ("start " + old.replace("'", "’") + "\n").encode()
    assert edited(desk, before, old, new).decode() == "start " + new.replace("'", "’") + "\n"


def test_B2_an_edit_through_a_link_changes_what_it_leads_to_and_keeps_the_link(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    link = desk.folder / "link"
    link.symlink_to("a.txt")
    desk.read("link")
    desk.edit("link", "one", "two")
    assert (link.is_symlink(), path.read_text()) == (True, "two\n")


def test_a_file_emptied_by_somebody_else_is_not_filled_unseen(desk: Desk) -> None:
    path = desk.put("a.txt", "one\n")
    desk.read("a.txt")
    path.write_text("")
    assert desk.refused(desk.edit, "a.txt", "", "new").code == "stale"
    assert path.read_text() == ""


def test_the_rules_are_asked_about_the_path_as_an_edit(desk: Desk) -> None:
    tool, place = desk.edit_tool, desk.ctx().place
    given = tool.parse_input({"file_path": "a.txt", "old_string": "x", "new_string": "y"})
    assert tool.permission_subjects(given, place) == (PathSubject("a.txt", "edit"),)
    assert tool.observable_input(given, place)["file_path"] == f"{desk.folder}/a.txt"
    assert (tool.is_read_only(given), tool.is_concurrency_safe(given), tool.summary(given)) == (False, False, "a.txt")


@pytest.mark.parametrize("name", ["a.ipynb", "a.svg", "a.desktop", "Makefile"])
def test_B25_files_that_can_run_are_plain_text(desk: Desk, name: str) -> None:
    path = desk.put(name, "<script>one</script>\n")
    assert desk.refused(desk.edit, name, "one", "two").code == "not_read"
    desk.read(name)
    desk.edit(name, "one", "two")
    assert path.read_text() == "<script>two</script>\n"


TEXTS = st.lists(st.sampled_from(["a", "é", "😀", "\r\n", "\n", "\r", "\v", "\u2028", " "])).map("".join)


@given(TEXTS, st.data())
def test_what_is_not_replaced_stays_byte_for_byte(stored: str, data: st.DataObject) -> None:
    file = TextFile(stored)
    start = data.draw(st.integers(0, len(file.text)))
    end = data.draw(st.integers(start, len(file.text)))
    after = file.replaced([Replacement(start, end, "NEW")])
    head, _, tail = after.stored.partition("NEW")
    assert stored.startswith(head) and stored.endswith(tail)
    assert after.text == file.text[:start] + "NEW" + file.text[end:]


@given(TEXTS, st.sampled_from(["", "\ufeff"]), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_decoding_and_storing_again_gives_the_same_bytes(text: str, mark: str, codec: str) -> None:
    data = ((mark if codec == "utf-8" else "\ufeff") + text).encode(codec)
    file = decode(data, "a.txt")
    assert (file.data, file.text) == (data, with_lf(text))


@given(st.text(alphabet="ab '\"’“", max_size=12), st.text(alphabet="ab '\"’“", max_size=12))
def test_an_exact_match_is_replaced_by_what_was_given(old: str, new: str) -> None:
    """Where the file has the very same quotes, nothing of the new text is restyled that the old one has too."""
    styled = in_the_files_quotes(old, old, old + new)
    assert styled.startswith(old)
    assert len(styled) == len(old + new)
