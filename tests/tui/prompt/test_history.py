"""What was sent before: kept in a file, walked through, searched."""

import asyncio
import json
import stat
from pathlib import Path

from tui.prompt.history import LONGEST_KEPT, MOST_ENTRIES, History, history_file


def loaded(file: Path, folder: str = "/w") -> History:
    history = History(file, folder)
    asyncio.run(history.load())
    return history


def texts(history: History) -> list[str]:
    return [entry.text for entry in history.entries]


def test_what_was_sent_is_there_in_the_next_session(tmp_path: Path) -> None:
    first = History(tmp_path / "h", "/w", clock=lambda: 5.0)
    first.add("one\ntwo")
    first.add("three")
    again = loaded(tmp_path / "h")
    assert texts(again) == ["one\ntwo", "three"]
    assert again.entries[0].folder == "/w"
    assert again.entries[0].time == 5.0


def test_what_was_sent_before_the_file_was_read_is_kept_in_it_and_up_goes_on_from_where_it_was(tmp_path: Path) -> None:
    History(tmp_path / "h", "/w").add("earlier")
    at_the_start = History()
    at_the_start.add("first")
    at_the_start.add("second")
    assert at_the_start.older("draft") == "second"
    history = loaded(tmp_path / "h")
    history.go_on_from(at_the_start)
    assert history.newer("second") == "draft"
    assert texts(history) == texts(loaded(tmp_path / "h")) == ["earlier", "first", "second"]


def test_the_file_is_the_persons_alone_and_one_line_an_entry(tmp_path: Path) -> None:
    History(tmp_path / "h", "/w").add("a\nb")
    assert stat.S_IMODE((tmp_path / "h").stat().st_mode) == 0o600
    assert len((tmp_path / "h").read_text().splitlines()) == 1


def test_the_same_message_twice_in_a_row_is_kept_once(tmp_path: Path) -> None:
    history = History(tmp_path / "h", "/w")
    for text in ("a", "a", "b", "a", "  "):
        history.add(text)
    assert texts(history) == texts(loaded(tmp_path / "h")) == ["a", "b", "a"]


def test_broken_lines_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "h"
    good = json.dumps({"text": "good", "folder": "/w", "time": 1})
    bad = [b"{", b"[]", b'{"text": 1, "folder": "", "time": 0}', b"\xff\xfe", b"null", b'{"text": "x"}', b"[" * 100_000]
    file.write_bytes(b"\n".join([*bad, good.encode(), b'{"text": "half']))
    assert texts(loaded(file)) == ["good"]


def test_only_the_last_thousand_are_loaded(tmp_path: Path) -> None:
    lines = [json.dumps({"text": f"m{number}", "folder": "/w", "time": 0}) for number in range(MOST_ENTRIES + 50)]
    (tmp_path / "h").write_text("\n".join(lines) + "\n")
    history = loaded(tmp_path / "h")
    assert len(history.entries) == MOST_ENTRIES
    assert history.entries[-1].text == f"m{MOST_ENTRIES + 49}"


def test_of_a_huge_file_only_the_end_is_read(tmp_path: Path) -> None:
    long = json.dumps({"text": "x" * 90_000, "folder": "/w", "time": 0})
    (tmp_path / "h").write_text("\n".join([long + "\n"] * 60) + json.dumps({"text": "last", "folder": "/w", "time": 0}))
    history = loaded(tmp_path / "h")
    assert texts(history)[-1] == "last"
    assert len(history.entries) == 2


def test_an_enormous_message_is_remembered_but_not_written(tmp_path: Path) -> None:
    history = History(tmp_path / "h", "/w")
    history.add("x" * (LONGEST_KEPT + 1))
    assert len(history.entries) == 1
    assert not (tmp_path / "h").exists()


def test_a_file_that_cannot_be_used_is_told_and_nothing_else_changes(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "h").symlink_to(tmp_path / "elsewhere")
    history = loaded(tmp_path / "h")
    assert "cannot be used" in history.problem
    history.add("a")
    assert history.older("") == "a"
    assert (tmp_path / "elsewhere").read_text() == ""


def test_what_was_sent_while_loading_stays_the_newest(tmp_path: Path) -> None:
    History(tmp_path / "h", "/w").add("old")
    history = History(tmp_path / "h", "/w")

    async def load_and_send() -> None:
        loading = asyncio.create_task(history.load())
        history.add("new")
        await loading

    asyncio.run(load_and_send())
    assert texts(history)[0] == "old"
    assert texts(history)[-1] == "new"
    assert texts(history).count("new") == 1


def test_it_lies_in_the_state_folder(a_home_of_its_own: Path) -> None:
    assert history_file() == a_home_of_its_own / ".local/state/agent-tui/prompts.jsonl"


def test_the_walk_goes_back_to_the_oldest_and_forward_to_the_draft() -> None:
    history = History()
    history.add("one")
    history.add("two")
    assert [history.older("draft"), history.older("two"), history.older("one")] == ["two", "one", None]
    assert [history.newer("one"), history.newer("two"), history.newer("draft")] == ["two", "draft", None]


def test_what_was_changed_on_the_way_stays_changed_during_the_walk() -> None:
    history = History()
    history.add("one")
    history.add("two")
    history.older("")
    assert history.older("two, mended") == "one"
    assert history.newer("one") == "two, mended"
    history.stop_walking()
    assert history.older("") == "two"


def test_the_walk_stays_in_this_folder_and_the_search_does_not(tmp_path: Path) -> None:
    History(tmp_path / "h", "/other").add("elsewhere")
    History(tmp_path / "h", "/w").add("here")
    history = loaded(tmp_path / "h")
    assert [history.older(""), history.older("here")] == ["here", None]
    menu = history.search().menu("")
    assert [(candidate.name, candidate.remark[0]) for candidate in menu.candidates] == [
        ("here", ""),
        ("elsewhere", "other"),
    ]


def test_a_search_wants_every_word_and_shows_the_line_it_stands_in() -> None:
    history = History()
    for text in ("fix it\nin Cache.py", "cache", "fix that", "cache"):
        history.add(text)
    menu = history.search().menu("cache FIX")
    assert [(candidate.name, candidate.put) for candidate in menu.candidates] == [("fix it", "fix it\nin Cache.py")]
    assert menu.candidates[0].remark[0] == "2 lines"
    assert [candidate.name for candidate in history.search().menu("cache").candidates] == ["cache", "in Cache.py"]
