"""What this session wrote: every content we ever gave a file is ours, and nothing else is."""

from __future__ import annotations

import pytest

from tools.ledger.writes import Writes, Written

PATH = "/project/a.txt"


def test_what_nobody_wrote_is_not_ours() -> None:
    assert Writes().is_ours(PATH, "h1") is None
    assert Writes().last(PATH) is None


def test_a_write_is_ours_by_path_and_content() -> None:
    writes = Writes()
    writes.note(PATH, "h1", "call-1")
    assert writes.is_ours(PATH, "h1") == "call-1"
    assert writes.is_ours(PATH, "h2") is None
    assert writes.is_ours("/project/b.txt", "h1") is None


def test_an_earlier_write_of_ours_stays_ours() -> None:
    writes = Writes()
    writes.note(PATH, "h1", "call-1")
    writes.note(PATH, "h2", "call-2")
    assert (writes.is_ours(PATH, "h1"), writes.is_ours(PATH, "h2")) == ("call-1", "call-2")
    assert writes.last(PATH) == Written("h2", "call-2")


def test_a_removal_can_be_ours_too() -> None:
    writes = Writes()
    assert writes.is_ours(PATH, None) is None
    writes.credit(PATH, None, "call-1")
    assert writes.is_ours(PATH, None) == "call-1"
    assert writes.last(PATH) == Written(None, "call-1")


def test_a_write_under_way_is_ours_before_it_is_done() -> None:
    writes = Writes()
    with writes.pending(PATH, "h1", "call-1"):
        assert writes.is_ours(PATH, "h1") == "call-1" and writes.being_written(PATH)
        assert writes.last(PATH) is None
    assert writes.last(PATH) == Written("h1", "call-1") and not writes.being_written(PATH)


def test_a_write_that_did_not_come_to_be_is_taken_back() -> None:
    writes = Writes()
    with pytest.raises(KeyboardInterrupt), writes.pending(PATH, "h1", "call-1"):
        raise KeyboardInterrupt
    assert writes.is_ours(PATH, "h1") is None
    assert writes.last(PATH) is None and not writes.being_written(PATH)


def test_a_failed_write_of_a_content_that_was_ours_takes_nothing_back() -> None:
    writes = Writes()
    writes.note(PATH, "h1", "call-1")
    with pytest.raises(OSError, match="full"), writes.pending(PATH, "h1", "call-2"):
        raise OSError("full")
    assert writes.is_ours(PATH, "h1") == "call-1"


def test_a_file_is_being_written_until_the_last_write_is_done() -> None:
    writes = Writes()
    with writes.pending(PATH, "h1", "call-1"):
        with writes.pending(PATH, "h2", "call-2"):
            assert not writes.being_written("/project/b.txt")
        assert writes.being_written(PATH)
    assert not writes.being_written(PATH)
