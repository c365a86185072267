"""What a file would become when a message is taken back: ours goes, theirs stays, and where they meet it is asked."""

from __future__ import annotations

import pytest

from agent.checkpoints.rewind import NOT_KEPT, FilePlan, Held, outcome_of, plan_of
from tests.support.history import ToldHistory
from tools.files import hash_bytes

START = b"one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def told() -> ToldHistory:
    history = ToldHistory()
    history.starts("f", START)
    return history


def gone_back(told: ToldHistory, now: bytes | None = b"") -> tuple[bytes | None, bytes | None, int]:
    """What it would hold with theirs, with mine, and in how many places they meet."""
    outcome = outcome_of(told.steps("f"), told.content, Held(told.now("f") if now == b"" else now))
    assert not outcome.lost
    return outcome.theirs, outcome.mine, outcome.met


def plan(told: ToldHistory) -> FilePlan | None:
    return plan_of(told.steps("f"), told.content, Held(told.now("f")))


def test_several_of_our_changes_are_all_gone(told: ToldHistory) -> None:
    told.step("f", START.replace(b"two", b"TWO"))
    told.step("f", START.replace(b"two", b"TWO").replace(b"four\n", b""), by="command")
    assert gone_back(told) == (START, START, 0)


def test_what_others_changed_apart_from_it_stays(told: ToldHistory) -> None:
    told.step("f", START.replace(b"two", b"TWO"))
    told.step("f", START.replace(b"two", b"TWO").replace(b"five", b"theirs\nfive"), by="outside")
    told.step("f", START.replace(b"two", b"2").replace(b"five", b"theirs\nfive"))
    wanted = START.replace(b"five", b"theirs\nfive")
    assert gone_back(told) == (wanted, wanted, 0)
    made = plan(told)
    assert made is not None and (made.others, made.added, made.removed) == ((1, 0), 1, 1)


def test_what_nobody_noted_is_of_others_too(told: ToldHistory) -> None:
    told.step("f", START.replace(b"two", b"TWO"))
    assert gone_back(told, START.replace(b"two", b"TWO") + b"unnoticed\n")[0] == START + b"unnoticed\n"


def test_where_they_meet_theirs_stays_unless_mine_is_chosen(told: ToldHistory) -> None:
    told.step("f", START.replace(b"two", b"TWO").replace(b"five", b"FIVE"))
    theirs = START.replace(b"two", b"theirs").replace(b"five", b"FIVE")
    told.step("f", theirs, by="outside")
    assert gone_back(told) == (START.replace(b"two", b"theirs"), START, 1)


def test_what_a_command_of_ours_threw_away_of_theirs_comes_back(told: ToldHistory) -> None:
    told.step("f", START + b"theirs\n", by="outside")
    told.step("f", START, by="command")
    assert gone_back(told)[0] == START + b"theirs\n"


def test_a_file_we_made_goes(told: ToldHistory) -> None:
    told.step("g", b"new\n")
    outcome = outcome_of(told.steps("g"), told.content, Held(b"new\n"))
    assert (outcome.theirs, outcome.met) == (None, 0)


def test_a_file_we_made_and_others_changed_is_asked_about(told: ToldHistory) -> None:
    told.step("g", b"new\n")
    told.step("g", b"new\ntheirs\n", by="outside")
    outcome = outcome_of(told.steps("g"), told.content, Held(b"new\ntheirs\n"))
    assert (outcome.theirs, outcome.mine, outcome.met) == (b"new\ntheirs\n", None, 1)


def test_a_file_we_removed_comes_back_as_others_had_left_it(told: ToldHistory) -> None:
    told.step("f", START.replace(b"two", b"TWO"))
    told.step("f", START.replace(b"two", b"TWO") + b"theirs\n", by="outside")
    told.step("f", None, by="command")
    assert gone_back(told)[0] == START + b"theirs\n"


def test_a_file_others_removed_stays_gone_unless_mine_is_chosen(told: ToldHistory) -> None:
    told.step("f", START.replace(b"two", b"TWO"))
    told.step("f", None, by="outside")
    assert gone_back(told) == (None, START, 1)


def test_a_file_others_made_anew_where_we_removed_one_stays(told: ToldHistory) -> None:
    told.step("f", None, by="command")
    told.step("f", b"another\n", by="outside")
    assert gone_back(told) == (b"another\n", START, 1)


def test_what_is_no_text_goes_back_as_a_whole(told: ToldHistory) -> None:
    told.starts("b", b"\0one")
    told.step("b", b"\0two", by="command")
    assert outcome_of(told.steps("b"), told.content, Held(b"\0two")).theirs == b"\0one"
    told.step("b", b"\0theirs", by="outside")
    outcome = outcome_of(told.steps("b"), told.content, Held(b"\0theirs"))
    assert (outcome.theirs, outcome.mine, outcome.met) == (b"\0theirs", b"\0one", 1)


def test_only_what_others_did_is_nothing_to_go_back_from(told: ToldHistory) -> None:
    told.step("f", START + b"theirs\n", by="outside")
    assert plan(told) is None


def test_what_was_there_and_back_again_is_nothing(told: ToldHistory) -> None:
    told.step("f", b"x\n")
    told.step("f", START, by="person", call="review-1")
    assert plan(told) is None


def test_what_it_was_is_not_always_kept(told: ToldHistory) -> None:
    told.step("f", b"large\n")
    told.forget(START)
    made = plan(told)
    assert made is not None and made.lost == NOT_KEPT and not made.changes


def test_the_mode_it_had_comes_back_unless_others_set_another() -> None:
    from dataclasses import replace

    told = ToldHistory()
    told.starts("f", START)
    step = replace(told.step("f", START, by="command"), mode_before=0o755, mode_after=0o644)
    made = plan_of([step], told.content, Held(START, 0o644))
    assert made is not None and made.mode == 0o755 and made.changes and made.now == hash_bytes(START)
    assert plan_of([step], told.content, Held(START, 0o600)) is None
    gone = replace(told.step("f", None, by="command"), mode_before=0o700)
    made = plan_of([gone], told.content, Held(None))
    assert made is not None and made.mode == 0o700


def test_what_was_between_two_of_our_changes_need_not_be_kept(told: ToldHistory) -> None:
    told.step("f", b"too large\n")
    told.step("f", b"small again\n")
    told.forget(b"too large\n")
    assert gone_back(told) == (START, START, 0)
