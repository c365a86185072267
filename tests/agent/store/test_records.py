"""A session's records, from one run of the program to the next."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agent.events import Notice, Stamped
from agent.model.base import Request
from agent.model.scripted import tool_use
from agent.store.records import Records, open_records, pictures_in
from agent.store.sessions import SessionError
from tools.events import ToolFinished
from tools.files import hash_file
from tools.ledger.seen import PICTURES_BYTES, Seen, Snapshot
from tools.results import STORE_AGE_SECONDS, ResultStore

HELLO = {"role": "user", "content": "hello"}
CALL = {"role": "assistant", "content": [tool_use("t1", "Read")]}
FROZEN = Request("m", (), "You are.", [{"name": "Read"}])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


def fresh(folder: str) -> Records:
    return open_records(folder, None, resume_latest=False, keep=True)


def latest(folder: str) -> Records:
    return open_records(folder, None, resume_latest=True, keep=True)


def test_what_was_frozen_is_sent_again_byte_for_byte(folder: str) -> None:
    records = fresh(folder)
    assert records.frozen_request() is None
    records.freeze(FROZEN)
    records.save_message(HELLO)
    records.close()
    again = latest(folder)
    assert again.frozen_request() == FROZEN
    again.freeze(Request("other", (), "Other.", []))
    assert again.frozen_request() == FROZEN
    assert list(again.messages) == [HELLO]
    again.close()


def test_Z15_another_model_goes_on_without_the_thoughts_of_the_one_before_and_stays(folder: str) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s=="}
    said = {"role": "assistant", "content": [thought, {"type": "text", "text": "Hello."}]}
    records = fresh(folder)
    records.freeze(FROZEN)
    records.save_message(HELLO)
    records.save_message(said)
    records.close()
    changed = latest(folder)
    changed.change_model(FROZEN.model)
    assert (list(changed.messages), changed.notices) == ([HELLO, said], ()), "the same one keeps its thoughts"
    changed.change_model("another")
    (notice,) = changed.notices
    assert notice == f"another goes on with what {FROZEN.model} began; what that one had thought is left out."
    changed.close()
    again = latest(folder)
    assert again.frozen_request() == replace(FROZEN, model="another")
    assert list(again.messages) == [HELLO, {**said, "content": said["content"][1:]}]
    again.close()


@pytest.mark.parametrize("head", [{}, {"model": 5, "system": "", "tools": []}, {"model": "m", "system": "s"}])
def test_L3_a_head_that_is_none_is_left_out_with_a_notice(folder: str, head: dict[str, object]) -> None:
    records = fresh(folder)
    records.save_message(HELLO)
    path = records.messages_path
    records.close()
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({"head": head}) + "\n")
    again = latest(folder)
    assert again.frozen_request() is None
    assert "left out" in again.notices[0]
    again.close()


def test_L4_the_answer_to_an_open_call_is_recorded_once(folder: str) -> None:
    records = fresh(folder)
    records.save_message(HELLO)
    records.save_message(CALL)
    records.close()
    first = latest(folder)
    assert len(first.messages) == 3
    assert first.notices
    first.close()
    second = latest(folder)
    assert second.messages == first.messages
    assert second.notices == ()
    second.close()


def test_numbers_of_events_go_on_where_they_ended(folder: str) -> None:
    records = fresh(folder)
    assert records.next_seq == 1
    records.save_message(HELLO)
    records.save_event(Stamped(1, 1.0, "main", Notice("n")))
    records.save_event(Stamped(2, 1.0, "main", ToolFinished("t1", "ok")))
    records.close()
    again = latest(folder)
    assert again.next_seq == 3
    again.close()


def test_K2_after_a_resume_all_that_was_stored_is_readable_but_nothing_that_leads_elsewhere(folder: str) -> None:
    secret = Path(folder) / "secret"
    secret.write_text("theirs")
    records = fresh(folder)
    records.save_message(HELLO)
    assert records.stored_results == []
    results = Path(records.results_path)
    stored = ResultStore(results).keep("a long result")
    (results / "link.txt").symlink_to(secret)
    os.link(secret, results / "second-name.txt")
    records.close()
    again = latest(folder)
    assert again.stored_results == [stored]
    again.close()


def test_K4_results_too_old_are_swept_away_unless_a_program_holds_their_session(folder: str) -> None:
    ended, held, ours = fresh(folder), fresh(folder), fresh(folder)
    old = time.time() - STORE_AGE_SECONDS - 60
    kept: dict[str, str] = {}
    for name, records in (("ended", ended), ("held", held), ("ours", ours)):
        path = ResultStore(Path(records.results_path)).keep(name)
        assert path is not None
        os.utime(path, (old, old))
        kept[name] = path
    ended.close()
    assert ours.sweep() == 1
    assert [name for name, path in kept.items() if os.path.exists(path)] == ["held", "ours"]
    held.close()
    ours.close()


def test_L6_what_was_seen_of_files_survives_a_turn_and_an_unreadable_note_of_it_counts_for_nothing(folder: str) -> None:
    records = fresh(folder)
    records.save_message(HELLO)
    assert asyncio.run(records.turn_over(Seen())) == ""
    records.close()
    seen = Path(records.results_path).with_name("seen.json")
    assert seen.exists()
    seen.write_text("[{]")
    latest(folder).close()
    seen.write_text('[{"path": 5}]')
    again = latest(folder)
    assert again.seen.dump() == Seen().dump()
    again.close()


def test_L6_what_was_seen_is_known_after_a_resume_as_it_was_then(folder: str) -> None:
    same, changed = Path(folder, "same"), Path(folder, "changed")
    seen = Seen()
    for path in (same, changed):
        path.write_text("before")
        found = path.stat()
        snapshot = Snapshot(str(hash_file(str(path))), found.st_mtime_ns, found.st_size, found.st_dev, found.st_ino)
        seen.remember(str(path), snapshot, 1, 1, complete=True)
    records = fresh(folder)
    records.save_message(HELLO)
    asyncio.run(records.turn_over(seen))
    records.close()
    changed.write_text("after!")
    again = latest(folder)
    for path in (same, changed):
        found = again.seen.get(str(path))
        assert found is not None and (found.snapshot.hash == hash_file(str(path))) is (path is same)
    again.close()


def test_records_that_are_not_kept_end_with_the_session(folder: str) -> None:
    records = open_records(folder, None, resume_latest=False, keep=False)
    records.save_message(HELLO)
    place = os.path.dirname(records.results_path)
    assert os.path.isdir(place)
    records.close()
    assert not os.path.exists(place)


def test_there_must_be_something_to_continue(folder: str) -> None:
    with pytest.raises(SessionError, match="--continue"):
        latest(folder)
    with pytest.raises(SessionError, match="no session"):
        open_records(folder, "20260101-000000-abcdef", resume_latest=False, keep=True)


def test_pictures_that_were_sent_still_count_after_a_resume(folder: str) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "x" * 50}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "a.png"}, picture]}
    messages = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {}}]},
        {"role": "user", "content": [result, picture, {"type": "text", "text": "and this"}]},
    ]
    assert pictures_in(messages) == (2, 100)
    records = fresh(folder)
    for message in messages:
        records.save_message(message)
    records.close()
    again = latest(folder)
    assert not again.seen.admit_pictures(1, PICTURES_BYTES - 99)
    assert again.seen.admit_pictures(1, PICTURES_BYTES - 100)
    again.close()
