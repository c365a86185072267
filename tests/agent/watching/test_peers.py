"""Sessions of this program know of each other what they write and run, as long as they live."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from agent.watching.hands import Hand, Trace
from agent.watching.peers import Peers

HASH = "ab" * 32


def trace(path: str = "/work/a.txt", hash: str | None = HASH, ago: float = 0.0) -> Trace:
    return Trace(path, hash, int((time.time() - ago) * 1e9))


def words(hand: Hand | None) -> str:
    return hand.words if hand is not None else ""


def pair(folder: Path) -> tuple[Peers, Peers]:
    return Peers(str(folder), "one", "/work"), Peers(str(folder), "two", "/work")


def test_what_another_wrote_is_known_by_path_and_content(tmp_path: Path) -> None:
    one, two = pair(tmp_path / "peers")
    assert words(two.others().wrote(trace())) == "", "nobody has said anything"
    one.writes("/work/a.txt", HASH)
    assert words(two.others().wrote(trace())) == f"another agent-tui (process {os.getpid()})"
    assert two.others().wrote(trace(hash="cd" * 32)) is None
    assert two.others().wrote(trace("/work/b.txt")) is None
    assert one.others().wrote(trace()) is None, "nobody is another to itself"
    one.writes("/work/a.txt", None)
    assert two.others().wrote(trace(hash=None)) is not None


def test_a_command_of_another_in_the_same_folder_may_have_been_it(tmp_path: Path) -> None:
    one, two = pair(tmp_path)
    one.runs("c1", "npm run format")
    found = two.others().may_have_written(trace())
    assert found is not None and found.words == f"probably another agent-tui (process {os.getpid()})"
    assert found.evidence == "it ran `npm run format` in the same folder at that time"
    assert two.others().may_have_written(trace("/workshop/a.txt")) is None
    one.ran("c1")
    assert two.others().may_have_written(trace(ago=1)) is not None, "the change is seen a moment later"
    assert two.others().may_have_written(trace(ago=-60)) is None


def test_what_is_said_is_private_and_goes_with_its_session(tmp_path: Path) -> None:
    one, two = pair(tmp_path / "peers")
    one.writes("/work/a.txt", HASH)
    file = tmp_path / "peers" / "one.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for number in range(1_000):
        one.writes(f"/work/{number}.txt", HASH)
    assert two.others().wrote(trace("/work/999.txt")) and two.others().wrote(trace()) is None
    assert file.stat().st_size < 100_000
    one.close()
    one.writes("/work/a.txt", HASH)
    assert not file.exists() and two.others().wrote(trace()) is None


def test_what_one_that_was_killed_left_is_not_believed_and_taken_away(tmp_path: Path) -> None:
    left = tmp_path / "dead.json"
    left.write_text(f'{{"pid": 1, "writes": [["/work/a.txt", "{HASH}"]]}}')
    _, two = pair(tmp_path)
    assert two.others().wrote(trace()) is None
    assert not left.exists()


def test_a_folder_that_cannot_be_written_and_files_that_are_nonsense_harm_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked, _ = pair(tmp_path / "file" / "peers")
    blocked.writes("/work/a.txt", HASH)
    assert blocked.others().wrote(trace()) is None
    one, two = pair(tmp_path)
    for text in ("[", "[1]", '{"writes": 5, "commands": {}, "workspace": 7}', '{"writes": [5], "commands": [[]]}'):
        one.writes("/work/a.txt", HASH)
        (tmp_path / "one.json").write_text(text)
        assert two.others().wrote(trace()) is None and two.others().may_have_written(trace()) is None
    one.close()
